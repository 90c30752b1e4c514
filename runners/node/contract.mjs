// Reads the contract of a workload, and refuses one that this runner does not support.
import { stream } from './bytes.mjs';
import { unsupported } from './refused.mjs';

/**
 * The values of each field that this runner supports. The libraries return new memory, which is the
 * caller's as much as memory that it gave. Addresses are not known, so messages are where V8 puts
 * them.
 */
const KNOWN = {
    key: ['none', 'prepared', 'per-call'],
    nonce: ['none', 'counter'],
    output: ['given', 'fresh'],
    inputs: ['hot', 'cold'],
    align: ['varied', 'line'],
    lengths: ['equal'],
    result: ['returned', 'awaited'],
    // Threads have no objects in common.
    shared: ['none'],
};

/** As many threads as the protocol allows. */
const MOST_THREADS = 1024;

/** Whether lengths are drawn for each call: `prepare` then has one for each message of the pool. */
const isDrawn = (lengths) =>
    typeof lengths === 'object' && Object.keys(lengths ?? {}).join() === 'drawn';

const from = (least, most) => (value) => Number.isInteger(value) && value >= least && value <= most;
const NUMBERS = {
    ad: from(0, Infinity),
    chunk: from(0, Infinity),
    threads: from(1, MOST_THREADS),
    // A byte of a tag.
    forged: from(0, 15),
    prefix: from(0, 1 << 16),
};

/** The stream that prefixes are the beginning of: `prefix` in ASCII. */
const PREFIX_SEED = 0x707265666978;

function prefixOf(length) {
    const prefix = Buffer.alloc(length);
    stream(PREFIX_SEED, prefix);
    return prefix;
}

/** A contract. An unknown field or value is refused, never guessed. */
export function parseContract(contract) {
    for (const [field, value] of Object.entries(contract)) {
        const known =
            KNOWN[field]?.includes(value) ||
            (NUMBERS[field]?.(value) ?? false) ||
            (field === 'lengths' && isDrawn(value));
        if (!known) throw unsupported(`this runner has no \`${field}\` ${JSON.stringify(value)}`);
    }
    const threads = contract.threads ?? 1;
    if (threads > 1 && (contract.result === 'awaited' || isDrawn(contract.lengths))) {
        throw unsupported('several threads make neither awaited calls nor calls of drawn lengths');
    }
    if (contract.forged !== undefined && (threads > 1 || isDrawn(contract.lengths))) {
        throw unsupported('forged messages have one length and one thread');
    }
    return {
        forged: contract.forged,
        schedule: contract.key ?? 'none',
        keyPerCall: contract.key === 'per-call',
        ad: contract.ad ?? 0,
        awaited: contract.result === 'awaited',
        drawn: isDrawn(contract.lengths),
        threads,
        chunks: contract.chunk ? [contract.chunk] : [],
        prefix: prefixOf(contract.prefix ?? 0),
    };
}
