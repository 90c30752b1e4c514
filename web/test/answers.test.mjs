// The answers come first, nothing looks decided that is not, and the reader can copy everything.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { createRequire } from 'node:module';
import { launch, open, rows, unfold } from './browser.mjs';
import { HOSTILE, answer, compared, find, reported } from './cupel.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const siphash = '#primitive=siphash-2-4&size=64';
const phone = { viewport: { width: 390, height: 844 } };
const wide = { viewport: { width: 1280, height: 900 } };
const clipboard = { permissions: ['clipboard-read', 'clipboard-write'] };

let run, answered, browser;
before(async () => {
    run = reported();
    answered = run.changed('answered', answer);
    browser = await launch();
});
after(async () => {
    await browser?.close();
    run?.end();
});

/** The comparison of SipHash at 64 bytes in a page's data. */
function at64(data) {
    return compared(data).find(
        ({ cells: [first] }) => first.primitive === 'siphash-2-4' && first.size === 64,
    );
}

describe('the answers', () => {
    for (const options of [phone, wide]) {
        const { width, height } = options.viewport;
        test(`come first, within the first screen, ${width} px`, async () => {
            const { page } = await open(browser, answered, options);
            const box = (selector) => page.locator(selector).first().boundingBox();
            const first = await box('.card .answer');
            assert.ok(first.y + first.height < height / 2, `the first answer ends at ${first.y}`);
            for (const later of ['#choices', '#forest']) {
                assert.ok((await box(later)).y > first.y + first.height, later);
            }
            const order = await page.$$eval('#plots > section', (all) => all.map((s) => s.id));
            assert.deepEqual(order, ['forest', 'ratio', 'words', 'claims', 'evidence']);
            await page.context().close();
        });
    }

    test('have their chart and its table in the first screen with them, 1280 px', async () => {
        const file = run.changed('decided', (data) => {
            answer(data);
            for (const one of data.document.answers) {
                Object.assign(one, { decided: true, cause: null, command: null, not_here: null });
                Object.assign(one, { answer: `${one.fastest[0]} is the fastest` });
            }
            find(data);
        });
        const { page } = await open(browser, file, wide);
        for (const part of ['h1', '.card', '#forest svg[role=img]', '#forest-table']) {
            const { y } = await page.locator(part).first().boundingBox();
            assert.ok(y < wide.viewport.height, `${part} begins at ${y} px`);
        }
        await page.context().close();
    });

    /** The data with answers to two sizes only: each with its kind and the contenders it names. */
    const both = (data, answers) => {
        answer(data);
        data.comparisons.splice(2);
        data.document.cells.splice(data.comparisons[0].rows + data.comparisons[1].rows);
        data.document.answers.splice(2);
        find(data);
        answers.forEach(([kind, fastest, more = {}], i) => {
            const decided = kind !== 'open';
            Object.assign(data.document.answers[i], { decided, fastest, ...more });
            Object.assign(data.document.findings[i], { kind, ...more });
        });
    };

    test('of several sizes have a headline that says at how many', async () => {
        const [bulk, steady] = ['sham/bulk', 'sham/steady'];
        const aead = { primitive: 'siphash-2-4' };
        const headlines = [
            [
                ['fastest', [steady]],
                ['fastest', [steady]],
                `${steady} is the fastest at both sizes`,
            ],
            [
                ['tie', [bulk, steady]],
                ['tie', [steady, bulk]],
                `${bulk} and ${steady} tie for the fastest at both sizes`,
            ],
            [
                ['tie', [bulk, steady]],
                ['tie', [bulk, steady, 'sham/slow@jdk-17']],
                `${bulk} and ${steady} are among the fastest at both sizes`,
            ],
            [
                ['tie', [bulk, steady]],
                ['fastest', [steady]],
                `${steady} is the fastest at 1 of 2 sizes, and ties at the other`,
            ],
            [
                ['tie', [bulk, steady]],
                ['tie', ['sham/slow@jdk-17', steady]],
                `${steady} is among the fastest at both sizes`,
            ],
            // In a choice the contenders that may be the fastest are not told apart.
            [
                ['choice', [bulk, steady], aead],
                ['choice', [bulk, steady], aead],
                'siphash-2-4 is the fastest at both sizes',
            ],
            [
                ['choice', [bulk, steady], aead],
                ['open', [bulk, steady]],
                'siphash-2-4 is among the fastest in 1 of 2 answers; 1 is open',
            ],
            [
                ['alone', [steady]],
                ['alone', [steady]],
                `${steady} was measured alone; there is nothing to compare it with`,
            ],
            [
                ['alone', [steady]],
                ['alone', [steady], { decided: false }],
                `Only ${steady} has a time at both sizes`,
            ],
            [
                ['alone', [steady]],
                ['fastest', [steady]],
                `${steady} is among the fastest in 1 of 2 answers; in 1 there is nothing to compare with`,
            ],
            [
                ['alone', [steady]],
                ['alone', [bulk]],
                'In 2 of 2 answers there is nothing to compare with',
            ],
        ];
        for (const [first, second, expected] of headlines) {
            const file = run.changed('both', (data) => both(data, [first, second]));
            const { page } = await open(browser, file);
            assert.equal(await page.textContent('h1'), expected);
            await page.context().close();
        }
    });

    test('to a contender alone say on its card that nothing is compared with it', async () => {
        const said = 'sham/steady 0.1.0 takes 8.00 ns; there is nothing to compare it with';
        const alone = ['alone', ['sham/steady'], { answer: `SipHash-2-4, 0 B: ${said}` }];
        const file = run.changed('alone', (data) => both(data, [alone, alone]));
        const { page } = await open(browser, file);
        assert.equal(await page.locator('.card .said').first().textContent(), said);
        assert.doesNotMatch(await page.textContent('body'), /fastest at|the fastest;/);
        assert.equal(await page.locator('.card strong').count(), 0);
        await page.context().close();
    });

    test('that are a choice show no tie and no winner among its contenders', async () => {
        const names = ['sham/bulk', 'sham/steady'];
        for (const [kind, title, bold] of [
            ['choice', /^not told apart: /, 0],
            ['tie', /^tied for fastest: /, 2],
        ]) {
            const file = run.changed('choice', (data) => {
                answer(data);
                const lead = { leader: names[0], tied: [names[1]], runner_up: names[1] };
                Object.assign(at64(data).comparison.lead, lead);
                const now = data.document.answers.findIndex((one) => !one.decided);
                Object.assign(data.document.answers[now], { decided: true, fastest: names });
                Object.assign(data.document.findings[now], { kind });
            });
            const { page } = await open(browser, file, { ...wide, fragment: siphash });
            assert.match(await page.textContent('#forest .bracket.lead title'), title);
            assert.equal(await page.locator('#forest svg .chosen').count(), bold);
            await page.context().close();
        }
    });

    test('that leak say so on their cards and below the headline', async () => {
        const leaks =
            'sham/steady leaks (a branch; see the trace); of those without a known leak, sham/bulk ' +
            '(not tested) has the shortest time';
        const whole = `SipHash-2-4, 0 B: sham/steady is the fastest; sham/bulk takes 1.50 times as long`;
        const file = run.changed('leaks', (data) =>
            both(data, [
                ['fastest', ['sham/steady'], { answer: `${whole}; ${leaks}` }],
                ['fastest', ['sham/steady']],
            ]),
        );
        const { page } = await open(browser, file, phone);
        const said = await page.locator('.card .said').allTextContents();
        assert.equal(said[0], `sham/steady is the fastest; ${leaks}`);
        assert.equal(said[1], 'sham/steady is the fastest');
        const warning = page.locator('body > header .warning');
        assert.deepEqual(await warning.allTextContents(), [`At 0 B: ${leaks}`]);
        const { y, height } = await warning.boundingBox();
        assert.ok(y + height < phone.viewport.height, `the warning ends at ${y + height}`);
        await page.context().close();
    });

    test('are one for each size, in a card for each operation', async () => {
        const { page, complaints } = await open(browser, answered);
        const said = await page.$$eval('.card', (cards) =>
            cards.map((card) => [
                card.querySelector('h2').textContent,
                ...[...card.querySelectorAll('.size')].map((size) => size.textContent),
            ]),
        );
        const sizes = ['0 B', '16 B', '64 B', '256 B', '1 KiB'];
        assert.deepEqual(said, [
            ['siphash-2-4 mac', ...sizes],
            ['hmac-sha256 mac', ...sizes],
        ]);
        // The text of the card does not appear again.
        assert.equal(await page.textContent('.card .said'), 'sham/steady is the fastest');
        assert.equal(
            await page.textContent('h1'),
            'sham/steady is among the fastest in 5 of 10 answers, sham/bulk in 4; 1 is open',
        );
        assert.deepEqual(complaints, []);
        await page.context().close();
    });

    test('have a headline that says who is among the fastest everywhere', async () => {
        const headlines = [
            [{}, 'sham/steady is the fastest in 1 of 10 answers, and ties in the other 9'],
            [
                { decided: false, fastest: ['sham/bulk', 'sham/steady'] },
                'sham/steady is among the fastest in 9 of 10 answers, and may be in the other, which is open',
            ],
            [
                { fastest: ['sham/bulk'] },
                'sham/steady is among the fastest in 9 of 10 answers, sham/slow in 9, sham/bulk in 1',
            ],
        ];
        for (const [change, expected] of headlines) {
            const file = run.changed('headline', (data) => {
                answer(data);
                for (const one of data.document.answers) {
                    Object.assign(one, { decided: true, fastest: ['sham/steady', 'sham/slow'] });
                }
                Object.assign(data.document.answers[3], { fastest: ['sham/steady'] }, change);
                find(data);
            });
            const { page } = await open(browser, file);
            assert.equal(await page.textContent('h1'), expected);
            await page.context().close();
        }
    });

    test('is the headline and nothing else if there is a single one, which is decided', async () => {
        for (const decided of [true, false]) {
            const file = run.changed('single', (data) => {
                answer(data);
                data.comparisons.splice(1);
                data.document.cells.splice(data.comparisons[0].rows);
                data.document.answers.splice(1);
                Object.assign(data.document.answers[0], { decided, cause: 'few forks' });
            });
            const { page, complaints } = await open(browser, file);
            const said = (await page.textContent('h1')).split(': ').at(-1);
            const again = (await page.textContent('main')).split(said).length - 1;
            assert.equal(again, decided ? 0 : 2, 'in a card and above the chart');
            assert.equal(await page.locator('.card').count(), decided ? 0 : 1);
            assert.deepEqual(complaints, []);
            await page.context().close();
        }
    });

    test('choose the workload below, and the way back leads back', async () => {
        const { page } = await open(browser, answered, { fragment: siphash });
        const now = () => page.$$eval('[aria-current]', (all) => all.map((a) => a.textContent));
        const before = await page.textContent('main');
        assert.equal((await now()).length, 1);
        await page.locator('.card').nth(1).locator('a', { hasText: '256 B' }).click();
        assert.match(page.url(), /primitive=hmac-sha256.*size=256/);
        assert.match(await page.textContent('#forest-title'), /^hmac-sha256, 256 B: /);
        assert.match((await now()).join(), /^256 B/);
        assert.ok((await page.locator('#forest').boundingBox()).y < 450);
        await page.goBack();
        assert.equal(await page.textContent('main'), before);
        await page.context().close();
    });

    test('that are open say why, and give the command as one line', async () => {
        const options = { ...clipboard, fragment: siphash };
        const { page, complaints } = await open(browser, answered, options);
        assert.equal(await page.locator('.answer.open').count(), 1);
        const row = page.locator('.answer.open');
        assert.match(await row.locator('.cause').textContent(), /^too few forks </);
        assert.match(await row.locator('.not-here').textContent(), /^not here: </);
        assert.equal(await page.locator('.answer.decided .cause').count(), 0);
        await row.locator('summary').click();
        await row.locator('button').click();
        await row.getByText('Copied').waitFor();
        const copied = await page.evaluate(() => navigator.clipboard.readText());
        assert.match(copied, /^cupel run q --size 64 --forks 11 /);
        assert.doesNotMatch(copied, /[\n\r\u001b\u202e]/);
        assert.equal(await page.$$eval('img, [onerror]', (all) => all.length), 0);
        assert.doesNotMatch(await page.title(), /^owned/);
        assert.deepEqual(complaints, []);
        await page.context().close();
    });

    test('to another comparison are not shown', async () => {
        const file = run.changed('shifted', (data) => {
            answer(data);
            data.document.answers.reverse();
        });
        const { page } = await open(browser, file, { fragment: siphash });
        assert.doesNotMatch(await page.textContent('body > header'), /decided/);
        assert.doesNotMatch(await page.textContent('#forest-title'), /hmac/);
        await page.context().close();
    });
});

