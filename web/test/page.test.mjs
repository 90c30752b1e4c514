// The page in a real browser, for a run that the tool measured.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { createRequire } from 'node:module';
import { launch, open, rowOf, rows, unfold } from './browser.mjs';
import { HOSTILE, LONG, matrixStore, reported } from './cupel.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const views = [
    [1280, 'light'],
    [1280, 'dark'],
    [390, 'light'],
    [390, 'dark'],
];
const siphash = '#primitive=siphash-2-4&size=64';

let run, browser;
before(async () => {
    run = reported();
    browser = await launch();
});
after(async () => {
    await browser?.close();
    run?.end();
});

/** The cells of one chart at one size, keyed by contender. */
function cells(primitive, size) {
    const found = run.shown.cells.filter((c) => c.primitive === primitive && c.size === size);
    return new Map(found.map((cell) => [cell.contender, cell]));
}

describe('the page', () => {
    test('opens from a file without a request, an error or a warning', async () => {
        const { page, complaints } = await open(browser, run.file);
        await unfold(page, '#choices');
        for (const baseline of ['sham/bulk', '']) {
            await page.selectOption('#choose-baseline', baseline);
        }
        assert.deepEqual(complaints, []);
        assert.ok(statSync(run.file).size < 4e6);
        await page.context().close();
    });

    test('without its data is under 2 MB', () => {
        const page = readFileSync(new URL('../dist/page.html', import.meta.url));
        assert.ok(page.length < 2e6, `${page.length} bytes`);
    });

    test('may run its own script and style only', async () => {
        const { page, complaints } = await open(browser, run.file);
        const ran = await page.evaluate(() => {
            const script = document.createElement('script');
            script.textContent = 'window.ran = true';
            document.body.append(script);
            return window.ran === true;
        });
        assert.equal(ran, false);
        assert.match(complaints.join(), /Content Security Policy/);
        await page.context().close();
    });

    for (const [width, colorScheme] of views) {
        test(`has no serious fault of access, ${width} px, ${colorScheme}`, async () => {
            const options = { viewport: { width, height: 900 }, colorScheme, fragment: siphash };
            const { page } = await open(browser, run.file, options);
            await unfold(page);
            await page.evaluate(axe);
            const found = await page.evaluate(() => window.axe.run());
            const serious = found.violations.filter((v) =>
                ['serious', 'critical'].includes(v.impact),
            );
            const details = serious.map((v) => [v.id, v.nodes.slice(0, 3).map((n) => n.html)]);
            assert.deepEqual(details, []);
            assert.ok(found.passes.some((p) => p.id === 'color-contrast'));
            await page.context().close();
        });

        test(`is no wider than its window, ${width} px, ${colorScheme}`, async () => {
            const options = { viewport: { width, height: 900 }, colorScheme };
            const { page } = await open(browser, run.file, options);
            await unfold(page);
            assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
            await page.context().close();
        });
    }
});

