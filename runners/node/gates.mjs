// Where the threads of a slice meet, in memory that they share.
import { between, look, slept } from './noise.mjs';

/** Where threads of a slice meet: how many have arrived, and whether they may continue, twice. */
export const GATES = 4;
const [WARM, START] = [0, 2];

/** After this many looks, others run: threads may have no processor of their own. */
const LOOKS = 1 << 16;
const MS = 0.05;

/** Waits until a value is as it should be. */
function reach(gates, at, isReached) {
    for (let looks = 0; ; looks++) {
        const value = Atomics.load(gates, at);
        if (isReached(value)) return;
        if (looks > LOOKS) Atomics.wait(gates, at, value, MS);
    }
}

/** Arrives, and waits until the first thread opens the gate. */
function pass(gates, gate) {
    Atomics.add(gates, gate, 1);
    reach(gates, gate + 1, (open) => open === 1);
}

/** Waits until this many others have arrived. */
function gather(gates, gate, others) {
    reach(gates, gate, (arrived) => arrived === others);
}

/** The range of `count` calls from `first` on that thread `i` of `all` makes. */
function share(first, count, i, all) {
    // The product of a count of calls and of threads may be above the integers of a double.
    const bound = (place) => Number((BigInt(count) * BigInt(place)) / BigInt(all));
    return [first + bound(i), bound(i + 1) - bound(i)];
}

/**
 * The work of thread `i` in a slice. Each makes its range of the untimed calls, they meet, and the
 * first one reads the clock and lets all of them begin at once. They spin: to wake a thread takes
 * longer than many a slice.
 */
export async function part(cell, { gates, first, preroll, iterations, onlyLast, all }, i) {
    const [warm, start] = [
        share(first, preroll, i, all),
        share(first + preroll, iterations, i, all),
    ];
    let error;
    const calls = (range) => {
        // A thread whose call fails still meets the others, which would wait for it forever.
        if (error) return;
        try {
            cell.run(...range, onlyLast);
        } catch (thrown) {
            error = thrown;
        }
    };
    cell.begin();
    calls(warm);
    const meet = (gate) => {
        if (i > 0) pass(gates, gate);
        else gather(gates, gate, all - 1);
    };
    const open = (gate) => {
        if (i === 0) Atomics.store(gates, gate + 1, 1);
    };
    meet(WARM);
    open(WARM);
    const asleep = slept();
    const before = look();
    meet(START);
    const began = Number(process.hrtime.bigint());
    open(START);
    calls(start);
    const after = look();
    const awake = asleep !== undefined && slept() === asleep;
    const noise = await between(before, after, cell.elapsed);
    if (error) throw error;
    const heap = after.heap - before.heap;
    const off =
        awake && noise.cpu_ns !== undefined ? Math.max(0, cell.elapsed - noise.cpu_ns) : undefined;
    // Each thread stops its own clock.
    const ended = began + cell.elapsed;
    return { fold: cell.fold(), began, ended, noise, off, heap };
}
