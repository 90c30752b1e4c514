// Creates run.sqlite and matrix.sqlite again, the runs for the tests: the tool's scripted
// contenders on a simulated clock, with hostile names. That takes minutes, so the stores are kept;
// the tests let the tool read them and write the page. Run `node test/measure.mjs` after `cargo
// build -p cupel -p cupel-sham`.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HOSTILE, LONG, SUITE, matrixStore, programs, store } from './cupel.mjs';

const folder = mkdtempSync(join(tmpdir(), 'cupel-page-'));
for (const name of ['contenders', 'suites']) mkdirSync(join(folder, name));
// Run from there with relative paths, because the store keeps them.
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
const command = ['./cupel-sham', '--script', 'sham.json', '--clock', 'clock'];
writeFileSync(
    join(folder, 'contenders/sham.toml'),
    `runner = "program"\nprefix = "sham"\ncommand = ${JSON.stringify(command)}\n`,
);
writeFileSync(join(folder, 'suites/q.toml'), SUITE);
// A small matrix of compilers and flags, one of which crashed and one whose code answers wrongly.
const matrix = ['gcc-12', 'gcc-14', 'clang-16', 'clang-19'].flatMap((compiler, c) =>
    ['O0', 'O2', 'O3', 'O2-native', 'O3-native'].map((flags, f) => ({
        name: `portable@${compiler}-${flags}`,
        primitives: ['sha256'],
        // -O3 is the same as -O2.
        fixed_ns: (f === 0 ? 400 : f < 3 ? 100 : 80) * (1 + 0.1 * (c >> 1)),
        ...(compiler === 'gcc-14' && flags === 'O0' ? { missing: 'gcc-14 crashed' } : {}),
        ...(compiler === 'clang-19' && flags === 'O3' ? { fault: { kind: 'wrong-fold' } } : {}),
    })),
);
writeFileSync(
    join(folder, 'matrix.json'),
    JSON.stringify({ seed: 8, world: { noise_sd: 0.003 }, contenders: matrix }),
);
writeFileSync(
    join(folder, 'contenders/c.toml'),
    `runner = "program"\nprefix = "c"\ncommand = ${JSON.stringify(command).replace('sham.json', 'matrix.json')}\n`,
);
writeFileSync(
    join(folder, 'suites/matrix.toml'),
    'question = "Which flag matters?"\nforks = 11\nbudget = "4s"\n\n[[workload]]\n' +
        'primitive = "sha256"\nsizes = [64]\nbaseline = "c/portable@gcc-12-O2"\n',
);
// Results of another program: one valid, one hostile.
const foreign = (name) => ({
    ...{ jmhVersion: '1.37', benchmark: name, mode: 'avgt', forks: 1, measurementIterations: 5 },
    primaryMetric: { score: 120, scoreConfidence: [110, 130], scoreUnit: 'ns/op' },
});
writeFileSync(join(folder, 'jmh.json'), JSON.stringify(['a.B.c', HOSTILE, LONG].map(foreign)));
const fixtures = fileURLToPath(
    new URL('../../crates/cupel/tests/fixtures/foreign/', import.meta.url),
);
const others = [
    'jmh.json',
    ...['jmh.json', 'criterion', 'google-benchmark.json'].map((name) => `${fixtures}${name}`),
];
const env = { ...process.env, CUPEL_HOME: folder, CUPEL_CACHE: join(folder, 'cache') };
for (const [suite, kept] of [
    ['matrix', matrixStore],
    ['q', store],
]) {
    env.CUPEL_STORE = `${suite}.sqlite`;
    try {
        execFileSync('./cupel', ['run', suite, '--seed', '1', '--quiet'], { cwd: folder, env });
    } catch (error) {
        // 1: a contender failed, as intended.
        if (error.status !== 1) throw error;
    }
    if (suite === 'q') execFileSync('./cupel', ['import', ...others], { cwd: folder, env });
    copyFileSync(join(folder, env.CUPEL_STORE), kept);
}
rmSync(folder, { recursive: true });
