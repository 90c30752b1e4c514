// A site in a real browser: of machines that do not exist, and of a run with hostile names.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch } from './browser.mjs';
import { machinesStore, programs, store } from './cupel.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const views = [
    [1280, 'light'],
    [1280, 'dark'],
    [390, 'light'],
    [390, 'dark'],
];

let browser;
const folder = mkdtempSync(join(tmpdir(), 'cupel-site-'));
/** The sites' folders. */
const sites = { machines: join(folder, 'machines'), hostile: join(folder, 'hostile') };
before(async () => {
    for (const [name, from] of [
        ['machines', machinesStore],
        ['hostile', store],
    ]) {
        // Looking at a run writes to its store.
        const copy = join(folder, `${name}.sqlite`);
        copyFileSync(from, copy);
        execFileSync(join(programs, 'cupel'), [
            '--store',
            copy,
            'show',
            '--slices',
            '--output',
            `${sites[name]}/`,
        ]);
    }
    browser = await launch();
});
after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
});

/** The pages that the site draws itself. */
function pages(site) {
    const questions = readdirSync(join(site, 'questions')).filter((f) => f.endsWith('.html'));
    return ['index.html', 'machines.html', ...questions.map((f) => join('questions', f))];
}

async function open(file, [width, colorScheme] = views[0]) {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
    const page = await context.newPage();
    const complaints = [];
    page.on('request', (request) => {
        if (!request.url().startsWith(`file://${folder}`)) complaints.push(request.url());
    });
    page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('dialog', (dialog) => complaints.push(dialog.message()));
    await page.goto(`file://${file}`);
    for (const part of await page.$$('details')) await part.evaluate((d) => (d.open = true));
    return { page, complaints };
}

describe('a site', () => {
    for (const name of Object.keys(sites)) {
        for (const view of views) {
            test(`fits, fetches nothing and can be read by all: ${name}, ${view}`, async () => {
                for (const file of pages(sites[name])) {
                    const { page, complaints } = await open(join(sites[name], file), view);
                    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
                    assert.ok(wide <= view[0], `${file}: ${wide} px`);
                    assert.equal((await page.title()).includes('owned'), false, file);
                    assert.equal(await page.locator('img, script').count(), 0, file);
                    assert.deepEqual(complaints, [], file);
                    await page.evaluate(axe);
                    const found = await page.evaluate(() => window.axe.run());
                    const serious = found.violations.filter((v) =>
                        ['serious', 'critical'].includes(v.impact),
                    );
                    const details = serious.map((v) => [
                        v.id,
                        v.nodes.slice(0, 3).map((n) => n.html),
                    ]);
                    assert.deepEqual(details, [], file);
                    await page.context().close();
                }
            });
        }
    }

    for (const width of [390, 1280, 1920]) {
        test(`has an index whose charts are whole and have a scale, ${width} px`, async () => {
            for (const site of Object.values(sites)) {
                const { page } = await open(join(site, 'index.html'), [width, 'light']);
                const entries = await page.$$eval('.entry', (all) =>
                    all.map((entry) => {
                        const drawing = entry.querySelector('svg');
                        const box = drawing.getBoundingClientRect();
                        const texts = [...drawing.querySelectorAll('text')];
                        const isCut = ({ left, right }) =>
                            left < box.left - 1 || right > box.right + 1;
                        return {
                            facts: entry.querySelector('.fine').textContent,
                            cut: texts
                                .filter((text) => isCut(text.getBoundingClientRect()))
                                .map((text) => text.textContent),
                            ticks: drawing.querySelectorAll('.a').length - 1,
                            words: texts.at(-1).textContent,
                        };
                    }),
                );
                assert.ok(entries.length > 0);
                for (const { facts, cut, ticks, words } of entries) {
                    assert.match(facts, /\d+ sizes? from .* · \d{4}-\d\d-\d\d · \d machines?, /);
                    assert.deepEqual(cut, []);
                    assert.ok(ticks > 1, `${ticks} ticks`);
                    assert.equal(words, 'times as long, logarithmic scale');
                }
                await page.context().close();
            }
        });
    }

    test('has tables of winners that are read without scrolling sideways, 1280 px', async () => {
        for (const file of pages(sites.machines)) {
            const { page } = await open(join(sites.machines, file));
            const wide = await page.$$eval('.wide:not(details .wide)', (all) =>
                all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.ariaLabel),
            );
            assert.deepEqual(wide, [], file);
            await page.context().close();
        }
    });

    test('leads from the index to a figure, and from it to the run, at its size', async () => {
        const { page, complaints } = await open(join(sites.machines, 'index.html'));
        await page.click('.asked a');
        assert.match(await page.textContent('h1'), /SipHash-2-4: it depends on processor and size/);
        const rows = page.locator('table').nth(1).locator('tbody tr');
        const cell = rows.filter({ hasText: 'Simulated C' }).locator('td[data-column="4 KiB"]');
        assert.match(await cell.textContent(), /^sham\/library-c/);
        await cell.locator('a').click();
        await page.waitForSelector('main svg');
        assert.match(page.url(), /runs\/\d+\.html#.*size=4096/);
        assert.match(await page.textContent('[aria-current] .said'), /sham\/library-c/);
        assert.deepEqual(complaints, []);
        await page.context().close();
    });

    test('names a cell by its column on a narrow screen, where the head is not seen', async () => {
        const file = pages(sites.machines).find((name) => name.startsWith('questions'));
        const { page } = await open(join(sites.machines, file), [390, 'light']);
        const before = await page.$$eval('td', (cells) =>
            cells.map((cell) => getComputedStyle(cell, '::before').content),
        );
        assert.ok(before.length > 0);
        const named = (content) => /^"(16 B|256 B|4 KiB|sham\/library-[abc])"$/.test(content);
        assert.deepEqual(
            before.filter((content) => !named(content)),
            [],
        );
        // The name would run into the figure.
        const wraps = await page.$$eval('td', (cells) =>
            cells.every((cell) => getComputedStyle(cell).whiteSpace === 'normal'),
        );
        assert.ok(wraps);
        await page.context().close();
    });

    test('has a style that its policy admits, and admits no script', async () => {
        for (const file of pages(sites.machines)) {
            const { page, complaints } = await open(join(sites.machines, file));
            const family = await page.$eval('body', (b) => getComputedStyle(b).fontFamily);
            assert.match(family, /system-ui/, file);
            const ran = await page.evaluate(() => {
                const script = document.createElement('script');
                script.textContent = 'window.ran = true';
                document.body.append(script);
                return window.ran === true;
            });
            assert.equal(ran, false);
            assert.match(complaints.join(), /Content Security Policy/);
            await page.context().close();
        }
    });
});
