// The page: reads the run's data from the page, and draws the view that the address names. The
// answers come first, then the charts that show them, then their evidence.
import { cards, isDecided, leakLines, verdictOfAll } from './answers';
import { claimCounts, claimSection } from './claims';
import { controlSection } from './control';
import { controls } from './controls';
import { copyButton } from './copy';
import { costSection } from './costs';
import { type Data, read, readClaims, readForeign } from './data';
import { h } from './dom';
import { fold } from './fold';
import { forestSection, headline } from './forest';
import { foreignSection } from './foreign';
import { heatSection } from './heat';
import { contenderSection, machineSection } from './machine';
import { charts } from './model';
import { titled } from './naming';
import { ratioSection } from './ratio';
import { releases, releasesHeadline, releasesSection } from './releases';
import { roundSection } from './rounds';
import { type State, format, leaders, parse, workload } from './state';
import { text } from './table';
import { bytes, plain, short } from './text';
import { threadsHeadline, threadsSection } from './threads';
import { asksOnlyClaims, verdictHeadline, verdictList } from './verdicts';
import { type View, view } from './view';
import { warmUpSection } from './warmup';

/** The words in capitals with which some circumstances begin: `LEFT OUT: ...` */
const HEAD = /^[A-Z][A-Z ]*(?=: )/;

const data = read();
const all = charts(data);
const foreign = readForeign();
const claimed = readClaims();
const areas = skeleton(data);
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
    const chosen = h('summary', {});
    const choices = h('details', { id: 'choices' }, chosen, form);
    const answers = h('div', { id: 'answers' });
    const plots = h('div', { id: 'plots' });
    const main = h('main', {}, answers, all.length > 0 ? choices : null, plots);
    document.title = `Cupel: ${short(run.question, 80)}`;
    const question = h('bdi', {}, short(run.question, 300));
    const verdict = verdictHeadline(run);
    const answer = verdict ?? verdictOfAll(all);
    document.body.append(
        h(
            'header',
            {},
            answer ? h('p', { class: 'question' }, question) : null,
            h('h1', {}, ...(answer ?? [question])),
            ...(verdict ? [] : leakLines(all)),
            verdictList(run),
            ...circumstances(run),
        ),
        main,
        h(
            'footer',
            {},
            `cupel ${plain(run.cupel)}. All figures are those of cupel show --format json.`,
        ),
    );
    return { form, chosen, answers, plots, main };
}

/**
 * The run and its machine, in a line, and the circumstances to read the figures with. The line has
 * the heads of those that have one, and opens to the rest of them.
 */
function circumstances(run: Data['document']): HTMLElement[] {
    const line = [
        h('span', { class: 'brand' }, 'Cupel'),
        ` run ${run.run}, suite `,
        text(run.suite),
        ', ',
        text(run.started.slice(0, 10)),
        run.finished === null
            ? ', not finished: the page shows what it has measured so far. '
            : '. ',
        text(machineLine(run.machine)),
    ];
    const beside = run.options.beside
        ? h(
              'p',
              { class: 'warning' },
              'Measured next to ',
              text(run.options.beside),
              ': the two may have disturbed each other.',
          )
        : null;
    const lines = run.circumstances?.lines ?? [];
    const heads = lines.flatMap((said) => HEAD.exec(said)?.[0] ?? []);
    const words = [...(beside ? ['BESIDE ANOTHER RUN'] : []), ...heads].join(', ');
    const warning = (said: string) => h('p', { class: 'warning' }, text(said, 600));
    const folded = h(
        'details',
        { id: 'circumstances' },
        h('summary', { class: 'fine' }, ...line, '. ', h('strong', {}, words)),
        beside,
        ...lines.filter((said) => HEAD.test(said)).map(warning),
    );
    return [
        words === '' ? h('p', { class: 'fine' }, ...line) : folded,
        ...lines.filter((said) => !HEAD.test(said)).map(warning),
    ];
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
    areas.answers.replaceChildren(
        // A question whether a claim holds does not ask which contender is the fastest. A single
        // answer is the headline, and needs a card only if it is open: that says why.
        ...cards(asksOnlyClaims(data.document) || isSaid(now) ? [] : all, now, (chart, size) => {
            choose(now, { asked: workload(chart, size) }, true);
            const title = document.getElementById('forest-title');
            title?.focus({ preventScroll: true });
            document.getElementById('forest')?.scrollIntoView();
        }),
    );
    areas.chosen.replaceChildren(...summary(seen));
    areas.form.replaceChildren(
        ...controls(all, now, seen.looks, (change) => {
            choose(now, change);
        }),
        h(
            'p',
            { class: 'tools' },
            copyButton('Copy link to this view', () => new URL(format(now), location.href).href),
        ),
    );
    const width = Math.min(Math.max(280, areas.plots.clientWidth), 1160);
    areas.plots.replaceChildren(...sections(seen, width));
    if (focused) document.getElementById(focused)?.focus();
}

/** Whether the headline is the whole answer. */
function isSaid({ chart }: State): boolean {
    const [work, ...others] = chart.works;
    if (!work || all.length > 1 || others.length > 0) return false;
    return verdictHeadline(data.document) === null && isDecided(work);
}

