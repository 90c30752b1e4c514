// The answers: a card for each chart, with a sentence for each of its sizes. Choosing one shows its
// workload below.
import { copyButton } from './copy';
import { h } from './dom';
import { fold } from './fold';
import type { Chart, Work } from './model';
import { headline } from './forest';
import { LONGEST, sentence } from './naming';
import { type State, workload } from './state';
import { text } from './table';
import { bytes, plain, short } from './text';
import { decides, winners } from './trust';

/** The cards; none if the document has no answers. */
export function cards(
    all: Chart[],
    state: State,
    choose: (chart: Chart, size: number) => void,
): HTMLElement[] {
    if (!all.some((chart) => chart.works.some((work) => work.answer))) return [];
    const alike = (a: Chart, b: Chart) =>
        a.primitive === b.primitive && a.operation === b.operation;
    return all.map((chart, i) => {
        const others = all.filter((other) => other !== chart && alike(chart, other));
        const title = `answer-${i}`;
        const rows = chart.works.map((work) => {
            const now = chart === state.chart && work.size === state.size;
            return row(chart, work, `${title}-${work.size}`, now, choose);
        });
        return h(
            'section',
            { class: 'card', 'aria-labelledby': title },
            h('h2', { id: title }, text(`${chart.primitive} ${chart.operation}`, 80)),
            // Only its difference from another card is named.
            others.length === 0
                ? null
                : h('p', { class: 'fine' }, text(`${chart.shape}; ${chart.contract}`, 200)),
            h('ul', {}, ...rows),
        );
    });
}

function row(
    chart: Chart,
    work: Work,
    id: string,
    now: boolean,
    choose: (chart: Chart, size: number) => void,
): HTMLElement {
    const fields = new URLSearchParams(workload(chart, work.size));
    const link = h(
        'a',
        { id, href: `#${fields.toString()}`, ...(now ? { 'aria-current': 'true' } : {}) },
        h('span', { class: 'size' }, bytes(work.size)),
        h('span', { class: 'said' }, ...said(work, chart)),
    );
    link.addEventListener('click', (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        choose(chart, work.size);
    });
    const closed = isDecided(work);
    const { answer } = work;
    return h(
        'li',
        { class: `answer ${closed ? 'decided' : 'open'}` },
        link,
        closed || !answer?.cause ? null : h('p', { class: 'cause' }, text(answer.cause, 400)),
        answer?.not_here ? h('p', { class: 'not-here' }, text(answer.not_here, 400)) : null,
        closed || !answer?.command ? null : command(`${id}-command`, answer.command),
    );
}

/** Whether the tool calls it decided, and its control lets it. */
export function isDecided(work: Work): boolean {
    return work.answer?.decided === true && decides(work);
}

/** The answer without the parts that the card and its row already have. */
function said(work: Work, { names }: Chart): (Node | string)[] {
    if (!work.answer || !decides(work)) return headline(work, names);
    const whole = work.answer.answer;
    const size = `${bytes(work.size)}: `;
    const at = whole.indexOf(size);
    const rest = at < 0 || at > 200 ? whole : whole.slice(at + size.length);
    // Who wins; the heading of its chart says by how much.
    const seen = winners(work).length > 0 || work.finding?.kind === 'choice' ? brief(rest) : rest;
    return [sentence(names, seen, winners(work))];
}

/** The first clause of a sentence, and those about leaks, which are its last. */
function brief(whole: string): string {
    const [first = whole] = whole.split('; ');
    const leaks = leakClause(whole);
    return leaks === null || leaks.startsWith(first) ? (leaks ?? first) : `${first}; ${leaks}`;
}

/** The end of a sentence from the clause on that says which of the fastest leak; `null` without. */
function leakClause(whole: string): string | null {
    const clauses = whole.split('; ');
    const at = clauses.findIndex((clause) => clause.includes(' leaks ('));
    return at < 0 ? null : clauses.slice(at).join('; ');
}

/** The clauses about leaks of the fastest, for a headline about several answers. */
export function leakLines(all: Chart[]): HTMLElement[] {
    const works = all.flatMap((chart) => chart.works);
    // A single answer is the headline as a whole.
    if (works.length < 2) return [];
    const places = new Map<string, Work[]>();
    for (const work of works.filter(decides)) {
        const said = leakClause(work.answer?.answer ?? '');
        if (said !== null) places.set(said, [...(places.get(said) ?? []), work]);
    }
    const lines = [...places].map(([said, at]) => {
        const where =
            all.length > 1
                ? `In ${at.length} of ${works.length} answers`
                : `At ${at.map((work) => bytes(work.size)).join(', ')}`;
        return h('p', { class: 'warning' }, `${where}: `, text(said, LONGEST));
    });
    if (lines.length <= NAMED) return lines;
    const rest = lines.length - NAMED;
    const more = `Answers below name leaks in ${rest} more ${rest === 1 ? 'way' : 'ways'}.`;
    return [...lines.slice(0, NAMED), h('p', { class: 'warning' }, more)];
}

