// A contender with a workload, prepared to be timed: the pool of messages, and the loops over it.
import { newNonce, putNonce, stream } from './bytes.mjs';
import { NotAuthentic, failed, unsupported } from './refused.mjs';

/**
 * One call of a loop makes this many calls. A loop that runs longer is optimised while it runs,
 * without the code behind it, and V8 then goes back to its interpreter at the end of every slice:
 * see README.md. The words of this many outputs are exact in a sum of doubles.
 */
const BLOCK = 1 << 10;
/** Above each half of a sum. */
const HALF = 2 ** 32;

/** Four bytes of an output as a little-endian number. */
function four(bytes, at) {
    return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16)) + bytes[at + 3] * 0x1000000;
}

/**
 * An output of no bytes is folded as zeros. So `empty`, which shows what the harness costs, has the
 * cost of the fold too, which is a part of every other figure.
 */
const NOTHING = Buffer.alloc(32);

/** The output, zero-padded to eight bytes if it is shorter. */
function foldable(output) {
    if (output.length >= 8) return output;
    if (output.length === 0) return NOTHING;
    const bytes = Buffer.alloc(8);
    bytes.set(output);
    return bytes;
}

function messages(seed, size, pool) {
    return Array.from({ length: pool }, (_, j) => {
        const message = Buffer.alloc(size);
        stream(seed + j, message);
        return message;
    });
}

/** The beginning of one message of each length. */
function drawn(seed, size, lengths) {
    const message = Buffer.alloc(size);
    stream(seed, message);
    const known = new Map();
    for (const length of lengths) {
        if (!known.has(length)) known.set(length, message.subarray(0, length));
    }
    return lengths.map((length) => known.get(length));
}

/** The length of a tag in bytes. */
const TAG = 16;

/** What a call has of a forged message: nothing, unless it accepted it. */
function refused(error) {
    if (error instanceof NotAuthentic) return NOTHING;
    throw error ?? failed('a forged message was accepted');
}

const refusing = (call) => (input, nonce) => {
    try {
        call(input, nonce);
    } catch (error) {
        return refused(error);
    }
    return refused();
};

const refusingAwaited = (call) => async (input, nonce) => {
    try {
        await call(input, nonce);
    } catch (error) {
        return refused(error);
    }
    return refused();
};

/** A contender with a workload, prepared to be timed. */
export class Cell {
    /** Creates the pool, and has the contender seal it for `open`. */
    static async make(host, task, { size, shape, seed, pool, lengths }) {
        const { operation, forged } = task;
        const latency = shape === 'latency';
        if (!latency && shape !== 'throughput') throw unsupported(`there is no shape ${shape}`);
        if (latency && (operation === 'open' || size === 0)) {
            throw unsupported('latency is not defined for open, nor for size 0');
        }
        if (forged !== undefined && operation !== 'open') {
            throw unsupported(`${operation} takes no forged messages`);
        }
        const cell = new Cell();
        cell.sums = new Float64Array(2);
        cell.awaited = task.awaited;
        cell.call = await host.prepare(task);
        if (lengths && latency) throw unsupported('no latency of lengths that are drawn');
        cell.inputs = lengths ? drawn(seed, size, lengths) : messages(seed, size, pool);
        cell.nonce = newNonce(task.primitive);
        cell.nonces = cell.inputs.map(() => cell.nonce);
        if (operation === 'open') {
            const seal = await host.prepare({ ...task, operation: 'seal' });
            await cell.sealBy(seal, task.primitive, lengths !== undefined);
            if (forged !== undefined) cell.forge(forged);
        }
        const starts = latency ? cell.inputs : [];
        cell.starts = starts.map((message) => Buffer.from(message.subarray(0, 8)));
        const loops = task.awaited ? AWAITED : RETURNED;
        cell.block = loops[latency ? 'chained' : operation === 'seal' ? 'sealed' : 'independent'];
        return cell;
    }

    /**
     * Replaces message j by what the contender seals with nonce j. If lengths are drawn, those of
     * one length are one message, which is sealed once.
     */
    async sealBy(seal, primitive, drawn) {
        const known = new Map();
        this.nonces = [];
        for (const [j, message] of this.inputs.entries()) {
            const key = drawn ? message.length : j;
            if (!known.has(key)) {
                const nonce = newNonce(primitive);
                putNonce(nonce, j);
                known.set(key, { sealed: Buffer.from(await seal(message, nonce)), nonce });
            }
            const { sealed, nonce } = known.get(key);
            this.inputs[j] = sealed;
            this.nonces.push(nonce);
        }
    }

    /** Changes a byte of the tag of each message, which every call must then refuse. */
    forge(byte) {
        for (const sealed of this.inputs) sealed[sealed.length - TAG + byte] ^= 1;
        this.call = (this.awaited ? refusingAwaited : refusing)(this.call);
    }

    /** Makes calls from number `first` on: a promise if the results are awaited. */
    run(first, count) {
        this.sums.fill(0);
        if (this.awaited) return this.#runAwaited(first, count);
        for (let done = 0; done < count; done += BLOCK) {
            this.block(this, first + done, Math.min(BLOCK, count - done));
            this.#carry();
        }
    }

