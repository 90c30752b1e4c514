// The page: reads the run's data from the page, and draws the view that the address names.
import { controlPanel } from './control';
import { controls } from './controls';
import { claimSection } from './claims';
import { type Data, read, readClaims, readForeign } from './data';
import { h } from './dom';
import { dotSection } from './dots';
import { foreignSection } from './foreign';
import { heatSection } from './heat';
import { contenderSection, machineSection } from './machine';
import { charts } from './model';
import { ratioSection } from './ratio';
import { roundSection } from './rounds';
import { type State, format, leaders, parse } from './state';
import { bytes, plain, short } from './text';
import { text } from './table';
import { timeSection } from './times';
import { type View, view } from './view';
import { warmUpSection } from './warmup';

const data = read();
const all = charts(data);
const foreign = readForeign();
const areas = skeleton(data);
// These do not depend on the reader's choices.
const claimed = readClaims();
const claims = claimed ? section('claims', ['Claims'], claimSection(claimed)) : null;
const machine = section('machine', ['Machine and run'], machineSection(data));
const tested = section('contenders', ['Contenders'], contenderSection(data));
let state: State | null = all.length > 0 ? parse(location.hash, all) : null;

if (state) draw();
else areas.main.append(h('p', {}, 'This run has no comparisons.'));

addEventListener('hashchange', () => {
    if (!state || location.hash === format(state)) return;
    state = parse(location.hash, all);
    draw();
});

let drawnFor = innerWidth;
let waiting = 0;
addEventListener('resize', () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
        // Phones resize when their address bar hides; only a new width needs a new drawing.
        if (innerWidth !== drawnFor) draw();
    }, 100);
});

/** The permanent parts of the page. The drawings go into them. */
function skeleton({ document: run }: Data) {
    const form = h('form', { 'aria-label': 'What to show' });
    form.addEventListener('submit', (event) => {
        event.preventDefault();
    });
    const control = h('section', { class: 'control', 'aria-labelledby': 'control' });
    const aside = h('aside', { 'aria-label': 'Choices and control' }, form, control);
    const main = h('main', {});
    const title = short(run.question, 300);
    document.title = `Cupel: ${short(run.question, 80)}`;
    document.body.append(
        h(
            'header',
            {},
            h('p', { class: 'brand' }, 'Cupel'),
            h('h1', {}, h('bdi', {}, title)),
            h(
                'p',
                { class: 'fine' },
                `Run ${run.run}, suite `,
                text(run.suite),
                ', ',
                text(run.started),
                run.finished === null
                    ? ', not finished: the page shows what it has measured so far. '
                    : '. ',
                text(machineLine(run.machine)),
            ),
        ),
        h('div', { class: 'columns' }, aside, main),
    );
    return { form, control, main };
}

function machineLine(machine: Data['document']['machine']): string {
    const known = (field: string) => {
        const value = machine[field];
        if (typeof value !== 'object') return value === undefined ? [] : [String(value)];
        return 'known' in value ? [String(value.known)] : [];
    };
    const [cpu] = [...known('cpu'), ...known('architecture')];
    const virtual = known('hypervisor').map((name) => `virtual (${name})`);
    const cpus = known('cpus').map((count) => `${count} cpus`);
    return [cpu ?? 'unknown machine', ...cpus, ...virtual, ...known('system')].join(', ');
}

function draw(): void {
    if (!state) return;
    const now = state;
    const seen = view(data, now);
    drawnFor = innerWidth;
    const focused = document.activeElement?.id;
    const scrolled = areas.form.querySelector('.marked .boxes')?.scrollTop ?? 0;
    areas.form.replaceChildren(
        ...controls(all, now, seen.looks, (change) => {
            choose(now, change);
        }),
    );
    const list = areas.form.querySelector('.marked .boxes');
    if (list) list.scrollTop = scrolled;
    if (focused) document.getElementById(focused)?.focus();
    const inner = (of: HTMLElement, padding: number) => Math.max(280, of.clientWidth - padding);
    areas.control.replaceChildren(...controlPanel(seen, Math.min(inner(areas.control, 0), 520)));
    const width = Math.min(inner(areas.main, 0), 1100);
    const at = bytes(seen.work.size);
    const { primitive, operation, shape, contract } = seen.chart;
    const map = heatSection(seen, width);
    const heat = map ? section('heat', [`At ${at}: compilers and flags`], map) : null;
    const oneSize = seen.chart.works.length === 1;
    const over = ['Ratio to ', h('bdi', {}, short(seen.baseline, 60))];
    const ratios = oneSize ? null : section('ratio', over, ratioSection(seen, width));
    const parts = [
        h(
            'p',
            { class: 'chart-name' },
            h('strong', {}, text(`${primitive} ${operation}`)),
            ', ',
            text(`${shape}; contract: ${contract}`),
        ),
        now.baseline === null ? null : h('p', { class: 'note' }, otherBaseline(seen)),
        // If builds are compared, their map is the answer. With a single size there is no curve.
        heat,
        ratios,
        section('dots', [`At ${at}: which is fastest`], dotSection(seen, width)),
        claims,
        section('times', ['Time per call'], timeSection(seen, width)),
        section('rounds', [`At ${at}: round by round`], roundSection(seen, width)),
        section('warm-up', [`At ${at}: warm-up`], warmUpSection(seen, width)),
        foreign.length > 0
            ? section('foreign-results', ['Other programs'], foreignSection(foreign, width))
            : null,
        machine,
        tested,
        h(
            'footer',
            {},
            `cupel ${plain(data.document.cupel)}. All figures are those of cupel show --format json.`,
        ),
    ];
    areas.main.replaceChildren(...parts.filter((node) => node !== null));
}

function otherBaseline(view: View): string {
    return (
        `This is not the run’s own baseline. The ${view.work.comparison.pairs_are_joint} intervals between any two ` +
        'contenders are joint as a family of their own. They are wider than those to the run’s own ' +
        'baseline, because the reader could look at any of the pairs.'
    );
}

function section(id: string, title: (Node | string)[], content: Node[]): HTMLElement {
    const heading = `${id}-title`;
    return h(
        'section',
        { id, 'aria-labelledby': heading },
        h('h2', { id: heading }, ...title),
        ...content,
    );
}

/** Applies a change to the address, and draws. */
function choose(
    from: State,
    change: { asked?: Record<string, string | null>; hidden?: Set<string>; marked?: string[] },
): void {
    const next = new URLSearchParams(format(from).slice(1));
    for (const [field, value] of Object.entries(change.asked ?? {})) {
        if (value === null) next.delete(field);
        else next.set(field, value);
    }
    state = parse(next.toString(), all);
    if (change.hidden) state.hidden = change.hidden;
    if (change.marked) state.marked = change.marked;
    // Another chart has other leaders.
    if (state.chart !== from.chart && !state.marked.some((name) => from.marked.includes(name))) {
        state.marked = leaders(state.chart, state.baseline);
    }
    history.replaceState(null, '', format(state));
    draw();
}