describe('the choices', () => {
    for (const options of [phone, wide]) {
        const { width } = options.viewport;
        test(`are folded into a line, and unfolded by keyboard, ${width} px`, async () => {
            const { page } = await open(browser, answered, options);
            assert.equal(await page.locator('select').first().isVisible(), false);
            assert.match(await page.textContent('#choices summary'), /siphash-2-4 mac at 64 B/);
            await page.focus('#choices summary');
            await page.keyboard.press('Enter');
            assert.equal(await page.locator('#choose-size').isVisible(), true);
            // They stay open when one is made.
            await page.selectOption('#choose-size', '256');
            assert.equal(await page.locator('#choose-size').isVisible(), true);
            await page.context().close();
        });
    }

    test('offer no list of one', async () => {
        const { page } = await open(browser, answered, wide);
        const counts = await page.$$eval('#choices select', (all) =>
            all.map((s) => s.options.length),
        );
        assert.ok(counts.length > 0 && counts.every((n) => n > 1), `${counts}`);
        await page.context().close();
    });
});

describe('nothing is cut', () => {
    for (const width of [390, 900, 1280, 1920]) {
        test(`in a box that scrolls, ${width} px`, async () => {
            const { page } = await open(browser, answered, { viewport: { width, height: 900 } });
            await unfold(page);
            const cut = await page.evaluate(() =>
                [...document.querySelectorAll('body *')]
                    .filter((e) => !e.closest('svg') && e.clientWidth > 1)
                    .filter((e) =>
                        ['auto', 'scroll', 'hidden'].includes(getComputedStyle(e).overflowX),
                    )
                    .filter((e) => e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight)
                    .filter((e) => !['SELECT', 'INPUT', 'OPTION', 'OPTGROUP'].includes(e.tagName))
                    .map((e) => e.outerHTML.slice(0, 80)),
            );
            assert.deepEqual(cut, []);
            const inside = await page.evaluate(() => document.documentElement.scrollWidth);
            assert.equal(inside, width);
            // Neither is a name, a number or a mark at the edge of a drawing.
            const beyond = await page.evaluate(() =>
                [...document.querySelectorAll('main svg[role=img]')].flatMap((drawing) => {
                    const box = drawing.getBoundingClientRect();
                    const isCut = ({ left, right, top, bottom }) =>
                        left < box.left - 1 ||
                        right > box.right + 1 ||
                        top < box.top - 1 ||
                        bottom > box.bottom + 1;
                    return [...drawing.querySelectorAll('text')]
                        .filter((text) => isCut(text.getBoundingClientRect()))
                        .map(
                            (text) => `${drawing.getAttribute('aria-label')}: ${text.textContent}`,
                        );
                }),
            );
            assert.deepEqual(beyond, []);
            await page.context().close();
        });

        test(`nor covered by another text of its chart, ${width} px`, async () => {
            const { page } = await open(browser, answered, {
                viewport: { width, height: 900 },
                fragment: siphash,
            });
            await unfold(page);
            const covered = await page.evaluate(() =>
                [...document.querySelectorAll('main svg[role=img]')].flatMap((drawing) => {
                    const texts = [...drawing.querySelectorAll('text')].filter(
                        (t) => t.textContent,
                    );
                    const boxes = texts.map((text) => text.getBoundingClientRect());
                    // Boxes have a margin around their letters.
                    const meet = (a, b) =>
                        Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
                        Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
                    return texts.flatMap((one, i) =>
                        texts
                            .slice(i + 1)
                            .filter((_, k) => meet(boxes[i], boxes[i + 1 + k]))
                            .map((other) => `${one.textContent} and ${other.textContent}`),
                    );
                }),
            );
            assert.deepEqual(covered, []);
            await page.context().close();
        });

        test(`and every chart has an axis that says what it counts, ${width} px`, async () => {
            const { page } = await open(browser, answered, {
                viewport: { width, height: 900 },
                fragment: siphash,
            });
            await unfold(page);
            const axes = await page.$$eval('main svg[role=img]', (all) =>
                all.map((drawing) => ({
                    id: drawing.closest('[id]').id,
                    ticks: drawing.querySelectorAll('.axis .tick, .axis .grid').length,
                    words: [...drawing.querySelectorAll('text')].map((t) => t.textContent),
                })),
            );
            assert.ok(axes.length > 4, `${axes.length} charts`);
            // Each strip of the rounds has its ends next to it.
            for (const { id, ticks, words } of axes.filter((one) => one.id !== 'rounds')) {
                assert.ok(ticks > 1, `${id} has ${ticks} ticks`);
                const says = /^(times as long|time per call)\b.*, logarithmic scale$/;
                assert.ok(
                    words.some((word) => says.test(word)),
                    `${id}: ${words}`,
                );
            }
            await page.context().close();
        });
    }
});

