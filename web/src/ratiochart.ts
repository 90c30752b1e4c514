// The drawing of ratios over sizes: a line for each contender, with its name where the lines are
// furthest apart.
import { scaleLog } from 'd3-scale';
import { area, line } from 'd3-shape';
import { svg } from './dom';
import {
    type Frame,
    UNBOUNDED,
    frame,
    logTicks,
    mark,
    nameRoom,
    sideAxis,
    sizeAxis,
    sizes,
    within,
} from './frame';
import { type Label, drawLabels, heightOf, mostNamed, spread } from './labels';
import type { Point } from './model';
import { tags, titled } from './naming';
import { type Drawn, follow } from './nearest';
import { bytes, interval, ratio, short } from './text';
import { decides } from './trust';
import { type View, curves, markedLast } from './view';

interface Of {
    size: number;
    point: Point;
}

/** The line of a contender. */
export interface Line extends Drawn<Of> {
    name: string;
}

/**
 * The drawing, and how many of its lines have no name next to them. `near` gets the line and the
 * size at the pointer; `chosen` gets a line's name when it is clicked.
 */
export function ratioChart(
    view: View,
    width: number,
    near: (found: { line: Line; of: Of } | null) => void,
    chosen: (name: string) => void,
): { root: SVGSVGElement; unnamed: number } {
    const { names } = view.chart;
    const all = view.chart.works.map((work) => work.size);
    const found = markedLast(view, curves(view)).filter(([, curve]) =>
        curve.some(({ point }) => point.ratio?.[0] != null),
    );
    const few = found.length < mostNamed(width);
    const named = found.map(([name]) => name).filter((name) => few || view.looks.has(name));
    const labelled = [view.baseline, ...named.filter((name) => name !== view.baseline)];
    const wide = width > 640;
    const share = wide ? 0.32 : 0.38;
    const titles = labelled.map((name) => titled(names, name, 200));
    const { room, letters } = nameRoom(titles, width, share);
    const height = Math.max(wide ? 400 : 340, heightOf(labelled.length)) + 44;
    const label = `Ratio of time to ${short(view.baseline)} over the size of the message`;
    const [low, high] = range(view);
    // The scales do not depend on the side of the names, only on the space that they leave.
    const side = sideOf(found, low, high, height);
    const f = frame(label, width, height + 20, {
        ...{ left: side === 'left' ? room : 46, right: side === 'left' ? 46 : room },
        ...{ top: 34, bottom: 30 },
    });
    const x = sizes(all, f.left + 12, f.right - 12);
    const y = scaleLog([low, high], [f.bottom, f.top]);
    const inside = (value: number | null, end: number) =>
        y(value === null ? end : Math.min(high, Math.max(low, value)));
    f.root.append(zones(view, f, x, y), sizeAxis(f, all, x));
    f.root.append(sideAxis(f, y, logTicks(low, high, 8), side === 'left' ? 'right' : 'left'));
    const isLeft = side === 'left';
    const corner = { x: isLeft ? width : 0, y: 14, 'text-anchor': isLeft ? 'end' : 'start' };
    const what = `times as long${wide ? ` as ${short(view.baseline)}` : ''}, logarithmic scale`;
    f.root.append(svg('text', { ...corner, class: 'axis' }, what));
    f.root.append(svg('line', { x1: f.left, x2: f.right, y1: y(1), y2: y(1), class: 'one' }));
    const edge = side === 'left' ? f.left + 12 : f.right - 12;
    const tag = tags(names, labelled, letters);
    const titleOf = (name: string) => titled(names, name, 200);
    const described = (name: string) => ({ name, shown: tag(name), title: titleOf(name) });
    const labels: Label[] = [{ ...described(view.baseline), x: edge, y: y(1), look: undefined }];
    const lines = found.map(([name, curve]): Line => {
        const look = view.looks.get(name);
        const points = curve.flatMap((of) => {
            const r = of.point.ratio;
            return r?.[0] == null ? [] : [{ x: x(of.size), y: inside(r[0], low), of }];
        });
        const parts = drawLine(titleOf(name), points, view, look, (v, end) => inside(v, end), [
            low,
            high,
        ]);
        f.root.append(...parts);
        const end = side === 'left' ? points[0] : points.at(-1);
        if (end && named.includes(name) && name !== view.baseline) {
            labels.push({ ...described(name), x: end.x, y: end.y, look });
        }
        return { name, points, parts, label: null };
    });
    const drawn = drawLabels(f, labels, side);
    for (const one of lines) {
        const own = drawn.get(one.name);
        if (!own) continue;
        one.parts.push(own.group);
        one.label = own.y;
    }
    follow(f.root, lines, [f.left, f.right], near, (one) => {
        chosen(one.name);
    });
    return { root: f.root, unnamed: found.length - named.length };
}

