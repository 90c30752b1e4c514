// The common parts of charts: a frame with axes, scales over sizes and ratios, and symbols that
// distinguish the marked contenders without colour.
import { scaleLinear, scaleLog, type ScaleLogarithmic } from 'd3-scale';
import {
    symbol,
    symbolCircle,
    symbolCross,
    symbolDiamond,
    symbolSquare,
    symbolTriangle,
    symbolWye,
} from 'd3-shape';
import { svg } from './dom';
import { bytes } from './text';

const SYMBOLS = [symbolCircle, symbolSquare, symbolTriangle, symbolDiamond, symbolCross, symbolWye];
/** These distinguish lines of one colour. */
const DASHES = ['none', '7 3', '2 3'];

/** How a contender is drawn: colour, symbol and dashes. */
export interface Look {
    /** The CSS class of the colour. */
    colour: string;
    dash: string;
    /** The position among the marked contenders, which determines colour, symbol and dashes. */
    index: number;
}

/** As large as a marked one, for charts in which each dot has its name. */
export const PLAIN: Look = { colour: 'other', dash: 'none', index: 0 };

/** The looks of the marked contenders. All others are thin and grey. */
export function looks(marked: string[]): Map<string, Look> {
    const count = SYMBOLS.length;
    return new Map(
        marked.map((name, index) => [
            name,
            {
                colour: `series-${index % count}`,
                dash: DASHES[Math.floor(index / count) % DASHES.length] ?? 'none',
                index,
            },
        ]),
    );
}

/** The area of a mark on an interval: small, so that the interval's ends are seen on both sides. */
export const ON_INTERVAL = 24;

/** A contender's symbol, centred. */
export function mark(
    x: number,
    y: number,
    look: Look | undefined,
    title?: string,
    size = look ? 48 : 16,
): SVGElement {
    const shape = SYMBOLS[(look?.index ?? 0) % SYMBOLS.length] ?? symbolCircle;
    const attributes = {
        d: symbol(shape, size)() ?? '',
        transform: `translate(${x.toFixed(1)},${y.toFixed(1)})`,
        class: look ? `mark ${look.colour}` : 'mark other',
    };
    return svg('path', attributes, title === undefined ? null : svg('title', {}, title));
}

/** Half the height of the ends of an interval: they are seen above and below its mark. */
const CAP = 6;

/** The ends of an interval; `null` where it has none. */
export type Ends = [low: number | null, high: number | null];

/** How a line is drawn that reaches an end of the scale and not of the interval. */
export const UNBOUNDED = { 'stroke-dasharray': '3 3' };

/** The part of an interval on a scale, and whether that is all of it. */
export function within(
    [low, high]: [number, number],
    [from, to]: Ends,
): { from: number; to: number; isWhole: boolean } {
    return {
        from: Math.min(high, Math.max(low, from ?? low)),
        to: Math.max(low, Math.min(high, to ?? high)),
        isWhole: from !== null && to !== null && from >= low && to <= high,
    };
}

/** An interval in a row of a chart: with a cap at each end, or dashed if the scale has not both. */
export function whisker(
    x: (value: number) => number,
    scale: [number, number],
    ends: Ends,
    y: number,
    colour = '',
): SVGElement[] {
    const { from, to, isWhole } = within(scale, ends);
    const line = { x1: x(from), x2: x(to), y1: y, y2: y, class: `range ${colour}` };
    if (!isWhole) return [svg('line', { ...line, ...UNBOUNDED })];
    const cap = (at: number) =>
        svg('line', { x1: at, x2: at, y1: y - CAP, y2: y + CAP, class: `cap ${colour}` });
    return [svg('line', line), cap(line.x1), cap(line.x2)];
}

/** The area of a chart. */
export interface Frame {
    root: SVGSVGElement;
    left: number;
    right: number;
    top: number;
    bottom: number;
    width: number;
}

/** An empty chart. A screen reader announces its label; the table after it has the values. */
export function frame(
    label: string,
    width: number,
    height: number,
    margin: { left: number; right: number; top: number; bottom: number },
): Frame {
    const root = svg('svg', {
        ...{ width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label },
    });
    return {
        root,
        left: margin.left,
        right: width - margin.right,
        top: margin.top,
        bottom: height - margin.bottom,
        width,
    };
}

/** A scale over sizes. Size 0 has no logarithm, so it is placed to the left of all others. */
export function sizes(all: number[], from: number, to: number): (size: number) => number {
    const positive = all.filter((size) => size > 0);
    const least = Math.min(...positive, Infinity);
    if (!Number.isFinite(least)) return () => (from + to) / 2;
    const low = all.includes(0) ? least / 4 : least;
    const high = Math.max(...positive);
    if (low === high) return () => (from + to) / 2;
    const scale = scaleLog([low, high], [from, to]);
    return (size) => scale(size === 0 ? low : size);
}