describe('its values', () => {
    test('are those of cupel show --format json', async () => {
        const { page } = await open(browser, run.file, { fragment: siphash });
        const embedded = await page.$eval('#run', (node) => JSON.parse(node.textContent).document);
        assert.deepEqual(embedded, run.shown);
        const at = cells('siphash-2-4', 64);
        const table = await rows(page, 'forest');
        assert.equal(table.length, at.size);
        for (const [name, ns, speed, ratio, interval, verdict] of table) {
            if (name.text.length > 60) continue;
            const named = (c) => name.text === `${c.contender} ${c.version}`.trim();
            const cell = [...at.values()].find(named);
            const whole = (...values) => values.filter((value) => value !== null);
            assert.deepEqual(ns.values, whole(cell.ns_median), name.text);
            assert.deepEqual(speed.values, whole(cell.gb_per_s));
            assert.deepEqual(ratio.values, whole(cell.ratio));
            assert.deepEqual(interval.values, whole(cell.ratio_low, cell.ratio_high));
            assert.ok(verdict.text.endsWith(cell.verdict), `${verdict.text}, not ${cell.verdict}`);
            if (cell.ratio !== null) assert.equal(ratio.text, cell.ratio.toFixed(3));
        }
        await page.context().close();
    });

    test('are those of the tool over all sizes too, in every chart', async () => {
        for (const primitive of ['siphash-2-4', 'hmac-sha256']) {
            const { page } = await open(browser, run.file, { fragment: `#primitive=${primitive}` });
            const table = await rows(page, 'ratio');
            for (const size of [0, 16, 64, 256, 1024]) {
                const cell = cells(primitive, size).get('sham/bulk');
                const row = rowOf(
                    table.filter((r) => r[1].values[0] === size),
                    'sham/bulk',
                );
                assert.deepEqual([row[2].values, row[4].values], [[cell.ns_median], [cell.ratio]]);
            }
            await page.context().close();
        }
    });

    test('name the crossover between the sizes that the verdicts separate', async () => {
        const { page } = await open(browser, run.file, { fragment: siphash });
        const sentences = await page.$$eval('#words li', (all) =>
            all.map((li) => [
                li.textContent,
                ...[...li.querySelectorAll('data')].map((d) => Number(d.value)),
            ]),
        );
        const [said, low, high, near] = sentences.find(([s]) => /on it is sham\/bulk /.test(s));
        assert.match(said, /^Up to 64 B sham\/steady \S+ is faster; from 256 B on /);
        // Equal at 100 bytes: slower at 64, faster at 256.
        assert.deepEqual([low, high], [64, 256]);
        assert.ok(Math.abs(near / 100 - 1) < 0.1, `${near}`);
        await page.context().close();
    });

    test('say what a call and a byte cost', async () => {
        const { page } = await open(browser, run.file, { fragment: siphash });
        const said = await page.$$eval('#words li', (all) => all.map((li) => li.textContent));
        const bulk = said.find((s) => s.startsWith('sham/bulk ') && s.includes('for each byte'));
        const [, fixed, each] = /: ([\d.]+) ns for a call, and ([\d.]+) ns/.exec(bulk);
        // As scripted.
        assert.ok(Math.abs(fixed / 150 - 1) < 0.05, bulk);
        assert.ok(Math.abs(each / 0.5 - 1) < 0.05, bulk);
        await page.context().close();
    });
});

