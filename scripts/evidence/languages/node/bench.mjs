// Calls of Cupel's contenders in Node.js as plain benchmarks. Prints the time of one cell in ns:
// the median of mitata, or the mean of benchmark.js. Usage: bench.mjs mitata|benchmark.js SECONDS
// CELL [busy]
//
// mitata times batches of calls if one of its first three calls takes less than 65 us, which
// depends on how cold the process is; otherwise it times each call alone, and the median of such
// times leaves out costs that only some calls have, such as the cache misses of new memory. So
// batches are asked for here.

import crypto from 'node:crypto';
import { gcm } from '@noble/ciphers/aes.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import Benchmark from 'benchmark';
import wasm from 'hash-wasm';
import { measure } from 'mitata';
import sha from 'sha.js';

const [tool, seconds, cell, busy] = process.argv.slice(2);
const message = crypto.randomBytes(Number(cell.split('/').at(-1)) || 0);
const key = crypto.randomBytes(32);
const nonce = Buffer.alloc(12);
const hasher = await wasm.createSHA256();
let i = 0;

const calls = {
    'node/crypto-hash/sha256/digest': () => crypto.hash('sha256', message, 'buffer'),
    'node/crypto/sha256/digest': () => crypto.createHash('sha256').update(message).digest(),
    'node/crypto/hmac-sha256/mac': () => crypto.createHmac('sha256', key).update(message).digest(),
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

const call = calls[cell.slice(0, cell.lastIndexOf('/'))];
const BATCH = busy ? 1e6 : 50e6; // ns; 50 ms are several collections of the youngest objects

async function byMitata() {
    const CALLS = 2000;
    let fewest = Infinity;
    for (let round = 0; round < 3; round++) {
        const began = process.hrtime.bigint();
        for (let k = 0; k < CALLS; k++) call();
        fewest = Math.min(fewest, Number(process.hrtime.bigint() - began) / CALLS);
    }
    const { min, p50 } = await measure(call, {
        min_cpu_time: Number(seconds) * 1e9,
        batch_samples: 4 * Math.ceil(BATCH / fewest / 4), // it unrolls four calls
        batch_threshold: Infinity,
        warmup_threshold: Infinity,
    });
    return busy ? min : p50;
}

function byBenchmarkJs() {
    const benchmark = new Benchmark(call, {
        maxTime: Number(seconds),
        minSamples: busy ? 100 : 5,
        minTime: busy ? 1e-3 : 0,
    });
    benchmark.run();
    if (benchmark.error) throw benchmark.error;
    const { mean, sample } = benchmark.stats;
    return 1e9 * (busy ? Math.min(...sample) : mean);
}

console.log(tool === 'mitata' ? await byMitata() : byBenchmarkJs());
