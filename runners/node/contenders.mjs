// All that this runner hosts, in the order of contenders/node.toml. A library is loaded only in the
// process of its contender.
import crypto from 'node:crypto';
import fs from 'node:fs';
import { BLAKE_HASH } from './blake-hash-package.mjs';
import { Refused } from './refused.mjs';
import { WASM } from './wasm-module.mjs';

/** Offers of `seal` and `open` of these primitives. */
function aeads(...primitives) {
    return primitives.flatMap((primitive) =>
        ['seal', 'open'].map((operation) => ({ primitive, operation })),
    );
}

/** Offers of `digest` of these primitives. */
function digests(...primitives) {
    return primitives.map((primitive) => ({ primitive, operation: 'digest' }));
}

/** The same offers, for calls that take the key themselves. */
function perCall(offers) {
    return offers.map((offer) => ({ ...offer, key: 'per-call' }));
}

/** Offers of `mac` of these primitives. */
function macs(...primitives) {
    return primitives.map((primitive) => ({ primitive, operation: 'mac' }));
}

const SHA2 = ['sha1', 'sha256', 'sha512', 'sha512-256'];
const BLAKE2 = ['blake2b', 'blake2s'];
const HMAC = ['hmac-sha256', 'hmac-sha512'];
const GCM = ['aes-128-gcm', 'aes-256-gcm'];

/** The version of an installed package, and the version of Node.js, which compiles it. */
function versionOf(name) {
    const path = new URL(`node_modules/${name}/package.json`, import.meta.url);
    const { version } = JSON.parse(fs.readFileSync(path, 'utf8'));
    return `${version} (Node.js ${process.versions.node})`;
}

const NODE = {
    library: 'Node.js',
    version: `${process.versions.node} (OpenSSL ${process.versions.openssl})`,
    licence: 'MIT',
};

/** The call of a contender, from its own file. */
function from(file, name = 'prepare') {
    return async (task) => (await import(file))[name](task);
}

/** The same of a package that may have nothing compiled for this system. */
function compiled(file) {
    return async (task) => {
        let loaded;
        try {
            loaded = await import(file);
        } catch (error) {
            throw new Refused('missing', `the package does not load here: ${error.message}`);
        }
        return loaded.prepare(task);
    };
}

export const CONTENDERS = [
    {
        ...NODE,
        name: 'crypto',
        summary: 'createHash, update, digest; createHmac; createCipheriv and Buffer.concat',
        offers: [
            ...digests(...SHA2, 'sha3-256', 'shake128', ...BLAKE2),
            ...perCall([...macs(...HMAC), ...aeads(...GCM, 'chacha20-poly1305')]),
        ],
        copies: true,
        prepare: from('./crypto.mjs'),
    },
    {
        ...NODE,
        name: 'crypto-hash',
        summary: 'crypto.hash, one-shot',
        offers: digests(...SHA2, 'sha3-256', ...BLAKE2),
        missing: crypto.hash
            ? undefined
            : {
                  reason: 'this Node.js has no crypto.hash',
                  remedy: 'install Node.js 20.12 or later',
              },
        prepare: from('./crypto.mjs', 'prepareOneShot'),
    },
    {
        ...NODE,
        name: 'webcrypto',
        summary:
            'crypto.subtle: digest, sign, encrypt, decrypt; importKey where the key is in the call',
        offers: [...digests('sha1', 'sha256', 'sha512'), ...macs(...HMAC), ...aeads(...GCM)].map(
            (offer) => ({ ...offer, result: 'awaited' }),
        ),
        prepare: from('./webcrypto.mjs'),
    },
    {
        name: 'noble',
        library: '@noble/hashes',
        version: versionOf('@noble/hashes'),
        licence: 'MIT',
        summary: 'sha256 and its like, create where streamed; a MAC is cloned after the key',
        offers: [
            ...digests(...SHA2, 'sha3-256', 'shake128', ...BLAKE2, 'blake3'),
            ...macs(...HMAC, 'blake3-keyed'),
        ],
        prepare: from('./noble.mjs'),
    },
    {
        name: 'noble-ciphers',
        library: '@noble/ciphers',
        version: versionOf('@noble/ciphers'),
        licence: 'MIT',
        summary: 'gcm and its like, encrypt, decrypt; cmac',
        // Its README says so of AES. Look-ups that depend on secrets can leak them.
        codePath: (primitive) => (primitive.startsWith('aes-') ? 'T-tables' : 'unknown'),
        offers: perCall([
            ...macs('aes-cmac'),
            ...aeads(...GCM, 'aes-256-gcm-siv', 'chacha20-poly1305', 'xchacha20-poly1305'),
        ]),
        prepare: from('./noble-ciphers.mjs'),
    },
    {
        name: 'hash-wasm',
        library: 'hash-wasm',
        version: versionOf('hash-wasm'),
        licence: 'MIT',
        summary: 'one hasher in WebAssembly: init, update, digest',
        offers: [
            ...digests('sha1', 'sha256', 'sha512', 'sha3-256', ...BLAKE2, 'blake3'),
            ...macs(...HMAC, 'blake3-keyed').map((offer) => ({ ...offer, key: 'prepared' })),
        ],
        prepare: from('./hash-wasm.mjs'),
    },
    {
        name: 'sha.js',
        library: 'sha.js',
        version: versionOf('sha.js'),
        licence: 'MIT AND BSD-3-Clause',
        summary: 'new, update, digest',
        offers: digests('sha1', 'sha256', 'sha512'),
        prepare: from('./sha-js.mjs'),
    },
    {
        name: 'sodium-native',
        library: 'sodium-native',
        version: versionOf('sodium-native'),
        licence: 'MIT AND ISC',
        summary: 'crypto_hash_sha256 and its like, into a new Buffer',
        offers: [
            ...digests('sha256', 'sha512', 'blake2b'),
            ...macs('siphash-2-4'),
            ...perCall(aeads('chacha20-poly1305', 'xchacha20-poly1305')),
        ],
        prepare: compiled('./sodium-native.mjs'),
    },
    {
        name: 'blake-hash',
        library: '@napi-rs/blake-hash',
        version: BLAKE_HASH ? versionOf(BLAKE_HASH) : '',
        licence: 'MIT',
        summary: 'blake3 and its like, Blake3Hasher and its like where streamed or keyed',
        offers: [...digests(...BLAKE2, 'blake3'), ...macs('blake3-keyed')],
        missing: BLAKE_HASH
            ? undefined
            : { reason: 'npm installs nothing compiled of @napi-rs/blake-hash on this system' },
        prepare: compiled('./blake-hash.mjs'),
    },
    {
        name: 'cupel-wasm',
        library: 'Cupel in WebAssembly',
        version: WASM.version ?? '',
        licence: 'MIT OR Apache-2.0',
        summary: 'our C11 code in V8: the message is copied into its memory, the output out of it',
        codePath: () => 'portable',
        offers: [
            ...digests('sha1', 'sha256'),
            ...macs('hmac-sha256', 'siphash-2-4', 'siphash-1-3'),
            ...digests('empty'),
        ],
        missing: WASM.missing,
        prepare: from('./cupel-wasm.mjs'),
    },
    {
        name: 'empty',
        library: 'cupel',
        version: process.versions.node,
        licence: 'MIT OR Apache-2.0',
        summary: 'nothing, through the same indirect call: what the harness itself costs',
        offers: digests('empty'),
        prepare: () => {
            const nothing = Buffer.alloc(0);
            return () => nothing;
        },
    },
];