/** The axis of sizes below a chart: a tick at each measured size, with a name if there is space. */
export function sizeAxis(frame: Frame, all: number[], x: (size: number) => number): SVGGElement {
    const axis = svg('g', { class: 'axis' });
    let end = -Infinity;
    for (const size of all) {
        const at = x(size);
        const name = bytes(size);
        axis.append(tick(at, frame.bottom, at, frame.bottom + 5));
        const half = name.length * 3.4;
        if (at - half < end) continue;
        end = at + half + 6;
        axis.append(
            svg('text', { x: at, y: frame.bottom + 18, 'text-anchor': 'middle' }, name),
            svg('line', { x1: at, x2: at, y1: frame.top, y2: frame.bottom, class: 'grid' }),
        );
    }
    axis.append(tick(frame.left, frame.bottom, frame.right, frame.bottom));
    return axis;
}

function tick(x1: number, y1: number, x2: number, y2: number): SVGElement {
    return svg('line', { x1, y1, x2, y2, class: 'tick' });
}

/** Round values on a logarithmic axis, denser if the axis is short. */
export function logTicks(low: number, high: number, most: number): number[] {
    // A time of zero, or beyond all numbers, has no place on it.
    if (!(low > 0 && high < Infinity)) return [];
    const span = Math.log10(high / low);
    const steps =
        span > 2.5 ? [1] : span > 1.2 ? [1, 2, 5] : span > 0.5 ? [1, 1.5, 2, 3, 4, 5, 7] : null;
    let ticks: number[] = [];
    if (steps) {
        for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) {
            ticks.push(...steps.map((step) => Number((step * 10 ** e).toPrecision(3))));
        }
    } else {
        ticks = scaleLinear([low, high], [0, 1]).ticks(most);
    }
    ticks = ticks.filter((t) => t >= low && t <= high);
    const every = Math.ceil(ticks.length / most);
    // On an axis of ratios, 1 is where two times are equal.
    const first = Math.max(0, ticks.indexOf(1)) % every;
    return ticks.filter((_, i) => i % every === first);
}

/** The vertical axis of a chart, on its left or its right. */
export function sideAxis(
    frame: Frame,
    y: ScaleLogarithmic<number, number>,
    ticks: number[],
    side: 'left' | 'right',
): SVGGElement {
    const axis = svg('g', { class: 'axis' });
    const [x, anchor] = side === 'left' ? [frame.left - 6, 'end'] : [frame.right + 6, 'start'];
    for (const value of ticks) {
        const at = y(value);
        axis.append(
            svg('line', { x1: frame.left, x2: frame.right, y1: at, y2: at, class: 'grid' }),
            svg('text', { x, y: at + 4, 'text-anchor': anchor }, `${value}`),
        );
    }
    const line = side === 'left' ? frame.left : frame.right;
    axis.append(tick(line, frame.top, line, frame.bottom));
    return axis;
}

/** The space below a chart of rows for the numbers of its axis and the words below them. */
export const AXIS = 46;

/** The horizontal axis of a chart of rows, below it. `what` names its numbers. */
export function rowAxis(
    frame: Frame,
    x: (value: number) => number,
    ticks: number[],
    what: string,
    name: (value: number) => string = String,
): SVGGElement {
    const axis = svg('g', { class: 'axis' });
    for (const value of ticks) {
        const at = x(value);
        axis.append(
            svg('line', { x1: at, x2: at, y1: frame.top, y2: frame.bottom, class: 'grid' }),
            tick(at, frame.bottom, at, frame.bottom + 5),
            svg('text', { x: at, y: frame.bottom + 18, 'text-anchor': 'middle' }, name(value)),
        );
    }
    const middle = { x: (frame.left + frame.right) / 2, 'text-anchor': 'middle' };
    axis.append(
        tick(frame.left, frame.bottom, frame.right, frame.bottom),
        svg('text', { ...middle, y: frame.bottom + 36, class: 'what' }, what),
    );
    return axis;
}

const pen = document.createElement('canvas').getContext('2d');
/** How much of each end of a long name is measured: the rest is cut. */
const END = 40;

/** The width of a letter of the widest of these names: a name of capitals is wider than most. */
export function letterWidth(names: string[]): number {
    if (!pen) return 7.3;
    const { fontFamily } = getComputedStyle(document.body);
    pen.font = `bold 12.5px ${fontFamily}`;
    const widths = names.map((name) => {
        const seen = name.length > 2 * END ? name.slice(0, END) + name.slice(-END) : name;
        // A short name fits, whatever its letters.
        return pen.measureText(seen).width / Math.max(8, seen.length);
    });
    return Math.max(5, ...widths);
}

/**
 * The space for names next to a chart, at most a share of its width, and how many letters fit.
 */
export function nameRoom(
    names: string[],
    width: number,
    share: number,
): { room: number; letters: number } {
    const letter = letterWidth(names);
    const longest = Math.max(...names.map((name) => name.length));
    const letters = Math.max(8, Math.min(longest, Math.floor((width * share - 22) / letter)));
    return { room: Math.ceil(letters * letter) + 22, letters };
}
