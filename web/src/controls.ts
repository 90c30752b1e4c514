// The reader's choices. Each is a plain form control, so that it works with the keyboard and with
// screen readers.
import { h, svg } from './dom';
import { fold } from './fold';
import type { Look } from './frame';
import { mark } from './frame';
import { type Chart, LEVELS, type Traits, build, offered, traits } from './model';
import { titled } from './naming';
import { type State, contenders, leaders } from './state';
import { bytes, plain, short } from './text';

type Asked = Record<string, string | null>;

/** A list of this length or longer has a search field. */
const MANY = 12;
/** The text for which the reader searches each list. It survives a new drawing of the list. */
const searched = new Map<string, string>();

/** The controls of a view. `choose` gets the reader's change. */
export function controls(
    all: Chart[],
    state: State,
    looks: Map<string, Look>,
    choose: (change: { asked?: Asked; hidden?: Set<string>; marked?: string[] }) => void,
): Node[] {
    const { chart } = state;
    const select = (
        label: string,
        field: string,
        options: [value: string, name: string][],
        now: string,
        group: (value: string) => string | null = () => null,
    ) => {
        // With one option there is nothing to choose.
        if (options.length < 2) return null;
        const list = h('select', { id: `choose-${field}`, name: field });
        const groups = new Map<string, HTMLElement>();
        for (const [value, name] of options) {
            const option = h('option', { value, selected: value === now }, name);
            const of = group(value);
            if (of === null) {
                list.append(option);
                continue;
            }
            const found = groups.get(of) ?? h('optgroup', { label: short(of, 60) });
            if (!groups.has(of)) list.append(found);
            groups.set(of, found);
            found.append(option);
        }
        list.addEventListener('change', () => {
            choose({
                asked: { [field]: field === 'baseline' && list.value === '' ? null : list.value },
            });
        });
        return h('div', { class: 'choice' }, h('label', { for: list.id }, label), list);
    };
    const distinct = (field: 'primitive' | 'operation' | 'shape' | 'contract', from: Chart[]) =>
        [...new Set(from.map((c) => c[field]))].map((value): [string, string] => [
            value,
            short(value, 70),
        ]);
    const primitive = all.filter((c) => c.primitive === chart.primitive);
    const operation = primitive.filter((c) => c.operation === chart.operation);
    const shape = operation.filter((c) => c.shape === chart.shape);
    const names = contenders(chart);
    const own = [
        ...new Set(chart.works.map((w) => w.cells[w.comparison.baseline ?? -1]?.contender)),
    ];
    const first = `as in the run: ${own.map((name) => short(name ?? 'none', 40)).join(', ')}`;
    const may = offered(chart);
    const baselines = names
        .filter((name) => may.has(name))
        .map((name): [string, string] => [name, titled(chart.names, name)]);
    const choices = [
        select('Primitive', 'primitive', distinct('primitive', all), chart.primitive),
        select('Operation', 'operation', distinct('operation', primitive), chart.operation),
        select('Shape', 'shape', distinct('shape', operation), chart.shape),
        select(
            'At one size',
            'size',
            chart.works.map((work) => [String(work.size), bytes(work.size)]),
            String(state.size),
        ),
        select('Contract', 'contract', distinct('contract', shape), chart.contract),
        select(
            'Baseline',
            'baseline',
            [['', first], ...baselines],
            state.baseline ?? '',
            // Groups the builds of one implementation.
            (name) => build(chart.names, name)?.code ?? null,
        ),
    ];
    const nodes: Node[] = [h('div', { class: 'choices' }, ...choices)];
    if (baselines.length < names.length) {
        nodes.push(
            h(
                'p',
                { class: 'fine' },
                `${baselines.length} of ${names.length} contenders can be the baseline: all pairs ` +
                    'of so many contenders would make the page too large.',
            ),
        );
    }
    const facets: [legend: string, trait: keyof Traits][] = [
        ['Toolchains', 'toolchain'],
        ['Optimisation', 'level'],
        ['Instruction set', 'native'],
    ];
    for (const [legend, trait] of facets) {
        const found = [...new Set(names.flatMap((name) => traits(chart.names, name)[trait] ?? []))];
        if (found.length < 2) continue;
        const level = (name: string) => LEVELS.indexOf(name.slice(1));
        found.sort((a, b) => level(a) - level(b) || a.localeCompare(b, 'en', { numeric: true }));
        nodes.push(
            boxes(
                legend,
                trait,
                found,
                (t) => !state.hidden.has(t),
                (t) => short(t),
                null,
                (t, on) => {
                    const hidden = new Set(state.hidden);
                    if (on) hidden.delete(t);
                    else hidden.add(t);
                    choose({ hidden });
                },
            ),
        );
    }
    if (chart.variants.size > 0) {
        const box = h('input', { type: 'checkbox', id: 'show-variants', checked: state.variants });
        box.addEventListener('change', () => {
            choose({ asked: { show: box.checked ? 'variants' : null } });
        });
        const said = `Forced paths and second styles: ${chart.variants.size}`;
        nodes.push(h('div', { class: 'boxes' }, h('label', { for: box.id }, box, said)));
    }
    // The fastest first, so that the initially marked ones are visible.
    const byRank = leaders(chart, null, Infinity);
    byRank.push(...names.filter((name) => !byRank.includes(name)));
    const marks = () =>
        boxes(
            'Marked contenders',
            'marked',
            byRank,
            (n) => state.marked.includes(n),
            (n) => titled(chart.names, n, 40),
            looks,
            (n, on) => {
                choose({ marked: on ? [...state.marked, n] : state.marked.filter((m) => m !== n) });
            },
        );
    const count = `Marked contenders: ${state.marked.length} of ${names.length}`;
    nodes.push(fold('marking', count, () => [marks()]));
    return nodes;
}

function boxes(
    legend: string,
    group: string,
    names: string[],
    on: (name: string) => boolean,
    shown: (name: string) => string,
    looks: Map<string, Look> | null,
    toggle: (name: string, on: boolean) => void,
): HTMLElement {
    const list = h('div', { class: 'boxes' });
    names.forEach((name, i) => {
        const box = h('input', { type: 'checkbox', id: `${group}-${i}`, checked: on(name) });
        box.addEventListener('change', () => {
            toggle(name, box.checked);
        });
        const look = looks?.get(name);
        const key = look
            ? svg('svg', { width: 14, height: 14, 'aria-hidden': 'true' }, mark(7, 7, look))
            : null;
        const title = name.length > 40 ? { title: plain(name.slice(0, 500)) } : {};
        list.append(h('label', { for: box.id, ...title }, box, key, h('bdi', {}, shown(name))));
    });
    const search = names.length > MANY ? field(legend, group, list) : null;
    return h('fieldset', { class: group }, h('legend', {}, legend), search, list);
}

/** A field that hides the entries of a list that lack one of its words. */
function field(legend: string, group: string, list: HTMLElement): HTMLElement {
    const input = h('input', {
        ...{ type: 'search', id: `search-${group}`, placeholder: 'Search' },
        ...{ 'aria-label': `Search: ${legend}`, value: searched.get(group) ?? '' },
    });
    const narrow = () => {
        searched.set(group, input.value);
        const words = input.value.toLowerCase().split(/\s+/);
        for (const label of list.children) {
            const name = label.textContent.toLowerCase();
            (label as HTMLElement).hidden = !words.every((word) => name.includes(word));
        }
    };
    input.addEventListener('input', narrow);
    narrow();
    return input;
}
