// The common base of every section of the page: the data, the reader's choices, and their
// consequences.
import type { Data } from './data';
import type { Look } from './frame';
import { looks } from './frame';
import type { Chart, Point, Work } from './model';
import { against, shown } from './model';
import type { State } from './state';
import { bytes, plain } from './text';

export interface View {
    data: Data;
    state: State;
    chart: Chart;
    /** For each workload of the chart: its visible cells compared with the baseline. */
    points: Point[][];
    /** The workload for the charts of one size. */
    work: Work;
    /** Its points. */
    at: Point[];
    looks: Map<string, Look>;
    /** The baseline's name, for headings. */
    baseline: string;
}

export function view(data: Data, state: State): View {
    const { chart } = state;
    const isSeen = ({ cell: { contender } }: Point) =>
        shown(chart.names, contender, state.hidden) &&
        (state.variants || contender === state.baseline || !chart.variants.has(contender));
    const points = chart.works.map((work) => against(work, state.baseline).filter(isSeen));
    const index = Math.max(
        0,
        chart.works.findIndex((work) => work.size === state.size),
    );
    const work = chart.works[index];
    if (!work) throw new Error('a chart without a size');
    const own = new Set(chart.works.map((w) => w.cells[w.comparison.baseline ?? -1]?.contender));
    own.delete(undefined);
    return {
        data,
        state,
        chart,
        points,
        work,
        at: points[index] ?? [],
        looks: looks(state.marked),
        baseline: state.baseline ?? ([...own].join(' or ') || 'no baseline'),
    };
}

/** The curves of a chart: for each contender, its point at each size. */
export function curves(view: View): Map<string, { size: number; point: Point }[]> {
    const found = new Map<string, { size: number; point: Point }[]>();
    view.chart.works.forEach((work, i) => {
        for (const point of view.points[i] ?? []) {
            const name = point.cell.contender;
            const curve = found.get(name) ?? [];
            found.set(name, curve);
            curve.push({ size: work.size, point });
        }
    });
    return found;
}

/** Names with the marked ones last, so that they are drawn on top. */
export function markedLast<T>(view: View, all: Map<string, T>): [string, T][] {
    const rank = (name: string) => view.looks.get(name)?.index ?? -1;
    return [...all].sort((a, b) => rank(a[0]) - rank(b[0]));
}

/** Whether ratios are to the run's own baseline: its levels and its control are to that one. */
export function isOwn({ state, work }: View): boolean {
    const own = work.cells[work.comparison.baseline ?? -1]?.contender;
    return state.baseline === null || state.baseline === own;
}

/** Where a drawing of this view comes from, in words. */
export function about({ data, chart, work }: View): string {
    const { run, suite, started, cupel } = data.document;
    const what = `${chart.primitive} ${chart.operation}, ${chart.shape}, ${chart.contract}`;
    return plain(
        `${what}; at ${bytes(work.size)}. Run ${run}, suite ${suite}, ${started}, cupel ${cupel}.`,
    );
}