/** The side on which the ends of the lines are further apart. */
function sideOf(
    found: [string, { point: Point }[]][],
    low: number,
    high: number,
    height: number,
): 'left' | 'right' {
    const y = scaleLog([low, high], [height, 0]);
    const ends = (at: (curve: { point: Point }[]) => { point: Point } | undefined) =>
        spread(found.flatMap(([, curve]) => at(curve)?.point.ratio?.[0] ?? []).map((r) => y(r)));
    return ends((curve) => curve[0]) > 1.1 * ends((curve) => curve.at(-1)) ? 'left' : 'right';
}

/** The band, the intervals, the line and the marks of one contender. */
function drawLine(
    name: string,
    points: Line['points'],
    view: View,
    look: ReturnType<View['looks']['get']>,
    inside: (value: number | null, end: number) => number,
    [low, high]: [number, number],
): SVGElement[] {
    type Known = Line['points'][number];
    const colour = look?.colour ?? 'other';
    const ends = ({ of }: Known): [number, number] => [
        inside(of.point.ratio?.[1] ?? null, low),
        inside(of.point.ratio?.[2] ?? null, high),
    ];
    const parts: SVGElement[] = [];
    if (look) {
        const band = area<Known>(
            (p) => p.x,
            (p) => ends(p)[0],
            (p) => ends(p)[1],
        );
        parts.push(svg('path', { d: band(points) ?? '', class: `band ${colour}` }));
        for (const p of points) {
            const [y1, y2] = ends(p);
            const [, from, to] = p.of.point.ratio ?? [null, null, null];
            const { isWhole } = within([low, high], [from, to]);
            const whisker = { class: `whisker ${colour}`, ...(isWhole ? {} : UNBOUNDED) };
            parts.push(svg('line', { x1: p.x, x2: p.x, y1, y2, ...whisker }));
            for (const y of isWhole ? [y1, y2] : []) {
                parts.push(svg('line', { x1: p.x - 6, x2: p.x + 6, y1: y, y2: y, ...whisker }));
            }
        }
    }
    const path = line<Known>(
        (p) => p.x,
        (p) => p.y,
    );
    const dash = { 'stroke-dasharray': look?.dash ?? 'none' };
    parts.push(svg('path', { d: path(points) ?? '', class: `curve ${colour}`, ...dash }));
    const single = points.length === 1 || view.chart.works.length === 1;
    for (const { x, y, of } of look || single ? points : []) {
        const [estimate, from, to] = of.point.ratio ?? [null, null, null];
        const said = `${name}, ${bytes(of.size)}: ${ratio(estimate ?? 1)}, ${interval(from, to)}`;
        parts.push(mark(x, y, look, said));
    }
    return parts;
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

/** The zone without a verdict at each size, and the tie zone within it. */
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
        floor: decides(work) ? 1 + (work.cells[0]?.floor ?? Infinity) : Infinity,
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
        const title = svg('title', {}, 'not decided by so few forks');
        group.append(svg('path', { d: floor(wide) ?? '', class: 'floor' }, title));
    }
    const [top, bottom] = [clamp(zone), clamp(1 / zone)];
    const box = { x: f.left, y: top, width: f.right - f.left, height: bottom - top };
    group.append(svg('rect', { ...box, class: 'zone' }, svg('title', {}, 'tie zone')));
    return group;
}
