// The run for the tests: its page and its rows, as the tool outputs them.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const programs = fileURLToPath(new URL('../../target/debug/', import.meta.url));
/** Created by measure.mjs: a run with odd names, with claims and results of other programs. */
export const store = fileURLToPath(new URL('run.sqlite', import.meta.url));
/** A run with a matrix of compilers and flags. */
export const matrixStore = fileURLToPath(new URL('matrix.sqlite', import.meta.url));
/**
 * Five machines that do not exist, of four processors, with a run each: the stores of `cargo run
 * --example simulated_stores -- FOLDER 5 1 1`, merged with `cupel import`.
 */
export const machinesStore = fileURLToPath(new URL('machines.sqlite', import.meta.url));

/** Markup, quotes, a line feed, marks that change the direction of writing, an escape sequence. */
export const HOSTILE =
    '</script><img src=x onerror="document.title=\'owned\'">&lt;\'"`\n\u202e\u2067\u200f\u001b[31m${x}';
/** Longer than any screen. */
export const LONG = '<b>long</b>'.repeat(910);

const workload = (primitive) =>
    `[[workload]]\nprimitive = "${primitive}"\nsizes = [0, 16, 64, 256, 1024]\n` +
    `baseline = "sham/steady"\n`;
// A claim that holds, one that holds only at some sizes, one whose ratio does not hold, and one
// that no run decides.
const claims = [
    ['sham/steady is faster than sham/slow@jdk-17', ''],
    ['sham/bulk is faster than sham/steady', ''],
    ['sham/bulk is 9x as fast as sham/steady', 'sizes = [1024]\n'],
    ['sham/bulk equals sham/twin-of-bulk within 0.1%', 'sizes = [64]\n'],
]
    .map(
        ([says, more]) =>
            `[[claim]]\nsource = "test"\nsays = "${says}"\n` +
            `quote = ${JSON.stringify(HOSTILE)}\nprimitive = "siphash-2-4"\n${more}\n`,
    )
    .join('');
/** The suite of the first run. */
export const SUITE =
    `question = ${JSON.stringify(`Which is the fastest? ${HOSTILE}`)}\n` +
    `forks = 11\nbudget = "4s"\n\n${workload('siphash-2-4')}${claims}` +
    workload('hmac-sha256');

/** The environment of Cupel in a folder, without what a pipeline sets. */
export function environment(folder) {
    const env = { ...process.env, CUPEL_HOME: folder, CUPEL_CACHE: join(folder, 'cache') };
    delete env.CI;
    return { ...env, CUPEL_STORE: join(folder, 'runs.sqlite') };
}

/** The page of a store's run, and the output of `cupel show`; `end` deletes them. */
export function reported(from = store) {
    const folder = mkdtempSync(join(tmpdir(), 'cupel-page-'));
    for (const name of ['contenders', 'suites']) mkdirSync(join(folder, name));
    // Looking at a run writes to its store.
    const copy = join(folder, 'runs.sqlite');
    copyFileSync(from, copy);
    const env = environment(folder);
    const cupel = (...words) =>
        execFileSync(join(programs, 'cupel'), words, { env, encoding: 'utf8', maxBuffer: 1 << 28 });
    const file = join(folder, 'page.html');
    cupel('show', '--output', file);
    const shown = JSON.parse(cupel('show', '--format', 'json'));
    // Its own suite decides it here too. A claim is refuted or undecided, which is not a failure.
    const claims = () => {
        const words = ['check', 'q', '--run', '1', '--format', 'json'];
        writeFileSync(join(folder, 'suites/q.toml'), SUITE);
        const said = spawnSync(join(programs, 'cupel'), words, { env, encoding: 'utf8' });
        return JSON.parse(said.stdout);
    };
    const foreign = () => JSON.parse(cupel('show', '--foreign', '--format', 'json')).results;
    // Another page with the same run, in which one script of data is changed: that of the run, or of
    // what is claimed.
    const changed = (name, change, script = 'run') => {
        const begin = `<script type="application/json" id="${script}">`;
        const page = readFileSync(file, 'utf8');
        const from = page.indexOf(begin) + begin.length;
        const to = page.indexOf('</script>', from);
        const data = JSON.parse(page.slice(from, to));
        change(data);
        const written = JSON.stringify(data).replaceAll('<', '\\u003c');
        const other = join(folder, `${name}.html`);
        writeFileSync(other, page.slice(0, from) + written + page.slice(to));
        return other;
    };
    const end = () => rmSync(folder, { recursive: true });
    return { file, shown, claims, foreign, changed, end };
}

/** The cells of each comparison of a page's data. */
export function compared({ document, comparisons }) {
    let from = 0;
    return comparisons.map((comparison) => {
        const cells = document.cells.slice(from, from + comparison.rows);
        from += comparison.rows;
        return { comparison, cells };
    });
}

/**
 * Gives the data of a run that claims nothing an answer to each comparison; the one at 64 bytes of
 * SipHash is open.
 */
export function answer(data) {
    delete data.document.claims;
    data.document.answers = compared(data).map(({ cells: [first] }) => {
        const { primitive, operation, contract, shape, size } = first;
        const open = primitive === 'siphash-2-4' && size === 64;
        return {
            ...{ primitive, operation, contract, shape, size, decided: !open },
            answer: open
                ? `SipHash-2-4, 64 B: the fastest is one of sham/steady and ${HOSTILE}`
                : `${primitive}, ${size} B: ${first.contender} is the fastest`,
            cause: open ? `too few forks ${HOSTILE}` : null,
            command: open ? `cupel run q --size 64\n--forks 11 ${HOSTILE}` : null,
            fastest: [first.contender],
            not_here: open ? `not here: ${HOSTILE}` : null,
        };
    });
    find(data);
}

/** Gives each answer of the data the finding of this kind, or of the one that its fields look like. */
export function find(data, kind, more = {}) {
    data.document.findings = data.document.answers.map(
        ({ primitive, operation, contract, shape, size, decided, fastest }) => ({
            kind: kind ?? (!decided ? 'open' : fastest.length > 1 ? 'tie' : 'fastest'),
            ...{ work: { primitive, operation, contract, shape, size }, ...more },
        }),
    );
}
