// Pages whose data was changed at random: texts that are markup, numbers that are missing or huge,
// lists that are too short. No browser may execute, fetch or show any of it as markup. A page need
// not show data that it cannot read.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { launch, unfold } from './browser.mjs';
import { HOSTILE, LONG, matrixStore, reported } from './cupel.mjs';

const PAGES = Number(process.env.CUPEL_STRANGE_PAGES ?? 10);
const TEXTS = [
    '',
    HOSTILE,
    LONG,
    'javascript:document.title="owned"',
    '" onfocus="document.title=\'owned\'" autofocus="',
];
const NUMBERS = [null, 0, -1, 1e-300, 1e308, 9007199254740993];

/** Numbers from 0 to 1 that are as good as random (mulberry32). */
function random(seed) {
    let state = seed;
    return () => {
        state = (state + 0x6d2b79f5) | 0;
        let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
}

/** Changes about this share of the values inside of one. */
function disturb(value, share, next) {
    const one = (of) => of[Math.floor(next() * of.length)];
    if (typeof value === 'string') return next() < share ? one([...TEXTS, value + HOSTILE]) : value;
    if (typeof value === 'number') return next() < share ? one(NUMBERS) : value;
    if (value === null || typeof value === 'boolean') return value;
    if (Array.isArray(value) && next() < share / 10) value.length = Math.floor(value.length / 2);
    for (const key of Object.keys(value)) value[key] = disturb(value[key], share, next);
    return value;
}

let browser;
let runs;
before(async () => {
    browser = await launch();
    runs = [reported(), reported(matrixStore)];
});
after(async () => {
    await browser.close();
    for (const run of runs) run.end();
});

/** Loads a page, opens all of it, and says whether it showed anything, and its errors. */
async function look(file, why) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    const requests = [];
    page.on('request', (request) => {
        if (request.url() !== `file://${file}`) requests.push(request.url());
    });
    const errors = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('dialog', (dialog) => requests.push(dialog.message()));
    await page.goto(`file://${file}`);
    await unfold(page);
    const foreign =
        'img, b, iframe, object, embed, base, form[action], [onerror], [onfocus], [href^="javascript:"]';
    assert.equal(await page.$$eval(foreign, (all) => all.length), 0, why);
    assert.doesNotMatch(await page.title(), /^owned/, why);
    assert.deepEqual(requests, [], why);
    const isShown = (await page.$('main svg')) !== null;
    await context.close();
    return { isShown, errors };
}

describe('a page with strange data', () => {
    test('executes and fetches nothing', async () => {
        let shown = 0;
        for (let seed = 1; seed <= PAGES; seed++) {
            const next = random(seed);
            // From a value in a thousand to one in ten.
            const share = 10 ** (-3 + 2 * next());
            const file = runs[seed % 2].changed('strange', (data) => disturb(data, share, next));
            shown += (await look(file, `seed ${seed}`)).isShown;
        }
        assert.ok(shown > 0, 'no page showed anything, so nothing was tried');
        console.log(`${shown} of ${PAGES} pages were drawn`);
    });

    test('is drawn if a time is nothing', async () => {
        for (const run of runs) {
            const file = run.changed('strange', (data) => (data.document.cells[14].ratio = 0));
            const { isShown, errors } = await look(file, 'nothing');
            assert.deepEqual([isShown, errors], [true, []]);
        }
    });

    test('is drawn if its times are seconds', async () => {
        const change = (all) => all.forEach((one, i) => (one.ns = one.low = one.high = 1e10 + i));
        const { isShown, errors } = await look(
            runs[0].changed('strange', change, 'foreign'),
            'seconds',
        );
        assert.deepEqual([isShown, errors], [true, []]);
    });
});
