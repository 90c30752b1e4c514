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

/** Rows at first: thousands of cells would keep the reader waiting. */
const MOST = 100;

/** A table in a frame that scrolls by itself, also by keyboard. The first column names its row. */
export function table(caption: string, columns: Column[], rows: Entry[][]): HTMLElement {
    const line = (row: Entry[]) =>
        h(
            'tr',
            {},
            ...row.map((entry, i) => {
                const attributes = columns[i]?.number === true ? { class: 'number' } : {};
                return i === 0
                    ? h('th', { scope: 'row', ...attributes }, show(entry))
                    : h('td', attributes, show(entry));
            }),
        );
    const few = rows.length > MOST + 20 ? rows.slice(0, MOST) : rows;
    const body = h('tbody', {}, ...few.map(line));
    let rest: HTMLElement | null = null;
    if (few.length < rows.length) {
        const button = h('button', { type: 'button' }, `Show all ${rows.length} rows`);
        button.addEventListener('click', () => {
            body.append(...rows.slice(MOST).map(line));
            button.remove();
        });
        rest = button;
    }
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
        h('table', {}, h('caption', {}, caption), h('thead', {}, h('tr', {}, ...head)), body),
        rest,
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

/** A verdict in words; its sign and its colour say nothing that they do not. */
export function verdict(word: string | null): Node | null {
    return word === null ? null : h('span', { class: `verdict ${word.replace(' ', '-')}` }, word);
}
