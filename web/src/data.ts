// What the tool put into the page. `document` is that of `cupel show --format json`, field for field
// (docs/formats.md); the rest is described in crates/cupel/src/report/page/data.rs.

export interface Cell {
    contender: string;
    primitive: string;
    operation: string;
    contract: string;
    shape: string;
    size: number;
    ns_median: number | null;
    ns_low: number | null;
    ns_high: number | null;
    ns_net: number | null;
    gb_per_s: number | null;
    baseline: string | null;
    ratio: number | null;
    ratio_low: number | null;
    ratio_high: number | null;
    verdict: Verdict;
    reason: string | null;
    forks: number;
    rounds: number;
    dropped: number;
    noise_floor: number | null;
    untrusted: boolean;
    fixed_ns: number | null;
    per_byte_ns: number | null;
    first_call_ns: number | null;
    /** Speeds of its processes where they have several: `ns:forks` each. */
    levels: string;
    steadiness: string;
    version: string;
    code_path: string;
}

export type Verdict =
    'baseline' | 'faster' | 'slower' | 'not separated' | 'failed' | 'missing' | 'unsupported';

/** Estimate, low and high; `null` where there is no bound. */
export type Triple = [number | null, number | null, number | null];

export interface Comparison {
    rows: number;
    baseline: number | null;
    control: Triple | null;
    lead: {
        leader: string;
        runner_up: string;
        ratio: Triple;
        separated: boolean;
        /** All that follow the fastest without a surely slower one between. */
        tied: string[];
    } | null;
    rounds: number;
    disturbed: number;
    /** Rows that may be taken for the baseline, as runs. */
    offered: number[];
    /** One row against later ones: these as runs, three floats and the verdict's first letter for each. */
    pairs: { row: number; others: number[]; ratios: string; verdicts: string }[];
    /** By row, and last the control: rounds as runs, floats that are negative where disturbed. */
    slices: { every: number; fork: number[]; columns: { rounds: number[]; ns: string }[] };
    warm_ups: WarmUp[][];
}

/** One fork's warm-up; the level is null where the runner does not tell. */
export type WarmUp = [
    fork: number,
    first: number,
    end: number,
    elapsed: number,
    settled: boolean,
    level: number | null,
    recompiled: number,
];

export interface Crossing {
    primitive: string;
    operation: string;
    contract: string;
    shape: string;
    below: string;
    above: string;
    low: number;
    high: number;
    near: number | null;
}

export type Reading<T> = { known: T } | { 'not-available': string };

export interface Contender {
    name: string;
    library: string;
    version: string;
    licence: string;
    summary: string;
    code_path: string | null;
    verified_cases: number;
    not_supported: string;
}

/** A contender's name, taken apart by the tool. */
export interface Name {
    /** `c` */
    family: string;
    /** The body of code that a contender is a build of, or that a toolchain hosts: `c/NAME`. */
    code: string;
    /** `temurin-25`, `gcc-12-O2-native` */
    toolchain: string | null;
    /** The toolchain's parts, where it is a compiler under flags. */
    build: { compiler: string; level: string; native: boolean } | null;
    /** Whether it is the second build of a gate. */
    against: boolean;
}

export interface Data {
    /** By full name. */
    names: Record<string, Name>;
    document: {
        run: number;
        suite: string;
        question: string;
        started: string;
        finished: string | null;
        command: string;
        cupel: string;
        options: { forks: number; precision: number; tie_zone: number; alpha: number };
        intervals_hold_together: number;
        measured_ns: number;
        sliced_ns: number;
        machine: Record<string, string | number | Reading<string | number | string[]>>;
        fingerprint: string;
        harness_overhead_ns: Record<string, number>;
        contenders: Contender[];
        cells: Cell[];
    };
    comparisons: Comparison[];
    crossings: Crossing[];
    pairs_hold_together: number;
}

type Decision = 'held' | 'refuted' | 'undecided';

/** As `cupel claims --format json` gives them (docs/formats.md). */
export interface Claims {
    held: number;
    refuted: number;
    undecided: number;
    intervals_hold_together: number;
    alpha: number;
    claims: {
        source: string;
        quote: string;
        claim: string;
        is: string;
        claimed_ratio: number | null;
        margin: number | null;
        verdict: Decision;
        sizes: {
            size: number;
            verdict: Decision;
            direction: Decision | null;
            factor: Decision | null;
            ratio: number | null;
            ratio_low: number | null;
            ratio_high: number | null;
            reason: string | null;
        }[];
    }[];
}

/** A result of another program, as `cupel show --foreign --format json` gives it. */
export interface Foreign {
    name_of_file: string;
    tool: string;
    version: string;
    machine: string;
    name: string;
    parameters: string;
    statistic: string;
    ns: number | null;
    low: number | null;
    high: number | null;
    samples: number;
    bytes: number | null;
    error: string | null;
}

/** Reads a part of the data out of the page; `null` where it is not there. */
function part(id: string): unknown {
    const text = document.getElementById(id)?.textContent;
    return text ? JSON.parse(text) : null;
}

/** Reads the run. */
export function read(): Data {
    const data = part('run');
    if (!data) throw new Error('this page holds no run');
    return data as Data;
}

/** Reads the claims; `null` where nothing is claimed. */
export function readClaims(): Claims | null {
    return part('claimed') as Claims | null;
}

/** Reads the results of other programs. */
export function readForeign(): Foreign[] {
    return (part('foreign') ?? []) as Foreign[];
}