    async #runAwaited(first, count) {
        for (let done = 0; done < count; done += BLOCK) {
            await this.block(this, first + done, Math.min(BLOCK, count - done));
            this.#carry();
        }
    }

    /** Keeps the halves of the sum below 2^32, so that they remain exact. */
    #carry() {
        const { sums } = this;
        const carry = Math.floor(sums[0] / HALF);
        sums[0] -= carry * HALF;
        sums[1] += carry;
        sums[1] -= Math.floor(sums[1] / HALF) * HALF;
    }

    /**
     * The fold of the outputs of the last `run`. Its integers are made only here: how long that
     * takes depends on the outputs, and a leak test would see that in the time of a slice.
     */
    fold() {
        return BigInt(this.sums[0]) + (BigInt(this.sums[1]) << 32n);
    }

    begin() {
        this.last = new Uint8Array(0);
    }
}

// Each kind of workload has its own loop, so that no call pays for what another kind needs.
// The sums are kept in halves of 32 bits, because integers of 64 bits would cost more than many a
// call.

function independent(cell, first, count) {
    const { call, inputs, nonces } = cell;
    const mask = inputs.length - 1;
    let low = 0;
    let high = 0;
    for (let i = 0; i < count; i++) {
        const j = ((first & mask) + i) & mask;
        const output = foldable(call(inputs[j], nonces[j]));
        const end = output.length - 8;
        low += four(output, 0) + four(output, end);
        high += four(output, 4) + four(output, end + 4);
    }
    cell.sums[0] += low;
    cell.sums[1] += high;
}

function sealed(cell, first, count) {
    const { call, inputs, nonce } = cell;
    const mask = inputs.length - 1;
    let low = 0;
    let high = 0;
    for (let i = 0; i < count; i++) {
        putNonce(nonce, first + i);
        const output = call(inputs[((first & mask) + i) & mask], nonce);
        const end = output.length - 8;
        low += four(output, 0) + four(output, end);
        high += four(output, 4) + four(output, end + 4);
    }
    cell.sums[0] += low;
    cell.sums[1] += high;
}

function chained(cell, first, count) {
    const { call, inputs, nonce, starts } = cell;
    const mask = inputs.length - 1;
    let low = 0;
    let high = 0;
    let { last } = cell;
    for (let i = 0; i < count; i++) {
        const j = ((first & mask) + i) & mask;
        const [input, start] = [inputs[j], starts[j]];
        for (let k = 0; k < start.length; k++) {
            input[k] = k < last.length ? start[k] ^ last[k] : start[k];
        }
        putNonce(nonce, first + i);
        last = call(input, nonce);
        const output = foldable(last);
        const end = output.length - 8;
        low += four(output, 0) + four(output, end);
        high += four(output, 4) + four(output, end + 4);
    }
    cell.last = last;
    cell.sums[0] += low;
    cell.sums[1] += high;
}

// The same loops with `await`, in functions of their own: a loop that may await costs more even
// where it does not. What a call returns without a promise is awaited likewise.

async function independentAwaited(cell, first, count) {
    const { call, inputs, nonces } = cell;
    const mask = inputs.length - 1;
    let low = 0;
    let high = 0;
    for (let i = 0; i < count; i++) {
        const j = ((first & mask) + i) & mask;
        const output = foldable(await call(inputs[j], nonces[j]));
        const end = output.length - 8;
        low += four(output, 0) + four(output, end);
        high += four(output, 4) + four(output, end + 4);
    }
    cell.sums[0] += low;
    cell.sums[1] += high;
}

async function sealedAwaited(cell, first, count) {
    const { call, inputs, nonce } = cell;
    const mask = inputs.length - 1;
    let low = 0;
    let high = 0;
    for (let i = 0; i < count; i++) {
        putNonce(nonce, first + i);
        const output = await call(inputs[((first & mask) + i) & mask], nonce);
        const end = output.length - 8;
        low += four(output, 0) + four(output, end);
        high += four(output, 4) + four(output, end + 4);
    }
    cell.sums[0] += low;
    cell.sums[1] += high;
}

async function chainedAwaited(cell, first, count) {
    const { call, inputs, nonce, starts } = cell;
    const mask = inputs.length - 1;
    let low = 0;
    let high = 0;
    let { last } = cell;
    for (let i = 0; i < count; i++) {
        const j = ((first & mask) + i) & mask;
        const [input, start] = [inputs[j], starts[j]];
        for (let k = 0; k < start.length; k++) {
            input[k] = k < last.length ? start[k] ^ last[k] : start[k];
        }
        putNonce(nonce, first + i);
        last = await call(input, nonce);
        const output = foldable(last);
        const end = output.length - 8;
        low += four(output, 0) + four(output, end);
        high += four(output, 4) + four(output, end + 4);
    }
    cell.last = last;
    cell.sums[0] += low;
    cell.sums[1] += high;
}

const RETURNED = { independent, sealed, chained };
const AWAITED = {
    independent: independentAwaited,
    sealed: sealedAwaited,
    chained: chainedAwaited,
};

/** Whether a number of messages is a power of two. */
export function checkPool(pool) {
    if (pool < 1 || (pool & (pool - 1)) !== 0) throw failed(`the pool ${pool} is no power of two`);
}
