// Every round at one size: the log-ratio of a contender to the baseline, in the order of
// measurement. Rounds in which either was disturbed are hollow and do not count.
import { scaleLinear } from 'd3-scale';
import { copyButton, withTools } from './copy';
import { h, svg } from './dom';
import { frame, nameRoom } from './frame';
import { slices } from './model';
import { called, tags } from './naming';
import { standalone } from './standalone';
import { bytes, digits, ratio, short } from './text';
import { type Entry, table, text } from './table';
import { type View, about } from './view';

/** The most strips of a chart. */
const MAX_STRIPS = 16;

interface Strip {
    name: string;
    /** The position in the raw slices. */
    row: number;
    /** The rounds with both it and the baseline. */
    values: { round: number; ln: number; counts: boolean }[];
}

export function roundSection(view: View, width: number): Node[] {
    const all = strips(view);
    const drawn = all.filter((s, i) => i < MAX_STRIPS || view.looks.has(s.name));
    const { every } = view.work.comparison.slices;
    const drawing = drawn.length > 0 ? chart(view, width, drawn) : null;
    return [
        h(
            'p',
            {},
            'Each dot is a round: how much longer or shorter this contender took at that moment than ',
            text(view.baseline, 60),
            '. Hollow dots are rounds that a neighbour disturbed; they count for neither side. ' +
                'An interval is wide if a level moves or if forks differ. Each strip has its own scale; ' +
                'values beyond it are drawn at its edge.',
        ),
        every > 1
            ? h(
                  'p',
                  { class: 'note' },
                  `Thinned: one of every ${every} rounds is drawn. All figures use all rounds.`,
              )
            : null,
        drawing &&
            withTools(
                drawing,
                copyButton('Copy SVG', () => standalone(drawing, about(view))),
            ),
        drawn.length < all.length
            ? h(
                  'p',
                  { class: 'note' },
                  `${drawn.length} of ${all.length} are drawn; mark others to see them.`,
              )
            : null,
        roundTable(view, all),
    ].filter((node) => node !== null);
}

/** The marked contenders, then the others by rank, and the control. */
function strips(view: View): Strip[] {
    const { work } = view;
    const { baseline } = work.comparison;
    const base = work.cells.findIndex((cell) => cell.contender === view.state.baseline);
    const against = slices(work, view.state.baseline === null ? (baseline ?? -1) : base);
    if (against.length === 0) return [];
    const at = new Map(against.map((slice) => [slice.round, slice]));
    const values = (row: number) =>
        slices(work, row).flatMap(({ round, ns, counts }) => {
            const other = at.get(round);
            if (!other) return [];
            return [{ round, ln: Math.log(ns / other.ns), counts: counts && other.counts }];
        });
    const rank = (name: string) => view.looks.get(name)?.index ?? Infinity;
    const found = view.at
        .filter((p) => p.ratio !== null)
        .map((p) => ({ name: p.cell.contender, row: p.row, values: values(p.row) }))
        .sort((a, b) => (rank(a.name) === rank(b.name) ? 0 : rank(a.name) - rank(b.name)));
    if (view.state.baseline === null && baseline !== null) {
        const row = view.work.cells.length;
        found.unshift({ name: 'control', row, values: values(row) });
    }
    return found;
}

