import { blake3 } from '@noble/hashes/blake3.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha1 } from '@noble/hashes/legacy.js';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { pieces } from './pieces.mjs';

const HASHES = { sha1, sha256, sha512, blake3 };

export function prepare({ primitive, key, keyPerCall, chunks }) {
    if (primitive === 'hmac-sha256') {
        if (!keyPerCall) {
            const keyed = hmac.create(sha256, key);
            return (input) => pieces(keyed.clone(), input, chunks).digest();
        }
        if (chunks.length === 0) return (input) => hmac(sha256, key, input);
        return (input) => pieces(hmac.create(sha256, key), input, chunks).digest();
    }
    const hash = HASHES[primitive];
    if (chunks.length === 0) return (input) => hash(input);
    return (input) => pieces(hash.create(), input, chunks).digest();
}
