// The bytes of the protocol: the byte stream, nonces, and hexadecimal text.
import { failed } from './refused.mjs';

/** The high half of the product of two 32-bit numbers. */
function high(a, b) {
    const [a0, a1, b0, b1] = [a & 0xffff, a >>> 16, b & 0xffff, b >>> 16];
    const low = a0 * b0;
    const middle = a1 * b0 + (low >>> 16);
    const other = a0 * b1 + (middle & 0xffff);
    return a1 * b1 + (middle >>> 16) + (other >>> 16);
}

/**
 * Fills a message from a seed: protocol, "The byte stream". In halves of 32 bits, because integers
 * of 64 bits take thirty times as long here.
 */
export function stream(seed, out) {
    let stateHigh = Math.floor(seed / 2 ** 32) | 0;
    let stateLow = seed | 0;
    for (let at = 0; at < out.length; at += 8) {
        const sum = (stateLow >>> 0) + 0x7f4a7c15;
        stateHigh = (stateHigh + 0x9e3779b9 + (sum > 0xffffffff ? 1 : 0)) | 0;
        stateLow = sum | 0;
        let [h, l] = [stateHigh, stateLow];
        [h, l] = [h ^ (h >>> 30), l ^ ((l >>> 30) | (h << 2))];
        [h, l] = times(h, l, 0xbf58476d, 0x1ce4e5b9);
        [h, l] = [h ^ (h >>> 27), l ^ ((l >>> 27) | (h << 5))];
        [h, l] = times(h, l, 0x94d049bb, 0x133111eb);
        [h, l] = [h ^ (h >>> 31), l ^ ((l >>> 31) | (h << 1))];
        for (let k = 0; k < 8 && at + k < out.length; k++) {
            out[at + k] = k < 4 ? l >>> (8 * k) : h >>> (8 * k - 32);
        }
    }
}

/** The low 64 bits of a product, as two halves. */
function times(ah, al, bh, bl) {
    const carried = high(al >>> 0, bl >>> 0);
    return [(carried + Math.imul(ah, bl) + Math.imul(al, bh)) | 0, Math.imul(al, bl)];
}

/** A nonce of zeros, as long as the primitive's: protocol, "Keys and nonces". */
export function newNonce(primitive) {
    return Buffer.alloc(primitive === 'xchacha20-poly1305' ? 24 : 12);
}

/** Sets a nonce of zeros to a number. */
export function putNonce(nonce, number) {
    nonce.writeUInt32BE(Math.floor(number / 2 ** 32), nonce.length - 8);
    nonce.writeUInt32BE(number >>> 0, nonce.length - 4);
}

export function fromHex(hex, name) {
    if (typeof hex !== 'string') throw failed(`\`${name}\` must be a text`);
    const bytes = Buffer.from(hex, 'hex');
    if (2 * bytes.length !== hex.length) throw failed(`\`${name}\` is not hex`);
    return bytes;
}
