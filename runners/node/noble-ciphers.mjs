import { gcm } from '@noble/ciphers/aes.js';
import { NotAuthentic, unsupported } from './refused.mjs';

/** The shortest nonce that the library takes, in bytes. */
const SHORTEST = 8;

export function prepare({ operation, key, ad, chunks }) {
    if (chunks.length > 0) throw unsupported('only whole messages');
    if (operation === 'seal') {
        return (input, nonce) => {
            if (nonce.length < SHORTEST) throw unsupported(`a nonce of ${nonce.length} bytes`);
            return gcm(key, nonce, ad).encrypt(input);
        };
    }
    return (input, nonce) => {
        if (nonce.length < SHORTEST) throw unsupported(`a nonce of ${nonce.length} bytes`);
        const cipher = gcm(key, nonce, ad);
        try {
            return cipher.decrypt(input);
        } catch {
            throw new NotAuthentic();
        }
    };
}
