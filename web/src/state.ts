// The reader's choices, kept in the fragment of the address: a link shows the same view again.
import type { Chart } from './model';
import { implementation, offered, ranked, traits } from './model';

export interface State {
    chart: Chart;
    /** The size for the charts of one size. */
    size: number;
    /** The baseline; `null` for the run's own. */
    baseline: string | null;
    /** Toolchains and flags that are hidden. */
    hidden: Set<string>;
    /** Whether forced paths and second styles are shown next to the contenders that stand for
     * them. */
    variants: boolean;
    /** Whether all rows of a chart are drawn, and not only the fastest. */
    whole: boolean;
    /** Contenders drawn with a colour, a symbol and a band. */
    marked: string[];
}

/** How many contenders are marked before the reader marks some. */
const MARKED = 4;

/** The view for a fragment. Missing or wrong parts get defaults. */
export function parse(fragment: string, all: Chart[]): State {
    const asked = new URLSearchParams(fragment.replace(/^#/, ''));
    let fit = all;
    for (const field of ['primitive', 'operation', 'shape', 'contract'] as const) {
        const wanted = asked.get(field);
        const narrower = fit.filter((chart) => chart[field] === wanted);
        if (narrower.length > 0) fit = narrower;
    }
    const chart = fit[0];
    if (!chart) throw new Error('this run compared nothing');
    const names = contenders(chart);
    const sizes = chart.works.map((work) => work.size);
    const size = asked.has('size') ? Number(asked.get('size')) : NaN;
    const baseline = asked.get('baseline');
    const known = new Set(
        names.flatMap((name) => Object.values(traits(chart.names, name)) as (string | null)[]),
    );
    const hidden = new Set(asked.getAll('hide').filter((t) => known.has(t)));
    const marked = asked.getAll('mark').filter((name) => names.includes(name));
    return {
        chart,
        size: sizes.includes(size) ? size : (sizes[Math.floor((sizes.length - 1) / 2)] ?? 0),
        baseline: baseline !== null && offered(chart).has(baseline) ? baseline : null,
        hidden,
        variants: asked.get('show') === 'variants',
        whole: asked.get('rows') === 'all',
        marked: asked.has('mark') ? marked : leaders(chart, baseline),
    };
}

/** The fields of a fragment that choose a workload. */
export function workload(chart: Chart, size: number): Record<string, string> {
    const { primitive, operation, shape, contract } = chart;
    return { primitive, operation, shape, contract, size: String(size) };
}

/** The fragment for a view. */
export function format(state: State): string {
    const { chart, size, baseline, hidden, variants, whole, marked } = state;
    const asked = new URLSearchParams(workload(chart, size));
    if (baseline !== null) asked.set('baseline', baseline);
    if (variants) asked.set('show', 'variants');
    if (whole) asked.set('rows', 'all');
    for (const toolchain of hidden) asked.append('hide', toolchain);
    for (const name of marked) asked.append('mark', name);
    if (marked.length === 0) asked.append('mark', '');
    return `#${asked.toString()}`;
}

/** The contenders of a chart that were measured at any size, sorted by name. */
export function contenders(chart: Chart): string[] {
    const names = chart.works.flatMap((work) =>
        work.cells.filter(ranked).map((cell) => cell.contender),
    );
    return [...new Set(names)].sort();
}

/**
 * The fastest at each size, then the next fastest: first one of each implementation, then another
 * of each. Otherwise the builds of one implementation would displace all others.
 */
export function leaders(chart: Chart, baseline: string | null, most = MARKED): string[] {
    const own = baseline ?? chart.works.find((work) => work.cells[0])?.cells[0]?.baseline;
    const lists = chart.works.map((work) =>
        work.cells
            .filter((cell) => ranked(cell) && cell.contender !== own)
            .map((cell) => cell.contender)
            .filter((name) => !chart.variants.has(name)),
    );
    const found = new Set<string>();
    const deepest = Math.max(0, ...lists.map((list) => list.length));
    for (let depth = 0; depth < deepest; depth++) {
        for (const list of lists) {
            const name = list[depth];
            if (name !== undefined) found.add(name);
        }
    }
    const turns = new Map<string, number>();
    const turn = (name: string) => {
        const code = implementation(chart.names, name);
        const next = (turns.get(code) ?? 0) + 1;
        turns.set(code, next);
        return { name, next };
    };
    const taken = [...found].map(turn).sort((a, b) => a.next - b.next);
    return taken.slice(0, most).map(({ name }) => name);
}
