// Tables: the values of a chart as text. A number is shown rounded; its element carries it whole.
import { h } from './dom';
import { plain, short } from './text';

/** A cell of a table: text, or a number with what is shown of it. */
export type Entry = string | Node | null | [value: number, shown: string];

export interface Column {
    name: string;
    /** Whether it holds numbers, which stand to the right. */
    number?: boolean;
}

/** A table in a frame that scrolls by itself, also by keyboard. The first column names its row. */
export function table(caption: string, columns: Column[], rows: Entry[][]): HTMLElement {
    const body = rows.map((row) =>
        h(
            'tr',
            {},
            ...row.map((entry, i) => {
                const attributes = columns[i]?.number === true ? { class: 'number' } : {};
                return i === 0
                    ? h('th', { scope: 'row', ...attributes }, show(entry))
                    : h('td', attributes, show(entry));
            }),
        ),
    );
    const head = columns.map((column) =>
        h(
            'th',
            { scope: 'col', ...(column.number === true ? { class: 'number' } : {}) },
            column.name,
        ),
    );
    return h(
        'div',
        { class: 'table', tabindex: 0, role: 'region', 'aria-label': caption },
        h(
            'table',
            {},
            h('caption', {}, caption),
            h('thead', {}, h('tr', {}, ...head)),
            h('tbody', {}, ...body),
        ),
    );
}

function show(entry: Entry | undefined): Node | string {
    if (entry === null || entry === undefined) return '–';
    if (Array.isArray(entry)) return h('data', { value: entry[0] }, entry[1]);
    return typeof entry === 'string' ? text(entry) : entry;
}

/** A text from outside, on its own whatever its direction; cut where it is very long. */
export function text(from: string, most = 160): HTMLElement {
    return h(
        'bdi',
        from.length > most ? { title: plain(from.slice(0, 2000)) } : {},
        short(from, most),
    );
}

const SIGNS: Record<string, string> = {
    faster: '▼',
    slower: '▲',
    'not separated': '≈',
    baseline: '◆',
    failed: '✕',
    missing: '·',
    unsupported: '·',
};

/** A verdict in words, with a sign, so that its colour says nothing that they do not. */
export function verdict(word: string | null): Node | null {
    if (word === null) return null;
    const sign = h('span', { 'aria-hidden': 'true' }, `${SIGNS[word] ?? ''} `);
    return h('span', { class: `verdict ${word.replace(' ', '-')}` }, sign, word);
}
