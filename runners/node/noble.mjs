// node/noble: hashes written in JavaScript.
import { blake2b, blake2s } from '@noble/hashes/blake2.js';
import { blake3 } from '@noble/hashes/blake3.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha1 } from '@noble/hashes/legacy.js';
import { sha256, sha512, sha512_256 } from '@noble/hashes/sha2.js';
import { sha3_256, shake128_32 } from '@noble/hashes/sha3.js';
import { pieces } from './pieces.mjs';

const HASHES = {
    sha1,
    sha256,
    sha512,
    'sha512-256': sha512_256,
    'sha3-256': sha3_256,
    shake128: shake128_32,
    blake2b,
    blake2s,
    blake3,
};

const MACS = { 'hmac-sha256': sha256, 'hmac-sha512': sha512 };

export function prepare({ primitive, key, keyPerCall, chunks }) {
    if (primitive === 'blake3-keyed') {
        const keyed = () => blake3.create({ key });
        if (keyPerCall && chunks.length === 0) return (input) => blake3(input, { key });
        return streamed(keyed, keyPerCall, chunks);
    }
    if (MACS[primitive]) {
        const hash = MACS[primitive];
        if (keyPerCall && chunks.length === 0) return (input) => hmac(hash, key, input);
        return streamed(() => hmac.create(hash, key), keyPerCall, chunks);
    }
    const hash = HASHES[primitive];
    if (chunks.length === 0) return (input) => hash(input);
    return (input) => pieces(hash.create(), input, chunks).digest();
}

/** A MAC whose state is cloned after the key, unless the key is in the call. */
function streamed(keyed, keyPerCall, chunks) {
    if (keyPerCall) return (input) => pieces(keyed(), input, chunks).digest();
    const kept = keyed();
    return (input) => pieces(kept.clone(), input, chunks).digest();
}