/** The choices, in a line that stays when they are folded. */
function summary({ chart, work, baseline }: View): (Node | string)[] {
    const what = `${chart.primitive} ${chart.operation} at ${bytes(work.size)}`;
    return [
        'Choose what is shown: ',
        text(what, 80),
        ', compared with ',
        h('bdi', {}, titled(chart.names, baseline)),
    ];
}

function sections(seen: View, width: number): Node[] {
    const { chart, work } = seen;
    const at = bytes(work.size);
    const scaled = (data.document.scaling ?? []).filter(
        (one) =>
            one.primitive === chart.primitive &&
            one.operation === chart.operation &&
            one.size === work.size,
    );
    const map = heatSection(seen, width);
    const history = releases(data.document.claims, work, chart.names);
    const over = ['Ratio to ', h('bdi', {}, titled(chart.names, seen.baseline)), ' over the sizes'];
    const marks = (name: string) => {
        const { marked } = seen.state;
        const next = marked.includes(name) ? marked.filter((m) => m !== name) : [...marked, name];
        choose(seen.state, { marked: next });
    };
    const parts = [
        seen.state.baseline === null ? null : h('p', { class: 'note' }, otherBaseline(seen)),
        history.length > 0
            ? section(
                  'releases',
                  asked(seen, 'over the releases'),
                  [releasesHeadline(history, work.size, chart.names)],
                  releasesSection(history, chart.names, width),
              )
            : null,
        // If builds are compared, their map is the answer.
        map ? section('heat', asked(seen, 'compilers and flags'), ['Builds at ', at], map) : null,
        section(
            'forest',
            asked(seen, `at ${at}`),
            isSaid(seen.state) ? ['Times and ratios at ', at] : headline(work, chart.names),
            forestSection(seen, width, () => {
                choose(seen.state, { asked: { rows: seen.state.whole ? null : 'all' } });
            }),
        ),
        // With a single size there is no curve.
        ...(chart.works.length === 1
            ? []
            : [
                  section(
                      'ratio',
                      asked(seen, 'over all sizes'),
                      over,
                      ratioSection(seen, width, marks),
                  ),
                  section(
                      'words',
                      asked(seen, 'in words'),
                      ['Crossovers and costs'],
                      costSection(seen),
                  ),
              ]),
        ...(scaled.length > 0
            ? [
                  section(
                      'threads',
                      asked(seen, 'on several threads'),
                      [threadsHeadline(scaled)],
                      threadsSection(scaled, data.document.scaling_notes ?? [], width),
                  ),
              ]
            : []),
        claimed ? section('claims', 'Claims', [claimCounts(claimed)], claimSection(claimed)) : null,
        data.document.gate
            ? section(
                  'gate',
                  'Gate',
                  [claimCounts(data.document.gate)],
                  claimSection(data.document.gate, 'gate-table'),
              )
            : null,
        section('evidence', 'What the answers rest on', ['Evidence'], evidence(seen, width)),
    ];
    return parts.filter((node) => node !== null);
}

/** The subject of a section, above its answer. */
function asked({ chart }: View, what: string): string {
    return `${short(chart.primitive, 60)} ${short(chart.operation, 40)}, ${what}`;
}

function evidence(seen: View, width: number): Node[] {
    const at = bytes(seen.work.size);
    const { shape, contract } = seen.chart;
    const part = (id: string, title: string, content: () => Node[]) =>
        fold(id, h('h3', {}, title), content);
    return [
        h('p', { class: 'fine' }, text(`${shape}; contract: ${contract}`, 300)),
        part('rounds', `Round by round at ${at}`, () => roundSection(seen, width)),
        part('warm-up', `Warm-up at ${at}`, () => warmUpSection(seen, width)),
        part('control', 'The control at every size', () => controlSection(seen, width)),
        ...(foreign.length > 0
            ? [part('foreign-results', 'Other programs', () => foreignSection(foreign, width))]
            : []),
        part('machine', 'Machine and run', () => machineSection(data)),
        part('contenders', 'Contenders', () => contenderSection(data)),
    ];
}

function otherBaseline(view: View): string {
    return (
        `This is not the run’s own baseline. The ${view.work.comparison.pairs_are_joint} intervals between any two ` +
        'contenders are joint as a family of their own. They are wider than those to the run’s own ' +
        'baseline, because the reader could look at any of the pairs.'
    );
}

/** A section: the question as a small line, the answer as its heading. */
function section(
    id: string,
    question: string,
    title: (Node | string)[],
    content: Node[],
): HTMLElement {
    const heading = `${id}-title`;
    return h(
        'section',
        { id, 'aria-labelledby': heading },
        h('p', { class: 'question' }, question),
        h('h2', { id: heading, tabindex: -1 }, ...title),
        ...content,
    );
}

/** Applies a change to the address, and draws. A `step` is one that the reader can go back from. */
function choose(
    from: State,
    change: { asked?: Record<string, string | null>; hidden?: Set<string>; marked?: string[] },
    step = false,
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
    if (step) history.pushState(null, '', format(state));
    else history.replaceState(null, '', format(state));
    draw();
}
