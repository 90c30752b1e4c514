// The headline: the time of each contender compared with the baseline's, over the sizes, with
// intervals as bands, the tie zone, what too few forks leave open, and the crossovers with the baseline.
import { scaleLog } from 'd3-scale';
import { area, line } from 'd3-shape';
import type { Crossing } from './data';
import { h, svg } from './dom';
import {
    type Frame,
    type Label,
    fewNamed,
    frame,
    key,
    labels,
    leftAxis,
    logTicks,
    mark,
    nameRoom,
    PLAIN,
    sizeAxis,
    sizes,
} from './frame';
import { apart, interval, bytes, ratio, roughly, short } from './text';
import { type Entry, table, text, verdict } from './table';
import { type View, curves, markedLast, unnamed, untrusted } from './view';

export function ratioSection(view: View, width: number): Node[] {
    const crossings = relevant(view);
    return [
        h(
            'p',
            {},
            `Time per call, divided by that of `,
            text(view.baseline, 60),
            `, measured in the same rounds: below 1 is faster. Bands are intervals. There is a verdict only ` +
                `if the whole interval lies beyond the tie zone.`,
        ),
        distrust(untrusted(view)),
        key(view.data.document.options.tie_zone),
        chart(view, width, crossings),
        unnamed(view, width, [view.baseline]),
        ratioTable(view),
        crossingTable(view, crossings),
    ].filter((node) => node !== null);
}

/** The warning about sizes without verdicts, however far the intervals are from 1. */
export function distrust(sizes: number[]): Node | null {
    if (sizes.length === 0) return null;
    return h(
        'p',
        { class: 'warning' },
        `✕ Untrusted at ${sizes.map(bytes).join(', ')}: there the control certainly differs from the ` +
            `baseline by over 1 %, so there are no verdicts.`,
    );
}

function chart(view: View, width: number, crossings: Crossing[]): SVGElement {
    const all = view.chart.works.map((work) => work.size);
    const found = curves(view);
    const named = found.size <= fewNamed(width);
    const names = named ? [...found.keys()] : [...view.looks.keys()];
    const { room, letters } = nameRoom([view.baseline, ...names], width, width > 640 ? 0.32 : 0.38);
    const lanes = crossings.slice(0, 6);
    const height = (width > 640 ? 400 : 340) + (lanes.length > 0 ? 24 + lanes.length * 20 : 0);
    const f = frame(
        `Ratio of time to ${short(view.baseline)} over the size of the message`,
        width,
        height,
        {
            ...{ left: 46, right: room, top: 14 },
            bottom: 28 + (lanes.length > 0 ? 24 + lanes.length * 20 : 0),
        },
    );
    const [low, high] = range(view);
    const x = sizes(all, f.left + 14, f.right - 6);
    const y = scaleLog([low, high], [f.bottom, f.top]);
    const inside = (value: number | null, end: number) =>
        y(value === null ? end : Math.min(high, Math.max(low, value)));
    f.root.append(zones(view, f, x, y), sizeAxis(f, all, x));
    f.root.append(leftAxis(f, y, logTicks(low, high, 8), (v) => `${v}`));
    f.root.append(svg('line', { x1: f.left, x2: f.right, y1: y(1), y2: y(1), class: 'one' }));
    const ends: Label[] = [{ name: view.baseline, x: f.right - 6, y: y(1), look: undefined }];
    for (const [name, curve] of markedLast(view, found)) {
        const look = view.looks.get(name);
        const known = curve.flatMap(({ size, point }) =>
            point.ratio && point.ratio[0] !== null
                ? [
                      {
                          at: x(size),
                          size,
                          estimate: point.ratio[0],
                          low: point.ratio[1],
                          high: point.ratio[2],
                      },
                  ]
                : [],
        );
        const last = known.at(-1);
        if (!last) continue;
        type Known = (typeof known)[number];
        const colour = look?.colour ?? 'other';
        if (look) {
            const band = area<Known>(
                (p) => p.at,
                (p) => inside(p.low, low),
                (p) => inside(p.high, high),
            );
            f.root.append(svg('path', { d: band(known) ?? '', class: `band ${colour}` }));
            for (const p of known) {
                const [y1, y2] = [inside(p.low, low), inside(p.high, high)];
                f.root.append(
                    svg('line', { x1: p.at, x2: p.at, y1, y2, class: `whisker ${colour}` }),
                );
            }
        }
        const path = line<Known>(
            (p) => p.at,
            (p) => inside(p.estimate, low),
        );
        f.root.append(
            svg('path', {
                d: path(known) ?? '',
                class: `curve ${colour}`,
                'stroke-dasharray': look?.dash ?? 'none',
            }),
        );
        for (const p of look ? known : []) {
            const title = `${short(name, 80)}, ${bytes(p.size)}: ${ratio(p.estimate)}, ${interval(p.low, p.high)}`;
            f.root.append(mark(p.at, inside(p.estimate, low), look, title));
        }
        if (look || named) ends.push({ name, x: last.at, y: inside(last.estimate, low), look });
    }
    f.root.append(labels(f, ends, letters), crossingLanes(view, f, x, lanes, f.bottom + 44));
    return f.root;
}

/** The values that the axis shows: all estimates, and the intervals of the marked contenders. */
function range(view: View): [number, number] {
    const values = [0.9, 1.1];
    for (const points of view.points) {
        for (const { cell, ratio: r } of points) {
            const ends = view.looks.has(cell.contender) ? r : r?.slice(0, 1);
            for (const value of ends ?? []) if (value !== null) values.push(value);
        }
    }
    return [Math.max(1e-4, Math.min(...values) / 1.06), Math.min(1e4, Math.max(...values) * 1.06)];
}

