// A contender with a workload, prepared to be timed: the pool of messages, and the loops over it.
import { newNonce, putNonce, stream } from './bytes.mjs';
import { NotAuthentic, failed, unsupported } from './refused.mjs';

/**
 * How many calls are made before the clock stops and their outputs are folded. Kept outputs survive
 * the collections of the youngest objects, and with many of them V8 makes more room for those than it
 * would for a program that lets go of each. A loop that runs longer is also optimised while it runs:
 * see README.md. The words of this many outputs are exact in a sum of doubles.
 */
const MOST_CALLS = 64;
/** The most memory for these outputs, in bytes. */
const MOST_KEPT = 1 << 20;
/** Above each half of a sum. */
const HALF = 2 ** 32;

/** Four bytes of an output as a little-endian number. */
function four(bytes, at) {
    return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16)) + bytes[at + 3] * 0x1000000;
}

/** The output of a call that returns no bytes. Its word is 0. */
const NOTHING = Buffer.alloc(8);

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

/** The output of a call for a forged message: none, unless it accepted it. */
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
        const none = newNonce(task.primitive);
        cell.nonces = cell.inputs.map(() => none);
        if (operation === 'open') {
            const seal = await host.prepare({ ...task, operation: 'seal' });
            await cell.sealBy(seal, task.primitive, lengths !== undefined);
            if (forged !== undefined) cell.forge(forged);
        }
        const starts = latency ? cell.inputs : [];
        cell.starts = starts.map((message) => Buffer.from(message.subarray(0, 8)));
        cell.makeRoom(task.primitive, operation === 'seal', size);
        const loops = task.awaited ? AWAITED : RETURNED;
        cell.calls = loops[latency ? 'chained' : 'independent'];
        return cell;
    }

    /** Makes room for the inputs of a number of calls and for their outputs. */
    makeRoom(primitive, seals, size) {
        this.most = Math.max(1, Math.min(MOST_CALLS, Math.floor(MOST_KEPT / (size + TAG))));
        const room = (of) => Array.from({ length: this.most }, of);
        this.seals = seals;
        this.taken = {
            inputs: room(() => this.inputs[0]),
            nonces: room(() => newNonce(primitive)),
            starts: room(() => this.starts[0]),
        };
        this.outputs = room(() => undefined);
    }

    /**
     * Replaces message j by the contender's sealed message with nonce j. If lengths are drawn, all
     * messages of one length are one message, which is sealed once.
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

    /**
     * Makes calls from number `first` on: a promise if the results are awaited. `elapsed` is then
     * their time in ns. The clock runs only while calls are made: messages and nonces are picked
     * before, outputs folded after, of which `onlyLast` leaves the last one.
     */
    run(first, count, onlyLast) {
        this.sums.fill(0);
        this.elapsed = 0;
        if (this.awaited) return this.#runAwaited(first, count, onlyLast);
        for (let done = 0; done < count; done += this.most) {
            const some = Math.min(this.most, count - done);
            this.#pick(first + done, some);
            const began = process.hrtime.bigint();
            this.calls(this, some);
            this.elapsed += Number(process.hrtime.bigint() - began);
            this.#add(some, onlyLast);
        }
    }

    async #runAwaited(first, count, onlyLast) {
        for (let done = 0; done < count; done += this.most) {
            const some = Math.min(this.most, count - done);
            this.#pick(first + done, some);
            const began = process.hrtime.bigint();
            await this.calls(this, some);
            this.elapsed += Number(process.hrtime.bigint() - began);
            this.#add(some, onlyLast);
        }
    }

    /** The inputs of the calls from number `first` on. */
    #pick(first, count) {
        const { inputs, nonces, starts } = this.taken;
        const mask = this.inputs.length - 1;
        for (let i = 0; i < count; i++) {
            const j = ((first & mask) + i) & mask;
            inputs[i] = this.inputs[j];
            starts[i] = this.starts[j];
            if (this.seals) putNonce(nonces[i], first + i);
            else nonces[i] = this.nonces[j];
        }
    }

    /** Adds the words of the outputs, and lets go of them. */
    #add(count, onlyLast) {
        const { sums, outputs } = this;
        if (onlyLast) sums.fill(0);
        for (let i = onlyLast ? count - 1 : 0; i < count; i++) {
            const output = foldable(outputs[i]);
            const end = output.length - 8;
            sums[0] += four(output, 0) + four(output, end);
            sums[1] += four(output, 4) + four(output, end + 4);
        }
        outputs.fill(undefined);
        const carry = Math.floor(sums[0] / HALF);
        sums[0] -= carry * HALF;
        sums[1] += carry;
        sums[1] -= Math.floor(sums[1] / HALF) * HALF;
    }

    /** The fold of the outputs of the last `run`. */
    fold() {
        return BigInt(this.sums[0]) + (BigInt(this.sums[1]) << 32n);
    }

    begin() {
        this.last = new Uint8Array(0);
    }
}

// The timed loops. Each kind of workload has its own, so that no call pays for another kind's
// needs.

function independent({ call, taken: { inputs, nonces }, outputs }, count) {
    for (let i = 0; i < count; i++) outputs[i] = call(inputs[i], nonces[i]);
}

function chained(cell, count) {
    const { call, taken, outputs } = cell;
    const { inputs, nonces, starts } = taken;
    let { last } = cell;
    for (let i = 0; i < count; i++) {
        mix(inputs[i], starts[i], last);
        last = call(inputs[i], nonces[i]);
        outputs[i] = last;
    }
    cell.last = last;
}

/** Makes a message again, and mixes the last output into it. */
function mix(input, start, last) {
    for (let k = 0; k < start.length; k++) {
        input[k] = k < last.length ? start[k] ^ last[k] : start[k];
    }
}

// The loops with `await`, in separate functions: a loop that may await costs more even where it
// does not. A result without a promise is awaited likewise.

async function independentAwaited({ call, taken: { inputs, nonces }, outputs }, count) {
    for (let i = 0; i < count; i++) outputs[i] = await call(inputs[i], nonces[i]);
}

async function chainedAwaited(cell, count) {
    const { call, taken, outputs } = cell;
    const { inputs, nonces, starts } = taken;
    let { last } = cell;
    for (let i = 0; i < count; i++) {
        mix(inputs[i], starts[i], last);
        last = await call(inputs[i], nonces[i]);
        outputs[i] = last;
    }
    cell.last = last;
}

const RETURNED = { independent, chained };
const AWAITED = { independent: independentAwaited, chained: chainedAwaited };

/** Whether a number of messages is a power of two. */
export function checkPool(pool) {
    if (pool < 1 || (pool & (pool - 1)) !== 0) throw failed(`the pool ${pool} is no power of two`);
}
