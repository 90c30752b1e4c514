// node/webcrypto: SubtleCrypto, whose every call returns a promise.
import { webcrypto } from 'node:crypto';
import { NotAuthentic, tryOpenSSL, unsupported } from './refused.mjs';

const { subtle } = webcrypto;

const HASHES = { sha1: 'SHA-1', sha256: 'SHA-256', sha512: 'SHA-512' };
const MACS = { 'hmac-sha256': 'SHA-256', 'hmac-sha512': 'SHA-512' };

/** The shortest nonce that Node.js takes here, and the longest, in bytes. */
const [SHORTEST_NONCE, LONGEST_NONCE] = [12, 128];
const TAG = 16;
const NOTHING = new Uint8Array();

/** A call that returns a promise of an ArrayBuffer, seen as bytes. */
export async function prepare(task) {
    const { primitive, chunks } = task;
    if (chunks.length > 0) throw unsupported('crypto.subtle takes whole messages');
    if (HASHES[primitive]) {
        const name = HASHES[primitive];
        await tryOpenSSL(primitive, () => subtle.digest(name, NOTHING));
        return async (input) => new Uint8Array(await subtle.digest(name, input));
    }
    return MACS[primitive] ? mac(task, MACS[primitive]) : gcm(task);
}

async function mac({ primitive, key, keyPerCall }, hash) {
    const algorithm = { name: 'HMAC', hash };
    await tryOpenSSL(primitive, async () => {
        const zeros = new Uint8Array(32);
        const made = await subtle.importKey('raw', zeros, algorithm, false, ['sign']);
        await subtle.sign('HMAC', made, NOTHING);
    });
    const imported = () => subtle.importKey('raw', key, algorithm, false, ['sign']);
    if (keyPerCall) {
        return async (input) => new Uint8Array(await subtle.sign('HMAC', await imported(), input));
    }
    const kept = await imported();
    return async (input) => new Uint8Array(await subtle.sign('HMAC', kept, input));
}

async function gcm({ primitive, operation, key, keyPerCall, ad }) {
    await tryOpenSSL(primitive, async () => {
        const made = await subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt']);
        await subtle.encrypt({ name: 'AES-GCM', iv: new Uint8Array(12) }, made, NOTHING);
    });
    const use = operation === 'seal' ? 'encrypt' : 'decrypt';
    const imported = () => subtle.importKey('raw', key, 'AES-GCM', false, [use]);
    const kept = keyPerCall ? undefined : await imported();
    return async (input, nonce) => {
        if (nonce.length < SHORTEST_NONCE || nonce.length > LONGEST_NONCE) {
            throw unsupported(`a nonce of ${nonce.length} bytes`);
        }
        const algorithm = { name: 'AES-GCM', iv: nonce, additionalData: ad, tagLength: 8 * TAG };
        const made = kept ?? (await imported());
        try {
            return new Uint8Array(await subtle[use](algorithm, made, input));
        } catch (error) {
            if (use === 'decrypt' && error.name === 'OperationError') throw new NotAuthentic();
            throw error;
        }
    };
}
