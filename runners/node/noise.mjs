// The disturbance of this thread by the system and the collector.
import fs from 'node:fs';
import { PerformanceObserver, performance } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import v8 from 'node:v8';

/** The garbage collections that Node.js has reported since the last slice. */
let collections = [];
new PerformanceObserver((list) => collections.push(...list.getEntries())).observe({
    entryTypes: ['gc'],
});

/** A file of counters of this thread, which makes the calls; it stays open. */
function counters(name) {
    try {
        return fs.openSync(`/proc/thread-self/${name}`);
    } catch {
        return undefined;
    }
}
const [schedstat, status] = [counters('schedstat'), counters('status')];
const text = Buffer.alloc(4096);

/** The system's number of this thread; undefined if it gives none. */
export function thread() {
    if (process.platform !== 'linux') return undefined;
    return Number(fs.readlinkSync('/proc/thread-self').split('/').at(-1));
}

/** How often this thread has slept; undefined if the system has no such figure. */
export function slept() {
    if (status === undefined) return undefined;
    const length = fs.readSync(status, text, 0, text.length, 0);
    const found = /^voluntary_ctxt_switches:\s*(\d+)$/m.exec(text.toString('latin1', 0, length));
    return found ? Number(found[1]) : undefined;
}

/** How long the thread has waited for a processor, in ns; undefined if the system has no such figure. */
function waited() {
    if (schedstat === undefined) return undefined;
    const length = fs.readSync(schedstat, text, 0, text.length, 0);
    return Number(text.toString('latin1', 0, length).split(' ')[1]);
}

/** The thread's processor time in ns; undefined before Node.js 23.9. */
function ran() {
    const usage = process.threadCpuUsage?.();
    return usage && 1000 * (usage.user + usage.system);
}

/** The counters of this thread so far, and the bytes in use on the heap. */
export function look() {
    const heap = v8.getHeapStatistics().used_heap_size;
    return { waited: waited(), ran: ran(), heap, at: performance.now() };
}

/**
 * The noise between two moments, as fields of a reply. Undefined fields are left out. The thread's
 * own clock ran for `elapsed` ns; time that the thread lost in the rest counts as if it had lost it
 * then.
 */
export async function between(before, after, elapsed) {
    // Node.js reports a collection in the turn after the next one.
    await turn();
    await turn();
    const inside = collections.filter((c) => c.startTime >= before.at && c.startTime <= after.at);
    collections = [];
    const ms = inside.reduce((sum, collection) => sum + collection.duration, 0);
    const stopped = Math.max(0, 1e6 * (after.at - before.at) - elapsed);
    return {
        cpu_ns:
            before.ran === undefined
                ? undefined
                : Math.round(Math.max(0, after.ran - before.ran - stopped)),
        wait_ns: before.waited === undefined ? undefined : after.waited - before.waited,
        gc_ns: Math.round(1e6 * ms),
    };
}
