// The data that the tool writes into the page. `document` is the output of `cupel show --format
// json` (docs/reference/output.md). The rest is described in crates/core/show/src/report/page/data.rs.

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
    /** The ratios of two kinds of processes, if there are two: `ratio:forks` each. */
    ratio_levels?: string;
    verdict: Verdict;
    reason: string | null;
    forks: number;
    rounds: number;
    dropped: number;
    /** The smallest difference that the forks can show; `null` without a control. */
    floor: number | null;
    untrusted: boolean;
    fixed_ns: number | null;
    per_byte_ns: number | null;
    first_call_ns: number | null;
    /** The speeds of its processes, if there are several: `ns:forks` each. */
    levels: string;
    steadiness: string;
    version: string;
    code_path: string;
    /** The verdict of leak tests of this build: `leaks`, `none seen`, `not tested`. */
    leaks: string;
    /** When it was tested. */
    leaks_tested: string | null;
}

export type Verdict =
    'baseline' | 'faster' | 'slower' | 'not separated' | 'failed' | 'missing' | 'unsupported';

/** Estimate, low and high; `null` if unbounded. */
export type Triple = [number | null, number | null, number | null];

export interface Comparison {
    rows: number;
    baseline: number | null;
    control: Triple | null;
    /** The changes during the run, in sentences. */
    changes: string[];
    lead: {
        leader: string;
        runner_up: string;
        ratio: Triple;
        separated: boolean;
        /**
         * All contenders from the second on, up to the first that is certainly slower than the
         * fastest.
         */
        tied: string[];
    } | null;
    rounds: number;
    disturbed: number;
    /** The rows of forced paths and second styles for which another row stands. */
    aside: number[];
    /** How many intervals between any two of its contenders are joint. */
    pairs_are_joint: number;
    /** The rows that can be chosen as the baseline, as alternating first and count. */
    offered: number[];
    /**
     * One row paired with later ones: these as first and count, then for each three floats and the
     * verdict's first letter.
     */
    pairs: { row: number; others: number[]; ratios: string; verdicts: string }[];
    /**
     * For each row, and last for the control: rounds as first and count, and floats that are
     * negative if disturbed.
     */
    slices: { every: number; fork: number[]; columns: { rounds: number[]; ns: string }[] };
    warm_ups: WarmUp[][];
}

/** One fork's warm-up. The level is null if the runner does not report it. */
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

/** The answer to one comparison in a sentence. */
export interface Answer {
    primitive: string;
    operation: string;
    contract: string;
    shape: string;
    size: number;
    answer: string;
    decided: boolean;
    /** Why it is open, in words. */
    cause: string | null;
    /** The command that would decide it. */
    command: string | null;
    /** The contenders that may be the fastest, the one with the shortest time first. */
    fastest: string[];
    /** Who led on another machine with such a processor and is not here, in words. */
    not_here: string | null;
}

/** A finding of the tool. Those of some kinds are the answer to a comparison. */
export interface Finding {
    kind: string;
    /** Absent if it is about the whole run. */
    work?: { primitive: string; operation: string; contract: string; shape: string; size: number };
    /** The fastest primitive, if a choice has one. */
    primitive?: string;
}

export interface Contender {
    name: string;
    library: string;
    version: string;
    /** The compilers, if it came with the tool's package; `null` if it was built on its machine. */
    built_with: string | null;
    licence: string;
    summary: string;
    code_path: string | null;
    verified_cases: number;
    not_supported: string;
}

/** The speed that a contender keeps on several threads. Shares of 1. */
export interface Scaled {
    contender: string;
    primitive: string;
    operation: string;
    size: number;
    threads: number;
    ns_per_call: number;
    efficiency: number;
    efficiency_low: number;
    /** `null` if there were too few rounds for an interval. */
    efficiency_high: number | null;
    /** The efficiency, as a share of the best contender's; `null` for that one. */
    of_best: number | null;
    of_best_low: number | null;
    of_best_high: number | null;
    verdict: string;
}

/** A contender's name with its parts, which the tool provides. */
export interface Name {
    /** `c` */
    family: string;
    /** The implementation with its family, without the toolchain: `c/NAME`. */
    code: string;
    /** `temurin-25`, `gcc-12-O2-native` */
    toolchain: string | null;
    /** The toolchain's parts, if it is a compiler with flags. */
    build: { compiler: string; level: string; native: boolean } | null;
    /** Whether it is the second of two builds. */
    against: boolean;
}

export interface Data {
    /** Keyed by full name. */
    names: Record<string, Name>;
    document: {
        run: number;
        suite: string;
        question: string;
        started: string;
        finished: string | null;
        command: string;
        cupel: string;
        options: {
            forks: number;
            precision: number;
            tie_zone: number;
            alpha: number;
            /** The run next to which it was measured, in words, if there was one. */
            beside?: string | null;
        };
        run_intervals: number;
        /** The factor by which the controls widen all intervals; at least 1. */
        calibration: number;
        measured_ns: number;
        sliced_ns: number;
        machine: Record<string, string | number | Reading<string | number | string[]>>;
        fingerprint: string;
        harness_overhead_ns: Record<string, number>;
        contenders: Contender[];
        /** One for each comparison, in their order. */
        answers: Answer[];
        findings?: Finding[];
        cells: Cell[];
        /** The circumstances of the figures; only if there are any. */
        circumstances?: { lines: string[] };
        /** Only if some cells have several threads. */
        scaling?: Scaled[];
        scaling_notes?: string[];
        /** The questions of the run besides figures; only if there are any. */
        claims?: Claims;
        /** Whether this build is slower than the other; only if there are two. */
        gate?: Claims;
    };
    comparisons: Comparison[];
    crossings: Crossing[];
}

type Decision = 'held' | 'refuted' | 'undecided';

/** The output of `cupel check --format json` (docs/reference/output.md). */
export interface Claims {
    held: number;
    refuted: number;
    undecided: number;
    intervals_are_joint: number;
    alpha: number;
    claims: {
        source: string;
        quote: string;
        claim: string;
        /** Full names. */
        a: string;
        b: string;
        is: string;
        claimed_ratio: number | null;
        /** The ends of a claimed range. */
        claimed_low: number | null;
        claimed_high: number | null;
        margin: number | null;
        /** `speed` or `time`: the quantity of the ratios; `null` if no time decides it. */
        ratio_of: string | null;
        verdict: Decision;
        sizes: {
            size: number;
            /** The claim at this size. */
            is: string;
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

/** A result of another program, as in `cupel show --foreign --format json`. */
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

/** Reads a part of the data from the page; `null` if it is missing. */
function part(id: string): unknown {
    const text = document.getElementById(id)?.textContent;
    return text ? JSON.parse(text) : null;
}

/** Reads the run. */
export function read(): Data {
    const data = part('run');
    if (!data) throw new Error('this page contains no run');
    return data as Data;
}

/** Reads the claims; `null` if there are none. */
export function readClaims(): Claims | null {
    return part('claimed') as Claims | null;
}

/** Reads the results of other programs. */
export function readForeign(): Foreign[] {
    return (part('foreign') ?? []) as Foreign[];
}
