// The calls of Cupel's node/crypto and node/crypto-hash as plain benchmarks of mitata. Prints the
// median time of each in ns. Usage: bench.mjs SECONDS

import crypto from 'node:crypto';
import { measure } from 'mitata';

const options = { min_cpu_time: Number(process.argv[2]) * 1e9 };
const found = {};

async function time(name, call) {
    const { p50 } = await measure(call, options);
    found[name] = p50;
}

const empty = Buffer.alloc(32);
await time('empty', () => empty);
for (const size of [64, 1024, 16384]) {
    const message = crypto.randomBytes(size);
    await time(`node/crypto-hash/sha256/digest/${size}`, () =>
        crypto.hash('sha256', message, 'buffer'),
    );
}
const message = crypto.randomBytes(64);
const key = crypto.randomBytes(32);
await time('node/crypto/sha256/digest/64', () =>
    crypto.createHash('sha256').update(message).digest(),
);
await time('node/crypto/hmac-sha256/mac/64', () =>
    crypto.createHmac('sha256', key).update(message).digest(),
);
for (const size of [64, 1024, 16384]) {
    const plaintext = crypto.randomBytes(size);
    const nonce = Buffer.alloc(12);
    let i = 0;
    await time(`node/crypto/aes-256-gcm/seal/${size}`, () => {
        nonce.writeUInt32BE(i++, 8);
        const cipher = crypto.createCipheriv('aes-256-gcm', key, nonce);
        return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
    });
}
console.log(JSON.stringify(found));