function chart(view: View, width: number, drawn: Strip[]): SVGSVGElement {
    const narrow = width <= 640;
    const height = narrow ? 62 : 46;
    const { room, letters } = nameRoom(
        drawn.map((strip) => strip.name),
        width,
        0.36,
    );
    const left = narrow ? 8 : room;
    const { fork } = view.work.comparison.slices;
    const label = `Log-ratio of each round to ${short(view.baseline)} at ${bytes(view.work.size)}`;
    const margin = { left, right: 58, top: 20, bottom: 8 };
    const f = frame(label, width, drawn.length * height + 28, margin);
    const x = scaleLinear([-0.5, Math.max(1, fork.length) - 0.5], [f.left, f.right]);
    fork.forEach((number, round) => {
        if (round > 0 && fork[round - 1] === number) return;
        const at = x(round - 0.5);
        f.root.append(svg('line', { x1: at, x2: at, y1: f.top - 4, y2: f.bottom, class: 'grid' }));
        const next = fork.findIndex((other, i) => i > round && other !== number);
        if (x((next < 0 ? fork.length : next) - 0.5) - at < 34) return;
        f.root.append(svg('text', { x: at + 4, y: 13, class: 'axis' }, `fork ${number + 1}`));
    });
    const solid = fork.length > 1000 ? 1.1 : 1.7;
    const tag = tags(
        view.chart.names,
        drawn.map((strip) => strip.name),
        narrow ? 42 : letters,
    );
    drawn.forEach((strip, i) => {
        const look = view.looks.get(strip.name);
        const colour = look?.colour ?? 'plain';
        const top = f.top + i * height + (narrow ? 16 : 3);
        const bottom = f.top + (i + 1) * height - 5;
        // Each strip has its own scale about its own middle, because its movement matters.
        const known = strip.values.flatMap((v) => (v.counts ? [v.ln] : [])).sort((a, b) => a - b);
        const centre = known[known.length >> 1] ?? 0;
        const far = Math.max(
            0.03,
            ...[0.02, 0.98].map((q) =>
                Math.abs((known[Math.floor(q * (known.length - 1))] ?? 0) - centre),
            ),
        );
        const y = scaleLinear([centre - far * 1.25, centre + far * 1.25], [bottom, top]).clamp(
            true,
        );
        const position = narrow
            ? { x: f.left, y: top - 4 }
            : { x: f.left - 10, y: (top + bottom) / 2 + 4, 'text-anchor': 'end' };
        f.root.append(
            svg('rect', {
                x: f.left,
                y: top,
                width: f.right - f.left,
                height: bottom - top,
                class: 'strip',
            }),
            svg('line', { x1: f.left, x2: f.right, y1: y(centre), y2: y(centre), class: 'middle' }),
            svg('text', { ...position, class: `label ${look ? colour : ''}` }, ...tag(strip.name)),
            svg(
                'text',
                { x: f.right + 6, y: top + 8, class: 'axis small' },
                ratio(Math.exp(centre + far * 1.25)),
            ),
            svg(
                'text',
                { x: f.right + 6, y: bottom, class: 'axis small' },
                ratio(Math.exp(centre - far * 1.25)),
            ),
        );
        const dots = (counts: boolean) =>
            strip.values
                .map((v) =>
                    v.counts === counts ? dot(x(v.round), y(v.ln), counts ? solid : 2.4) : '',
                )
                .join('');
        f.root.append(svg('path', { d: dots(true), class: `dots ${colour}` }));
        f.root.append(svg('path', { d: dots(false), class: `dots hollow ${colour}` }));
    });
    return f.root;
}

/** A circle as part of a path, so that a strip is one element, however many rounds it has. */
function dot(x: number, y: number, r: number): string {
    return `M${(x - r).toFixed(1)},${y.toFixed(1)}a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0`;
}

function roundTable(view: View, all: Strip[]): Node {
    const columns = [
        { name: 'contender' },
        { name: 'rounds that count', number: true },
        { name: 'dropped', number: true },
        { name: 'forks', number: true },
        { name: 'middle half of the rounds' },
        { name: 'steadiness of the forks' },
    ];
    const own = view.state.baseline === null;
    const rows = all.map((strip): Entry[] => {
        const cell = view.work.cells[strip.row];
        const known = strip.values.flatMap((v) => (v.counts ? [v.ln] : [])).sort((a, b) => a - b);
        const dropped = strip.values.filter((v) => !v.counts).length;
        const at = (q: number) => ratio(Math.exp(known[Math.floor(q * (known.length - 1))] ?? 0));
        const { fork } = view.work.comparison.slices;
        const forks = new Set(strip.values.flatMap((v) => (v.counts ? [fork[v.round]] : [])));
        // For the run's own baseline the tool's counts, for another the dots' counts.
        const count = own && cell ? cell.rounds : known.length;
        const lost = own && cell ? cell.dropped : dropped;
        return [
            called(view.chart.names, strip.name),
            [count, `${count}`],
            [lost, `${lost}`],
            [forks.size, `${forks.size}`],
            known.length > 0 ? `${at(0.25)} .. ${at(0.75)}` : null,
            cell ? h('span', { class: 'whole' }, steadiness(cell.steadiness)) : null,
        ];
    });
    return table(`Rounds at ${bytes(view.work.size)}`, columns, rows);
}

/** Turns `flat flat slowing` into `2 flat, 1 slowing`. */
function steadiness(words: string): string {
    const counts = new Map<string, number>();
    for (const word of words.split(' ').filter(Boolean))
        counts.set(word, (counts.get(word) ?? 0) + 1);
    return [...counts]
        .map(([word, count]) => `${digits(count).replace(/\.0+$/, '')} ${word}`)
        .join(', ');
}
