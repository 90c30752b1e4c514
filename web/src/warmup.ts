// Warm-up at one size: from the first call in a fresh process to the time per call when warm. Both
// are results: a program that starts a process for each message pays the first.
import { scaleLog } from 'd3-scale';
import { copyButton, withTools } from './copy';
import { h, svg } from './dom';
import { AXIS, frame, logTicks, mark, nameRoom, rowAxis } from './frame';
import { ranked } from './model';
import { called, tags, titled } from './naming';
import { standalone } from './standalone';
import { bytes, roundTime, time } from './text';
import { type Entry, table, text } from './table';
import { type View, about } from './view';

/** The most rows of a chart; the table has all. */
const MAX_ROWS = 10;

interface Row {
    name: string;
    row: number;
    first: number[];
    end: number[];
    elapsed: number[];
    unsettled: number;
    levels: number[];
    recompiled: number;
    speeds: string;
    steady: number | null;
}

export function warmUpSection(view: View, width: number): Node[] {
    const all = rows(view);
    const drawn = all.filter((r, i) => i < MAX_ROWS || view.looks.has(r.name));
    const drawing = drawn.length > 0 ? chart(view, width, drawn) : null;
    return [
        h(
            'p',
            {},
            'Bars are first calls, one for each fork; the symbol is the median time per call when warm. ' +
                'The process may have served other sizes before.',
        ),
        drawing
            ? withTools(
                  drawing,
                  copyButton('Copy SVG', () => standalone(drawing, about(view))),
              )
            : h('p', { class: 'note' }, 'Nothing was measured.'),
        drawn.length < all.length
            ? h(
                  'p',
                  { class: 'note' },
                  `${drawn.length} of ${all.length} are drawn; mark others to see them.`,
              )
            : null,
        warmUpTable(view, all),
    ].filter((node) => node !== null);
}

function rows(view: View): Row[] {
    return view.at
        .filter((p) => ranked(p.cell))
        .map(({ cell, row }) => {
            const forks = view.work.comparison.warm_ups[row] ?? [];
            return {
                name: cell.contender,
                row,
                first: forks.map((f) => f[1]),
                end: forks.map((f) => f[2]),
                elapsed: forks.map((f) => f[3]),
                unsettled: forks.filter((f) => !f[4]).length,
                levels: forks.flatMap((f) => f[5] ?? []),
                recompiled: forks.reduce((sum, f) => sum + f[6], 0),
                speeds: speeds(cell.levels),
                steady: cell.ns_median,
            };
        });
}

function chart(view: View, width: number, drawn: Row[]): SVGSVGElement {
    const narrow = width <= 640;
    const row = narrow ? 30 : 22;
    const label = `First call and steady time per call at ${bytes(view.work.size)}`;
    const { room, letters } = nameRoom(
        drawn.map((r) => r.name),
        width,
        0.36,
    );
    const margin = { left: narrow ? 12 : room, right: 24, top: 10, bottom: AXIS };
    const f = frame(label, width, drawn.length * row + 12 + AXIS, margin);
    const values = drawn.flatMap((r) => [...r.first, r.steady ?? []].flat()).filter((v) => v > 0);
    const low = Math.min(...values) / 1.3;
    const high = Math.max(...values) * 1.3;
    const x = scaleLog([low, high], [f.left, f.right]);
    const ticks = logTicks(low, high, narrow ? 4 : 8);
    f.root.append(rowAxis(f, x, ticks, 'time per call, logarithmic scale', roundTime));
    const tag = tags(
        view.chart.names,
        drawn.map((r) => r.name),
        narrow ? 42 : letters,
    );
    drawn.forEach((r, i) => {
        const at = f.top + row * (i + 0.5) + (narrow ? 6 : 0);
        const look = view.looks.get(r.name);
        const colour = look?.colour ?? 'plain';
        const position = narrow
            ? { x: f.left, y: at - 9 }
            : { x: f.left - 10, y: at + 4, 'text-anchor': 'end' };
        const style = { class: `label ${look ? colour : ''}` };
        f.root.append(svg('text', { ...position, ...style }, ...tag(r.name)));
        const first = r.first.filter((v) => v > 0);
        if (r.steady !== null && first.length > 0) {
            const ends = { x1: x(r.steady), x2: x(median(first)), y1: at, y2: at };
            f.root.append(svg('line', { ...ends, class: `warming ${colour}` }));
        }
        for (const v of first) {
            const [y1, y2] = [at - 6, at + 6];
            f.root.append(svg('line', { x1: x(v), x2: x(v), y1, y2, class: `first ${colour}` }));
        }
        if (r.steady !== null) {
            const title = `${titled(view.chart.names, r.name, 200)}: ${time(r.steady)}`;
            f.root.append(
                mark(x(r.steady), at, look ?? { colour: 'plain', dash: '', index: 0 }, title),
            );
        }
    });
    return f.root;
}

function warmUpTable(view: View, all: Row[]): Node {
    const columns = [
        { name: 'contender' },
        { name: 'first call', number: true },
        { name: 'slowest first call', number: true },
        { name: 'end of warm-up', number: true },
        { name: 'steady', number: true },
        { name: 'warm-up took', number: true },
        { name: 'did not settle', number: true },
        { name: 'code level', number: true },
        { name: 'compiled again', number: true },
        { name: 'levels of its processes' },
    ];
    const entry = (ns: number | null): Entry => (ns === null ? null : [ns, time(ns)]);
    const rows = all.map((r): Entry[] => [
        called(view.chart.names, r.name),
        entry(view.work.cells[r.row]?.first_call_ns ?? null),
        entry(r.first.length > 0 ? Math.max(...r.first) : null),
        entry(r.end.length > 0 ? median(r.end) : null),
        entry(r.steady),
        entry(r.elapsed.length > 0 ? median(r.elapsed) : null),
        [r.unsettled, `${r.unsettled} of ${r.first.length}`],
        r.levels.length > 0 ? [Math.min(...r.levels), codeLevels(r.levels)] : null,
        r.levels.length > 0 ? [r.recompiled, String(r.recompiled)] : null,
        text(r.speeds),
    ]);
    const caption = `Warm-up at ${bytes(view.work.size)}: medians over forks`;
    return table(caption, columns, rows);
}

/** The levels of its loop's code over the forks: one number if they all agree. */
function codeLevels(levels: number[]): string {
    const [least, most] = [Math.min(...levels), Math.max(...levels)];
    return least === most ? String(least) : `${least} to ${most}`;
}

/** The speeds of a program's processes, in words, if there are several. */
function speeds(levels: string): string {
    return levels
        .split(' ')
        .filter((level) => level !== '')
        .map((level) => {
            const [ns, forks] = level.split(':');
            return `${time(Number(ns))} in ${forks}`;
        })
        .join(', ');
}

function median(values: number[]): number {
    const sorted = [...values].sort((a, b) => a - b);
    const half = sorted.length >> 1;
    const upper = sorted[half] ?? NaN;
    return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? NaN) + upper) / 2;
}