/** What too few forks leave open at each size, and the tie zone within it. */
function zones(
    view: View,
    f: Frame,
    x: (size: number) => number,
    y: (r: number) => number,
): SVGElement {
    const group = svg('g', {});
    const zone = 1 + view.data.document.options.tie_zone;
    const clamp = (value: number) => Math.min(f.bottom, Math.max(f.top, y(value)));
    const points = view.chart.works.map((work) => ({
        at: x(work.size),
        floor: 1 + (work.cells[0]?.floor ?? Infinity),
    }));
    const first = points[0];
    const last = points.at(-1);
    if (first && last) {
        const wide = [{ ...first, at: f.left }, ...points, { ...last, at: f.right }];
        const floor = area<(typeof wide)[number]>(
            (p) => p.at,
            (p) => (Number.isFinite(p.floor) ? clamp(1 / p.floor) : f.bottom),
            (p) => (Number.isFinite(p.floor) ? clamp(p.floor) : f.top),
        );
        group.append(
            svg(
                'path',
                { d: floor(wide) ?? '', class: 'floor' },
                svg('title', {}, 'not decided by so few forks'),
            ),
        );
    }
    const [top, bottom] = [clamp(zone), clamp(1 / zone)];
    const box = { x: f.left, y: top, width: f.right - f.left, height: bottom - top };
    group.append(svg('rect', { ...box, class: 'zone' }, svg('title', {}, 'tie zone')));
    return group;
}

/** The crossovers with the baseline among the contenders that are shown, the marked ones first. */
function relevant(view: View): Crossing[] {
    const shown = new Set(view.points.flat().map((point) => point.cell.contender));
    const base = view.baseline;
    const other = (c: Crossing) => (c.below === base ? c.above : c.below);
    const rank = (c: Crossing) => view.looks.get(other(c))?.index ?? Infinity;
    return view.chart.crossings
        .filter((c) => (c.below === base || c.above === base) && shown.has(other(c)))
        .sort((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
}

/**
 * Below the chart, on its axis of sizes: the sizes between which a contender and the baseline
 * cross.
 */
function crossingLanes(
    view: View,
    f: Frame,
    x: (size: number) => number,
    lanes: Crossing[],
    top: number,
): SVGElement {
    const group = svg('g', { class: 'lanes' });
    if (lanes.length > 0) {
        group.append(
            svg('text', { x: f.left, y: top - 4, class: 'lane-title' }, 'crossovers lie between'),
        );
    }
    const named = (crossing: Crossing): string =>
        crossing.below === view.baseline ? crossing.above : crossing.below;
    const letters = Math.floor((f.width - f.right - 20) / 7.3);
    const names = apart(lanes.map(named), letters);
    lanes.forEach((crossing, i) => {
        const name = named(crossing);
        const look = view.looks.get(name);
        const at = top + 10 + i * 20;
        const colour = look?.colour ?? 'other';
        const ends = { x1: x(crossing.low), x2: x(crossing.high), y1: at, y2: at };
        const title = describe(crossing);
        group.append(svg('line', { ...ends, class: `lane ${colour}` }, svg('title', {}, title)));
        for (const end of [ends.x1, ends.x2]) {
            group.append(
                svg('line', {
                    x1: end,
                    x2: end,
                    y1: at - 4,
                    y2: at + 4,
                    class: `whisker ${colour}`,
                }),
            );
        }
        if (crossing.near !== null) group.append(mark(x(crossing.near), at, look ?? PLAIN, title));
        group.append(
            svg(
                'text',
                { x: f.right + 17, y: at + 4, class: `label ${colour}` },
                names.get(name) ?? '',
            ),
        );
    });
    return group;
}

function describe(c: Crossing): string {
    const near = c.near === null ? '' : `, near ${roughly(c.near)}`;
    return `${short(c.below)} up to ${bytes(c.low)}, ${short(c.above)} from ${bytes(c.high)}${near}`;
}

function ratioTable(view: View): Node {
    const columns = [
        { name: 'contender' },
        ...view.chart.works.map((work) => ({
            name: bytes(work.size) + (work.cells[0]?.untrusted === true ? ' ✕' : ''),
        })),
    ];
    const rows = [...curves(view)].map(([name, curve]): Entry[] => [
        text(name),
        ...view.chart.works.map((work) => {
            const point = curve.find((p) => p.size === work.size)?.point;
            return point ? entry(point.ratio, point.verdict) : null;
        }),
    ]);
    return table(`Ratio to ${short(view.baseline)}, interval, verdict, by size`, columns, rows);
}

function entry(
    r: [number | null, number | null, number | null] | null,
    word: string | null,
): Node | null {
    if (!r || r[0] === null) return verdict(word);
    return h(
        'span',
        { class: 'ratio' },
        h('data', { value: r[0] }, ratio(r[0])),
        h('span', { class: 'interval' }, interval(r[1], r[2])),
        verdict(word),
    );
}

function crossingTable(view: View, crossings: Crossing[]): Node {
    if (crossings.length === 0) {
        return h(
            'p',
            { class: 'note' },
            'No contender certainly overtakes this baseline between two of these sizes.',
        );
    }
    const columns = [
        { name: 'faster below' },
        { name: 'faster above' },
        { name: 'up to', number: true },
        { name: 'from', number: true },
        { name: 'estimate', number: true },
    ];
    const rows = crossings.map((c): Entry[] => [
        text(c.below),
        text(c.above),
        [c.low, bytes(c.low)],
        [c.high, bytes(c.high)],
        c.near === null ? null : [c.near, roughly(c.near)],
    ]);
    return table(`Crossovers with ${short(view.baseline)}`, columns, rows);
}
