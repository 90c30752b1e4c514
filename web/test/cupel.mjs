// The run that the tests look at: its page and its rows, as the tool gives them.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const programs = fileURLToPath(new URL('../../target/debug/', import.meta.url));
/** Made by measure.mjs. */
export const store = fileURLToPath(new URL('run.sqlite', import.meta.url));

/** Markup, quotes, a line's end, marks that turn the direction of writing, an escape sequence. */
export const HOSTILE =
    '</script><img src=x onerror="document.title=\'owned\'">&lt;\'"`\n\u202e\u2067\u200f\u001b[31m${x}';
/** Longer than any screen. */
export const LONG = '<b>long</b>'.repeat(910);

/** The page of the run, and what `cupel show` says of it; `end` deletes them. */
export function reported() {
    const folder = mkdtempSync(join(tmpdir(), 'cupel-page-'));
    for (const name of ['contenders', 'suites']) mkdirSync(join(folder, name));
    // Opening a store may migrate it.
    const copy = join(folder, 'runs.sqlite');
    copyFileSync(store, copy);
    const env = { ...process.env, CUPEL_HOME: folder, CUPEL_STORE: copy };
    const cupel = (...words) =>
        execFileSync(join(programs, 'cupel'), words, { env, encoding: 'utf8', maxBuffer: 1 << 28 });
    const file = join(folder, 'page.html');
    cupel('report', '--output', file);
    const shown = JSON.parse(cupel('show', '--format', 'json'));
    return { file, shown, end: () => rmSync(folder, { recursive: true }) };
}
