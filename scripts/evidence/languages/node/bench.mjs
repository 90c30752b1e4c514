// Calls of Cupel's contenders in Node.js as plain benchmarks of mitata. Prints the median time of one
// cell in ns. Usage: bench.mjs SECONDS CONTENDER/PRIMITIVE/OPERATION/SIZE|empty

import crypto from 'node:crypto';
import { gcm } from '@noble/ciphers/aes.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import wasm from 'hash-wasm';
import { measure } from 'mitata';
import sha from 'sha.js';

const [seconds, cell] = process.argv.slice(2);
const message = crypto.randomBytes(Number(cell.split('/').at(-1)) || 0);
const key = crypto.randomBytes(32);
const nonce = Buffer.alloc(12);
const hasher = await wasm.createSHA256();
const nothing = Buffer.alloc(32);
let i = 0;

const calls = {
    'node/crypto-hash/sha256/digest': () => crypto.hash('sha256', message, 'buffer'),
    'node/crypto/sha256/digest': () => crypto.createHash('sha256').update(message).digest(),
    'node/crypto/hmac-sha256/mac': () =>
        crypto.createHmac('sha256', key).update(message).digest(),
    'node/crypto/aes-256-gcm/seal': () => {
        nonce.writeUInt32BE(i++, 8);
        const cipher = crypto.createCipheriv('aes-256-gcm', key, nonce);
        return Buffer.concat([cipher.update(message), cipher.final(), cipher.getAuthTag()]);
    },
    'node/noble/sha256/digest': () => sha256(message),
    'node/noble/hmac-sha256/mac': () => hmac(sha256, key, message),
    'node/noble-ciphers/aes-256-gcm/seal': () => {
        nonce.writeUInt32BE(i++, 8);
        return gcm(key, nonce).encrypt(message);
    },
    'node/hash-wasm/sha256/digest': () => hasher.init().update(message).digest('binary'),
    'node/sha.js/sha256/digest': () => new sha.sha256().update(message).digest(),
};

const call = cell === 'empty' ? () => nothing : calls[cell.slice(0, cell.lastIndexOf('/'))];
const { p50 } = await measure(call, { min_cpu_time: Number(seconds) * 1e9 });
console.log(p50);