/** The command that would decide an open answer. Its lines break between its words only. */
function command(id: string, line: string): HTMLElement {
    const words = short(line, 600).split(' ');
    const spans = words.flatMap((word) => [h('span', {}, word), ' ']);
    const copies = copyButton('Copy command', () => plain(line));
    return fold(id, 'The command that would decide it', () => [
        h('p', { class: 'command' }, h('code', {}, ...spans), copies),
    ]);
}

/** The most contenders that the headline names, and the most lines about leaks below it. */
const NAMED = 4;

/**
 * The headline of the page: the answer, if there is a single one; otherwise who is among the fastest
 * everywhere, or how often who is. `null` without answers.
 */
export function verdictOfAll(all: Chart[]): (Node | string)[] | null {
    const works = all.flatMap((chart) => chart.works);
    const [first] = works;
    const answers = works.flatMap((work) => work.answer ?? []);
    if (!first || !all[0] || answers.length < works.length) return null;
    if (works.length === 1) return headline(first, all[0].names);
    if (works.some((work) => work.finding === null)) return null;
    const decided = works.filter(isDecided).length;
    const open = works.length - decided;
    const only = new Set(works.flatMap(alone));
    if (only.size === 1 && works.every((work) => alone(work).length > 0)) {
        const name = text([...only].join(), 60);
        return open === 0
            ? [name, ' was measured alone; there is nothing to compare it with']
            : ['Only ', name, ` has a time ${place(all, works)}`];
    }
    const everywhere = leading(first).filter((name) =>
        works.every((work) => leading(work).includes(name)),
    );
    const many = everywhere.length !== 1;
    if (everywhere.length === 0 || everywhere.length > NAMED || !works.every(decides)) {
        return [
            ...howOften(works),
            open === 0 ? '' : `; ${open} ${open === 1 ? 'is' : 'are'} open`,
        ];
    }
    const names = everywhere.flatMap((name, i) => [
        i === 0 ? '' : i === everywhere.length - 1 ? ' and ' : ', ',
        text(name, 60),
    ]);
    const are = many ? ' are' : ' is';
    if (open === 0) return [...names, everywhereFastest(all, works, everywhere)];
    if (decided === 0) {
        return [...names, ` may be the fastest in all ${works.length} answers, which are open`];
    }
    return [
        ...names,
        are,
        ` among the fastest in ${decided} of ${works.length} answers, and may be in the ${open === 1 ? 'other, which is' : `other ${open}, which are`} open`,
    ];
}

/** The contender that is compared with nothing, if the answer is such a one. */
function alone({ answer, finding }: Work): string[] {
    return finding?.kind === 'alone' ? (answer?.fastest ?? []) : [];
}

/**
 * Those that are among the fastest, or may be if the answer is open. In a choice it is a primitive,
 * whichever of its contenders is.
 */
function leading({ answer, finding }: Work): string[] {
    if (!answer || !finding || ['alone', 'no-answer'].includes(finding.kind)) return [];
    if (finding.kind === 'choice')
        return finding.primitive === undefined ? [] : [finding.primitive];
    return answer.fastest;
}

/** All these answers, in words. */
function place(all: Chart[], works: Work[]): string {
    const [at, what] = all.length > 1 ? ['in', 'answers'] : ['at', 'sizes'];
    return `${at} ${works.length === 2 ? 'both' : `all ${works.length}`} ${what}`;
}

/** How contenders that are among the fastest everywhere lead, and where. */
function everywhereFastest(all: Chart[], works: Work[], names: string[]): string {
    const where = place(all, works);
    const ties = works.filter((work) => work.finding?.kind === 'tie').length;
    if (names.length > 1) {
        const isAll = works.every((work) => leading(work).length === names.length);
        return isAll ? ` tie for the fastest ${where}` : ` are among the fastest ${where}`;
    }
    if (ties === 0) return ` is the fastest ${where}`;
    const leads = works.length - ties;
    if (leads === 0) return ` is among the fastest ${where}`;
    const [at, what] = all.length > 1 ? ['in', 'answers'] : ['at', 'sizes'];
    const others = ties === 1 ? 'the other' : `the other ${ties}`;
    return ` is the fastest ${at} ${leads} of ${works.length} ${what}, and ties ${at} ${others}`;
}

/** How often who is among the fastest, the most frequent first. */
function howOften(works: Work[]): (Node | string)[] {
    const counts = new Map<string, number>();
    const decided = works.filter(isDecided);
    for (const name of decided.flatMap(leading)) counts.set(name, (counts.get(name) ?? 0) + 1);
    const single = decided.filter((work) => alone(work).length > 0).length;
    const nothing = 'there is nothing to compare with';
    if (counts.size === 0) {
        return single === 0
            ? [`None of ${works.length} answers is decided`]
            : [`In ${single} of ${works.length} answers ${nothing}`];
    }
    const ranked = [...counts].sort((a, b) => b[1] - a[1]).slice(0, NAMED);
    const said = ranked.flatMap(([name, count], i) => [
        i === 0 ? '' : ', ',
        text(name, 60),
        i === 0 ? ` is among the fastest in ${count} of ${works.length} answers` : ` in ${count}`,
    ]);
    return single === 0 ? said : [...said, `; in ${single} ${nothing}`];
}
