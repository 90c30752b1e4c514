// The curves in words: where the faster of two changes, and the cost of a call and of a byte.
import type { Crossing } from './data';
import { h } from './dom';
import { fold } from './fold';
import { called } from './naming';
import { type Entry, table } from './table';
import { bytes, roughly, time } from './text';
import { type View, curves } from './view';

/** The most sentences of a list; the tables have all. */
const MOST = 6;

export function costSection(view: View): Node[] {
    const crossings = relevant(view);
    const costs = fitted(view);
    return [
        h('h3', {}, 'Where the faster one changes'),
        crossings.length === 0
            ? h(
                  'p',
                  {},
                  'Between two of these sizes, no two of the fastest certainly change their order, and ' +
                      'no contender certainly overtakes the baseline or falls behind it.',
              )
            : h('ul', { class: 'words' }, ...crossings.slice(0, MOST).map((c) => crosses(view, c))),
        crossings.length > MOST
            ? fold('crossings', `Table: all ${crossings.length} crossovers`, () => [
                  crossingTable(view, crossings),
              ])
            : null,
        h('h3', {}, 'What a call costs'),
        costs.length === 0
            ? h('p', {}, 'No contender’s times are a line over these sizes.')
            : h('ul', { class: 'words' }, ...costs.slice(0, MOST).map((c) => sentence(view, c))),
        costs.length > MOST
            ? fold('costs', `Table: the costs of all ${costs.length} contenders`, () => [
                  costTable(view, costs),
              ])
            : null,
    ].filter((node) => node !== null);
}

/**
 * The crossovers among those that lead at some size, and then those with the baseline, the marked
 * contenders first; of contenders that are shown.
 */
function relevant(view: View): Crossing[] {
    const shown = new Set(view.points.flat().map((point) => point.cell.contender));
    const leading = new Set(view.chart.works.map(({ comparison }) => comparison.lead?.leader));
    const base = view.baseline;
    const other = (c: Crossing) => (c.below === base ? c.above : c.below);
    const leads = (c: Crossing) => leading.has(c.below) && leading.has(c.above);
    const rank = (c: Crossing) =>
        leads(c) ? -1 : (view.looks.get(other(c))?.index ?? view.looks.size);
    return view.chart.crossings
        .filter((c) => leads(c) || c.below === base || c.above === base)
        .filter((c) => [c.below, c.above].every((name) => name === base || shown.has(name)))
        .sort((a, b) => rank(a) - rank(b));
}

function crosses(view: View, c: Crossing): HTMLElement {
    const { names } = view.chart;
    const near = c.near === null ? [] : [' The estimates cross near ', exact(c.near, roughly), '.'];
    return h(
        'li',
        {},
        ...['Up to ', exact(c.low, bytes), ' ', called(names, c.below, 80), ' is faster; from '],
        ...[exact(c.high, bytes), ' on it is ', called(names, c.above, 80), '.', ...near],
    );
}

function exact(value: number, shown: (value: number) => string): HTMLElement {
    return h('data', { value }, shown(value));
}

/** A line through a contender's times, fitted by the tool. */
interface Cost {
    name: string;
    fixed: number;
    perByte: number;
}

/** The marked contenders and the baseline, then the others in the order of the chosen size. */
function fitted(view: View): Cost[] {
    const found = [...curves(view)].flatMap(([name, curve]): Cost[] => {
        const cell = curve.find(({ point }) => point.cell.fixed_ns !== null)?.point.cell;
        if (cell?.fixed_ns == null || cell.per_byte_ns === null) return [];
        return [{ name, fixed: cell.fixed_ns, perByte: cell.per_byte_ns }];
    });
    const order = view.at.map((point) => point.cell.contender);
    const rank = ({ name }: Cost) =>
        view.looks.get(name)?.index ??
        (name === view.baseline ? view.looks.size : view.looks.size + 1 + order.indexOf(name));
    return found.sort((a, b) => rank(a) - rank(b));
}

/** A cost per byte: three digits. */
function perByte(ns: number): string {
    return `${Number(ns.toPrecision(3))} ns`;
}

function sentence(view: View, { name, fixed, perByte: ns }: Cost): HTMLElement {
    return h(
        'li',
        {},
        called(view.chart.names, name, 80),
        ': ',
        exact(fixed, time),
        ' for a call, and ',
        exact(ns, perByte),
        ' for each byte',
    );
}

function costTable(view: View, costs: Cost[]): Node {
    const columns = [
        { name: 'contender' },
        { name: 'fixed cost', number: true, unit: 'ns' },
        { name: 'per byte', number: true, unit: 'ns' },
    ];
    const rows = costs.map((cost): Entry[] => [
        called(view.chart.names, cost.name),
        [cost.fixed, time(cost.fixed)],
        [cost.perByte, perByte(cost.perByte)],
    ]);
    return table('Cost of a call and of each byte, fitted over the sizes', columns, rows);
}

function crossingTable(view: View, crossings: Crossing[]): Node {
    const columns = [
        { name: 'faster below' },
        { name: 'faster above' },
        { name: 'up to', number: true, unit: 'bytes' },
        { name: 'from', number: true, unit: 'bytes' },
        { name: 'estimate', number: true, unit: 'bytes' },
    ];
    const rows = crossings.map((c): Entry[] => [
        called(view.chart.names, c.below),
        called(view.chart.names, c.above),
        [c.low, bytes(c.low)],
        [c.high, bytes(c.high)],
        c.near === null ? null : [c.near, roughly(c.near)],
    ]);
    return table('Crossovers of the fastest, and with the baseline', columns, rows);
}
