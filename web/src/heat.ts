// Compilers by flags, for contenders named `c/NAME@COMPILER-FLAGS`. Each field is a ratio to the
// baseline, hatched if the two are not separated. A row shows the effect of the flags.
import { copyButton, withTools } from './copy';
import { h, svg } from './dom';
import { frame, nameRoom } from './frame';
import { type Build, LEVELS, type Point, build } from './model';
import { apart, bytes, interval, ratio, short } from './text';
import { called } from './naming';
import { standalone } from './standalone';
import { type Entry, ends, table, text, verdict } from './table';
import { decides } from './trust';
import { fold } from './fold';
import { type View, about } from './view';

/** A contender of the matrix. */
type Part = Build & { point: Point };

/** A ratio of 2 or 0.5 has the full colour. */
const FULL = Math.log(2);

/** The section, or `null` if the workload has no matrix. */
export function heatSection(view: View, width: number): Node[] | null {
    const parts = view.at.flatMap((point): Part[] => {
        const found = build(view.chart.names, point.cell.contender);
        return found ? [{ ...found, point }] : [];
    });
    const distinct = (field: 'compiler' | 'level') => new Set(parts.map((part) => part[field]));
    if (distinct('compiler').size < 2 && distinct('level').size < 2) return null;
    parts.sort(order);
    const blocks = new Map<string, Part[]>();
    for (const part of parts) {
        const block = `${part.code}${part.native ? ', -march=native' : ''}`;
        blocks.set(block, [...(blocks.get(block) ?? []), part]);
    }
    return [
        h(
            'p',
            {},
            'Ratios of time to ',
            called(view.chart.names, view.baseline, 60),
            ` at ${bytes(view.work.size)}; below 1 is faster. Hatched fields are not separated from it: `,
            'their difference could be noise.',
        ),
        key(),
        h(
            'div',
            { class: 'blocks' },
            ...[...blocks].map(([name, block]) => figure(view, name, block, width)),
        ),
        fold('heat-table', `Table: compilers and flags at ${bytes(view.work.size)}`, () => [
            heatTable(view, parts),
        ]),
    ];
}

/** By implementation, without -march=native first, then in the order of the chart's lines. */
function order(a: Part, b: Part): number {
    return (
        a.code.localeCompare(b.code, 'en', { numeric: true }) ||
        Number(a.native) - Number(b.native) ||
        a.compiler.localeCompare(b.compiler, 'en', { numeric: true }) ||
        LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level)
    );
}

function key(): HTMLElement {
    const swatch = (kind: string, strength: number) => {
        const box = { width: 22, height: 12 };
        return svg(
            'svg',
            { ...box, 'aria-hidden': 'true' },
            svg('rect', { ...box, class: `heat ${kind}`, 'fill-opacity': strength }),
            kind === 'tied' ? hatch(box.width, box.height) : null,
        );
    };
    return h(
        'p',
        { class: 'key' },
        h('span', {}, swatch('faster', 0.5), 'faster'),
        h('span', {}, swatch('slower', 0.5), 'slower'),
        h('span', {}, swatch('tied', 0), 'not separated'),
        h('span', {}, 'the deeper the colour, the further from 1; full at a factor of 2'),
    );
}

/** Diagonal lines as one path: a pattern would need an id in the document. */
function hatch(width: number, height: number): SVGElement {
    const lines: string[] = [];
    for (let at = -height + 4; at < width; at += 6) {
        const [x1, x2] = [Math.max(0, at), Math.min(width, at + height)];
        lines.push(`M${x1},${height - (x1 - at)}L${x2},${height - (x2 - at)}`);
    }
    return svg('path', { d: lines.join(''), class: 'hatch' });
}

