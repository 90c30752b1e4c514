// A thread in addition to the first one: it prepares its own cells, and makes its range of the
// calls of a slice.
import { parentPort } from 'node:worker_threads';
import { Cell } from './cell.mjs';
import { CONTENDERS } from './contenders.mjs';
import { part } from './gates.mjs';
import { thread } from './noise.mjs';

const cells = new Map();

async function answer({ cell, make, slice, place }) {
    if (make) {
        const host = CONTENDERS.find((contender) => contender.name === make.contender);
        cells.set(cell, await Cell.make(host, revived(make.task), make.options));
        return {};
    }
    return part(cells.get(cell), slice, place);
}

/** A buffer comes from another thread as a plain array of bytes. */
function revived(task) {
    return { ...task, key: Buffer.from(task.key), ad: Buffer.from(task.ad) };
}

parentPort.on('message', async (request) => {
    try {
        parentPort.postMessage(await answer(request));
    } catch ({ status = 'failed', message, remedy }) {
        parentPort.postMessage({ error: { status, message, remedy } });
    }
});
parentPort.postMessage(thread());
