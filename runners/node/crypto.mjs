// node/crypto and node/crypto-hash: OpenSSL, as Node.js binds it.
import crypto from 'node:crypto';
import { pieces } from './pieces.mjs';
import { NotAuthentic, tryOpenSSL, unsupported } from './refused.mjs';

const TAG = 16;

/** OpenSSL's names, where they are not the primitive's. */
const NAMES = { blake2b: 'blake2b512', blake2s: 'blake2s256' };

/** The option that createHash needs for a function whose output has any length, in bytes. */
const OPTIONS = { shake128: { outputLength: 32 } };

const MACS = { 'hmac-sha256': 'sha256', 'hmac-sha512': 'sha512' };

/** The shortest nonce that OpenSSL takes, and the longest, in bytes. */
const NONCES = {
    'aes-128-gcm': [1, 128],
    'aes-256-gcm': [1, 128],
    'chacha20-poly1305': [12, 12],
};

export async function prepare({ primitive, operation, key, ad, chunks, prefix }) {
    if (NONCES[primitive]) {
        if (chunks.length > 0) throw unsupported('only whole messages');
        const nonce = Buffer.alloc(12);
        await tryOpenSSL(primitive, () => crypto.createCipheriv(primitive, key, nonce, LENGTH));
        return operation === 'seal' ? seal(primitive, key, ad) : open(primitive, key, ad);
    }
    if (MACS[primitive]) {
        const hash = MACS[primitive];
        await tryOpenSSL(primitive, () => crypto.createHmac(hash, Buffer.alloc(32)));
        return (input) => pieces(crypto.createHmac(hash, key), input, chunks).digest();
    }
    const name = NAMES[primitive] ?? primitive;
    const options = OPTIONS[primitive];
    await tryOpenSSL(primitive, () => crypto.createHash(name, options));
    if (prefix.length > 0) {
        const first = crypto.createHash(name, options).update(prefix);
        // The copy has no length of output of its own.
        return (input) => pieces(first.copy(options), input, chunks).digest();
    }
    if (options) return (input) => pieces(crypto.createHash(name, options), input, chunks).digest();
    if (chunks.length === 0) return (input) => crypto.createHash(name).update(input).digest();
    return (input) => pieces(crypto.createHash(name), input, chunks).digest();
}

export async function prepareOneShot({ primitive, chunks }) {
    if (chunks.length > 0) throw unsupported('crypto.hash takes whole messages');
    const name = NAMES[primitive] ?? primitive;
    await tryOpenSSL(primitive, () => crypto.hash(name, ''));
    return (input) => crypto.hash(name, input, 'buffer');
}

function check(nonce, [shortest, longest]) {
    if (nonce.length < shortest || nonce.length > longest) {
        throw unsupported(`a nonce of ${nonce.length} bytes`);
    }
}

/** Required by chacha20-poly1305, and to make AES-GCM refuse shorter tags. */
const LENGTH = { authTagLength: TAG };

function seal(name, key, ad) {
    const lengths = NONCES[name];
    return (input, nonce) => {
        check(nonce, lengths);
        const cipher = crypto.createCipheriv(name, key, nonce, LENGTH);
        if (ad.length > 0) cipher.setAAD(ad);
        return Buffer.concat([cipher.update(input), cipher.final(), cipher.getAuthTag()]);
    };
}

function open(name, key, ad) {
    const lengths = NONCES[name];
    return (input, nonce) => {
        check(nonce, lengths);
        if (input.length < TAG) throw new NotAuthentic();
        const decipher = crypto.createDecipheriv(name, key, nonce, LENGTH);
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
