// What every section of the page uses: the data, the reader's choices, and what follows from them.
import type { Data } from './data';
import type { Look } from './frame';
import { fewNamed, looks } from './frame';
import { h } from './dom';
import type { Chart, Point, Work } from './model';
import { against, shown } from './model';
import type { State } from './state';

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
    const points = chart.works.map((work) =>
        against(work, state.baseline).filter((p) =>
            shown(chart.names, p.cell.contender, state.hidden),
        ),
    );
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

/** Says how many grey lines there are, if they have no names beside them. */
export function unnamed(view: View, width: number, named: string[] = []): Node | null {
    const all = curves(view);
    const grey = [...all.keys()].filter(
        (name) => !view.looks.has(name) && !named.includes(name),
    ).length;
    if (all.size <= fewNamed(width) || grey === 0) return null;
    return h('p', { class: 'note' }, `Grey: ${grey} others. Mark a contender to see its line.`);
}

/** The sizes at which the control is too far off for a verdict. */
export function untrusted(view: View): number[] {
    const works = view.chart.works.filter((work) => work.cells[0]?.untrusted === true);
    return works.map((work) => work.size);
}
