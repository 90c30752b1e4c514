// node/noble-ciphers: AEADs written in JavaScript.
import { cmac, gcm, gcmsiv } from '@noble/ciphers/aes.js';
import { chacha20poly1305, xchacha20poly1305 } from '@noble/ciphers/chacha.js';
import { pieces } from './pieces.mjs';
import { NotAuthentic, unsupported } from './refused.mjs';

/** Each AEAD, with the shortest and the longest nonce that it takes, in bytes. */
const AEADS = {
    'aes-128-gcm': [gcm, 8, Infinity],
    'aes-256-gcm': [gcm, 8, Infinity],
    'aes-256-gcm-siv': [gcmsiv, 12, 12],
    'chacha20-poly1305': [chacha20poly1305, 12, 12],
    'xchacha20-poly1305': [xchacha20poly1305, 24, 24],
};

export function prepare({ primitive, operation, key, ad, chunks }) {
    if (primitive === 'aes-cmac') {
        if (chunks.length === 0) return (input) => cmac(input, key);
        return (input) => pieces(cmac.create(key), input, chunks).digest();
    }
    if (chunks.length > 0) throw unsupported('only whole messages');
    const [cipher, shortest, longest] = AEADS[primitive];
    const made = (nonce) => {
        if (nonce.length < shortest || nonce.length > longest) {
            throw unsupported(`a nonce of ${nonce.length} bytes`);
        }
        return cipher(key, nonce, ad);
    };
    if (operation === 'seal') return (input, nonce) => made(nonce).encrypt(input);
    return (input, nonce) => {
        const opener = made(nonce);
        try {
            return opener.decrypt(input);
        } catch {
            throw new NotAuthentic();
        }
    };
}
