// One workload: each contender's ratio with its interval, time and speed, the fastest on top.
import { standalone } from './standalone';
import { copyButton, withTools } from './copy';
import type { Cell } from './data';
import { h } from './dom';
import { fold } from './fold';
import { NARROW, forestChart } from './forestchart';
import * as key from './key';
import { levels } from './levels';
import { type Names, type Point, type Work, ranked } from './model';
import { called, sentence } from './naming';
import { type Entry, ends, table, text, verdict } from './table';
import { bytes, digits, ratio, short, time } from './text';
import { changeLines, decides, distrust, trustLine, winners } from './trust';
import { type View, about, isOwn } from './view';

/** The rows of a chart and of its table until the reader asks for all. */
const MAX_ROWS = 10;
/** A chart with only some more contenders draws all. */
const SLACK = 2;
/** The verdict of leak tests on a contender that leaks. */
const LEAKS = 'leaks';
/** The most contenders that are listed as not measured; the table has all. */
const MAX_LISTED = 8;

/** `toggle` draws all rows, or only the fastest again. */
export function forestSection(view: View, width: number, toggle: () => void): Node[] {
    const order = inOrder(view.at);
    const drawn = view.state.whole ? order : foremost(view, order);
    const few = foremost(view, order).length;
    const rest = view.at.filter((p) => !order.includes(p));
    const first = view.work.cells[0];
    const open = !decides(view.work);
    const levelled = isOwn(view) && drawn.some((p) => levels(p.cell.ratio_levels).length > 0);
    const drawing = forestChart(view, width, drawn, order.length);
    const trusted = [trustLine(view.work), ...changeLines(view.work)];
    return [
        ...(open ? trusted : []),
        withTools(
            drawing,
            ...(few < order.length ? [rowsButton(few, order.length, view, toggle)] : []),
            copyButton('Copy SVG', () => standalone(drawing, about(view))),
        ),
        h(
            'p',
            { class: 'fine' },
            'A dot is the time of a call divided by that of ',
            called(view.chart.names, view.baseline, 60),
            '; its line is the interval. Further left is faster.',
        ),
        key.key(
            ...(open ? [] : key.verdicts()),
            ...key.zones(view.data.document.options.tie_zone, (first?.floor ?? 1) > 0),
            ...(levelled ? [key.rings()] : []),
            ...(open ? [] : key.brackets(width > NARROW)),
        ),
        fold(
            'forest-table',
            `Table: contenders at ${bytes(view.work.size)}`,
            () => [forestTable(view, [...order, ...rest])],
            width > NARROW,
        ),
        leaking(view, order),
        hiddenVariants(view),
        unranked(view, rest),
        ...(open ? [] : trusted),
    ].filter((node) => node !== null);
}

/** The fastest, the baseline, and those that the reader marked. */
function foremost(view: View, order: Point[]): Point[] {
    if (order.length <= MAX_ROWS + SLACK) return order;
    const isFirst = ({ cell, verdict: word }: Point, i: number) =>
        i < MAX_ROWS - 1 || word === 'baseline' || view.looks.has(cell.contender);
    return order.filter(isFirst);
}

function rowsButton(few: number, all: number, { state }: View, toggle: () => void): HTMLElement {
    const says = state.whole ? `Show ${few} of ${all} with a time` : `Show all ${all} with a time`;
    const button = h('button', { type: 'button', id: 'all-rows' }, says);
    button.addEventListener('click', toggle);
    return button;
}

/**
 * The answer to a comparison: the tool's sentence, or that there is no verdict.
 */
export function headline(work: Work, names: Names): (Node | string)[] {
    const none = distrust(work);
    if (none !== null) return [none];
    if (work.answer) return [sentence(names, work.answer.answer, winners(work))];
    return ['No contender is known to be the fastest'];
}

/** In the order of the tool's table, whichever contender is the baseline here. */
function inOrder(points: Point[]): Point[] {
    return points.filter((p) => ranked(p.cell)).sort((a, b) => a.row - b.row);
}

