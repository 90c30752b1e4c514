// The drawing of a forest plot: a row for each contender, coloured by verdict, and one for the
// control.
import { scaleLog } from 'd3-scale';
import { svg } from './dom';
import {
    AXIS,
    type Frame,
    ON_INTERVAL,
    frame,
    letterWidth,
    logTicks,
    mark,
    nameRoom,
    rowAxis,
    whisker,
} from './frame';
import { type Level, levels, share } from './levels';
import { type Point, ties } from './model';
import { tags, titled } from './naming';
import { bytes, digits, interval, ratio, ratioAtAxis, short, time } from './text';
import { decides, trust, winners } from './trust';
import { type View, isOwn } from './view';

/** The columns of numbers on the right of a wide chart. */
interface Column {
    name: string;
    width: number;
    of: (point: Point, decided: boolean) => string;
}

const COLUMNS: Column[] = [
    { name: 'per call', width: 72, of: ({ cell }) => perCall(cell.ns_median) },
    { name: 'GB/s', width: 52, of: ({ cell }) => speed(cell.gb_per_s) },
    { name: 'ratio', width: 56, of: (p) => (p.ratio?.[0] == null ? '' : ratio(p.ratio[0])) },
    {
        ...{ name: 'verdict', width: 104 },
        of: ({ verdict }, decided) =>
            decided || verdict === 'baseline' ? (verdict ?? '') : 'no verdict',
    },
];
/** The space for brackets; a narrow chart has one. */
const BRACKETS = 36;
const ONE_BRACKET = 16;
/** The height of a name and its numbers above the marks of a narrow row. */
const NAME_STRIP = 22;
/** The space for a share next to the mark of a level. */
const SHARE = 38;
/** The position of a diamond among the symbols; all other marks are circles. */
const DIAMOND = 3;

const perCall = (ns: number | null) => (ns === null ? '' : time(ns));
const speed = (gb: number | null) => (gb === null ? '' : digits(gb));

/** A row: a contender, or the control, which has no point. */
interface Row {
    point: Point | null;
    estimate: number | null;
    low: number | null;
    high: number | null;
    levels: Level[];
    /** The class of its colour. */
    tone: string;
    hollow: boolean;
}

/** The parts that all rows of a drawing share. */
interface Plot {
    view: View;
    f: Frame;
    x: (value: number) => number;
    /** The ends of the axis, which unbounded intervals reach. */
    low: number;
    high: number;
    narrow: boolean;
}

/** A chart of this width or less has no columns: a row has its name and its numbers above it. */
export const NARROW = 640;

/** The height of the line that says how many contenders are drawn. */
const NOTE = 20;

/** The rows of these contenders. If there are more than these, `count` in all, the drawing says so. */
export function forestChart(
    view: View,
    width: number,
    order: Point[],
    count: number,
): SVGSVGElement {
    const narrow = width <= NARROW;
    const columns = narrow ? [] : width > 860 ? COLUMNS : COLUMNS.slice(0, 2);
    const numbers = columns.reduce((sum, column) => sum + column.width, 0);
    const all = rows(view, order);
    const names = order.map((p) => p.cell.contender);
    const titles = [...names.map((name) => titled(view.chart.names, name, 200)), CONTROL];
    const { room, letters } = nameRoom(titles, width, 0.34);
    const height = narrow ? 42 : 22;
    const below = AXIS + (order.length < count ? NOTE : 0);
    const f = frame(
        `Ratio of time to ${short(view.baseline)} at ${bytes(view.work.size)}, fastest first`,
        width,
        all.length * height + (narrow ? 8 : 24) + below,
        {
            ...{ left: narrow ? 6 : room, right: narrow ? ONE_BRACKET : BRACKETS + numbers },
            ...{ top: narrow ? 8 : 24, bottom: below },
        },
    );
    const values = all.flatMap((row) => [
        ...[row.estimate, row.low, row.high].flatMap((value) => value ?? []),
        ...row.levels.map((level) => level.ratio),
    ]);
    const low = Math.min(0.9, ...values) / 1.04;
    const high = Math.max(1.1, ...values) * 1.04;
    const pad = all.some((row) => row.levels.length > 0) ? SHARE : 4;
    const x = scaleLog([low, high], [f.left + pad, f.right - pad]);
    const plot = { view, f, x, low, high, narrow };
    backdrop(plot);
    if (narrow) f.root.append(...all.map((_, i) => nameStrip(f, f.top + height * i)));
    heads(f, columns);
    const wins = winners(view.work);
    const tag = tags(
        view.chart.names,
        names,
        narrow ? Math.floor((width - ONE_BRACKET - 124) / letterWidth(titles)) : letters,
    );
    all.forEach((row, i) => {
        const top = f.top + height * i;
        const at = top + height / 2 + (narrow ? 11 : 0);
        const group = svg('g', { class: `row ${row.tone}` }, svg('title', {}, says(view, row)));
        const contender = row.point?.cell.contender;
        const name = contender === undefined ? [CONTROL] : tag(contender);
        const looks = [
            ...['label', 'plain'],
            ...(narrow ? ['near-marks'] : []),
            ...(contender !== undefined && wins.includes(contender) ? ['chosen'] : []),
        ];
        const place = narrow
            ? { x: f.left, y: top + 16 }
            : { x: f.left - 10, y: at + 4, 'text-anchor': 'end' };
        group.append(svg('text', { ...place, class: looks.join(' ') }, ...name));
        group.append(...figures(row, plot, columns, narrow ? top + 16 : at + 4));
        group.append(...marks(row, plot, at));
        f.root.append(group);
    });
    const middle = (i: number) => f.top + height * (i + 0.5) + (narrow ? 11 : 0);
    if (order.length < count) {
        const place = { x: 6, y: f.bottom + AXIS + 8, class: 'axis drawn' };
        f.root.append(
            svg('text', place, `${order.length} of ${count} contenders with a time are drawn.`),
        );
    }
    if (decides(view.work)) brackets(plot, order, middle, narrow ? 9 : 7);
    return f.root;
}

