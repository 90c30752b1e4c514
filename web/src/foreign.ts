// Results of other programs, drawn apart, because they were measured in sequence and without a
// control. They are not compared with contenders of the run, nor ranked.
import { scaleLog } from 'd3-scale';
import type { Foreign } from './data';
import { h, svg } from './dom';
import { AXIS, ON_INTERVAL, PLAIN, frame, logTicks, mark, rowAxis, whisker } from './frame';
import { bytes, roundTime, short, time } from './text';
import { type Entry, table, text } from './table';

/** The most rows of a chart; the table has all. */
const MAX_ROWS = 40;

export function foreignSection(all: Foreign[], width: number): Node[] {
    const drawn = all.filter((one) => one.ns !== null).slice(0, MAX_ROWS);
    return [
        h(
            'p',
            { class: 'note' },
            'Imported from other benchmarking programs, which measure in sequence and without a ' +
                'control. They decide no claim and are part of no comparison. They are in the order of the files.',
        ),
        drawn.length > 0 ? chart(drawn, width) : null,
        drawn.length < all.length
            ? h('p', { class: 'note' }, `${drawn.length} of ${all.length} are drawn.`)
            : null,
        foreignTable(all),
    ].filter((node) => node !== null);
}

function name(one: Foreign): string {
    return one.parameters === '' ? one.name : `${one.name} (${one.parameters})`;
}

function chart(all: Foreign[], width: number): SVGElement {
    const row = 34;
    const f = frame('Time per call in other programs', width, all.length * row + 12 + AXIS, {
        ...{ left: 12, right: 30, top: 6, bottom: AXIS },
    });
    const values = all.flatMap((one) =>
        [one.ns, one.low, one.high].flatMap((ns) => (ns !== null && ns > 0 ? [ns] : [])),
    );
    const [low, high] = [Math.min(...values) / 1.3, Math.max(...values) * 1.3];
    const x = scaleLog([low, high], [f.left, f.right]);
    const ticks = logTicks(low, high, width <= 640 ? 4 : 9);
    f.root.append(rowAxis(f, x, ticks, 'time per call, logarithmic scale', roundTime));
    all.forEach((one, i) => {
        const at = f.top + row * (i + 0.5) + 8;
        const said = `${one.tool}: ${short(name(one), Math.floor(width / 9) - one.tool.length)}`;
        f.root.append(svg('text', { x: f.left, y: at - 9, class: 'label plain' }, said));
        if (one.low !== null || one.high !== null) {
            f.root.append(...whisker(x, [low, high], [one.low, one.high], at, 'other'));
        }
        if (one.ns !== null && one.ns > 0) {
            f.root.append(mark(x(one.ns), at, PLAIN, said, ON_INTERVAL));
        }
    });
    return f.root;
}

function foreignTable(all: Foreign[]): Node {
    const columns = [
        { name: 'benchmark' },
        { name: 'program' },
        { name: 'per call', number: true },
        { name: 'interval as reported' },
        { name: 'statistic' },
        { name: 'samples', number: true },
        { name: 'bytes', number: true },
        { name: 'file' },
        { name: 'machine' },
    ];
    const rows = all.map((one): Entry[] => [
        text(name(one), 100),
        text(`${one.tool} ${one.version}`),
        one.ns === null ? text(`failed: ${one.error ?? ''}`) : [one.ns, time(one.ns)],
        one.low === null || one.high === null
            ? null
            : h('span', { class: 'whole' }, `${time(one.low)} .. ${time(one.high)}`),
        text(one.statistic),
        [one.samples, String(one.samples)],
        one.bytes === null ? null : [one.bytes, bytes(one.bytes)],
        text(one.name_of_file, 60),
        text(one.machine, 80),
    ]);
    return table('Results of other programs', columns, rows);
}