describe('a reader', () => {
    test('a change of the baseline changes chart and table alike', async () => {
        const { page } = await open(browser, run.file, { fragment: siphash });
        const points = () =>
            page.$$eval('#forest svg .row', (all) => all.map((row) => row.outerHTML));
        const before = [await points(), await rows(page, 'forest')];
        await unfold(page, '#choices');
        await page.selectOption('#choose-baseline', 'sham/twin-of-bulk');
        const table = await rows(page, 'forest');
        assert.notDeepEqual(await points(), before[0]);
        assert.match(await page.textContent('#ratio h2'), /sham\/twin-of-bulk/);
        const row = (name) => rowOf(table, name);
        assert.match(row('sham/twin-of-bulk')[5].text, /baseline/);
        // The run's own pair is the inverse answer.
        const own = cells('siphash-2-4', 64).get('sham/twin-of-bulk');
        assert.equal(own.verdict, 'slower');
        assert.match(row('sham/steady')[5].text, /faster/);
        assert.ok(Math.abs(row('sham/steady')[3].values[0] * own.ratio - 1) < 1e-12);
        assert.ok(Math.abs(row('sham/steady')[4].values[0] * own.ratio_high - 1) < 1e-12);
        // Another pair is computed by the tool. 528 of 182 ns: the scripted ratio is in the
        // interval.
        const slow = row('sham/slow@jdk-17');
        assert.match(slow[5].text, /slower/);
        assert.ok(slow[4].values[0] < 528 / 182 && 528 / 182 < slow[4].values[1]);
        // Two equal contenders are not separated.
        const equal = row('sham/bulk');
        assert.match(equal[5].text, /not separated/);
        assert.ok(equal[4].values[0] < 1 && 1 < equal[4].values[1]);
        // Chart and table agree: the dot of the slow one says the same as its row.
        await unfold(page, '#marking');
        const box = page.locator('.marked label', { hasText: 'sham/slow@jdk-17' });
        await box.locator('input').check();
        const titles = await page.$$eval('#ratio svg .mark title', (all) =>
            all.map((t) => t.textContent),
        );
        const said = `${slow[0].text}, 64 B: ${slow[3].text}, ${slow[4].text}`;
        assert.ok(titles.includes(said), `${said}, not ${titles.join('; ')}`);
        await box.locator('input').uncheck();
        // And back again.
        await page.selectOption('#choose-baseline', '');
        assert.deepEqual([await points(), await rows(page, 'forest')], before);
        await page.context().close();
    });

    test('sees the same view again from the address', async () => {
        const first = await open(browser, run.file);
        await unfold(first.page, '#choices');
        await first.page.selectOption('#choose-primitive', 'hmac-sha256');
        await first.page.selectOption('#choose-size', '256');
        await first.page.selectOption('#choose-baseline', 'sham/bulk');
        await first.page.click('text=sham @jdk-17');
        const fragment = new URL(first.page.url()).hash;
        const second = await open(browser, run.file, { fragment });
        const seen = ({ page }) => page.textContent('main');
        assert.equal(await seen(second), await seen(first));
        assert.match(await seen(second), /hmac-sha256 mac/);
        const names = (await rows(second.page, 'forest')).map((row) => row[0].text);
        const has = (name) => names.some((n) => n.startsWith(`${name} `));
        assert.ok(has('sham/bulk') && !has('sham/slow@jdk-17'), `${names}`);
        await first.page.context().close();
        await second.page.context().close();
    });

    test('is given a view whatever the address says', async () => {
        for (const fragment of [
            '#size=1e99&primitive=%3Cb%3E&baseline=nobody',
            '#%%%',
            '#mark=&hide=x',
        ]) {
            const { page, complaints } = await open(browser, run.file, { fragment });
            assert.deepEqual(complaints, []);
            await page.context().close();
        }
    });

    test('needs no mouse', async () => {
        const { page } = await open(browser, run.file, { fragment: siphash });
        await page.focus('#choices summary');
        await page.keyboard.press('Enter');
        await page.focus('#choose-primitive');
        const reached = [];
        for (let i = 0; i < 40 && !reached.includes('choose-baseline'); i++) {
            await page.keyboard.press('Tab');
            reached.push(await page.evaluate(() => document.activeElement.id));
        }
        assert.ok(reached.includes('choose-baseline'), `${reached}`);
        await page.keyboard.press('s');
        assert.match(await page.textContent('#ratio-title'), /sham\//);
        // A change does not move the keyboard focus.
        assert.equal(await page.evaluate(() => document.activeElement.id), 'choose-baseline');
        await page.context().close();
    });

    test('finds the control at the chosen size, and at every size', async () => {
        const { page } = await open(browser, run.file, { fragment: siphash });
        const embedded = await page.$eval('#run', (node) => JSON.parse(node.textContent));
        const controls = embedded.comparisons.slice(0, 5).map(({ control }) => control);
        const now = await page.$$eval('#forest .trust data', (all) => all.map((d) => d.value));
        assert.deepEqual(now.map(Number), [controls[2][0]]);
        const table = await rows(page, 'control');
        const shown = table.map(([, estimate, ends]) => [...estimate.values, ...ends.values]);
        assert.deepEqual(shown, controls);
        await page.context().close();
    });
});

describe('rounds that were disturbed', () => {
    test('are hollow, and as many as were dropped', async () => {
        const { page } = await open(browser, run.file, { fragment: siphash });
        const dropped = cells('siphash-2-4', 64).get('sham/bulk').dropped;
        const table = await rows(page, 'rounds');
        const row = rowOf(table, 'sham/bulk');
        assert.deepEqual(row[2].values, [dropped]);
        const circles = await page.$$eval('#rounds .dots.hollow', (all) =>
            all.map((path) => (path.getAttribute('d').match(/M/g) ?? []).length),
        );
        const all = table.map((r) => r[2].values[0]);
        assert.deepEqual(circles, all);
        assert.ok(
            all.some((n) => n > 0),
            'none was disturbed',
        );
        await page.context().close();
    });
});

describe('what comes from outside', () => {
    test('is text, whatever it holds', async () => {
        const { page, complaints } = await open(browser, run.file, { fragment: siphash });
        assert.equal(await page.$$eval('img, b, iframe, [onerror]', (all) => all.length), 0);
        assert.doesNotMatch(await page.title(), /^owned/);
        const seen = await page.evaluate(
            () =>
                document.querySelector('header').textContent +
                document.querySelector('main').textContent,
        );
        assert.ok(seen.includes('</script><img src=x onerror='), 'the name is shown');
        assert.doesNotMatch(seen, /[\u0000-\u0008\u001b\u202a-\u202e\u2066-\u2069\u200f]/);
        const values = await page.$$eval('#choose-baseline option', (all) =>
            all.map((o) => o.value),
        );
        assert.ok(values.includes(`sham/${HOSTILE}`) && values.includes(`sham/${LONG}`));
        await unfold(page, '#choices');
        for (const name of [`sham/${HOSTILE}`, `sham/${LONG}`]) {
            await page.selectOption('#choose-baseline', name);
            const at = await page.evaluate(() => location.hash);
            assert.equal(new URLSearchParams(at.slice(1)).get('baseline'), name);
        }
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.equal(wide, 1280);
        assert.deepEqual(complaints, []);
        await page.context().close();
    });
});

describe('claims', () => {
    test('are those of cupel check --format json, with their verdicts', async () => {
        const { page } = await open(browser, run.file, { fragment: siphash });
        const output = run.claims();
        const table = await rows(page, 'claims');
        const at = output.claims.flatMap((claim) => claim.sizes.map((size) => [claim, size]));
        assert.equal(table.length, at.length);
        table.forEach(([, word, size, , measured], i) => {
            const [, expected] = at[i];
            assert.equal(word.text, expected.verdict);
            assert.deepEqual(size.values, [expected.size]);
            assert.deepEqual(measured.values, expected.ratio === null ? [] : [expected.ratio]);
        });
        const words = new Set(table.map((row) => row[1].text));
        assert.deepEqual([...words].sort(), ['held', 'refuted', 'undecided']);
        const said = await page.textContent('#claims h2');
        const counts = `${output.held} held, ${output.refuted} refuted, ${output.undecided} undecided`;
        assert.ok(said.includes(counts), said);
        await page.context().close();
    });
});

describe('what was asked', () => {
    const phone = { viewport: { width: 390, height: 844 } };
    const listed = (page) =>
        page.$$eval('#verdicts > li', (all) => all.map((item) => item.textContent));

    test('is the headline, with the figures, and what is refuted comes first', async () => {
        const { page, complaints } = await open(browser, run.file, phone);
        const output = run.claims();
        const said = await page.textContent('h1');
        assert.equal(said, '4 claims: 1 held, 2 refuted, 1 undecided');
        const words = (await listed(page)).map((item) => item.split(' ')[0]);
        assert.deepEqual(words, ['refuted', 'refuted', 'held', 'undecided']);
        const refuted = output.claims.filter((claim) => claim.verdict === 'refuted');
        const [first] = await listed(page);
        assert.ok(first.includes(refuted[0].claim), first);
        assert.ok(first.includes(`0 B: refuted, `), first);
        const box = await page.locator('#verdicts > li').first().boundingBox();
        assert.ok(box.y + box.height < phone.viewport.height, 'on the first screen');
        assert.deepEqual(complaints, []);
        await page.context().close();
    });

    test('is three claims and a line for the others, which paper has in full', async () => {
        const many = (data) => {
            const { claims } = data.document;
            const one = claims.claims.find((claim) => claim.verdict === 'refuted');
            claims.claims = Array.from({ length: 12 }, () => one);
            Object.assign(claims, { held: 0, refuted: 12, undecided: 0 });
        };
        const { page } = await open(browser, run.changed('many', many));
        assert.equal((await listed(page)).length, 3);
        const others = page.locator('#more-verdicts li');
        assert.equal(await others.count(), 9);
        assert.equal(await others.first().isVisible(), false);
        await page.emulateMedia({ media: 'print' });
        assert.equal(await others.last().isVisible(), true);
        await page.emulateMedia({ media: 'screen' });
        await page.focus('#more-verdicts summary');
        await page.keyboard.press('Enter');
        assert.equal(await others.last().isVisible(), true);
        await page.context().close();
    });

    test('of two builds is the gate, and no answer looks like one', async () => {
        const gate = (data) => {
            const claims = structuredClone(data.document.claims);
            claims.claims = claims.claims.filter((claim) => claim.verdict === 'refuted').slice(1);
            delete data.document.claims;
            data.document.gate = Object.assign(claims, { held: 0, refuted: 1, undecided: 0 });
        };
        const { page, complaints } = await open(browser, run.changed('gate', gate));
        assert.match(await page.textContent('h1'), /^gate: refuted: sham\/bulk is /);
        assert.match((await listed(page)).join(), /^refuted gate: .*1 KiB: refuted, /);
        assert.equal(await page.locator('.card, .answer').count(), 0);
        assert.match(await page.textContent('#gate h2'), /1 claim: 0 held, 1 refuted/);
        assert.deepEqual(complaints, []);
        await page.context().close();
    });
});

describe('a contender that came with the package', () => {
    test('is marked in its row, and the table of contenders names the compilers', async () => {
        const came = (data) => {
            const one = data.document.contenders.find((c) => c.name === 'sham/bulk');
            one.built_with = 'gcc 13.3; on Ubuntu 24.04';
        };
        const { page } = await open(browser, run.changed('prebuilt', came), { fragment: siphash });
        await unfold(page);
        const marked = await page.$$eval('.built-with', (all) =>
            all.map((mark) => [mark.parentElement.textContent, mark.title]),
        );
        assert.ok(marked.length > 0);
        for (const [row, compilers] of marked) {
            assert.match(row, /sham\/bulk.* prebuilt/);
            assert.equal(compilers, 'gcc 13.3; on Ubuntu 24.04');
        }
        const cells = await page.$$eval('td', (all) => all.map((cell) => cell.textContent));
        const listed = cells.filter((text) => text === 'prebuilt: gcc 13.3; on Ubuntu 24.04');
        assert.equal(listed.length, 1);
        await page.context().close();
    });
});

describe('a leak', () => {
    /** Two contenders are tested, and one of them leaks. */
    const tested = (data) => {
        for (const cell of data.document.cells) {
            const leaks = { 'sham/bulk': 'leaks', 'sham/steady': 'none seen' }[cell.contender];
            if (leaks) Object.assign(cell, { leaks, leaks_tested: '2026-11-27T20:00:00Z' });
        }
    };
    const known = /^Known to leak: sham\/bulk.* \(tested 2026-11-27\)\./;

    for (const width of [1280, 390]) {
        test(`is named below the chart and in the table, ${width} px`, async () => {
            const options = { viewport: { width, height: 900 }, fragment: siphash };
            const { page, complaints } = await open(browser, run.changed('leaks', tested), options);
            await unfold(page);
            const notes = await page.$$eval('p.note', (all) => all.map((p) => p.textContent));
            assert.equal(notes.filter((note) => known.test(note)).length, 1, notes.join('\n'));
            const leaks = await page.$$eval('[data-column="leaks"]', (all) =>
                all.map((cell) => [cell.parentElement.firstChild.textContent, cell.textContent]),
            );
            const said = (name) => leaks.find(([row]) => row.startsWith(name))?.[1];
            assert.equal(said('sham/bulk'), 'leaks');
            assert.equal(said('sham/steady'), 'none seen');
            assert.equal(said('sham/slow'), 'not tested');
            assert.ok(await page.evaluate(() => document.body.scrollWidth <= window.innerWidth));
            assert.deepEqual(complaints, []);
            await page.context().close();
        });
    }

    test('is no word where nothing was tested', async () => {
        const { page } = await open(browser, run.file, { fragment: siphash });
        await unfold(page);
        assert.equal(await page.locator('[data-column="leaks"]').count(), 0);
        assert.ok(!(await page.textContent('main')).includes('leak'));
        await page.context().close();
    });
});

describe('a single claim', () => {
    test('is counted as one', async () => {
        const one = (claimed) => {
            claimed.claims = [claimed.claims.find((claim) => claim.sizes[0].verdict === 'held')];
            Object.assign(claimed, { held: 1, refuted: 0, undecided: 0 });
        };
        const { page } = await open(browser, run.changed('single', one, 'claimed'), {});
        const said = await page.textContent('#claims h2');
        assert.ok(said.includes('1 claim: 1 held, 0 refuted, 0 undecided'), said);
        await page.context().close();
    });
});

describe('the table of claims', () => {
    for (const width of [390, 900, 1280]) {
        test(`is read without scrolling sideways, ${width} px`, async () => {
            const options = { viewport: { width, height: 900 }, fragment: siphash };
            const { page } = await open(browser, run.file, options);
            const [inside, room] = await page.$eval('#claims', (section) => [
                section.querySelector('table').scrollWidth,
                section.clientWidth,
            ]);
            assert.ok(inside <= room, `${inside} in ${room} px`);
            // The column of statements has at least twelve letters per line.
            const columns = await page.$$eval('#claims tbody tr:first-child > *', (all) =>
                all.map((cell) => [cell.textContent.length, cell.clientWidth]),
            );
            for (const [letters, wide] of columns) {
                if (letters > 20) assert.ok(wide > 110, `${letters} letters in ${wide} px`);
            }
            await page.context().close();
        });
    }

    test('is a table to a screen reader where it looks like cards', async () => {
        const options = { viewport: { width: 390, height: 900 }, fragment: siphash };
        const { page } = await open(browser, run.file, options);
        const claims = page.locator('#claims');
        assert.equal(await claims.getByRole('table').count(), 1);
        assert.equal(await claims.getByRole('columnheader').count(), 6);
        const shown = await rows(page, 'claims');
        assert.equal(await claims.getByRole('rowheader').count(), shown.length);
        await page.context().close();
    });
});

describe('results of other programs', () => {
    test('are drawn apart, and are in no other table and no choice', async () => {
        const { page, complaints } = await open(browser, run.file, { fragment: siphash });
        const table = await rows(page, 'foreign-results');
        const output = run.foreign();
        assert.equal(table.length, output.length);
        table.forEach((row, i) => {
            const { ns } = output[i];
            assert.deepEqual(row[2].values, ns === null ? [] : [ns]);
        });
        assert.match(await page.textContent('#foreign-results'), /without a control/);
        await unfold(page);
        const others = await page.evaluate(() => {
            document.querySelector('#foreign-results').remove();
            return document.querySelector('main').textContent;
        });
        assert.ok(!others.includes('SipHashBenchmark'));
        const choices = await page.$$eval('option, label', (all) =>
            all.map((o) => o.value ?? o.textContent),
        );
        assert.ok(!choices.some((name) => name.includes('SipHashBenchmark')));
        assert.deepEqual(complaints, []);
        await page.context().close();
    });
});

describe('a matrix of compilers and flags', () => {
    let matrix;
    before(() => {
        matrix = reported(matrixStore);
    });
    after(() => matrix?.end());

    test('is hatched where the tool says not separated, and says each ratio', async () => {
        for (const width of [1280, 390]) {
            const options = { viewport: { width, height: 900 } };
            const { page, complaints } = await open(browser, matrix.file, options);
            const fields = await page.$$eval('#heat svg g', (all) =>
                all.map((g) => [
                    g.querySelector('title').textContent,
                    g.querySelector('.hatch') !== null,
                    g.querySelector('text').textContent,
                ]),
            );
            const { cells } = matrix.shown;
            assert.equal(fields.length, cells.length);
            for (const cell of cells) {
                const found = fields.find(([title]) => title.startsWith(`${cell.contender}: `));
                assert.ok(found[0].includes(cell.verdict), `${found[0]}, not ${cell.verdict}`);
                assert.equal(found[1], cell.verdict === 'not separated', cell.contender);
                if (cell.ratio !== null) assert.equal(found[2], cell.ratio.toFixed(3));
            }
            for (const word of ['faster', 'slower', 'not separated', 'failed', 'missing']) {
                assert.ok(
                    cells.some((c) => c.verdict === word),
                    `no cell is ${word}`,
                );
            }
            assert.equal((await rows(page, 'heat')).length, cells.length);
            const wide = await page.evaluate(() => document.documentElement.scrollWidth);
            assert.equal(wide, width);
            assert.deepEqual(complaints, []);
            await page.context().close();
        }
    });

    test('has no serious fault of access', async () => {
        for (const colorScheme of ['light', 'dark']) {
            const { page } = await open(browser, matrix.file, { colorScheme });
            await unfold(page);
            await page.evaluate(axe);
            const found = await page.evaluate(() => window.axe.run());
            const serious = found.violations.filter((v) =>
                ['serious', 'critical'].includes(v.impact),
            );
            assert.deepEqual(
                serious.map((v) => v.id),
                [],
            );
            await page.context().close();
        }
    });

    test('has ten rows and a button that draws all, which a link keeps', async () => {
        const { page } = await open(browser, matrix.file);
        const drawn = () => page.locator('#forest svg .row .label').allTextContents();
        const timed = matrix.shown.cells.filter((cell) => cell.ns_median !== null);
        const few = await drawn();
        assert.ok(few.length <= 12 && timed.length > 12, `${few.length} of ${timed.length}`);
        assert.ok(
            few.some((name) => name.startsWith('c/portable@gcc-12-O2 ')),
            `${few}`,
        );
        await page.focus('#all-rows');
        await page.keyboard.press('Enter');
        // The control has a row, too.
        assert.equal((await drawn()).length, timed.length + 1);
        assert.equal(await page.evaluate(() => document.activeElement.id), 'all-rows');
        // The control has a row in both.
        const fewer = `Show ${few.length - 1} of ${timed.length} with a time`;
        assert.equal(await page.textContent('#all-rows'), fewer);
        assert.equal(await page.locator('#forest svg .drawn').count(), 0);
        const again = await open(browser, matrix.file, { fragment: new URL(page.url()).hash });
        const seen = await again.page.locator('#forest svg .row .label').allTextContents();
        assert.deepEqual(seen, await drawn());
        await page.keyboard.press('Enter');
        assert.deepEqual(await drawn(), few);
        await page.context().close();
        await again.page.context().close();
    });

    test('says how many of how many are drawn and tabled, on paper and in a copy', async () => {
        const timed = matrix.shown.cells.filter((cell) => cell.ns_median !== null);
        for (const width of [1280, 390]) {
            const { page } = await open(browser, matrix.file, {
                ...{ viewport: { width, height: 900 } },
                permissions: ['clipboard-read', 'clipboard-write'],
            });
            await unfold(page, '#forest-table');
            const rowsDrawn = (await page.locator('#forest svg .row').count()) - 1;
            const says = `${rowsDrawn} of ${timed.length} contenders with a time are drawn.`;
            const caption = page.locator('#forest-table caption');
            assert.match(
                await caption.textContent(),
                /^Contenders at .*: the first 10 of \d+ rows$/,
            );
            assert.doesNotMatch(await page.textContent('#forest'), /every contender/i);
            await page.click('#forest >> text=Copy SVG');
            await page.locator('#forest >> text=Copied').waitFor();
            const copied = await page.evaluate(() => navigator.clipboard.readText());
            assert.ok(copied.includes(says), says);
            await page.emulateMedia({ media: 'print' });
            assert.equal(await page.getByText(says).isVisible(), true);
            assert.equal(await caption.isVisible(), true);
            await page.emulateMedia({ media: 'screen' });
            await page.click('#forest-table button.rest');
            assert.doesNotMatch(await caption.textContent(), /the first/);
            await page.context().close();
        }
    });

    test('comes first, and nothing is drawn over its one size', async () => {
        const { page } = await open(browser, matrix.file);
        const sections = await page.$$eval('#plots > section', (all) => all.map((s) => s.id));
        assert.equal(sections[0], 'heat');
        assert.ok(!sections.includes('ratio'), `${sections}`);
        assert.ok(!sections.includes('words'), `${sections}`);
        await page.context().close();
    });

    test('is narrowed by compiler and by flag, not by each build', async () => {
        const { page } = await open(browser, matrix.file);
        const boxes = (group) =>
            page.$$eval(`.${group} label`, (all) => all.map((l) => l.textContent));
        assert.deepEqual(await boxes('toolchain'), [
            ...['c @clang-16', 'c @clang-19', 'c @gcc-12', 'c @gcc-14'],
        ]);
        assert.deepEqual(await boxes('level'), ['-O0', '-O2', '-O3']);
        assert.deepEqual(await boxes('native'), ['-march=native', 'without -march']);
        const names = async () => (await rows(page, 'forest')).map((row) => row[0].text);
        const all = await names();
        await unfold(page, '#choices');
        // By keyboard, as it would be without a mouse.
        for (const [group, name] of [
            ['level', '-O0'],
            ['native', '-march=native'],
        ]) {
            await page.focus(`.${group} label:has-text("${name}") input`);
            await page.keyboard.press('Space');
        }
        await page.locator('.toolchain label', { hasText: 'gcc-12' }).locator('input').uncheck();
        const left = await names();
        assert.deepEqual(
            left.toSorted(),
            all.filter((n) => !/-O0|-native|gcc-12/.test(n)).toSorted(),
        );
        assert.ok(left.length > 3);
        const again = await open(browser, matrix.file, { fragment: new URL(page.url()).hash });
        const seen = (await rows(again.page, 'forest')).map((row) => row[0].text);
        assert.deepEqual(seen, left);
        await page.context().close();
        await again.page.context().close();
    });

    test('has a search for the contenders to mark, which a change does not clear', async () => {
        const { page } = await open(browser, matrix.file);
        const seen = () =>
            page.$$eval('.marked label', (all) =>
                all.filter((l) => l.offsetParent !== null).map((l) => l.textContent),
            );
        await unfold(page, '#marking');
        const before = await seen();
        await page.fill('#search-marked', 'gcc-14 o2');
        const wanted = before.filter((n) => n.includes('gcc-14') && n.includes('O2'));
        assert.deepEqual((await seen()).toSorted(), wanted.toSorted());
        assert.equal(wanted.length, 2);
        await page.locator('.marked label:visible input').first().click();
        assert.deepEqual((await seen()).toSorted(), wanted.toSorted());
        await page.context().close();
    });

    test('is not drawn where there is none', async () => {
        const { page } = await open(browser, run.file, { fragment: siphash });
        assert.equal(await page.locator('#heat').count(), 0);
        await page.context().close();
    });
});
