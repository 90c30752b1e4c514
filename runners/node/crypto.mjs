import crypto from 'node:crypto';
import { pieces } from './pieces.mjs';
import { NotAuthentic, unsupported } from './refused.mjs';

const TAG = 16;

/** The longest nonce that OpenSSL takes, in bytes. */
const LONGEST_NONCE = 128;

function check(nonce) {
    if (nonce.length === 0 || nonce.length > LONGEST_NONCE) {
        throw unsupported(`a nonce of ${nonce.length} bytes`);
    }
}

export function prepare({ primitive, operation, key, ad, chunks }) {
    if (primitive === 'aes-256-gcm') {
        if (chunks.length > 0) throw unsupported('only whole messages');
        return operation === 'seal' ? seal(key, ad) : open(key, ad);
    }
    if (primitive === 'hmac-sha256') {
        return (input) => pieces(crypto.createHmac('sha256', key), input, chunks).digest();
    }
    if (chunks.length === 0) return (input) => crypto.createHash(primitive).update(input).digest();
    return (input) => pieces(crypto.createHash(primitive), input, chunks).digest();
}

export function prepareOneShot({ primitive, chunks }) {
    if (chunks.length > 0) throw unsupported('crypto.hash takes whole messages');
    return (input) => crypto.hash(primitive, input, 'buffer');
}

function seal(key, ad) {
    return (input, nonce) => {
        check(nonce);
        const cipher = crypto.createCipheriv('aes-256-gcm', key, nonce);
        if (ad.length > 0) cipher.setAAD(ad);
        return Buffer.concat([cipher.update(input), cipher.final(), cipher.getAuthTag()]);
    };
}

function open(key, ad) {
    return (input, nonce) => {
        check(nonce);
        if (input.length < TAG) throw new NotAuthentic();
        const options = { authTagLength: TAG };
        const decipher = crypto.createDecipheriv('aes-256-gcm', key, nonce, options);
        if (ad.length > 0) decipher.setAAD(ad);
        const end = input.length - TAG;
        decipher.setAuthTag(input.subarray(end));
        const first = decipher.update(input.subarray(0, end));
        let last;
        try {
            last = decipher.final();
        } catch {
            throw new NotAuthentic();
        }
        return Buffer.concat([first, last]);
    };
}