describe('a comparison without verdicts', () => {
    // Each with a contender that looks fourteen times as slow, certainly, and an answer.
    const cases = {
        'the baseline has no time': ({ comparison, cells }) => {
            Object.assign(comparison, { baseline: null, control: null });
            for (const cell of cells) cell.floor = null;
        },
        'there are fewer forks than layouts': ({ cells }) => {
            for (const cell of cells) cell.floor = null;
        },
        'the control has too few rounds': ({ comparison }) => {
            comparison.control = [1.01, null, null];
        },
        'the control has too few rounds for any figure': ({ comparison, cells }) => {
            comparison.control = null;
            for (const cell of cells) cell.floor = null;
        },
        'the control certainly differs': ({ comparison, cells }) => {
            comparison.control = [1.06, 1.04, 1.08];
            for (const cell of cells) cell.untrusted = true;
        },
    };
    test('what changed while the run went on stands next to the control', async () => {
        const sentence = 'changed: sham/steady took 8.00 ns, and 56.0 ns from fork 4 of 11 on';
        const file = run.changed('changed', (data) => {
            at64(data).comparison.changes = [sentence];
        });
        const { page } = await open(browser, file, { ...phone, fragment: siphash });
        assert.equal(await page.getByText(sentence).count(), 1);
        await page.context().close();
    });

    for (const [why, change] of Object.entries(cases)) {
        test(`never looks decided: ${why}`, async () => {
            const file = run.changed('doubtful', (data) => {
                answer(data);
                const found = at64(data);
                const far = found.cells.find((c) => c.contender === 'sham/slow@jdk-17');
                Object.assign(far, { ratio: 14, ratio_low: 13.9, ratio_high: 14.1 });
                far.verdict = 'slower';
                const place = compared(data).findIndex(({ cells }) => cells[0] === found.cells[0]);
                Object.assign(data.document.answers[place], {
                    ...{ decided: true, cause: null, command: null },
                    answer: 'SipHash-2-4, 64 B: sham/steady is the fastest',
                });
                change(found);
            });
            for (const options of [phone, wide]) {
                const { page } = await open(browser, file, { ...options, fragment: siphash });
                const trust = await page.textContent('#forest .trust');
                assert.match(trust, /^[?✕] At 64 B: /);
                assert.match(trust, /there are no verdicts/);
                assert.ok(trust.toLowerCase().includes(why.replace(' for any figure', '')), trust);
                assert.doesNotMatch(await page.textContent('#forest-title'), /fastest/);
                const coloured = ':is(.row, .mark):is(.faster, .slower), #forest .bracket';
                assert.equal(await page.locator(`#forest ${coloured}`).count(), 0);
                const words = await page.$$eval('#forest svg .word', (all) =>
                    all.map((word) => word.textContent),
                );
                assert.ok(!words.some((word) => /faster|slower|separated/.test(word)), `${words}`);
                const row = page.locator('.card').first().locator('.answer').nth(2);
                assert.match(await row.getAttribute('class'), /open/);
                assert.match(await row.textContent(), /no verdicts/);
                assert.match(await page.textContent('#ratio .warning'), /No verdicts at 64 B:/);
                await page.context().close();
            }
        });
    }

    test('has no tick if its control is too uncertain to show small differences', async () => {
        for (const [high, sign] of [
            [1.04, '✓'],
            [1.06, '≈'],
        ]) {
            const file = run.changed('uncertain', (data) => {
                answer(data);
                at64(data).comparison.control = [1.01, 0.99, high];
            });
            const { page } = await open(browser, file, { ...wide, fragment: siphash });
            const trust = await page.textContent('#forest .trust');
            assert.ok(trust.startsWith(`${sign} At 64 B: `), trust);
            const apart = /equal code may seem 6 % apart, so the intervals are wide/;
            assert.equal(apart.test(trust), sign === '≈', trust);
            await page.context().close();
        }
    });

    test('is not what a sound one looks like', async () => {
        const { page } = await open(browser, answered, { ...wide, fragment: siphash });
        assert.match(await page.textContent('#forest .trust'), /^✓ At 64 B: .*Verdicts count\.$/);
        assert.ok((await page.locator('#forest .row.slower').count()) > 0);
        await page.context().close();
    });
});

