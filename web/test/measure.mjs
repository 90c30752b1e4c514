// Makes run.sqlite again, the run that the tests look at: the tool's scripted contenders on a simulated
// clock, with names that no page should have to show. It takes minutes, so its store is kept; the
// tests have the tool read it and write the page. `node test/measure.mjs`, after
// `cargo build -p cupel -p cupel-sham`.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOSTILE, LONG, programs, store } from './cupel.mjs';

const folder = mkdtempSync(join(tmpdir(), 'cupel-page-'));
for (const name of ['contenders', 'suites']) mkdirSync(join(folder, name));
// Run from there by relative paths: the store keeps them.
for (const name of ['cupel', 'cupel-sham']) copyFileSync(join(programs, name), join(folder, name));
const primitives = ['siphash-2-4'];
const both = [...primitives, 'hmac-sha256'];
const script = {
    seed: 7,
    world: { noise_sd: 0.004, contamination: 0.004 },
    contenders: [
        { name: 'steady', primitives: both, fixed_ns: 100, per_byte_ns: 1 },
        // Overtakes `steady` at 100 bytes.
        { name: 'bulk', primitives: both, fixed_ns: 150, per_byte_ns: 0.5 },
        { name: 'twin-of-bulk', primitives, fixed_ns: 150, per_byte_ns: 0.5 },
        {
            ...{ name: 'slow@jdk-17', primitives: both, fixed_ns: 400, per_byte_ns: 2 },
            warm_up: { slow_factor: 6, for_ms: 20 },
        },
        { name: HOSTILE, primitives, fixed_ns: 300, per_byte_ns: 1 },
        { name: LONG, primitives: ['siphash-2-4'], fixed_ns: 350, per_byte_ns: 1 },
        { name: 'gone', primitives, missing: `libgone${HOSTILE}` },
        { name: 'wrong', primitives, fault: { kind: 'wrong-fold' } },
    ],
};
writeFileSync(join(folder, 'sham.json'), JSON.stringify(script));
writeFileSync(join(folder, 'sham.json'), JSON.stringify(script));
const command = ['./cupel-sham', '--script', 'sham.json', '--clock', 'clock'];
writeFileSync(
    join(folder, 'contenders/sham.toml'),
    `runner = "program"\nprefix = "sham"\ncommand = ${JSON.stringify(command)}\n`,
);
const workload = (primitive) =>
    `[[workload]]\nprimitive = "${primitive}"\nsizes = [0, 16, 64, 256, 1024]\n` +
    `baseline = "sham/steady"\n`;
writeFileSync(
    join(folder, 'suites/q.toml'),
    `question = ${JSON.stringify(`Which is the fastest? ${HOSTILE}`)}\n` +
        `forks = 2\nbudget = "2s"\n\n${workload('siphash-2-4')}${workload('hmac-sha256')}`,
);
const env = { ...process.env, CUPEL_HOME: folder, CUPEL_CACHE: join(folder, 'cache') };
env.CUPEL_STORE = 'runs.sqlite';
try {
    execFileSync('./cupel', ['run', 'q', '--seed', '1', '--quiet'], { cwd: folder, env });
} catch (error) {
    // 1: a contender failed, as one is meant to.
    if (error.status !== 1) throw error;
}
copyFileSync(join(folder, 'runs.sqlite'), store);
rmSync(folder, { recursive: true });
