// Our C kernels as WebAssembly. A program's costs are in the call: it copies the message into the
// module's memory, and the output out of it.
import fs from 'node:fs';
import { pieces } from './pieces.mjs';
import { unsupported } from './refused.mjs';
import { WASM } from './wasm-module.mjs';

const { exports: kernels } = new WebAssembly.Instance(
    new WebAssembly.Module(fs.readFileSync(WASM.file)),
);

// The memory from `__heap_base` on: an output, a state, the keys that were prepared, a message. The
// kernels assert that the first three have room.
const LINE = 64;
const OUTPUT = Math.ceil(kernels.__heap_base.value / LINE) * LINE;
const STATE = OUTPUT + LINE;
let message = STATE + 4 * LINE;
const PAGE = 65536;
let bytes = new Uint8Array(kernels.memory.buffer);

/** Copies a message, or another input, to where messages are. Memory that grows is a new buffer. */
function put(input) {
    const end = message + input.length;
    if (end > bytes.length) {
        kernels.memory.grow(Math.ceil((end - bytes.length) / PAGE));
        bytes = new Uint8Array(kernels.memory.buffer);
    }
    bytes.set(input, message);
}

/** Room for a key, for the life of the process; messages come after it. */
function keyRoom() {
    message += LINE;
    put(new Uint8Array());
    return message - LINE;
}

/** The one-shot function of a hash, and the functions of a hash that takes pieces. */
function hash(name) {
    const [whole, begin, update, finish] = ['', '_begin', '_update', '_finish'].map(
        (part) => kernels[`cupel_${name}${part}`],
    );
    return { whole, begin, update, finish };
}

const HASHES = {
    sha1: { ...hash('sha1'), length: 20 },
    sha256: { ...hash('sha256'), length: 32 },
    // As long as SHA-256's, so that it copies as much.
    empty: { whole: kernels.cupel_nothing, length: 32 },
};
const MACS = {
    'hmac-sha256': {
        ...hash('hmac_sha256'),
        length: 32,
        schedule(at, key) {
            put(key);
            kernels.cupel_hmac_sha256_prepare(at, message, key.length);
        },
    },
    'siphash-1-3': { whole: kernels.cupel_siphash_1_3, length: 8, schedule: copied },
    'siphash-2-4': { whole: kernels.cupel_siphash_2_4, length: 8, schedule: copied },
};

/** SipHash has no key schedule: the key itself is in memory. */
function copied(at, key) {
    bytes.set(key, at);
}

const NOTHING = new Uint8Array();
const kept = { output: NOTHING };

export function prepare({ primitive, key, keyPerCall, chunks }) {
    const keyed = Object.hasOwn(MACS, primitive);
    const { whole, begin, update, finish, length, schedule } = keyed
        ? MACS[primitive]
        : HASHES[primitive];
    if (chunks.length > 0 && !update) throw unsupported(`${primitive} of whole messages only`);
    const output = () => bytes.slice(OUTPUT, OUTPUT + length);
    const state = {
        update(piece) {
            put(piece);
            update(STATE, message, piece.length);
        },
    };
    const streamed = (input) => {
        pieces(state, input, chunks);
        finish(STATE, OUTPUT);
        return output();
    };
    if (primitive === 'empty') {
        // Its output has no bytes. The copy is kept, so that V8 cannot leave the copying out; and
        // V8 takes 0.2 us to make an array of no bytes, which no other call pays.
        return (input) => {
            put(input);
            whole(OUTPUT, message, input.length);
            kept.output = output();
            return NOTHING;
        };
    }
    if (!keyed) {
        if (chunks.length > 0) {
            return (input) => {
                begin(STATE);
                return streamed(input);
            };
        }
        return (input) => {
            put(input);
            whole(OUTPUT, message, input.length);
            return output();
        };
    }
    const at = keyRoom();
    const rekey = keyPerCall ? () => schedule(at, key) : () => {};
    schedule(at, key);
    if (chunks.length > 0) {
        return (input) => {
            rekey();
            begin(STATE, at);
            return streamed(input);
        };
    }
    return (input) => {
        rekey();
        put(input);
        whole(OUTPUT, at, message, input.length);
        return output();
    };
}
