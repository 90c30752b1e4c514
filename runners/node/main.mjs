// The runner hosts contenders of Node.js and speaks the protocol of protocol/SPEC.md on standard
// input and output.
import { Console } from 'node:console';
import fs from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import v8 from 'node:v8';
import { Server } from './server.mjs';

/** The protocol's limit of a line, in bytes. */
const LONGEST = 48 * 1024 * 1024;

// V8 collects the youngest objects when their space is full, and, by a task between two slices,
// when it is nearly full. Then the calls of the slice before leave the task their work, and their
// time is too short.
v8.setFlagsFromString('--no-minor-gc-task');

// Standard output is for replies only.
globalThis.console = new Console(process.stderr);

/** The lines of standard input. The process blocks while there is none. */
function* lines() {
    const chunk = Buffer.alloc(1 << 16);
    let parts = [];
    let length = 0;
    for (;;) {
        const read = fs.readSync(0, chunk);
        if (read === 0) {
            if (length > 0) yield Buffer.concat(parts).toString();
            return;
        }
        let from = 0;
        for (let end; (end = chunk.subarray(0, read).indexOf(10, from)) >= 0; from = end + 1) {
            parts.push(Buffer.from(chunk.subarray(from, end)));
            yield Buffer.concat(parts).toString();
            parts = [];
            length = 0;
        }
        parts.push(Buffer.from(chunk.subarray(from, read)));
        length += read - from;
        if (length > LONGEST) throw new Error('a line of over 48 MiB');
    }
}

function write(text) {
    const bytes = Buffer.from(text);
    for (let written = 0; written < bytes.length;) {
        written += fs.writeSync(1, bytes, written);
    }
}

const server = new Server();
for (const line of lines()) {
    const { reply, bye } = await server.answer(line);
    write(JSON.stringify(reply) + '\n');
    if (bye) break;
    // Work of the event loop, such as freeing native memory, is done between requests.
    await turn();
}
process.exit(0);
