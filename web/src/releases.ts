// A history: the time of each release divided by the oldest's, and the steps between neighbours. A
// run is one if it was asked whether each release is as fast as the one before it.
import { scaleLog } from 'd3-scale';
import type { Cell, Claims } from './data';
import { h, svg } from './dom';
import {
    AXIS,
    type Ends,
    ON_INTERVAL,
    PLAIN,
    frame,
    logTicks,
    mark,
    rowAxis,
    whisker,
} from './frame';
import type { Names, Work } from './model';
import { type Entry, table, text } from './table';
import { bytes, interval, plain, ratio, short, time } from './text';

/** A release and how it compares with the one before it. */
interface Release {
    name: string;
    cell: Cell;
    /** `null` for the oldest. */
    step: Step | null;
}

interface Step {
    /** The decision; `open` if there is none. */
    change: 'slower' | 'faster' | 'same' | 'open';
    ratio: number | null;
    low: number | null;
    high: number | null;
}

/** The releases of a workload, the oldest first; none if the run is not a history. */
export function releases(claims: Claims | null | undefined, work: Work, names: Names): Release[] {
    const chain = neighbours(claims, names);
    const cellOf = (name: string) => work.cells.find((cell) => cell.contender === name);
    return chain.flatMap(({ name, claim }): Release[] => {
        const cell = cellOf(name);
        if (!cell) return [];
        const at = claim?.sizes.find(({ size }) => size === work.size);
        return [{ name, cell, step: claim ? stepOf(at) : null }];
    });
}

type Claim = Claims['claims'][number];

/** The claims of a history begin with those about neighbours, in the order of the releases. */
function neighbours(claims: Claims | null | undefined, names: Names) {
    const chain: { name: string; claim: Claim | null }[] = [];
    for (const claim of claims?.claims ?? []) {
        const [a, b] = [names.get(claim.a), names.get(claim.b)];
        const last = chain.at(-1)?.name ?? claim.b;
        if (claim.is !== 'equal' || claim.b !== last || a?.code !== b?.code || !b?.toolchain) break;
        if (chain.length === 0) chain.push({ name: claim.b, claim: null });
        chain.push({ name: claim.a, claim });
    }
    return chain;
}

function stepOf(at: Claim['sizes'][number] | undefined): Step {
    const { ratio = null, ratio_low: low = null, ratio_high: high = null } = at ?? {};
    const refuted = ratio !== null && ratio > 1 ? 'slower' : 'faster';
    const change = at?.verdict === 'held' ? 'same' : at?.verdict === 'refuted' ? refuted : 'open';
    return { change, ratio, low, high };
}

/** The steps in words. */
export function releasesHeadline(all: Release[], size: number, names: Names): string {
    const steps = all.filter(({ step }) => step?.change === 'slower' || step?.change === 'faster');
    const said = steps.map(({ name, step }) => `${label(names, name)} is ${step?.change ?? ''}`);
    return `${bytes(size)}: ${said.length > 0 ? said.join('; ') : 'no step'}`;
}

export function releasesSection(all: Release[], names: Names, width: number): Node[] {
    return [chart(all, names, width), releaseTable(all, names)];
}

/** A release without the part that all have in common. */
function label(names: Names, name: string): string {
    return short(plain(names.get(name)?.toolchain ?? name), 24);
}

/** The ratio of a cell and the ends of its interval, as far as it has them. */
function known({ ratio, ratio_low: low, ratio_high: high }: Cell): number[] {
    return ratio === null ? [] : [ratio, low, high].flatMap((value) => value ?? []);
}

function chart(all: Release[], names: Names, width: number): SVGElement {
    const row = 34;
    const f = frame(
        'Times of the releases, divided by that of the oldest',
        width,
        all.length * row + 12 + AXIS,
        {
            ...{ left: 12, right: 30, top: 6, bottom: AXIS },
        },
    );
    const values = all.slice(1).flatMap(({ cell }) => known(cell));
    const [low, high] = [
        Math.max(1e-3, Math.min(0.95, ...values) * 0.98),
        Math.max(1.05, ...values) * 1.02,
    ];
    const x = scaleLog([low, high], [f.left, f.right]).clamp(true);
    const what = 'times as long as the oldest, logarithmic scale';
    f.root.append(rowAxis(f, x, logTicks(low, high, width <= 640 ? 4 : 8), what));
    f.root.append(svg('line', { x1: x(1), x2: x(1), y1: f.top, y2: f.bottom, class: 'one' }));
    all.forEach((release, i) => {
        const { cell } = release;
        const at = f.top + row * (i + 0.5) + 8;
        const change = release.step?.change ?? '';
        const said = `${label(names, release.name)}${change === '' || change === 'same' ? '' : `: ${change}`}`;
        const name = svg('text', { x: f.left, y: at - 9, class: `label plain ${change}` }, said);
        f.root.append(name);
        // The oldest is what the others are divided by, and has no interval.
        const middle = i === 0 ? 1 : cell.ratio;
        if (middle === null) return;
        if (i > 0) {
            const ends: Ends = [cell.ratio_low, cell.ratio_high];
            f.root.append(...whisker(x, [low, high], ends, at, 'other'));
        }
        f.root.append(mark(x(middle), at, PLAIN, `${said}, ${ratio(middle)}`, ON_INTERVAL));
    });
    return f.root;
}

function releaseTable(all: Release[], names: Names): Node {
    const oldest = all[0] ? label(names, all[0].name) : '';
    const columns = [
        { name: 'release' },
        { name: 'per call', number: true, unit: 'ns' },
        { name: `times ${oldest}`, number: true },
        { name: 'interval' },
        { name: 'step' },
        { name: 'to the one before', number: true },
        { name: 'interval' },
    ];
    const rows = all.map(({ name, cell, step }, i): Entry[] => [
        text(label(names, name)),
        cell.ns_median === null ? text('-') : [cell.ns_median, time(cell.ns_median)],
        i === 0 ? [1, '1'] : cell.ratio === null ? text('-') : [cell.ratio, ratio(cell.ratio)],
        i === 0 || cell.ratio === null ? text('') : text(interval(cell.ratio_low, cell.ratio_high)),
        step === null ? text('') : h('span', { class: `verdict ${step.change}` }, step.change),
        step === null || step.ratio === null ? text('') : [step.ratio, ratio(step.ratio)],
        step === null || step.ratio === null ? text('') : text(interval(step.low, step.high)),
    ]);
    return table('The releases, the oldest first', columns, rows);
}
