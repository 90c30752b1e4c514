// Slices of several threads: protocol, "Threads".
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Refused } from './refused.mjs';
import { GATES, part } from './gates.mjs';
import { thread } from './noise.mjs';

/** The threads in addition to the first one. They sleep between slices. */
const hands = [];

/** Starts threads until there are this many in addition to the first one. */
async function hire(needed) {
    while (hands.length < needed) {
        const worker = new Worker(new URL('./hand.mjs', import.meta.url), {
            // The output of a library there is not a reply.
            stdout: true,
            argv: process.argv.slice(2),
        });
        const [number] = await once(worker, 'message');
        hands.push({ worker, number });
    }
    return hands.slice(0, needed);
}

/** Sends a request to threads, and returns their replies, in their order. */
function ask(threads, request) {
    return threads.map(async ({ worker }, i) => {
        worker.postMessage({ ...request, place: i + 1 });
        const [{ error, ...reply }] = await once(worker, 'message');
        if (error) throw new Refused(error.status, error.message, error.remedy);
        return reply;
    });
}

/** The results of all of them. None has a reply under way if one of them fails. */
async function settled(parts) {
    const done = await Promise.allSettled(parts);
    const bad = done.find(({ status }) => status === 'rejected');
    if (bad) throw bad.reason;
    return done.map(({ value }) => value);
}

/** A cell whose slices several threads make. Each has its own cell; `first` is this thread's. */
export class Crew {
    #first;
    #number;
    #threads;

    /**
     * Prepares the cell `number` in all threads. `made` has all further arguments of `Cell.make`.
     */
    static async make(number, first, threads, made) {
        const crew = new Crew();
        crew.#first = first;
        crew.#number = number;
        crew.#threads = await hire(threads - 1);
        await settled(ask(crew.#threads, { cell: number, make: made }));
        return crew;
    }

    /** The system's numbers of the threads, in the order of their ranges. */
    get numbers() {
        return [thread(), ...this.#threads.map(({ number }) => number)];
    }

    /** A slice: each thread makes its range of the calls. The time ends with the last of them. */
    async slice(calls) {
        const gates = new Int32Array(new SharedArrayBuffer(4 * GATES));
        const all = this.#threads.length + 1;
        const slice = { ...calls, gates, all };
        const others = ask(this.#threads, { cell: this.#number, slice });
        const done = await settled([part(this.#first, slice, 0), ...others]);
        const sum = (of) => done.reduce((total, each) => total + of(each), 0);
        const known = (name) =>
            done.every(({ noise }) => noise[name] !== undefined)
                ? sum(({ noise }) => noise[name])
                : undefined;
        const fold = done.reduce((total, each) => BigInt.asUintN(64, total + each.fold), 0n);
        const last = Math.max(...done.map(({ ended }) => ended));
        const off = done.map((each) => each.off);
        return {
            elapsed: last - done[0].began,
            fold,
            heap: sum((each) => each.heap),
            noise: {
                cpu_ns: known('cpu_ns'),
                wait_ns: known('wait_ns'),
                gc_ns: known('gc_ns'),
                off_ns: off.includes(undefined) ? undefined : Math.max(...off),
            },
        };
    }
}
