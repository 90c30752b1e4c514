// The share of their speed per processor that contenders keep on several threads: a chart with
// intervals, and the same as a table.
import { scaleLinear } from 'd3-scale';
import type { Scaled } from './data';
import { h, svg } from './dom';
import { AXIS, type Ends, ON_INTERVAL, PLAIN, frame, mark, rowAxis, whisker } from './frame';
import { type Entry, table, text } from './table';
import { plain, short, time } from './text';

/** The most rows of a chart; the table has all. */
const MAX_ROWS = 40;

export function threadsSection(all: Scaled[], notes: string[], width: number): Node[] {
    const drawn = all.slice(0, MAX_ROWS);
    return [
        chart(drawn, width),
        drawn.length < all.length
            ? h('p', { class: 'note' }, `${drawn.length} of ${all.length} are drawn.`)
            : null,
        scaledTable(all),
        ...notes.map((note) => h('p', { class: 'note' }, text(note, 300))),
    ].filter((node) => node !== null);
}

/** On the most threads: the contender that keeps the most, and the one that keeps the least. */
export function threadsHeadline(all: Scaled[]): string {
    const most = Math.max(...all.map((one) => one.threads));
    const kept = all
        .filter((one) => one.threads === most)
        .sort((a, b) => b.efficiency - a.efficiency);
    const said = (one: Scaled | undefined) =>
        one ? `${plain(one.contender)} keeps ${percent(one.efficiency)}` : '';
    const ends = kept.length > 1 ? [kept[0], kept[kept.length - 1]] : kept;
    return `On ${most} threads ${ends.map(said).join('; ')}`;
}

function percent(share: number): string {
    return `${(100 * share).toFixed(1)} %`;
}

function chart(all: Scaled[], width: number): SVGElement {
    const row = 34;
    const f = frame('Speed per processor that is kept', width, all.length * row + 12 + AXIS, {
        ...{ left: 12, right: 30, top: 6, bottom: AXIS },
    });
    const ends = all.map((one) => one.efficiency_high ?? one.efficiency);
    const high = Math.min(Math.max(1.05, ...ends), 2);
    const x = scaleLinear([0, high], [f.left, f.right]).clamp(true);
    f.root.append(
        rowAxis(
            f,
            x,
            x.ticks(width <= 640 ? 4 : 8),
            'of the speed on one thread, for each processor',
            (share) => `${Math.round(100 * share)} %`,
        ),
    );
    f.root.append(svg('line', { x1: x(1), x2: x(1), y1: f.top, y2: f.bottom, class: 'one' }));
    all.forEach((one, i) => {
        const at = f.top + row * (i + 0.5) + 8;
        const name = short(plain(one.contender), Math.floor(width / 9) - 12);
        const said = `${name} on ${one.threads} threads`;
        f.root.append(svg('text', { x: f.left, y: at - 9, class: 'label plain' }, said));
        const ends: Ends = [one.efficiency_low, one.efficiency_high];
        const title = `${said}: ${percent(one.efficiency)}`;
        f.root.append(...whisker(x, [0, high], ends, at, 'other'));
        f.root.append(mark(x(one.efficiency), at, PLAIN, title, ON_INTERVAL));
    });
    return f.root;
}

function scaledTable(all: Scaled[]): Node {
    const columns = [
        { name: 'contender' },
        { name: 'threads', number: true },
        { name: 'per call', number: true, unit: 'ns' },
        { name: 'keeps', number: true },
        { name: 'interval' },
        { name: 'of best', number: true },
        { name: 'interval' },
        { name: 'verdict' },
    ];
    const rows = all.map((one): Entry[] => [
        text(one.contender, 100),
        [one.threads, String(one.threads)],
        [one.ns_per_call, time(one.ns_per_call)],
        [one.efficiency, percent(one.efficiency)],
        interval(one.efficiency_low, one.efficiency_high),
        one.of_best === null ? text('-') : [one.of_best, percent(one.of_best)],
        one.of_best === null ? text('-') : interval(one.of_best_low ?? 0, one.of_best_high),
        text(one.verdict),
    ]);
    return table('What is kept of the speed per processor', columns, rows);
}

function interval(low: number, high: number | null): Entry {
    return high === null
        ? text('too few rounds')
        : h('span', { class: 'whole' }, `${percent(low)} .. ${percent(high)}`);
}
