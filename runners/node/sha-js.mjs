// node/sha.js: the package sha.js, written in JavaScript.
import sha from 'sha.js';
import { pieces } from './pieces.mjs';

export function prepare({ primitive, chunks }) {
    const Hash = sha[primitive];
    return (input) => pieces(new Hash(), input, chunks).digest();
}
