// Debian's Chromium, and a page that records everything that a page from a file must not do.
import { chromium } from 'playwright-core';

export function launch() {
    return chromium.launch({
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
        args: [
            ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
            ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
        ],
    });
}

/** Opens a file. `complaints` collects requests, errors and warnings. */
export async function open(browser, file, { fragment = '', ...options } = {}) {
    const context = await browser.newContext({
        viewport: { width: 1280, height: 900 },
        ...options,
    });
    const page = await context.newPage();
    const complaints = [];
    page.on('request', (request) => {
        if (request.url().split('#')[0] !== `file://${file}`) complaints.push(request.url());
    });
    page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('dialog', (dialog) => complaints.push(dialog.message()));
    await page.goto(`file://${file}${fragment}`);
    await page.waitForSelector('main svg');
    return { page, complaints };
}

/** Unfolds parts of the page, and those that are then inside them. */
export async function unfold(page, selector = 'details') {
    for (let depth = 0; depth < 3; depth++) {
        await page.evaluate(async (which) => {
            for (const part of document.querySelectorAll(which)) {
                for (
                    let at = part.closest('details');
                    at;
                    at = at.parentElement.closest('details')
                ) {
                    at.open = true;
                }
            }
            // Their content is made when the browser has reported that they are open.
            await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
        }, selector);
    }
}

/**
 * The rows of a part's first table: the exact values behind the rounded numbers, and the text.
 */
export async function rows(page, part, place = 0) {
    await unfold(page, `#${part}, #${part} details`);
    for (const button of await page.$$(`#${part} button.rest`)) await button.click();
    return page.$$eval(
        `#${part} table`,
        (tables, at) =>
            [...tables[at].querySelectorAll('tbody tr')].map((row) =>
                [...row.children].map((cell) => ({
                    text: cell.textContent,
                    values: [...cell.querySelectorAll('data')].map((d) => Number(d.value)),
                })),
            ),
        place,
    );
}

/** The row of a contender: its name is followed by its version. */
export function rowOf(table, name) {
    return table.find((row) => row[0].text === name || row[0].text.startsWith(`${name} `));
}