/** The number of rows for which another row stands. */
function hiddenVariants({ state, chart, work, at }: View): Node | null {
    if (state.variants) return null;
    const seen = new Set(at.map((point) => point.cell.contender));
    const hidden = work.cells.filter(
        ({ contender }) => chart.variants.has(contender) && !seen.has(contender),
    );
    if (hidden.length === 0) return null;
    const what = hidden.length === 1 ? 'variant is' : 'variants are';
    return h(
        'p',
        { class: 'note' },
        `${hidden.length} ${what} hidden: forced paths and second styles.`,
    );
}

/** The contenders that leak, as far as tests have shown. */
function leaking(view: View, order: Point[]): Node | null {
    const leaks = order.filter(({ cell }) => cell.leaks === LEAKS);
    if (leaks.length === 0) return null;
    const more = leaks.length - MAX_LISTED;
    const names = leaks
        .slice(0, MAX_LISTED)
        .flatMap(({ cell }, i) => [
            i === 0 ? '' : ', ',
            called(view.chart.names, cell.contender, 60),
            ' (tested ',
            text((cell.leaks_tested ?? '').slice(0, 10), 10),
            ')',
        ]);
    return h(
        'p',
        { class: 'note' },
        h('strong', {}, 'Known to leak: '),
        ...names,
        more > 0 ? `, and ${more} more` : '',
        '. What they execute depends on secrets.',
    );
}

/** The contenders without a time, each reason once. */
function unranked(view: View, points: Point[]): Node | null {
    if (points.length === 0) return null;
    const more = points.length - MAX_LISTED;
    const reasons = new Map<string, { said: Node[]; names: Node[] }>();
    for (const { cell, verdict: word } of points.slice(0, MAX_LISTED)) {
        const said = word ?? 'without a time';
        const key = JSON.stringify([said, cell.reason]);
        const found = reasons.get(key) ?? {
            said: [h('span', {}, said), ...(cell.reason === null ? [] : [text(cell.reason, 120)])],
            names: [],
        };
        reasons.set(key, found);
        found.names.push(called(view.chart.names, cell.contender, 60));
    }
    const parts = [...reasons.values()].flatMap(({ said: [word, why], names }, i) => [
        i === 0 ? '' : '; ',
        ...names.flatMap((name, k) => [k === 0 ? '' : ', ', name]),
        names.length === 1 ? ' is ' : ' are ',
        word ?? '',
        ...(why ? [': ', why] : []),
    ]);
    return h('p', { class: 'note' }, ...parts, more > 0 ? `; and ${more} more` : '', '.');
}

function forestTable(view: View, points: Point[]): Node {
    const tested = points.some(({ cell }) => cell.leaks_tested !== null);
    const columns = [
        { name: 'contender' },
        { name: 'per call', number: true, unit: 'ns' },
        { name: 'GB/s', number: true },
        { name: 'ratio', number: true },
        { name: 'interval', number: true },
        { name: 'verdict' },
        { name: 'levels' },
        ...(tested ? [{ name: 'leaks' }] : []),
        { name: 'why' },
    ];
    const wins = winners(view.work);
    const named = (name: string) => {
        const whole = called(view.chart.names, name);
        return wins.includes(name) ? h('strong', {}, whole) : whole;
    };
    const rows = points.map(({ cell, ratio: r, verdict: word }): Entry[] => [
        named(cell.contender),
        cell.ns_median === null ? null : [cell.ns_median, time(cell.ns_median)],
        cell.gb_per_s === null ? null : [cell.gb_per_s, digits(cell.gb_per_s)],
        r?.[0] == null ? null : [r[0], ratio(r[0])],
        r ? ends(r[1], r[2], ratio) : null,
        verdict(word),
        isOwn(view) ? words(cell.ratio_levels) : null,
        ...(tested ? [leaks(cell)] : []),
        cell.reason === null ? null : text(cell.reason),
    ]);
    const to = short(view.baseline);
    const caption = `Contenders at ${bytes(view.work.size)}, compared with ${to}`;
    return table(caption, columns, rows, view.state.whole ? undefined : MAX_ROWS);
}

/** The verdict of leak tests on it. A cell without a test shows that, too. */
function leaks({ leaks: said }: Cell): Entry {
    return said === LEAKS ? h('span', { class: 'verdict refuted' }, said) : said;
}

/** The levels of a ratio in words. */
function words(written: string | undefined): string | null {
    const all = levels(written);
    return all.length === 0
        ? null
        : all.map((level) => `${ratio(level.ratio)} in ${level.forks}`).join(', ');
}