describe('the forest plot', () => {
    test('has a row for each contender, fastest first, coloured by verdict', async () => {
        const { page } = await open(browser, run.file, { ...wide, fragment: siphash });
        const cells = run.shown.cells.filter((c) => c.primitive === 'siphash-2-4' && c.size === 64);
        const ranked = cells.filter((c) => c.ns_median !== null);
        ranked.sort((a, b) => (a.ratio ?? 1) - (b.ratio ?? 1));
        const drawn = await page.$$eval('#forest svg .row', (all) =>
            all.map((row) => [
                row.getAttribute('class').replace('row ', '').replace('-', ' '),
                row.querySelector('.word').textContent,
                row.querySelector('.label').textContent,
            ]),
        );
        assert.match(drawn.pop()[2], /^control/);
        assert.deepEqual(
            drawn.map((row) => row.slice(0, 2)),
            ranked.map((cell) => [cell.verdict, cell.verdict]),
        );
        // Each name has its version.
        ranked.forEach((cell, i) => {
            assert.ok(drawn[i][2].endsWith(` ${cell.version}`), drawn[i][2]);
        });
        await page.context().close();
    });

    test('names the fastest in bold, and versions in grey', async () => {
        const said =
            'SipHash-2-4, 64 B: sham/bulk 7.1 is the fastest; sham/steady 1.0 takes longer';
        const file = run.changed('winner', (data) => {
            answer(data);
            const { contenders, answers } = data.document;
            for (const [name, version] of [
                ['sham/bulk', '7.1'],
                ['sham/steady', '1.0'],
            ]) {
                contenders.find((one) => one.name === name).version = version;
            }
            const now = answers.find((a) => a.primitive === 'siphash-2-4' && a.size === 64);
            Object.assign(now, { answer: said, decided: true, fastest: ['sham/bulk'] });
            find(data);
        });
        const { page } = await open(browser, file, { ...wide, fragment: siphash });
        const all = (selector) => page.$$eval(selector, (found) => found.map((e) => e.textContent));
        assert.equal(await page.textContent('#forest h2'), said);
        assert.deepEqual(await all('#forest h2 strong'), ['sham/bulk']);
        assert.deepEqual(await all('#forest h2 .version'), ['7.1', '1.0']);
        assert.deepEqual(await all('#forest svg .chosen'), ['sham/bulk 7.1']);
        await unfold(page, '#forest details');
        assert.deepEqual(await all('#forest tbody strong'), ['sham/bulk 7.1']);
        await page.context().close();
    });

    test('hides forced paths and second styles until they are asked for', async () => {
        const hidden = 'sham/twin-of-bulk';
        const file = run.changed('variants', (data) => {
            for (const { comparison, cells } of compared(data)) {
                const row = cells.findIndex((cell) => cell.contender === hidden);
                comparison.aside = row < 0 ? [] : [row];
            }
        });
        const { page } = await open(browser, file, { ...wide, fragment: siphash });
        const names = () =>
            page.$$eval('#forest svg .row .label', (all) => all.map((e) => e.textContent));
        const isThere = async () => (await names()).some((name) => name.startsWith(hidden));
        assert.equal(await isThere(), false);
        const note = '1 variant is hidden: forced paths and second styles.';
        assert.ok((await page.textContent('#forest')).includes(note));
        await unfold(page, '#choices');
        await page.click('#show-variants');
        assert.equal(await isThere(), true);
        assert.ok(!(await page.textContent('#forest')).includes(note));
        assert.match(await page.evaluate(() => location.hash), /show=variants/);
        await page.reload();
        await page.waitForSelector('main svg');
        assert.equal(await isThere(), true);
        await page.context().close();
    });

    test('has a 1 on its axis, and no line through a name, on a phone', async () => {
        const file = run.changed('axis', (data) => {
            const far = at64(data).cells.find((cell) => cell.contender === 'sham/slow@jdk-17');
            Object.assign(far, { ratio: 0.4, ratio_low: 0.38, ratio_high: 0.42 });
        });
        const { page } = await open(browser, file, { ...phone, fragment: siphash });
        const ticks = await page.$$eval('#forest svg .axis text', (all) =>
            all.map((tick) => tick.textContent),
        );
        assert.ok(ticks.includes('1'), `${ticks}`);
        // The paper between the lines and the names.
        const [names, bare] = await page.$eval('#forest svg[role=img]', (drawing) => {
            const line = drawing.querySelector('.one');
            const isAbove = (box) =>
                line.compareDocumentPosition(box) & Node.DOCUMENT_POSITION_FOLLOWING;
            const paper = [...drawing.querySelectorAll('.paper')].filter(isAbove);
            const boxes = paper.map((box) => box.getBBox());
            const labels = [...drawing.querySelectorAll('.row .label')].map((e) => e.getBBox());
            const isBare = ({ y, height }) =>
                !boxes.some((box) => box.y <= y && y + height <= box.y + box.height);
            return [labels.length, labels.filter(isBare).length];
        });
        assert.ok(names > 4 && bare === 0, `${bare} of ${names}`);
        await page.context().close();
    });

    test('has ends of intervals that are seen above and below their dots', async () => {
        for (const options of [phone, wide]) {
            const { page } = await open(browser, answered, { ...options, fragment: siphash });
            const hidden = await page.$$eval('#forest svg .row', (all) =>
                all
                    .filter((row) => row.querySelector('.cap'))
                    .map((row) => {
                        const dot = row.querySelector('.mark').getBoundingClientRect();
                        const caps = [...row.querySelectorAll('.cap')];
                        const ends = caps.map((cap) => cap.getBoundingClientRect());
                        return [ends.length, ends.every((c) => c.top < dot.top - 2)];
                    }),
            );
            assert.ok(hidden.length > 3);
            assert.ok(
                hidden.every(([ends, seen]) => ends === 2 && seen),
                `${hidden}`,
            );
            await page.context().close();
        }
    });

    test('has no share of a level on the line of 1', async () => {
        // Where the other contenders are, a share next to its ring would be on the line.
        for (const [levels, ratio] of [
            ['1.06:2 1.5:9', 1.5],
            ['0.6:2 0.95:9', 0.6],
        ]) {
            const file = run.changed('line', (data) => {
                const far = at64(data).cells.find((c) => c.contender === 'sham/slow@jdk-17');
                const ends = { ratio_low: ratio * 0.99, ratio_high: ratio * 1.01 };
                Object.assign(far, { ratio, ...ends, ratio_levels: levels });
            });
            for (const options of [phone, wide]) {
                const { page } = await open(browser, file, { ...options, fragment: siphash });
                const line = await page.locator('#forest svg .one').boundingBox();
                const shares = await page.locator('#forest svg .share').all();
                assert.equal(shares.length, 2, levels);
                for (const share of shares) {
                    const box = await share.boundingBox();
                    const crosses = box.x < line.x + 1 && line.x < box.x + box.width;
                    assert.ok(!crosses, `${levels}: ${box.x} to ${box.x + box.width} on ${line.x}`);
                }
                await page.context().close();
            }
        }
    });

    test('shows both levels of a ratio, each with its share of the processes', async () => {
        const levels = [0.8, 1.25];
        const file = run.changed('levels', (data) => {
            const far = at64(data).cells.find((c) => c.contender === 'sham/slow@jdk-17');
            Object.assign(far, { ratio: 1.25, ratio_low: 0.75, ratio_high: 1.3 });
            far.ratio_levels = `${levels[0]}:2 ${levels[1]}:9`;
        });
        for (const options of [phone, wide]) {
            const { page } = await open(browser, file, { ...options, fragment: siphash });
            const row = page.locator('#forest svg .row', { hasText: 'sham/slow@jdk-17' });
            assert.deepEqual(await row.locator('.share').allTextContents(), ['2/11', '9/11']);
            const middle = async (mark) => {
                const box = await mark.boundingBox();
                return box.x + box.width / 2;
            };
            const rings = [];
            for (const ring of await row.locator('.level').all()) rings.push(await middle(ring));
            // On the axis: 1 is halfway between 0.8 and 1.25, and the estimate is the upper level.
            const one = await middle(page.locator('#forest svg .one'));
            assert.ok(Math.abs((rings[0] + rings[1]) / 2 - one) < 1, `${rings} about ${one}`);
            const dot = await middle(row.locator('.mark'));
            assert.ok(Math.abs(rings[1] - dot) < 1, `${rings[1]}, not ${dot}`);
            const fill = await row
                .locator('.level')
                .first()
                .evaluate((e) => getComputedStyle(e).fill);
            assert.equal(fill, 'none');
            assert.equal(await page.locator('#forest .level:not(.key .level)').count(), 2);
            await page.context().close();
        }
        // Levels belong to ratios to the run's own baseline.
        const fragment = `${siphash}&baseline=sham%2Fbulk`;
        const { page } = await open(browser, file, { ...wide, fragment });
        assert.equal(await page.locator('#forest .level').count(), 0);
        await page.context().close();
    });
});

