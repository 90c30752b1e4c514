// The time per call over the size of the message, both logarithmic, with guide lines of constant
// speed.
import { scaleLog } from 'd3-scale';
import { area, line } from 'd3-shape';
import { h, svg } from './dom';
import {
    type Frame,
    type Label,
    fewNamed,
    frame,
    labels,
    leftAxis,
    logTicks,
    mark,
    nameRoom,
    sizeAxis,
    sizes,
} from './frame';
import { bytes, digits, roundTime, short, time } from './text';
import { type Entry, table, text } from './table';
import { type View, curves, markedLast, unnamed } from './view';

export function timeSection(view: View, width: number): Node[] {
    return [
        h(
            'p',
            {},
            'Median time per call in this run, on this machine. A neighbour on the same core can double ' +
                'it, so compare contenders by their ratios.',
        ),
        view.chart.works.length > 1 ? chart(view, width) : null,
        view.chart.works.length > 1 ? unnamed(view, width) : null,
        timeTable(view),
    ].filter((node) => node !== null);
}

function chart(view: View, width: number): SVGElement {
    const all = view.chart.works.map((work) => work.size);
    const found = curves(view);
    const named = found.size <= fewNamed(width);
    const names = named ? [...found.keys()] : [...view.looks.keys()];
    const { room, letters } = nameRoom(names, width, width > 640 ? 0.32 : 0.38);
    const f = frame('Time per call over the size of the message', width, width > 640 ? 420 : 340, {
        ...{ left: 58, right: room, top: 12, bottom: 28 },
    });
    const medians = view.points.flat().flatMap(({ cell }) => cell.ns_median ?? []);
    const low = Math.min(...medians) / 1.3;
    const high = Math.max(...medians) * 1.3;
    if (medians.length === 0) return f.root;
    const x = sizes(all, f.left + 14, f.right - 6);
    const y = scaleLog([low, high], [f.bottom, f.top]);
    const inside = (ns: number) => y(Math.min(high, Math.max(low, ns)));
    f.root.append(sizeAxis(f, all, x), leftAxis(f, y, logTicks(low, high, 9), roundTime));
    f.root.append(guides(view, f, all, x, y));
    const ends: Label[] = [];
    for (const [name, curve] of markedLast(view, found)) {
        const look = view.looks.get(name);
        const known = curve.flatMap(({ size, point: { cell } }) =>
            cell.ns_median === null
                ? []
                : [{ at: x(size), size, ns: cell.ns_median, low: cell.ns_low, high: cell.ns_high }],
        );
        const last = known.at(-1);
        if (!last) continue;
        type Known = (typeof known)[number];
        const colour = look?.colour ?? 'other';
        if (look) {
            const band = area<Known>(
                (p) => p.at,
                (p) => inside(p.low ?? low),
                (p) => inside(p.high ?? high),
            );
            f.root.append(svg('path', { d: band(known) ?? '', class: `band ${colour}` }));
        }
        const path = line<Known>(
            (p) => p.at,
            (p) => y(p.ns),
        );
        const dash = { 'stroke-dasharray': look?.dash ?? 'none' };
        f.root.append(svg('path', { d: path(known) ?? '', class: `curve ${colour}`, ...dash }));
        for (const p of look ? known : []) {
            f.root.append(
                mark(p.at, y(p.ns), look, `${short(name, 80)}, ${bytes(p.size)}: ${time(p.ns)}`),
            );
        }
        if (look || named) ends.push({ name, x: last.at, y: y(last.ns), look });
    }
    f.root.append(labels(f, ends, letters));
    return f.root;
}

/** The bytes of a call divided by the size: 1, except for batches. */
function messages(view: View): number {
    for (const { cell } of view.points.flat())
        if (cell.gb_per_s !== null && cell.ns_median !== null && cell.size > 0)
            return (cell.gb_per_s * cell.ns_median) / cell.size;
    return 1;
}

/** Lines of equal speed: 1 GB/s is 1 byte per nanosecond. */
function guides(
    view: View,
    f: Frame,
    all: number[],
    x: (size: number) => number,
    y: { (ns: number): number; invert(at: number): number },
): SVGElement {
    const group = svg('g', { class: 'guides' });
    const positive = all.filter((size) => size > 0);
    const [from, to] = [Math.min(...positive), Math.max(...positive)];
    if (!(to > from)) return group;
    const speeds = view.points.flat().flatMap(({ cell }) => cell.gb_per_s ?? []);
    const many = messages(view);
    const near = (speed: number) => speeds.some((s) => s < speed * 5 && speed < s * 5);
    for (const speed of [0.001, 0.01, 0.1, 1, 10, 100].filter(near)) {
        // From the left or the lower edge to the right or the upper one.
        const start = Math.max(from, (speed * y.invert(f.bottom)) / many);
        const end = Math.min(to, (speed * y.invert(f.top)) / many);
        if (end <= start) continue;
        const ns = (size: number) => (size * many) / speed;
        const [x1, y1, x2, y2] = [x(start), y(ns(start)), x(end), y(ns(end))];
        group.append(svg('line', { x1, y1, x2, y2, class: 'guide' }));
        if (x2 - x1 < 60) continue;
        const turn = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
        const at = { x: x1 + (x2 - x1) * 0.3, y: y1 + (y2 - y1) * 0.3 };
        const position = `translate(${at.x.toFixed(1)},${(at.y - 4).toFixed(1)}) rotate(${turn.toFixed(1)})`;
        group.append(svg('text', { transform: position, class: 'guide-name' }, `${speed} GB/s`));
    }
    return group;
}

function timeTable(view: View): Node {
    const columns = [
        { name: 'contender' },
        ...view.chart.works.map((work) => ({ name: bytes(work.size), number: true })),
        { name: 'fixed cost', number: true },
        { name: 'per byte', number: true },
    ];
    const rows = [...curves(view)].map(([name, curve]): Entry[] => {
        const first = curve[0]?.point.cell;
        return [
            text(name),
            ...view.chart.works.map((work): Entry => {
                const cell = curve.find((p) => p.size === work.size)?.point.cell;
                if (!cell || cell.ns_median === null) return null;
                const speed = cell.gb_per_s;
                return h(
                    'span',
                    { class: 'ratio' },
                    h('data', { value: cell.ns_median }, time(cell.ns_median)),
                    speed === null
                        ? null
                        : h('span', { class: 'interval' }, `${digits(speed)} GB/s`),
                );
            }),
            first?.fixed_ns == null ? null : [first.fixed_ns, time(first.fixed_ns)],
            first?.per_byte_ns == null
                ? null
                : [first.per_byte_ns, `${first.per_byte_ns.toPrecision(3)} ns`],
        ];
    });
    return table('Time per call by size; fixed cost and cost per byte', columns, rows);
}
