// node/hash-wasm: hashes written in C, compiled to WebAssembly.
import wasm from 'hash-wasm';
import { pieces } from './pieces.mjs';

const MAKE = {
    sha1: wasm.createSHA1,
    sha256: wasm.createSHA256,
    sha512: wasm.createSHA512,
    'sha3-256': () => wasm.createSHA3(256),
    blake2b: wasm.createBLAKE2b,
    blake2s: wasm.createBLAKE2s,
    blake3: wasm.createBLAKE3,
};

const KEYED = {
    'hmac-sha256': (key) => wasm.createHMAC(wasm.createSHA256(), key),
    'hmac-sha512': (key) => wasm.createHMAC(wasm.createSHA512(), key),
    'blake3-keyed': (key) => wasm.createBLAKE3(256, key),
};

/** The hashers without a key. A hasher has memory of its own, and is reset by `init`. */
const made = new Map();

export async function prepare({ primitive, key, chunks }) {
    if (KEYED[primitive]) return reused(await KEYED[primitive](key), chunks);
    if (!made.has(primitive)) made.set(primitive, await MAKE[primitive]());
    return reused(made.get(primitive), chunks);
}

function reused(hasher, chunks) {
    return (input) => pieces(hasher.init(), input, chunks).digest('binary');
}
