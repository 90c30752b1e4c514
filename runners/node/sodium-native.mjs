// node/sodium-native: libsodium, compiled for each platform. It writes into buffers that a program
// gives it.
import sodium from 'sodium-native';
import { NotAuthentic, unsupported } from './refused.mjs';

const TAG = 16;

const DIGESTS = {
    sha256: [32, sodium.crypto_hash_sha256],
    sha512: [64, sodium.crypto_hash_sha512],
    blake2b: [64, sodium.crypto_generichash],
};

const AEADS = {
    'chacha20-poly1305': [
        12,
        sodium.crypto_aead_chacha20poly1305_ietf_encrypt,
        sodium.crypto_aead_chacha20poly1305_ietf_decrypt,
    ],
    'xchacha20-poly1305': [
        24,
        sodium.crypto_aead_xchacha20poly1305_ietf_encrypt,
        sodium.crypto_aead_xchacha20poly1305_ietf_decrypt,
    ],
};

export function prepare({ primitive, operation, key, ad, chunks }) {
    if (chunks.length > 0) throw unsupported('only whole messages');
    if (DIGESTS[primitive]) {
        const [size, digest] = DIGESTS[primitive];
        return (input) => {
            const output = Buffer.allocUnsafe(size);
            digest(output, input);
            return output;
        };
    }
    if (primitive === 'siphash-2-4') {
        return (input) => {
            const output = Buffer.allocUnsafe(sodium.crypto_shorthash_BYTES);
            sodium.crypto_shorthash(output, input, key);
            return output;
        };
    }
    const [length, encrypt, decrypt] = AEADS[primitive];
    const check = (nonce) => {
        if (nonce.length !== length) throw unsupported(`a nonce of ${nonce.length} bytes`);
    };
    if (operation === 'seal') {
        return (input, nonce) => {
            check(nonce);
            const output = Buffer.allocUnsafe(input.length + TAG);
            encrypt(output, input, ad, null, nonce, key);
            return output;
        };
    }
    return (input, nonce) => {
        check(nonce);
        if (input.length < TAG) throw new NotAuthentic();
        const output = Buffer.allocUnsafe(input.length - TAG);
        try {
            decrypt(output, null, input, ad, nonce, key);
        } catch {
            throw new NotAuthentic();
        }
        return output;
    };
}
