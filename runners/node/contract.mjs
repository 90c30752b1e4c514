import { unsupported } from './refused.mjs';

/**
 * What this runner can do of each field. The libraries return new memory, which is the caller's as
 * much as memory that it gave. Addresses are not known, so messages are where V8 puts them.
 */
const KNOWN = {
    key: ['none', 'prepared', 'per-call'],
    nonce: ['none', 'counter'],
    output: ['given', 'fresh'],
    inputs: ['hot', 'cold'],
    align: ['varied', 'line'],
    lengths: ['equal'],
    result: ['returned', 'awaited'],
};

/** Whether lengths are drawn for each call: `prepare` then has one for each message of the pool. */
const isDrawn = (lengths) =>
    typeof lengths === 'object' && Object.keys(lengths ?? {}).join() === 'drawn';

const isLength = (value) => Number.isInteger(value) && value >= 0;

/** A contract. An unknown field or value is refused: what is timed is never guessed. */
export function parseContract(contract) {
    for (const [field, value] of Object.entries(contract)) {
        const known =
            field === 'ad' || field === 'chunk'
                ? isLength(value)
                : KNOWN[field]?.includes(value) || (field === 'lengths' && isDrawn(value));
        if (!known) throw unsupported(`this runner has no \`${field}\` ${JSON.stringify(value)}`);
    }
    return {
        schedule: contract.key ?? 'none',
        keyPerCall: contract.key === 'per-call',
        ad: contract.ad ?? 0,
        awaited: contract.result === 'awaited',
        drawn: isDrawn(contract.lengths),
        chunks: contract.chunk ? [contract.chunk] : [],
    };
}
