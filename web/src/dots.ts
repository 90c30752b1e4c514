// One size: each contender's ratio with its interval, the fastest on top, and brackets around
// neighbours that are not separated from each other.
import { scaleLog } from 'd3-scale';
import { h, svg } from './dom';
import { PLAIN, frame, key, logTicks, mark, nameRoom } from './frame';
import { distrust } from './ratio';
import { type Point, ties } from './model';
import { apart, bytes, digits, interval, percent, ratio, short, time } from './text';
import { type Entry, table, text, verdict } from './table';
import type { View } from './view';

/** The most rows of a chart; the table has all. */
const MAX_ROWS = 60;

export function dotSection(view: View, width: number): Node[] {
    const order = inOrder(view.at);
    const drawn = order.filter((p, i) => i < MAX_ROWS || view.looks.has(p.cell.contender));
    const floor = view.work.cells[0]?.floor;
    return [
        h(
            'p',
            {},
            'Dots are ratios to ',
            text(view.baseline, 60),
            ', lines are their intervals, dashed if there are too few rounds for one; further left is faster. A bracket joins neighbours that are not ' +
                'separated from each other: do not choose among them by speed. ',
            floor === null || floor === undefined
                ? 'There is no control, so there are no verdicts.'
                : floor > 0
                  ? `With so few forks, no difference below ${percent(floor)} is decided.`
                  : '',
        ),
        distrust(view.work.cells[0]?.untrusted === true ? [view.work.size] : []),
        lead(view),
        key(view.data.document.options.tie_zone),
        drawn.length > 0 ? chart(view, width, drawn) : null,
        drawn.length < order.length
            ? h(
                  'p',
                  { class: 'note' },
                  `${drawn.length} of ${order.length} are drawn; the table has all.`,
              )
            : null,
        dotTable(view, [...order, ...view.at.filter((p) => !order.includes(p))]),
    ].filter((node) => node !== null);
}

/** The tool's statement about the fastest. */
function lead(view: View): Node | null {
    const found = view.work.comparison.lead;
    if (!found) return null;
    const [estimate, low, high] = found.ratio;
    if (found.tied.length > 1) {
        const names = [found.leader, ...found.tied].flatMap((name, i) =>
            i === 0 ? [text(name, 60)] : [', ', text(name, 60)],
        );
        return h('p', { class: 'lead' }, 'Tied for fastest: ', ...names, '.');
    }
    return h(
        'p',
        { class: 'lead' },
        found.separated ? 'Fastest: ' : 'Tied for fastest: ',
        text(found.leader, 60),
        found.separated ? ', ahead of ' : ' and ',
        text(found.runner_up, 60),
        found.separated && estimate !== null ? ` by a factor of ${ratio(estimate)}` : '',
        ` [${interval(low, high)}].`,
    );
}

function inOrder(points: Point[]): Point[] {
    const sortKey = (p: Point) => (p.verdict === 'baseline' ? 1 : (p.ratio?.[0] ?? Infinity));
    return points.filter((p) => sortKey(p) < Infinity).sort((a, b) => sortKey(a) - sortKey(b));
}

