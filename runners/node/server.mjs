// Answers requests: protocol, "Requests and replies".
import { fromHex, stream } from './bytes.mjs';
import { Cell, checkPool } from './cell.mjs';
import { CONTENDERS } from './contenders.mjs';
import { parseContract } from './contract.mjs';
import { Crew } from './crew.mjs';
import { between, look, thread } from './noise.mjs';
import { NotAuthentic, Refused, failed, unsupported } from './refused.mjs';

/** Answers requests. The first prepare or compute chooses the contender of the process. */
export class Server {
    #chosen;
    #cells = new Map();

    /** The reply to a line, and whether that was a bye. */
    async answer(line) {
        let id = 0;
        try {
            const request = JSON.parse(line);
            if (request === null || typeof request !== 'object' || Array.isArray(request)) {
                throw failed('the line is not an object');
            }
            id = integer(request, 'id');
            const ask = text(request, 'ask');
            if (!Object.hasOwn(ASKS, ask))
                throw unsupported(`this runner does not know the request ${ask}`);
            return {
                reply: { id, status: 'ok', ...(await ASKS[ask](this, request)) },
                bye: ask === 'bye',
            };
        } catch (error) {
            const { status = 'failed', message, remedy } = error;
            return { reply: { id, status, reason: message || String(error), remedy }, bye: false };
        }
    }

    /** The contender of the process, if it has this name and an offer under this contract. */
    choose(name, primitive, operation, { schedule, awaited, prefix }) {
        this.#chosen ??= CONTENDERS.find((contender) => contender.name === name);
        const chosen = this.#chosen;
        if (!chosen) throw failed(`there is no contender ${name}`);
        if (chosen.name !== name) throw failed(`this process hosts ${chosen.name} already`);
        const offers = (o) => o.primitive === primitive && o.operation === operation;
        const offer = chosen.offers.find(offers);
        if (!offer) throw unsupported(`${name} has no ${operation} of ${primitive}`);
        if (offer.key && schedule !== 'none' && schedule !== offer.key) {
            throw unsupported(`${name} has the key schedule of ${primitive} only ${offer.key}`);
        }
        const result = awaited ? 'awaited' : 'returned';
        if (offer.result && offer.result !== result) {
            throw unsupported(`${name} has results only ${offer.result}, not ${result}`);
        }
        if (prefix.length > 0 && (operation !== 'digest' || !chosen.copies)) {
            throw unsupported(`${name} copies no state of ${operation}`);
        }
        if (chosen.missing)
            throw new Refused('missing', chosen.missing.reason, chosen.missing.remedy);
        return chosen;
    }

    get cells() {
        return this.#cells;
    }
}

const ASKS = {
    hello(_, request) {
        const protocol = integer(request, 'protocol');
        if (protocol !== 1) {
            throw new Refused(
                'unsupported',
                `this runner speaks protocol 1, not ${protocol}`,
                'use the runner and the tool of one release',
            );
        }
        const clock = { name: 'process.hrtime.bigint', resolution_ns: resolution() };
        const runner = { runner: 'node', version: '0.1.0' };
        return { protocol: 1, ...runner, clock, jit: true, thread: thread() };
    },

    list: () => ({
        contenders: CONTENDERS.map((c) => ({
            name: c.name,
            library: c.library,
            version: c.version,
            licence: c.licence,
            summary: c.summary,
            offers: c.offers,
            missing: c.missing,
        })),
    }),

    async compute(server, request) {
        const [primitive, operation] = [text(request, 'primitive'), text(request, 'operation')];
        const contract = parseContract(object(request, 'contract'));
        const host = server.choose(text(request, 'contender'), primitive, operation, contract);
        if (!Array.isArray(request.cases)) throw failed('`cases` must be an array');
        const answers = [];
        for (const one of request.cases) {
            answers.push(await answer(host, { primitive, operation, ...contract }, one));
        }
        return { answers };
    },

    async prepare(server, request) {
        const cell = integer(request, 'cell');
        const workload = object(request, 'workload');
        const [primitive, operation] = [text(workload, 'primitive'), text(workload, 'operation')];
        const contract = parseContract(object(workload, 'contract'));
        const host = server.choose(text(request, 'contender'), primitive, operation, contract);
        const pool = integer(request, 'pool');
        checkPool(pool);
        const key = fromHex(request.key ?? '', 'key');
        const ad = fromHex(request.ad ?? '', 'ad');
        if (ad.length !== contract.ad) throw failed(`\`ad\` has ${ad.length} bytes`);
        const [size, shape] = [integer(workload, 'size'), text(workload, 'shape')];
        const task = { primitive, operation, key, ...contract, ad };
        const options = {
            size,
            shape,
            seed: integer(request, 'seed'),
            pool,
            lengths: contract.drawn ? lengthsOf(request, pool, size) : undefined,
        };
        const { threads } = contract;
        if (threads > 1 && shape === 'latency') throw unsupported('no latency of several threads');
        const made = await Cell.make(host, task, options);
        if (threads > 1) {
            const alike = { contender: host.name, task, options };
            made.crew = await Crew.make(cell, made, threads, alike);
        }
        server.cells.set(cell, made);
        return {
            code_path: host.codePath?.(primitive) ?? 'unknown',
            threads: made.crew?.numbers,
        };
    },

    async slice(server, request) {
        const number = integer(request, 'cell');
        const [first, preroll] = [integer(request, 'first'), integer(request, 'preroll')];
        const iterations = integer(request, 'iterations');
        const cell = server.cells.get(number);
        if (!cell) throw failed(`cell ${number} was not prepared`);
        const onlyLast = request.fold === 'last';
        if (cell.crew) return together(cell.crew, { first, preroll, iterations, onlyLast });
        cell.begin();
        // `await` takes a turn even without a promise.
        if (cell.awaited) await cell.run(first, preroll, onlyLast);
        else cell.run(first, preroll, onlyLast);
        const before = look();
        const made = cell.run(first + preroll, iterations, onlyLast);
        if (cell.awaited) await made;
        const after = look();
        const noise = await between(before, after, cell.elapsed);
        if (cell.awaited) {
            // Other threads of this process do the work, so this one waits for them as it should.
            delete noise.cpu_ns;
            delete noise.wait_ns;
        }
        // A collection hides the allocations, so that slice gets the last figure there is.
        if (noise.gc_ns === 0 && iterations > 0) {
            cell.allocated = Math.max(0, after.heap - before.heap) / iterations;
        }
        return {
            iterations,
            elapsed_ns: cell.elapsed,
            fold: cell.fold().toString(16).padStart(16, '0'),
            noise,
            allocated_per_call: cell.allocated,
        };
    },

    bye: () => ({}),
};

