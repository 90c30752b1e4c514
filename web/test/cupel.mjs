// Real runs for the tests: the tool, its scripted contenders on a simulated clock, and a store.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const programs = fileURLToPath(new URL('../../target/debug/', import.meta.url));

/** Markup, quotes, a line's end, marks that turn the direction of writing, an escape sequence. */
export const HOSTILE =
    '</script><img src=x onerror="document.title=\'owned\'">&lt;\'"`\n\u202e\u2067\u200f\u001b[31m${x}';
/** Longer than any screen. */
export const LONG = '<b>long</b>'.repeat(910);

/** A run of scripted contenders, and the page of it; `end` deletes them. */
export function measured() {
    const folder = mkdtempSync(join(tmpdir(), 'cupel-page-'));
    for (const name of ['contenders', 'suites']) mkdirSync(join(folder, name));
    const primitives = ['siphash-2-4'];
    const both = [...primitives, 'siphash-1-3'];
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
    const command = [join(programs, 'cupel-sham'), '--script', join(folder, 'sham.json')];
    command.push('--clock', join(folder, 'clock'));
    writeFileSync(
        join(folder, 'contenders/sham.toml'),
        `runner = "program"\nprefix = "sham"\ncommand = ${JSON.stringify(command)}\n`,
    );
    const workload = (primitive) =>
        `[[workload]]\nprimitive = "${primitive}"\nsizes = [0, 16, 64, 256, 1024]\n` +
        `baseline = "sham/steady"\n`;
    const question = JSON.stringify(`Which is the fastest? ${HOSTILE}`);
    writeFileSync(
        join(folder, 'suites/q.toml'),
        `question = ${question}\nforks = 2\nbudget = "2s"\n\n` +
            workload('siphash-2-4') +
            workload('siphash-1-3'),
    );
    const environment = {
        ...process.env,
        CUPEL_HOME: folder,
        CUPEL_CACHE: join(folder, 'cache'),
        CUPEL_STORE: join(folder, 'runs.sqlite'),
    };
    const cupel = (...words) =>
        execFileSync(join(programs, 'cupel'), words, {
            ...{ env: environment, encoding: 'utf8', maxBuffer: 1 << 28 },
            stdio: ['ignore', 'pipe', 'pipe'],
        });
    try {
        cupel('run', 'q', '--seed', '1', '--quiet');
    } catch (error) {
        // 1: a contender failed, as one is meant to.
        if (error.status !== 1) throw error;
    }
    const file = join(folder, 'page.html');
    cupel('report', '--output', file);
    const shown = JSON.parse(cupel('show', '--format', 'json'));
    return { folder, file, shown, end: () => rmSync(folder, { recursive: true }) };
}
