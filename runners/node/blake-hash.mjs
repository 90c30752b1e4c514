// node/blake-hash: the Rust crates blake3 and blake2b_simd, compiled for each platform.
import { createRequire } from 'node:module';
import { BLAKE_HASH } from './blake-hash-package.mjs';
import { pieces } from './pieces.mjs';

const { Blake2BHasher, Blake2SHasher, Blake3Hasher, blake2b, blake2s, blake3 } = createRequire(
    import.meta.url,
)(BLAKE_HASH);

const DIGESTS = {
    blake2b: [blake2b, Blake2BHasher],
    blake2s: [blake2s, Blake2SHasher],
    blake3: [blake3, Blake3Hasher],
};

export function prepare({ primitive, key, keyPerCall, chunks }) {
    if (primitive === 'blake3-keyed') return keyed(key, keyPerCall, chunks);
    const [digest, Hasher] = DIGESTS[primitive];
    if (chunks.length === 0) return digest;
    return (input) => pieces(new Hasher(), input, chunks).digestBuffer();
}

function keyed(key, keyPerCall, chunks) {
    if (keyPerCall) {
        return (input) => pieces(Blake3Hasher.newKeyed(key), input, chunks).digestBuffer();
    }
    const hasher = Blake3Hasher.newKeyed(key);
    return (input) => {
        hasher.reset(); // it keeps the key
        return pieces(hasher, input, chunks).digestBuffer();
    };
}