describe('what several threads keep', () => {
    const kept = (contender, size, efficiency, low, high) => ({
        ...{ contender, primitive: 'siphash-2-4', operation: 'mac', contract: '', size },
        ...{ threads: 4, ns_per_call: 40, efficiency, efficiency_low: low, efficiency_high: high },
        ...{ of_best: null, of_best_low: null, of_best_high: null, forks: 11, verdict: 'loses' },
    });

    test('is said first, drawn and tabled, for the chosen size', async () => {
        const file = run.changed('threads', (data) => {
            data.document.scaling = [
                kept(HOSTILE, 64, 0.96, 0.95, 0.97),
                {
                    ...kept('sham/bulk', 64, 0.5, 0, null),
                    ...{ of_best: 0.521, of_best_low: 0.4, of_best_high: 0.64 },
                },
                kept('sham/steady', 16, 0.7, 0.6, 0.8),
            ];
            data.document.scaling_notes = ['only the onset shows'];
        });
        for (const options of [phone, wide]) {
            const { page, complaints } = await open(browser, file, {
                ...options,
                fragment: siphash,
            });
            const title = await page.textContent('#threads h2');
            assert.match(title, /^On 4 threads .* keeps 96.0 %; sham\/bulk keeps 50.0 %$/s);
            assert.ok(!title.includes(HOSTILE), 'its invisible characters are made visible');
            assert.equal(await page.locator('#threads svg .mark').count(), 2);
            // An interval has its ends where the axis has these shares.
            const ends = (line) =>
                line.evaluate((e) => ['x1', 'x2'].map((at) => Number(e.getAttribute(at))));
            const [first, second] = await page.locator('#threads svg .range').all();
            const [one] = await ends(page.locator('#threads svg .one'));
            const [zero, right] = await ends(second);
            const at = (share) => zero + share * (one - zero);
            (await ends(first)).forEach((end, i) =>
                assert.ok(Math.abs(end - at([0.95, 0.97][i])) < 0.5, `${end}`),
            );
            assert.ok(right > one, 'an interval without an end goes beyond the axis');
            const found = await page.locator('#threads tbody tr').allTextContents();
            assert.equal(found.length, 2);
            assert.match(found[1], /too few rounds.*52\.1 %.*40\.0 % \.\. 64\.0 %/s);
            assert.match(await page.textContent('#threads'), /only the onset shows/);
            assert.deepEqual(complaints, []);
            const wider = await page.evaluate(
                () => document.documentElement.scrollWidth - window.innerWidth,
            );
            assert.ok(wider <= 0, `the page is ${wider} px wider than the screen`);
            await page.context().close();
        }
    });

    test('has no section if every cell has one thread', async () => {
        const { page } = await open(browser, answered, { fragment: siphash });
        assert.equal(await page.locator('#threads').count(), 0);
        await page.context().close();
    });
});

