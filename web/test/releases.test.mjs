// The chart of a history: of four releases, the third takes 10 % more time than the second.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { launch, open, rows } from './browser.mjs';
import { environment, programs } from './cupel.mjs';

let folder, file, browser;
before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cupel-releases-'));
    file = join(folder, 'page.html');
    for (const name of ['contenders', 'suites']) mkdirSync(join(folder, name));
    const all = [
        ['one@1', 1000],
        ['one@2', 1000],
        ['one@3', 1100],
        ['one@4', 1100],
    ].map(([name, fixed_ns]) => ({ name, fixed_ns, per_byte_ns: 0, primitives: ['siphash-2-4'] }));
    const script = join(folder, 'sham.json');
    writeFileSync(script, JSON.stringify({ seed: 1, contenders: all }));
    const command = [join(programs, 'cupel-sham'), '--script', script];
    const declared = all.map(
        ({ name }) => `[[contender]]\nname = "${name}"\noffers = ["siphash-2-4:mac"]\n`,
    );
    writeFileSync(
        join(folder, 'contenders/sham.toml'),
        `runner = "program"\nprefix = "sham"\n` +
            `command = ${JSON.stringify([...command, '--clock', join(folder, 'clock')])}\n` +
            declared.join(''),
    );
    const env = environment(folder);
    const cupel = (...words) =>
        spawnSync(join(programs, 'cupel'), words, { env, encoding: 'utf8' });
    const asked = ['siphash-2-4', '64', '--forks', '12', '--budget', '1s', '--seed', '1'];
    const measured = cupel('ask', '--history', 'one', ...asked);
    // 1: a release is slower.
    assert.equal(measured.status, 1, measured.stderr);
    const shown = cupel('show', '--output', file);
    assert.equal(shown.status, 0, shown.stderr);
    browser = await launch();
});
after(async () => {
    await browser?.close();
    if (folder) rmSync(folder, { recursive: true });
});

test('a history shows its releases in their order, and the step', async () => {
    for (const width of [1280, 390]) {
        const options = { viewport: { width, height: 900 } };
        const { page, complaints } = await open(browser, file, options);
        assert.equal(await page.textContent('#releases h2'), '64 B: 3 is slower');
        const table = await rows(page, 'releases');
        assert.deepEqual(
            table.map((row) => row[0].text),
            ['1', '2', '3', '4'],
        );
        assert.equal(table[2][4].text, 'slower');
        assert.ok(Math.abs(table[2][5].values[0] - 1.1) < 0.02, JSON.stringify(table[2]));
        assert.ok(Math.abs(table[3][2].values[0] - 1.1) < 0.02, JSON.stringify(table[3]));
        assert.notEqual(table[1][4].text, 'slower');
        const labels = await page.$$eval('#releases svg .label', (all) =>
            all.map((label) => label.textContent),
        );
        assert.equal(labels.length, 4);
        assert.equal(labels[2], '3: slower');
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${wide}`);
        assert.deepEqual(complaints, []);
        if (process.env.SCREENSHOTS) {
            const part = await page.$('#releases');
            await part.screenshot({ path: join(process.env.SCREENSHOTS, `releases-${width}.png`) });
        }
        await page.context().close();
    }
});