const CONTROL = 'control: the baseline again';

/** The rows from top to bottom. The control is compared with the run's own baseline only. */
function rows(view: View, order: Point[]): Row[] {
    const counts = decides(view.work);
    const own = isOwn(view);
    const all = order.map((point): Row => {
        const base = point.verdict === 'baseline';
        const [estimate, low, high] = base ? [1, null, null] : (point.ratio ?? [null, null, null]);
        const word = base || counts ? (point.verdict ?? 'none') : 'none';
        return {
            ...{ point, estimate, low, high },
            levels: own && !base ? levels(point.cell.ratio_levels) : [],
            tone: word.replace(' ', '-'),
            hollow: false,
        };
    });
    const { control } = view.work.comparison;
    if (own && control) {
        const [estimate, low, high] = control;
        const hollow = trust(view.work) === 'untrusted';
        all.push({ point: null, estimate, low, high, levels: [], tone: 'baseline', hollow });
    }
    return all;
}

/** The zones, the axis and the line of equal times. */
function backdrop({ view, f, x, low, high, narrow }: Plot): void {
    const strip = (to: number, name: string, title: string) => {
        const from = Number.isFinite(to) ? Math.max(f.left, x(1 / to)) : f.left;
        const end = Number.isFinite(to) ? Math.min(f.right, x(to)) : f.right;
        const box = { x: from, y: f.top, width: end - from, height: f.bottom - f.top };
        f.root.append(svg('rect', { ...box, class: name }, svg('title', {}, title)));
    };
    const floor = decides(view.work) ? (view.work.cells[0]?.floor ?? Infinity) : Infinity;
    strip(1 + floor, 'floor', 'not decided by so few forks');
    strip(1 + view.data.document.options.tie_zone, 'zone', 'tie zone');
    const to = narrow ? '' : ` as ${short(view.baseline)}`;
    const what = `times as long${to}, logarithmic scale`;
    f.root.append(rowAxis(f, x, logTicks(low, high, narrow ? 5 : 9), what, ratioAtAxis));
    f.root.append(svg('line', { x1: x(1), x2: x(1), y1: f.top, y2: f.bottom, class: 'one' }));
}

/** Keeps the lines and zones of a narrow chart away from a row's name and numbers. */
function nameStrip(f: Frame, top: number): SVGElement {
    const box = { x: f.left, y: top, width: f.right - f.left, height: NAME_STRIP };
    return svg('rect', { ...box, class: 'paper' });
}

function heads(f: Frame, columns: Column[]): void {
    let right = f.right + BRACKETS;
    for (const { name, width } of columns) {
        right += width;
        const place = { x: right, y: 14, 'text-anchor': 'end', class: 'axis' };
        f.root.append(svg('text', place, name));
    }
}