describe('an interval without an end on its chart is dashed and has no cap', () => {
    /** How many caps and dashed lines each of these groups of a chart has. */
    const drawn = (page, selector) =>
        page.$eval(selector, (chart) => {
            const lines = [...chart.querySelectorAll('line')];
            const dashed = lines.filter((line) => line.hasAttribute('stroke-dasharray'));
            return {
                intervals: chart.querySelectorAll('.range').length,
                caps: chart.querySelectorAll('.cap').length,
                dashed: dashed.length,
            };
        });
    /** Opens the page of changed data, and counts in one of its charts. */
    const counted = async (selector, change, script, width = 1280) => {
        const file = run.changed('unbounded', change, script);
        const viewport = { width, height: 900 };
        const { page, complaints } = await open(browser, file, { viewport, fragment: siphash });
        await unfold(page);
        const found = await drawn(page, selector);
        assert.deepEqual(complaints, []);
        await page.context().close();
        return found;
    };

    test('in the control', async () => {
        const ends = [
            [0.99, 1.01],
            [null, 1.01],
            [null, null],
        ];
        const found = await counted('#control svg', (data) => {
            const sizes = compared(data).slice(0, 5);
            sizes.forEach(({ comparison }, i) => {
                comparison.control = i < ends.length ? [1, ...ends[i]] : null;
            });
        });
        assert.deepEqual(found, { intervals: 3, caps: 2, dashed: 2 });
    });

    test('in several threads', async () => {
        const kept = (high) => ({
            ...{ contender: 'sham/bulk', primitive: 'siphash-2-4', operation: 'mac', size: 64 },
            ...{ threads: 4, ns_per_call: 40, efficiency: 0.9, efficiency_low: 0.8 },
            ...{ efficiency_high: high, of_best: null, forks: 11, verdict: 'loses' },
        });
        const found = await counted('#threads svg', (data) => {
            data.document.scaling = [0.95, null, 7].map(kept);
        });
        assert.deepEqual(found, { intervals: 3, caps: 2, dashed: 2 });
    });

    test('in the results of other programs', async () => {
        const ends = [
            [90, 110],
            [0, 110],
            [90, null],
            [null, null],
        ];
        const found = await counted(
            '#foreign-results svg',
            (all) => {
                const [first] = all;
                const made = ends.map(([low, high]) => ({ ...first, ns: 100, low, high }));
                all.splice(0, all.length, ...made);
            },
            'foreign',
        );
        assert.deepEqual(found, { intervals: 3, caps: 2, dashed: 2 });
    });

    test('in a history, whose oldest release has none', async () => {
        const names = ['sham/steady', 'sham/bulk', 'sham/twin-of-bulk', 'sham/slow@jdk-17'];
        const ends = [[], [1.1, 1.3], [null, null], [1.1, 2e4]];
        const found = await counted('#releases svg', (data) => {
            names.forEach((name, i) => {
                Object.assign(data.names[name], { code: 'sham/one', toolchain: `${i}` });
                const cell = at64(data).cells.find((one) => one.contender === name);
                if (i === 0) return;
                Object.assign(cell, { ratio: 1.2, ratio_low: ends[i][0], ratio_high: ends[i][1] });
            });
            const [claim] = data.document.claims.claims;
            data.document.claims.claims = names.slice(1).map((a, i) => ({
                ...{ ...claim, a, b: names[i], is: 'equal' },
                sizes: claim.sizes.map((at) => ({ ...at, is: 'equal', verdict: 'undecided' })),
            }));
        });
        assert.deepEqual(found, { intervals: 3, caps: 4, dashed: 1 });
    });

    test('in the forest plot', async () => {
        const found = await counted('#forest svg', (data) => {
            const cell = at64(data).cells.find((one) => one.contender === 'sham/slow@jdk-17');
            cell.ratio_high = null;
        });
        assert.equal(found.dashed, 1);
        assert.equal(found.caps, 2 * (found.intervals - 1));
    });

    test('in the lines over the sizes', async () => {
        const name = 'sham/bulk';
        for (const [low, high] of [
            [null, 1.2],
            [0.9, 2e4],
        ]) {
            const file = run.changed('unbounded', (data) => {
                const cell = at64(data).cells.find((one) => one.contender === name);
                Object.assign(cell, { ratio_low: low, ratio_high: high });
            });
            const fragment = `${siphash}&mark=${encodeURIComponent(name)}`;
            const { page } = await open(browser, file, { ...wide, fragment });
            const lines = await page.$$eval('#ratio svg line.whisker', (all) =>
                all.map((line) => line.hasAttribute('stroke-dasharray')),
            );
            // Five sizes: four with two bars each.
            assert.deepEqual([lines.length, lines.filter(Boolean).length], [13, 1]);
            await page.context().close();
        }
    });
});