function figure(view: View, name: string, parts: Part[], width: number): HTMLElement {
    const levels = LEVELS.filter((level) => parts.some((part) => part.level === level));
    const compilers = [...new Set(parts.map((part) => part.compiler))];
    const narrow = width <= 640;
    const { room: left, letters } = nameRoom(compilers, width, narrow ? 0.22 : 0.2);
    // Two maps side by side if possible: with and without the processor's own flags.
    const wide = Math.min(58, Math.floor((width - left - 4) / LEVELS.length));
    const [high, top] = [30, 24];
    const f = frame(
        `${short(name)}: ratio to ${short(view.baseline)} by compiler and flags`,
        left + levels.length * wide + 2,
        top + compilers.length * high + 4,
        { left, right: 2, top, bottom: 4 },
    );
    levels.forEach((level, column) => {
        const x = left + (column + 0.5) * wide;
        const position = { x, y: top - 8, 'text-anchor': 'middle', class: 'axis' };
        f.root.append(svg('text', position, `-${level}`));
    });
    const names = apart(compilers, letters);
    compilers.forEach((compiler, line) => {
        const y = top + (line + 0.5) * high + 4;
        const position = { x: left - 8, y, 'text-anchor': 'end', class: 'axis' };
        f.root.append(
            svg('text', position, names.get(compiler) ?? '', svg('title', {}, short(compiler))),
        );
    });
    for (const part of parts) {
        const column = levels.indexOf(part.level);
        const line = compilers.indexOf(part.compiler);
        const at = `translate(${left + column * wide + 1},${top + line * high + 1})`;
        const shown = field(part.point, decides(view.work), wide - 2, high - 2);
        f.root.append(svg('g', { transform: at }, ...shown));
    }
    return h(
        'figure',
        {},
        h('figcaption', {}, text(name, 60)),
        withTools(
            f.root,
            copyButton('Copy SVG', () => standalone(f.root, about(view))),
        ),
    );
}

/** A field of the map. Without verdicts it has no colour, however far it is from 1. */
function field(point: Point, decided: boolean, width: number, height: number): Node[] {
    const { cell, ratio: found } = point;
    const compared = ['faster', 'slower', 'not separated'].includes(point.verdict ?? '');
    const word = decided || !compared ? point.verdict : 'not separated';
    const estimate = found?.[0] ?? null;
    const strength =
        estimate === null ? 0 : Math.min(1, Math.abs(Math.log(estimate)) / FULL) * 0.42 + 0.08;
    const kind = word === 'faster' || word === 'slower' ? word : 'tied';
    const said =
        word === 'baseline'
            ? 'base'
            : estimate !== null
              ? ratio(estimate)
              : word === 'failed'
                ? '✕'
                : '–';
    const ends = found ? `: ${said}, ${interval(found[1], found[2])}` : '';
    return [
        svg('title', {}, `${short(cell.contender, 80)}: ${word ?? 'not measured'}${ends}`),
        svg('rect', {
            ...{ width, height, rx: 2 },
            class: `heat ${kind}${word === 'baseline' ? ' own' : ''}`,
            'fill-opacity': kind === 'tied' ? 0 : strength.toFixed(2),
        }),
        word === 'not separated' ? hatch(width, height) : null,
        svg(
            'text',
            {
                x: width / 2,
                y: height / 2 + 4,
                'text-anchor': 'middle',
                class: `heat-word ${kind}`,
            },
            said,
        ),
    ].filter((node) => node !== null);
}

function heatTable(view: View, parts: Part[]): Node {
    const columns = [
        { name: 'code' },
        { name: 'compiler' },
        { name: 'flags' },
        { name: 'ratio', number: true },
        { name: 'interval', number: true },
        { name: 'verdict' },
        { name: 'why' },
    ];
    const rows = parts.map(({ code, compiler, level, native, point }): Entry[] => {
        const { ratio: found, cell } = point;
        return [
            text(code, 60),
            text(compiler, 40),
            h('span', { class: 'whole' }, `-${level}${native ? ' -march=native' : ''}`),
            found?.[0] == null ? null : [found[0], ratio(found[0])],
            found ? ends(found[1], found[2], ratio) : null,
            verdict(point.verdict),
            cell.reason === null ? null : text(cell.reason),
        ];
    });
    return table(`Compilers and flags at ${bytes(view.work.size)}`, columns, rows);
}
