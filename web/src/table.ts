// Tables: the values of a chart as text. A number is shown rounded; its element has the full value.
import { copyButton, withTools } from './copy';
import { h } from './dom';
import { WIDEST, plain, short } from './text';

/** A cell of a table: text, or a number with its shown form. */
export type Entry = string | Node | null | [value: number, shown: string];

export interface Column {
    name: string;
    /** Whether it has numbers, which are aligned to the right. */
    number?: boolean;
    /** The unit of its values when they are copied; the shown text has its own. */
    unit?: string;
}

/** The initial number of rows: laying out thousands of cells would take long. */
const MAX_ROWS = 100;
/** A table with only some more rows than its initial number has all of them. */
const SLACK = 0.2;

/**
 * A table, with a button that copies all of it. The first column names its row. On a narrow screen
 * each row becomes a card, with the name of its column next to each entry.
 */
export function table(
    caption: string,
    columns: Column[],
    rows: Entry[][],
    most = MAX_ROWS,
): HTMLElement {
    // Without the roles, a screen reader does not take cards for a table.
    const line = (row: Entry[]) =>
        h(
            'tr',
            { role: 'row' },
            ...row.map((entry, i) => {
                const attributes = {
                    ...(columns[i]?.number === true ? { class: 'number' } : {}),
                    'data-column': columns[i]?.name ?? '',
                };
                return i === 0
                    ? h('th', { scope: 'row', role: 'rowheader', ...attributes }, show(entry))
                    : h('td', { role: 'cell', ...attributes }, show(entry));
            }),
        );
    const few = rows.length > most * (1 + SLACK) ? rows.slice(0, most) : rows;
    const body = h('tbody', { role: 'rowgroup' }, ...few.map(line));
    const isCut = few.length < rows.length;
    const title = h(
        'caption',
        {},
        isCut ? `${caption}: the first ${few.length} of ${rows.length} rows` : caption,
    );
    const buttons = [copyButton('Copy table', () => tabbed(columns, rows))];
    if (isCut) {
        const button = h(
            'button',
            { type: 'button', class: 'rest' },
            `Show all ${rows.length} rows`,
        );
        button.addEventListener('click', () => {
            body.append(...rows.slice(most).map(line));
            title.textContent = caption;
            button.remove();
        });
        buttons.unshift(button);
    }
    const head = columns.map((column) =>
        h(
            'th',
            {
                ...{ scope: 'col', role: 'columnheader' },
                ...(column.number === true ? { class: 'number' } : {}),
            },
            column.name,
        ),
    );
    return withTools(
        h(
            'table',
            { role: 'table' },
            title,
            h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, ...head)),
            body,
        ),
        ...buttons,
    );
}

function show(entry: Entry | undefined): Node | string {
    if (entry === null || entry === undefined) return '–';
    if (Array.isArray(entry)) return h('data', { value: entry[0] }, entry[1]);
    return typeof entry === 'string' ? text(entry) : entry;
}

/** The table for a spreadsheet: tabs between columns, and numbers with all their digits. */
function tabbed(columns: Column[], rows: Entry[][]): string {
    const head = columns.map(({ name, unit }) => (unit === undefined ? name : `${name} (${unit})`));
    const lines = rows.map((row) =>
        row.map((entry) => {
            if (entry === null) return '';
            if (Array.isArray(entry)) return String(entry[0]);
            return inert(typeof entry === 'string' ? plain(entry) : words(entry));
        }),
    );
    return [head, ...lines].map((line) => line.join('\t') + '\n').join('');
}

/** The text of a node, with a space between its elements. */
function words(node: Node): string {
    const parts = [...node.childNodes].map((child) =>
        child.nodeType === Node.TEXT_NODE ? (child.textContent ?? '') : words(child),
    );
    return parts.join(' ').replace(/\s+/g, ' ').trim();
}

/** A spreadsheet takes a text that begins so for a formula. */
function inert(text: string): string {
    return /^[=+@-]/.test(text) ? `'${text}` : text;
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

/** An interval with its exact ends. */
export function ends(
    low: number | null,
    high: number | null,
    shown: (value: number) => string,
): Entry {
    if (low === null || high === null) return 'too few rounds';
    if (high / low > WIDEST) return 'too few forks';
    return h(
        'span',
        { class: 'whole' },
        h('data', { value: low }, shown(low)),
        ' .. ',
        h('data', { value: high }, shown(high)),
    );
}