/** A slice of several threads. */
async function together(crew, calls) {
    const { iterations } = calls;
    const { elapsed, fold, noise, heap } = await crew.slice(calls);
    return {
        iterations,
        elapsed_ns: elapsed,
        fold: fold.toString(16).padStart(16, '0'),
        noise,
        // The heap can shrink without a collection that is reported.
        allocated_per_call:
            noise.gc_ns === 0 && iterations > 0 ? Math.max(0, heap) / iterations : undefined,
    };
}

/** The answer to a case, by the same call that is timed. */
async function answer(host, task, one) {
    try {
        const message = read(one.input);
        const chunks = one.chunks?.length ? one.chunks : task.chunks;
        if (chunks.some((n) => n < 1)) throw failed('a chunk of no bytes');
        const [key, ad] = [fromHex(one.key ?? '', 'key'), fromHex(one.ad ?? '', 'ad')];
        const call = await host.prepare({ ...task, key, ad, chunks });
        const input = Buffer.from(message);
        // A copy that shares memory with its original is correct once.
        const first = task.prefix.length > 0 ? Buffer.from(await call(input)) : undefined;
        const nonce = fromHex(one.nonce ?? '', 'nonce');
        const output = Buffer.from(await call(input, nonce));
        if (first?.equals(output) === false) {
            throw failed('two digests of one message after the prefix differ');
        }
        if (!input.equals(message)) throw failed('the call changed its input');
        if (task.operation === 'open' && (await acceptsForged(call, input, nonce))) {
            throw failed('opened a message, and then the same one with a forged tag');
        }
        return { output: output.toString('hex') };
    } catch (error) {
        if (error instanceof NotAuthentic) return { refused: error.message };
        // It is lacking for every case, and no answer to one.
        if (error.status === 'missing') throw error;
        return { [error.status ?? 'failed']: error.message || String(error) };
    }
}

/** The longest input whose tag is forged after it was opened: longer ones show nothing more. */
const MOST_FORGED = 4096;

/**
 * Whether a call that has just opened this input opens it again with another tag: a prepared
 * object must not keep its approval of the message before.
 */
async function acceptsForged(call, input, nonce) {
    if (input.length === 0 || input.length > MOST_FORGED) return false;
    const forged = Buffer.from(input);
    forged[forged.length - 1] ^= 1;
    try {
        await call(forged, nonce);
        return true;
    } catch {
        return false;
    }
}

function read(input) {
    if (input?.hex !== undefined) return fromHex(input.hex, 'hex');
    if (input?.stream === undefined) throw unsupported('no such input');
    const bytes = Buffer.alloc(integer(input.stream, 'size'));
    stream(integer(input.stream, 'seed'), bytes);
    return bytes;
}

/** The smallest step between two readings of the clock, in ns. */
function resolution() {
    let least = 1_000_000n;
    let last = process.hrtime.bigint();
    for (let i = 0; i < 20_000; i++) {
        const now = process.hrtime.bigint();
        if (now > last && now - last < least) least = now - last;
        last = now;
    }
    return Number(least);
}

/** The length of each message of the pool. */
function lengthsOf(request, pool, most) {
    const lengths = request.lengths ?? [];
    if (!Array.isArray(lengths) || lengths.length !== pool) {
        throw failed('`lengths` must have one for each message of the pool');
    }
    if (!lengths.every((n) => Number.isInteger(n) && n >= 0 && n <= most)) {
        throw failed(`each of \`lengths\` is from 0 to ${most}`);
    }
    return lengths;
}

function integer(from, name) {
    const value = from[name];
    if (!Number.isSafeInteger(value) || value < 0) throw failed(`\`${name}\` must be an integer`);
    return value;
}

function text(from, name) {
    if (typeof from[name] !== 'string') throw failed(`\`${name}\` must be a text`);
    return from[name];
}

function object(from, name) {
    const value = from[name];
    if (value === null || typeof value !== 'object') throw failed(`\`${name}\` must be an object`);
    return value;
}
