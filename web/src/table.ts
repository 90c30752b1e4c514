// Tables: the values of a chart as text. A number is shown rounded; its element has the full value.
import { h } from './dom';
import { plain, short } from './text';

/** A cell of a table: text, or a number with its shown form. */
export type Entry = string | Node | null | [value: number, shown: string];

export interface Column {
    name: string;
    /** Whether it has numbers, which are aligned to the right. */
    number?: boolean;
}

/** The initial number of rows: laying out thousands of cells would take long. */
const MAX_ROWS = 100;

/**
 * A table in a frame that scrolls separately, also by keyboard. The first column names its row. A
 * table that `stacks` contains sentences: on a narrow screen each of its rows becomes a card, with
 * the name of its column above each entry.
 */
export function table(
    caption: string,
    columns: Column[],
    rows: Entry[][],
    stacks = false,
): HTMLElement {
    // Without these roles, a screen reader does not take block layout for a table.
    const role = (name: string) => (stacks ? { role: name } : {});
    const line = (row: Entry[]) =>
        h(
            'tr',
            role('row'),
            ...row.map((entry, i) => {
                const attributes = {
                    ...(columns[i]?.number === true ? { class: 'number' } : {}),
                    ...(stacks ? { 'data-column': columns[i]?.name ?? '' } : {}),
                };
                return i === 0
                    ? h('th', { scope: 'row', ...role('rowheader'), ...attributes }, show(entry))
                    : h('td', { ...role('cell'), ...attributes }, show(entry));
            }),
        );
    const few = rows.length > MAX_ROWS + 20 ? rows.slice(0, MAX_ROWS) : rows;
    const body = h('tbody', role('rowgroup'), ...few.map(line));
    let rest: HTMLElement | null = null;
    if (few.length < rows.length) {
        const button = h('button', { type: 'button' }, `Show all ${rows.length} rows`);
        button.addEventListener('click', () => {
            body.append(...rows.slice(MAX_ROWS).map(line));
            button.remove();
        });
        rest = button;
    }
    const head = columns.map((column) =>
        h(
            'th',
            {
                scope: 'col',
                ...role('columnheader'),
                ...(column.number === true ? { class: 'number' } : {}),
            },
            column.name,
        ),
    );
    return h(
        'div',
        {
            class: stacks ? 'table stacks' : 'table',
            ...{ tabindex: 0, role: 'region', 'aria-label': caption },
        },
        h(
            'table',
            role('table'),
            h('caption', {}, caption),
            h('thead', role('rowgroup'), h('tr', role('row'), ...head)),
            body,
        ),
        rest,
    );
}

function show(entry: Entry | undefined): Node | string {
    if (entry === null || entry === undefined) return '–';
    if (Array.isArray(entry)) return h('data', { value: entry[0] }, entry[1]);
    return typeof entry === 'string' ? text(entry) : entry;
}

/**
 * A text from outside, isolated from the direction of its surroundings, and cut if it is very long.
 */
export function text(from: string, most = 160): HTMLElement {
    return h(
        'bdi',
        from.length > most ? { title: plain(from.slice(0, 2000)) } : {},
        short(from, most),
    );
}

/** A verdict in words. Its sign and colour only repeat them. */
export function verdict(word: string | null): Node | null {
    return word === null ? null : h('span', { class: `verdict ${word.replace(' ', '-')}` }, word);
}