describe('the lines over the sizes', () => {
    test('all have names, with versions', async () => {
        for (const options of [phone, wide]) {
            const { page } = await open(browser, run.file, { ...options, fragment: siphash });
            const lines = await page.locator('#ratio .curve').count();
            const names = await page.locator('#ratio .name').count();
            // The baseline has a name and no line.
            assert.equal(names, lines + 1);
            assert.ok(lines > 3);
            const said = await page.$$eval('#ratio .name title', (all) =>
                all.map((t) => t.textContent),
            );
            assert.ok(
                said.some((name) => /^sham\/bulk \d/.test(name)),
                `${said}`,
            );
            await page.context().close();
        }
    });

    test('are read by pointing, and marked by a click', async () => {
        const { page } = await open(browser, run.file, { ...wide, fragment: `${siphash}&mark=` });
        const name = page.locator('#ratio .name', { hasText: 'sham/slow@jdk-17' }).locator('text');
        await name.hover();
        assert.match(await page.textContent('#ratio .reading'), /^sham\/slow@jdk-17 \S+ at /);
        assert.equal(await page.locator('#ratio .near.curve').count(), 1);
        assert.equal(await page.locator('#ratio .band').count(), 0);
        const chart = await page.locator('#ratio .figure svg').boundingBox();
        await page.mouse.move(chart.x + chart.width / 3, chart.y + 20);
        // The slowest is on top.
        assert.match(
            await page.textContent('#ratio .reading'),
            /: [\d.]+ \[[\d.]+ \.\. [\d.]+\], slower$/,
        );
        await name.click();
        assert.equal(await page.locator('#ratio .band').count(), 1);
        assert.match(decodeURIComponent(page.url()), /mark=sham\/slow@jdk-17/);
        await page.context().close();
    });
});

