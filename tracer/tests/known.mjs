// known.mjs: a script for Node.js whose calls are known, for the tests of `cupel trace`. With an
// argument it first waits for a line on standard input.

import { readSync } from "node:fs";
import {
    createCipheriv, createDecipheriv, createHash, createHmac, getRandomValues, hash, pbkdf2Sync,
} from "node:crypto";

if (process.argv[2] === "wait") readSync(0, Buffer.alloc(1));

const data = Buffer.alloc(4096);
for (let i = 0; i < 500; i++) createHash("sha256").update(data.subarray(0, 64)).digest();
for (let i = 0; i < 7; i++) createHash("sha512").update(data.subarray(0, 100)).update(data).digest();
for (let i = 0; i < 5; i++) hash("sha256", data.subarray(0, 33));
// A copy, and both end.
const one = createHash("sha1").update("1234567");
const other = one.copy().update("8");
one.digest();
other.digest();
for (let i = 0; i < 3; i++) createHmac("sha256", "key").update(data.subarray(0, 40)).digest();
for (let i = 0; i < 4; i++) {
    const seal = createCipheriv("aes-256-gcm", data.subarray(0, 32), data.subarray(0, 12));
    seal.setAAD(data.subarray(0, 13));
    const sealed = Buffer.concat([seal.update(data.subarray(0, 1000)), seal.final()]);
    const open = createDecipheriv("aes-256-gcm", data.subarray(0, 32), data.subarray(0, 12));
    open.setAAD(data.subarray(0, 13));
    const tag = seal.getAuthTag();
    tag[0] ^= i === 3 ? 1 : 0;
    open.setAuthTag(tag);
    open.update(sealed);
    try {
        open.final();
    } catch {
        // The last tag is wrong, and that is not a message.
    }
}
// What the library calls itself.
pbkdf2Sync("password", "salt", 1000, 32, "sha256");
getRandomValues(new Uint8Array(1000));
