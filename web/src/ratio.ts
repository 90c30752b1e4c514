// The time of each contender divided by the baseline's, over the sizes: intervals as bands, the tie
// zone, and the range that too few forks leave open.
import { h } from './dom';
import { copyButton, withTools } from './copy';
import { fold } from './fold';
import * as key from './key';
import { called, titled } from './naming';
import { ratioChart } from './ratiochart';
import { standalone } from './standalone';
import { type Entry, ends, table, verdict } from './table';
import { bytes, digits, interval, ratio, short, time } from './text';
import { decides } from './trust';
import { type View, about, curves } from './view';

/** `mark` marks a contender, or no longer. */
export function ratioSection(view: View, width: number, mark: (name: string) => void): Node[] {
    const { names } = view.chart;
    const invite =
        'Point at a line to read it. Click it to mark it with a colour and its intervals.';
    const reads = h('p', { class: 'reading' }, invite);
    const { root, unnamed } = ratioChart(
        view,
        width,
        (found) => {
            if (!found) {
                reads.replaceChildren(invite);
                return;
            }
            const { size, point } = found.of;
            const r = point.ratio;
            const said = r?.[0] == null ? '' : `${ratio(r[0])} [${interval(r[1], r[2])}]`;
            const name = h('strong', {}, titled(names, found.line.name, 80));
            reads.replaceChildren(name, ` at ${bytes(size)}: ${said}, ${point.verdict ?? ''}`);
        },
        mark,
    );
    return [
        open(view),
        h(
            'p',
            { class: 'fine' },
            'Time per call divided by that of ',
            called(names, view.baseline, 60),
            ', measured in the same rounds: below 1 is faster. Bands are intervals.',
        ),
        key.key(...key.zones(view.data.document.options.tie_zone, lowest(view) > 0)),
        reads,
        withTools(
            root,
            copyButton('Copy SVG', () => standalone(root, about(view))),
        ),
        unnamed > 0
            ? h('p', { class: 'note' }, `${unnamed} lines have no space for their names.`)
            : null,
        fold('ratio-table', 'Table: every contender at every size', () => [ratioTable(view)]),
    ].filter((node) => node !== null);
}

/** The warning about sizes without verdicts, however far the lines are from 1. */
function open(view: View): Node | null {
    const sizes = view.chart.works.filter((work) => !decides(work)).map((work) => bytes(work.size));
    if (sizes.length === 0) return null;
    return h(
        'p',
        { class: 'warning' },
        `✕ No verdicts at ${sizes.join(', ')}: see the control there.`,
    );
}

function lowest(view: View): number {
    return Math.max(...view.chart.works.map((work) => work.cells[0]?.floor ?? 1));
}

function ratioTable(view: View): Node {
    const columns = [
        { name: 'contender' },
        { name: 'size', number: true, unit: 'bytes' },
        { name: 'per call', number: true, unit: 'ns' },
        { name: 'GB/s', number: true },
        { name: 'ratio', number: true },
        { name: 'interval', number: true },
        { name: 'verdict' },
    ];
    const rows = [...curves(view)].flatMap(([name, curve]) =>
        curve.map(({ size, point: { cell, ratio: r, verdict: word } }): Entry[] => [
            called(view.chart.names, name),
            [size, bytes(size)],
            cell.ns_median === null ? null : [cell.ns_median, time(cell.ns_median)],
            cell.gb_per_s === null ? null : [cell.gb_per_s, digits(cell.gb_per_s)],
            r?.[0] == null ? null : [r[0], ratio(r[0])],
            r ? ends(r[1], r[2], ratio) : null,
            verdict(word),
        ]),
    );
    const to = short(view.baseline);
    return table(`Every contender at every size, compared with ${to}`, columns, rows);
}