describe('what is copied', () => {
    const read = (page) => page.evaluate(() => navigator.clipboard.readText());

    test('is a link to this view', async () => {
        const { page } = await open(browser, answered, { ...wide, ...clipboard });
        await unfold(page, '#choices');
        await page.selectOption('#choose-size', '256');
        await page.selectOption('#choose-baseline', 'sham/bulk');
        await page.click('text=Copy link to this view');
        await page.getByRole('status').getByText('copied').waitFor();
        const link = await read(page);
        assert.equal(link, page.url());
        assert.match(link, /^file:.*size=256.*baseline=sham%2Fbulk/);
        await page.context().close();
    });

    test('is a table with all digits, and no formula', async () => {
        const file = run.changed('formula', (data) => {
            for (const cell of at64(data).cells) if (cell.reason !== null) cell.reason = '=1+1';
        });
        const { page } = await open(browser, file, { ...wide, ...clipboard, fragment: siphash });
        const shown = await rows(page, 'forest-table');
        await page.click('#forest-table >> text=Copy table');
        await page.locator('#forest-table >> text=Copied').waitFor();
        const lines = (await read(page))
            .trimEnd()
            .split('\n')
            .map((line) => line.split('\t'));
        const head = ['contender', 'per call (ns)', 'GB/s', 'ratio', 'interval', 'verdict'];
        assert.deepEqual(lines[0], [...head, 'levels', 'why']);
        assert.equal(lines.length, shown.length + 1);
        lines.slice(1).forEach((line, i) => {
            assert.equal(line.length, 8);
            assert.equal(line[1], shown[i][1].values.map(String).join());
        });
        const why = lines.flatMap((line) => (line[7].includes('1+1') ? [line[7]] : []));
        assert.ok(why.length > 0 && why.every((text) => text === "'=1+1"), `${why}`);
        await page.context().close();
    });

    test('is a drawing that needs no page', async () => {
        const options = { ...wide, ...clipboard, fragment: siphash, colorScheme: 'dark' };
        const { page } = await open(browser, run.file, options);
        const fill = await page
            .locator('#forest svg .row.slower .mark')
            .first()
            .evaluate((mark) => getComputedStyle(mark).fill);
        await page.click('#forest >> text=Copy SVG');
        await page.locator('#forest >> text=Copied').waitFor();
        const svg = await read(page);
        assert.doesNotMatch(svg, /class=|var\(|currentColor/);
        // By itself, on an empty page, it looks the same.
        const alone = await browser.newPage();
        await alone.setContent('<body></body>');
        const seen = await alone.evaluate((text) => {
            const { documentElement: root } = new DOMParser().parseFromString(
                text,
                'image/svg+xml',
            );
            document.body.append(document.adoptNode(root));
            return {
                tag: root.tagName,
                fills: [...root.querySelectorAll('path')].map((p) => getComputedStyle(p).fill),
                text: root.textContent,
                box: root.getBoundingClientRect().width,
            };
        }, svg);
        assert.equal(seen.tag, 'svg');
        assert.ok(seen.fills.includes(fill), `${fill} not in ${seen.fills}`);
        assert.match(seen.text, /sham\/bulk/);
        assert.match(seen.text, /Run 1, suite q/);
        assert.ok(seen.box > 600);
        await alone.close();
        await page.context().close();
    });
});

describe('the page with answers', () => {
    for (const options of [phone, wide]) {
        for (const colorScheme of ['light', 'dark']) {
            test(`has no fault of access, ${options.viewport.width} px, ${colorScheme}`, async () => {
                const { page } = await open(browser, answered, { ...options, colorScheme });
                await unfold(page);
                await page.evaluate(axe);
                const found = await page.evaluate(() => window.axe.run());
                const faults = found.violations.map((v) => [v.id, v.nodes[0].html]);
                assert.deepEqual(faults, []);
                await page.context().close();
            });
        }
    }

    test('is printed without what only a screen can do', async () => {
        const { page } = await open(browser, answered, { ...wide, fragment: siphash });
        await page.emulateMedia({ media: 'print' });
        for (const gone of ['#choices', '.tools', '.reading', '#rounds']) {
            assert.equal(await page.locator(gone).first().isVisible(), false, gone);
        }
        for (const kept of ['h1', '.card', '#forest svg', '#ratio .figure svg', '#claims table']) {
            assert.equal(await page.locator(kept).first().isVisible(), true, kept);
        }
        const pdf = await page.pdf({ format: 'A4' });
        assert.ok(pdf.length > 10_000);
        await page.context().close();
    });

    test('says beside which other run it was measured', async () => {
        const file = run.changed('beside', (data) => {
            data.document.options.beside = 'cupel run sha256 (process 7)';
        });
        const { page } = await open(browser, file);
        const warning = () => page.locator('body > header .warning').allTextContents();
        assert.match(
            (await warning()).join(),
            /^Measured next to cupel run sha256 \(process 7\): /,
        );
        await page.goto(`file://${answered}`);
        assert.deepEqual(await warning(), []);
        await page.context().close();
    });

    test('says what its figures are to be read with', async () => {
        const headed = [
            'LEFT OUT: jvm/a, because a budget of 1 s is too short.',
            'NOT AUDITED: the machine was too busy to compare the times of jvm/b at 64 B.',
        ];
        const plain = [
            'During this run, the quota of its control group took the processors away for 1.0 of 9.0 s.',
            'Other programs used processors during this run: make 0.31.',
        ];
        const file = run.changed('left-out', (data) => {
            data.document.circumstances = { lines: [headed[0], plain[0], headed[1], plain[1]] };
        });
        const { page } = await open(browser, file);
        const warnings = page.locator('body > header .warning');
        assert.deepEqual(await warnings.allTextContents(), [...headed, ...plain]);
        // One line has the heads, and opens by keyboard; paper has no lines to open.
        const summary = page.locator('#circumstances summary');
        assert.match(await summary.textContent(), /\. LEFT OUT, NOT AUDITED$/);
        assert.ok((await summary.boundingBox()).height < 40);
        const seen = async () =>
            Promise.all((await warnings.all()).map((warning) => warning.isVisible()));
        // A sentence without a head is read without a click.
        assert.deepEqual(await seen(), [false, false, true, true]);
        await page.emulateMedia({ media: 'print' });
        assert.deepEqual(await seen(), [true, true, true, true]);
        await page.emulateMedia({ media: 'screen' });
        await summary.focus();
        await page.keyboard.press('Enter');
        assert.deepEqual(await seen(), [true, true, true, true]);
        await page.context().close();
    });

    test('folds no circumstances if all are sentences', async () => {
        const line = 'The heap of each JVM was limited to 512 MiB, so that all of them had memory.';
        const file = run.changed('heap', (data) => {
            data.document.circumstances = { lines: [line] };
        });
        const { page } = await open(browser, file, phone);
        assert.equal(await page.locator('#circumstances').count(), 0);
        assert.equal(await page.getByText(line).isVisible(), true);
        await page.context().close();
    });

    test('shows a hostile answer as text', async () => {
        const { page } = await open(browser, answered, { fragment: siphash });
        const said = await page.textContent('.answer.open .said');
        assert.ok(said.includes('</script><img src=x'), said);
        assert.ok(!said.includes(HOSTILE), 'its invisible characters are made visible');
        await page.context().close();
    });
});