/** The numbers of a row: in columns, or in one text above a narrow row. */
function figures(row: Row, { view, f, narrow }: Plot, columns: Column[], y: number): SVGElement[] {
    const { point } = row;
    const counts = decides(view.work);
    if (narrow) {
        const value = point ? point.cell.ns_median : null;
        const gb = point?.cell.gb_per_s ?? null;
        const said = [perCall(value), gb === null ? '' : `${speed(gb)} GB/s`].filter(Boolean);
        const place = { x: f.right, y, 'text-anchor': 'end', class: 'figure-text near-marks' };
        return [svg('text', place, said.join(', '))];
    }
    let right = f.right + BRACKETS;
    return columns.map((column) => {
        right += column.width;
        const said = point
            ? column.of(point, counts)
            : column.name === 'ratio' && row.estimate !== null
              ? ratio(row.estimate)
              : '';
        const kind = column.name === 'verdict' ? 'word' : 'figure-text';
        return svg('text', { x: right, y, 'text-anchor': 'end', class: kind }, said);
    });
}

/** The interval, the estimate and the levels of a row. */
function marks(row: Row, { f, x, low, high }: Plot, at: number): SVGElement[] {
    const found: SVGElement[] = [];
    const ends = { x1: x(row.low ?? low), x2: x(row.high ?? high) };
    const single = row.point?.verdict === 'baseline';
    if (row.estimate !== null && !single) {
        found.push(...whisker(x, [low, high], [row.low, row.high], at));
    }
    if (row.estimate !== null) {
        const look = { colour: row.tone, dash: 'none', index: single ? DIAMOND : 0 };
        const size = single ? undefined : ON_INTERVAL;
        const shape = mark(x(row.estimate), at, look, undefined, size);
        if (row.hollow) shape.classList.add('hollow');
        found.push(shape);
    }
    row.levels.forEach((level, i) => {
        found.push(svg('circle', { cx: x(level.ratio), cy: at, r: 6, class: 'level' }));
        const last = i === row.levels.length - 1;
        if (i > 0 && !last) return;
        // Beyond the interval, where nothing else is drawn, and not on the line of 1.
        const edge = last
            ? offLine(Math.max(ends.x2, x(level.ratio)) + 9, x(1), 1)
            : offLine(Math.min(ends.x1, x(level.ratio)) - 9, x(1), -1);
        if (edge < f.left || edge > f.right) return;
        const place = { x: edge, y: at + 4, 'text-anchor': last ? 'start' : 'end' };
        found.push(svg('text', { ...place, class: 'share' }, share(level, row.levels)));
    });
    return found;
}

/** Where a share begins that is written away from this edge, so that it does not cross a line. */
function offLine(edge: number, line: number, away: 1 | -1): number {
    const from = (line - edge) * away;
    return from > -4 && from < SHARE - 4 ? line + 6 * away : edge;
}

/** A row in words. */
function says(view: View, row: Row): string {
    const { point, estimate } = row;
    const range = estimate === null ? '' : `, ${ratio(estimate)}, ${interval(row.low, row.high)}`;
    if (!point) return `${CONTROL}${range}`;
    const { cell, verdict } = point;
    const name = titled(view.chart.names, cell.contender, 200);
    const word = decides(view.work) ? (verdict ?? '') : 'no verdict';
    if (verdict === 'baseline') return `${name}: ${perCall(cell.ns_median)}, baseline`;
    const parts = row.levels.map((l) => `; ${ratio(l.ratio)} in ${share(l, row.levels)} processes`);
    return `${name}: ${perCall(cell.ns_median)}${range}, ${word}${parts.join('')}`;
}

/** Brackets: those that tie or are not told apart, and neighbours that are not separated from each other. */
function brackets(
    { view, f, narrow }: Plot,
    order: Point[],
    middle: (row: number) => number,
    half: number,
): void {
    const draw = (from: number, to: number, at: number, name: string, title: string) => {
        const [y1, y2] = [middle(from) - half, middle(to) + half];
        const members = order.slice(from, to + 1);
        const names = members.map((p) => titled(view.chart.names, p.cell.contender, 40));
        const said = svg('title', {}, `${title}: ${names.join(', ')}`);
        f.root.append(
            svg('path', { d: `M${at - 5},${y1}H${at}V${y2}H${at - 5}`, class: name }, said),
        );
    };
    const { lead } = view.work.comparison;
    const first = lead && lead.tied.length > 0 ? [lead.leader, ...lead.tied] : [];
    const places = order.flatMap((p, i) => (first.includes(p.cell.contender) ? [i] : []));
    const [from, to] = [Math.min(...places), Math.max(...places)];
    const title = view.work.finding?.kind === 'tie' ? 'tied for fastest' : 'not told apart';
    if (places.length > 1) draw(from, to, f.right + 10, 'bracket lead', title);
    if (narrow) return;
    const others = ties(
        view.work,
        order.map((point) => point.row),
    ).filter((tie) => places.length < 2 || tie[0] < from || tie[1] > to);
    others.forEach((tie, i) => {
        draw(tie[0], tie[1], f.right + 17 + (i % 3) * 7, 'bracket', 'not separated');
    });
}