function chart(view: View, width: number, order: Point[]): SVGElement {
    const narrow = width <= 640;
    const row = narrow ? 30 : 22;
    const names = order.map((p) => p.cell.contender);
    const { room, letters } = nameRoom(names, width, 0.36);
    const left = narrow ? 12 : room;
    const f = frame(
        `Ratio of time to ${short(view.baseline)} at ${bytes(view.work.size)}, fastest first`,
        width,
        order.length * row + 46,
        { left, right: narrow ? 30 : 150, top: 10, bottom: 34 },
    );
    const values = order.flatMap((p) => (p.ratio ?? []).flatMap((v) => v ?? []));
    const low = Math.min(0.9, ...values) / 1.04;
    const high = Math.max(1.1, ...values) * 1.04;
    const x = scaleLog([low, high], [f.left, f.right]);
    const inside = (value: number | null, end: number) => x(value ?? end);
    const zone = 1 + view.data.document.options.tie_zone;
    const floor = 1 + (view.work.cells[0]?.floor ?? Infinity);
    const strip = (to: number, name: string, title: string) => {
        const [from, end] = [Math.max(f.left, x(1 / to)), Math.min(f.right, x(to))];
        const [at, wide] = Number.isFinite(to) ? [from, end - from] : [f.left, f.right - f.left];
        const box = { x: at, y: f.top, width: wide, height: f.bottom - f.top };
        f.root.append(svg('rect', { ...box, class: name }, svg('title', {}, title)));
    };
    strip(floor, 'floor', 'not decided by so few forks');
    strip(zone, 'zone', 'tie zone');
    for (const value of logTicks(low, high, narrow ? 5 : 9)) {
        const at = x(value);
        f.root.append(
            svg('line', { x1: at, x2: at, y1: f.top, y2: f.bottom, class: 'grid' }),
            svg(
                'text',
                { x: at, y: f.bottom + 18, 'text-anchor': 'middle', class: 'axis' },
                `${value}`,
            ),
        );
    }
    f.root.append(svg('line', { x1: x(1), x2: x(1), y1: f.top, y2: f.bottom, class: 'one' }));
    const labels = apart(names, narrow ? 42 : letters);
    order.forEach((point, i) => {
        const at = f.top + row * (i + 0.5) + (narrow ? 6 : 0);
        const look = view.looks.get(point.cell.contender);
        const colour = look?.colour ?? 'other';
        const name = labels.get(point.cell.contender) ?? '';
        const position = narrow
            ? { x: f.left, y: at - 9 }
            : { x: f.left - 10, y: at + 4, 'text-anchor': 'end' };
        f.root.append(svg('text', { ...position, class: `label ${colour}` }, name));
        const estimate = point.verdict === 'baseline' ? 1 : (point.ratio?.[0] ?? 1);
        if (point.ratio) {
            const [, from, to] = point.ratio;
            const ends = { x1: inside(from, low), x2: inside(to, high), y1: at, y2: at };
            // An unbounded end has no cap; the line is dashed.
            const open = from === null || to === null;
            const dash = open ? '3 3' : 'none';
            f.root.append(
                svg('line', { ...ends, class: `range ${colour}`, 'stroke-dasharray': dash }),
            );
            for (const end of open ? [] : [ends.x1, ends.x2]) {
                f.root.append(
                    svg('line', {
                        x1: end,
                        x2: end,
                        y1: at - 4,
                        y2: at + 4,
                        class: `range ${colour}`,
                    }),
                );
            }
        }
        f.root.append(mark(x(estimate), at, look ?? PLAIN, name));
        if (!narrow) {
            const word = point.verdict ?? '';
            f.root.append(
                svg(
                    'text',
                    { x: f.width - 4, y: at + 4, 'text-anchor': 'end', class: 'word' },
                    word,
                ),
            );
        }
    });
    const rows = order.map((point) => point.row);
    ties(view.work, rows).forEach(([from, to], i) => {
        const at = f.right + 8 + (i % 3) * 8;
        const [y1, y2] = [f.top + row * from + 5, f.top + row * (to + 1) - 5];
        const title = `not separated: ${order
            .slice(from, to + 1)
            .map((p) => short(p.cell.contender))
            .join(', ')}`;
        const d = `M${at - 4},${y1}H${at}V${y2}H${at - 4}`;
        f.root.append(svg('path', { d, class: 'bracket' }, svg('title', {}, title)));
    });
    return f.root;
}

function dotTable(view: View, points: Point[]): Node {
    const columns = [
        { name: 'contender' },
        { name: 'per call', number: true },
        { name: 'GB/s', number: true },
        { name: 'ratio', number: true },
        { name: 'interval' },
        { name: 'verdict' },
        { name: 'why' },
    ];
    const rows = points.map(({ cell, ratio: r, verdict: word }): Entry[] => [
        text(cell.contender),
        cell.ns_median === null ? null : [cell.ns_median, time(cell.ns_median)],
        cell.gb_per_s === null ? null : [cell.gb_per_s, digits(cell.gb_per_s)],
        r?.[0] == null ? null : [r[0], ratio(r[0])],
        r ? ends(r[1], r[2]) : null,
        verdict(word),
        cell.reason === null ? null : text(cell.reason),
    ]);
    return table(`Every contender at ${bytes(view.work.size)}`, columns, rows);
}

function ends(low: number | null, high: number | null): Entry {
    if (low === null || high === null) return interval(low, high);
    return h(
        'span',
        { class: 'whole' },
        h('data', { value: low }, ratio(low)),
        ' .. ',
        h('data', { value: high }, ratio(high)),
    );
}
