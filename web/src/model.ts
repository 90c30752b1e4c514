// The run as charts: one for each primitive, operation, contract and shape, with one workload for
// each size. Nothing is decided here: the tool computed every interval and verdict, or its inverse.
import { floats, positions } from './column';
import type {
    Answer,
    Cell,
    Comparison,
    Crossing,
    Data,
    Finding,
    Name,
    Triple,
    Verdict,
} from './data';

/** One workload and its cells. */
export interface Work {
    size: number;
    cells: Cell[];
    comparison: Comparison;
    /** The tool's answer in a sentence; `null` if the document has none. */
    answer: Answer | null;
    /** The finding that is the answer; `null` if the document has none. */
    finding: Finding | null;
}

/** Workloads that can be compared: equal in everything but size. */
export interface Chart {
    primitive: string;
    operation: string;
    contract: string;
    shape: string;
    /** In ascending order of size. */
    works: Work[];
    crossings: Crossing[];
    /** Forced paths and second styles for which another contender stands at every size. */
    variants: Set<string>;
    /** The names of the whole run. */
    names: Names;
}

/** A cell compared with the chosen baseline. */
export interface Point {
    cell: Cell;
    /** The position among the rows of its workload. */
    row: number;
    /** Its time divided by the baseline's; `null` if it has none. */
    ratio: Triple | null;
    /** The verdict for the chosen baseline; `null` if that was not measured at this size. */
    verdict: Verdict | null;
}

const key = (c: { primitive: string; operation: string; contract: string; shape: string }) =>
    JSON.stringify([c.primitive, c.operation, c.shape, c.contract]);

/** The kinds of findings that answer a comparison: each comparison has one of them. */
const ANSWERS = ['fastest', 'tie', 'choice', 'open', 'alone', 'no-answer'];

/** Gathers the charts, in the order of the document. */
export function charts(data: Data): Chart[] {
    const found = new Map<string, Chart>();
    const contenders = new Map(data.document.contenders.map((c) => [c.name, c]));
    const names: Names = new Map(
        Object.entries(data.names).map(([name, parts]) => [
            name,
            {
                ...parts,
                version: contenders.get(name)?.version ?? '',
                builtWith: contenders.get(name)?.built_with ?? null,
            },
        ]),
    );
    const findings = new Map<string, Finding>();
    for (const finding of data.document.findings ?? []) {
        const { work, kind } = finding;
        if (work && ANSWERS.includes(kind)) findings.set(`${key(work)} ${work.size}`, finding);
    }
    let from = 0;
    for (const [place, comparison] of data.comparisons.entries()) {
        const cells = data.document.cells.slice(from, from + comparison.rows);
        from += comparison.rows;
        const first = cells[0];
        if (!first) continue;
        const { primitive, operation, contract, shape } = first;
        const chart = found.get(key(first)) ?? {
            ...{ primitive, operation, contract, shape },
            works: [],
            crossings: [],
            variants: new Set<string>(),
            names,
        };
        found.set(key(first), chart);
        const answer = answerTo(first, data.document.answers[place]);
        const finding = findings.get(`${key(first)} ${first.size}`) ?? null;
        chart.works.push({ size: first.size, cells, comparison, answer, finding });
    }
    for (const crossing of data.crossings) found.get(key(crossing))?.crossings.push(crossing);
    for (const chart of found.values()) {
        chart.works.sort((a, b) => a.size - b.size);
        chart.variants = variants(chart.works);
    }
    return [...found.values()];
}

function variants(works: Work[]): Set<string> {
    const aside = ({ cells, comparison }: Work) =>
        comparison.aside.flatMap((row) => cells[row]?.contender ?? []);
    const found = new Set(works.flatMap(aside));
    for (const work of works) {
        const here = new Set(aside(work));
        for (const { contender } of work.cells) if (!here.has(contender)) found.delete(contender);
    }
    return found;
}

/** The answer, if it belongs to the comparison of this cell: another would be a false answer. */
function answerTo(cell: Cell, answer: Answer | undefined): Answer | null {
    const fields = ['primitive', 'operation', 'size'] as const;
    return answer && fields.every((field) => answer[field] === cell[field]) ? answer : null;
}

/** Whether a cell was measured and did not fail. */
export function ranked(cell: Cell): boolean {
    return cell.ns_median !== null && !['failed', 'missing', 'unsupported'].includes(cell.verdict);
}

/** The cells of a workload compared with a baseline; `null` means the run's own. */
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

