// The run as charts: one for each primitive, operation, contract and shape, with one workload a size.
// Nothing is decided here. Each interval and verdict is one that the tool computed, or its mirror.
import type { Cell, Comparison, Crossing, Data, Triple, Verdict } from './data';

/** One workload and its cells. */
export interface Work {
    size: number;
    cells: Cell[];
    comparison: Comparison;
}

/** What may be compared: equal in everything but size. */
export interface Chart {
    primitive: string;
    operation: string;
    contract: string;
    shape: string;
    /** In ascending order of size. */
    works: Work[];
    crossings: Crossing[];
}

/** A cell as seen from the chosen baseline. */
export interface Point {
    cell: Cell;
    /** Place among the rows of its workload. */
    row: number;
    /** Its time over the baseline's; `null` where it has none. */
    ratio: Triple | null;
    /** Against the chosen baseline; `null` where that was not measured at this size. */
    verdict: Verdict | null;
}

const key = (c: { primitive: string; operation: string; contract: string; shape: string }) =>
    JSON.stringify([c.primitive, c.operation, c.shape, c.contract]);

/** Gathers the charts, in the order of the document. */
export function charts(data: Data): Chart[] {
    const found = new Map<string, Chart>();
    let from = 0;
    for (const comparison of data.comparisons) {
        const cells = data.document.cells.slice(from, from + comparison.rows);
        from += comparison.rows;
        const first = cells[0];
        if (!first) continue;
        const { primitive, operation, contract, shape } = first;
        const chart = found.get(key(first)) ?? {
            ...{ primitive, operation, contract, shape },
            works: [],
            crossings: [],
        };
        found.set(key(first), chart);
        chart.works.push({ size: first.size, cells, comparison });
    }
    for (const crossing of data.crossings) found.get(key(crossing))?.crossings.push(crossing);
    for (const chart of found.values()) chart.works.sort((a, b) => a.size - b.size);
    return [...found.values()];
}

/** Whether a cell was measured and did not fail. */
export function ranked(cell: Cell): boolean {
    return cell.ns_median !== null && !['failed', 'missing', 'unsupported'].includes(cell.verdict);
}

/** The cells of a workload against a baseline; `null` means the run's own. */
export function against(work: Work, baseline: string | null): Point[] {
    const own = work.comparison.baseline;
    const chosen = baseline === null ? own : work.cells.findIndex((c) => c.contender === baseline);
    return work.cells.map((cell, row) => {
        if (!ranked(cell)) return { cell, row, ratio: null, verdict: cell.verdict };
        if (baseline === null || chosen === own) {
            return { cell, row, ratio: rowRatio(cell), verdict: cell.verdict };
        }
        const base = work.cells[chosen ?? -1];
        if (!base || !ranked(base)) return { cell, row, ratio: null, verdict: null };
        if (base === cell) return { cell, row, ratio: null, verdict: 'baseline' };
        const found = between(work, row, chosen ?? -1);
        return { cell, row, ratio: found?.ratio ?? null, verdict: found?.verdict ?? null };
    });
}

/** One contender of a workload against another, whichever of the two the tool put first. */
export function between(
    work: Work,
    row: number,
    other: number,
): { ratio: Triple | null; verdict: Verdict } | null {
    const own = work.comparison.baseline;
    const cell = work.cells[row];
    const base = work.cells[other];
    if (!cell || !base) return null;
    if (other === own) return { ratio: rowRatio(cell), verdict: cell.verdict };
    if (row === own) return { ratio: mirror(rowRatio(base)), verdict: opposite(base.verdict) };
    const pair = pairs(work.comparison).get(place(Math.min(row, other), Math.max(row, other)));
    if (!pair) return null;
    return row < other
        ? { ratio: pair[2], verdict: pair[3] }
        : { ratio: mirror(pair[2]), verdict: opposite(pair[3]) };
}

/**
 * Neighbours in the order given of which no two are separated: the longest such groups, which may
 * overlap. `order` holds rows of the workload.
 */
export function ties(work: Work, order: number[]): [from: number, to: number][] {
    const tied = (a: number, b: number) => {
        const verdict = between(work, order[a] ?? -1, order[b] ?? -1)?.verdict;
        return verdict === 'not separated';
    };
    const groups: [number, number][] = [];
    let end = 0;
    for (let from = 0; from < order.length; from++) {
        let to = from;
        while (to + 1 < order.length && all(from, to, (i) => tied(i, to + 1))) to++;
        if (to > from && to > end) groups.push([from, to]);
        end = Math.max(end, to);
    }
    return groups;
}

function all(from: number, to: number, holds: (i: number) => boolean): boolean {
    for (let i = from; i <= to; i++) if (!holds(i)) return false;
    return true;
}

function rowRatio(cell: Cell): Triple | null {
    return cell.ratio === null ? null : [cell.ratio, cell.ratio_low, cell.ratio_high];
}

/** The ratio the other way round. */
export function mirror(ratio: Triple | null): Triple | null {
    const over = (x: number | null) => (x === null ? null : 1 / x);
    return ratio && [over(ratio[0]), over(ratio[2]), over(ratio[1])];
}

function opposite(verdict: Verdict): Verdict {
    return verdict === 'faster' ? 'slower' : verdict === 'slower' ? 'faster' : verdict;
}

const place = (row: number, other: number) => row * 65536 + other;
const known = new WeakMap<Comparison, Map<number, Comparison['pairs'][number]>>();

function pairs(comparison: Comparison): Map<number, Comparison['pairs'][number]> {
    let found = known.get(comparison);
    if (!found) {
        found = new Map(comparison.pairs.map((pair) => [place(pair[0], pair[1]), pair]));
        known.set(comparison, found);
    }
    return found;
}

/** What hosts or builds a contender: its family, and behind `@` its toolchain. */
export function toolchain(name: string): string {
    const family = name.includes('/') ? name.slice(0, name.indexOf('/')) : name;
    const at = name.lastIndexOf('@');
    return at < 0 ? family : `${family} ${name.slice(at)}`;
}
