import wasm from 'hash-wasm';
import { pieces } from './pieces.mjs';

const MAKE = {
    sha1: wasm.createSHA1,
    sha256: wasm.createSHA256,
    sha512: wasm.createSHA512,
    blake3: wasm.createBLAKE3,
};

/** The hashers without a key. A hasher has memory of its own, and is reset by `init`. */
const made = new Map();

export async function prepare({ primitive, key, chunks }) {
    if (primitive === 'hmac-sha256') {
        return reused(await wasm.createHMAC(wasm.createSHA256(), key), chunks);
    }
    if (!made.has(primitive)) made.set(primitive, await MAKE[primitive]());
    return reused(made.get(primitive), chunks);
}

function reused(hasher, chunks) {
    return (input) => pieces(hasher.init(), input, chunks).digest('binary');
}