/** One contender of a workload compared with another, in either order of the tool's pairs. */
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
    const pair = pairs(work.comparison).get(pairKey(Math.min(row, other), Math.max(row, other)));
    if (!pair) return null;
    return row < other ? pair : { ratio: mirror(pair.ratio), verdict: opposite(pair.verdict) };
}

/**
 * Neighbours in the given order that are not separated from each other: the longest such groups,
 * which may overlap. `order` has rows of the workload.
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

/** The reverse ratio. */
export function mirror(ratio: Triple | null): Triple | null {
    const over = (x: number | null) => (x === null ? null : 1 / x);
    return ratio && [over(ratio[0]), over(ratio[2]), over(ratio[1])];
}

function opposite(verdict: Verdict): Verdict {
    return verdict === 'faster' ? 'slower' : verdict === 'slower' ? 'faster' : verdict;
}

type Pair = { ratio: Triple; verdict: Verdict };
const WORDS: Record<string, Verdict> = { f: 'faster', s: 'slower', n: 'not separated' };
const pairKey = (row: number, other: number) => row * 65536 + other;
const known = new WeakMap<Comparison, Map<number, Pair>>();

/** Unpacked when first needed: most readers keep the run's baseline. */
function pairs(comparison: Comparison): Map<number, Pair> {
    const before = known.get(comparison);
    if (before) return before;
    const found = new Map<number, Pair>();
    for (const { row, others, ratios, verdicts } of comparison.pairs) {
        const values = floats(ratios);
        positions(others).forEach((other, i) => {
            const [estimate = null, low = null, high = null] = values.slice(3 * i, 3 * i + 3);
            const verdict = WORDS[verdicts[i] ?? ''];
            if (verdict) found.set(pairKey(row, other), { ratio: [estimate, low, high], verdict });
        });
    }
    known.set(comparison, found);
    return found;
}

/** The contenders of a chart that can be chosen as the baseline. */
export function offered(chart: Chart): Set<string> {
    const names = chart.works.flatMap((work) =>
        positions(work.comparison.offered).flatMap((row) => work.cells[row]?.contender ?? []),
    );
    return new Set(names);
}

/** A slice of a cell: its round, and whether it counts. */
export interface Slice {
    round: number;
    ns: number;
    counts: boolean;
}

/** The slices of a row of a workload. The row after the last is the control. */
export function slices({ comparison }: Work, row: number): Slice[] {
    const column = comparison.slices.columns[row];
    if (!column) return [];
    const values = floats(column.ns);
    return positions(column.rounds).flatMap((round, i) => {
        const ns = values[i] ?? null;
        return ns === null ? [] : [{ round, ns: Math.abs(ns), counts: ns > 0 }];
    });
}

/** The names of a run with their parts, which the tool provides, versions, and the compiler of
 * those that came with the tool's package. */
export type Names = Map<string, Name & { version: string; builtWith: string | null }>;

/** A contender of a matrix of compilers and flags. */
export interface Build {
    code: string;
    compiler: string;
    level: string;
    native: boolean;
}

/** From the lowest optimisation level to the highest. */
export const LEVELS = ['O0', 'O1', 'O2', 'O3', 'Os', 'Ofast'];

/** The implementation of a contender, without its toolchain. */
export function implementation(names: Names, name: string): string {
    return names.get(name)?.code ?? name;
}

/** The implementation and the build of a contender; `null` if it is not part of a matrix. */
export function build(names: Names, name: string): Build | null {
    const found = names.get(name);
    return found?.build ? { code: found.code, ...found.build } : null;
}

/** The traits that a reader can hide: the toolchain of a contender, and for a build each of its
 * flags. */
export interface Traits {
    toolchain: string;
    level: string | null;
    native: string | null;
}

/** The traits of a contender: its family with its toolchain, and its flags. */
export function traits(names: Names, name: string): Traits {
    const found = names.get(name);
    if (!found) return { toolchain: name, level: null, native: null };
    const { family, toolchain, build: built, against } = found;
    if (built) {
        const native = built.native ? '-march=native' : 'without -march';
        return { toolchain: `${family} @${built.compiler}`, level: `-${built.level}`, native };
    }
    const suffixes = [toolchain, against ? 'against' : null].filter((part) => part !== null);
    return {
        toolchain:
            suffixes.length === 0 ? family : `${family} ${suffixes.map((p) => `@${p}`).join('')}`,
        level: null,
        native: null,
    };
}

/** Whether none of a contender's traits is hidden. */
export function shown(names: Names, name: string, hidden: Set<string>): boolean {
    const { toolchain, level, native } = traits(names, name);
    return ![toolchain, level, native].some((trait) => trait !== null && hidden.has(trait));
}
