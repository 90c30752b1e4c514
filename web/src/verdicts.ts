// The verdicts on the run's questions besides its figures, before everything else: the gate between
// two builds, then the claims.
import type { Claims, Data } from './data';
import { h } from './dom';
import { claimCounts } from './claims';
import { text } from './table';
import { bytes, interval, ratio } from './text';

/** Up to this many claims are listed. If there are more, only the refuted ones are. */
const LISTED = 8;
/** How many of a longer list are seen at once. */
const SEEN = 3;

type Claim = Claims['claims'][number];
type Document = Data['document'];

interface Asked {
    word: string;
    claims: Claims;
}

/** Whether the run was not asked which contender is the fastest. */
export function asksOnlyClaims(run: Document): boolean {
    return run.gate !== undefined || (run.claims !== undefined && run.suite === 'ask');
}

/** The headline: the verdict, if there is a single one; otherwise the number of each. `null` if
 * nothing was asked. */
export function verdictHeadline(run: Document): (Node | string)[] | null {
    const parts = asked(run).map(({ word, claims }) => {
        const [only] = claims.claims;
        return claims.claims.length === 1 && only
            ? [`${word}${only.verdict}: `, text(only.claim, 300)]
            : [`${word}${claimCounts(claims)}`];
    });
    const joined = parts.flatMap((part, i) => (i === 0 ? part : ['; ', ...part]));
    return joined.length === 0 ? null : joined;
}

/** Each claim with its verdict, figure and interval, those that are refuted first. */
export function verdictList(run: Document): HTMLElement | null {
    const items = asked(run).flatMap(({ word, claims }) => {
        const refuted = claims.claims.filter((claim) => claim.verdict === 'refuted');
        const others = claims.claims.filter((claim) => claim.verdict !== 'refuted');
        const listed = claims.claims.length > LISTED ? refuted : [...refuted, ...others];
        return listed.map((claim) => item(word, claim));
    });
    if (items.length === 0) return null;
    if (items.length <= SEEN + 1) return h('ul', { id: 'verdicts' }, ...items);
    const more = h('summary', {}, `${items.length - SEEN} more`);
    return h(
        'div',
        {},
        h('ul', { id: 'verdicts' }, ...items.slice(0, SEEN)),
        h('details', { id: 'more-verdicts' }, more, h('ul', {}, ...items.slice(SEEN))),
    );
}

function asked(run: Document): Asked[] {
    return [
        ...(run.gate ? [{ word: 'gate: ', claims: run.gate }] : []),
        ...(run.claims ? [{ word: '', claims: run.claims }] : []),
    ];
}

function item(word: string, claim: Claim): HTMLElement {
    const of = claim.ratio_of === 'speed' ? 'times as fast' : 'times as long';
    const sizes = claim.sizes.flatMap((at, i) => {
        const bounds = interval(at.ratio_low, at.ratio_high);
        const within = at.ratio_low === null ? bounds : `[${bounds}]`;
        const figure = at.ratio === null ? null : `${ratio(at.ratio)} ${of} ${within}`;
        const said = [at.verdict, figure, at.reason].filter((part) => part !== null);
        return [i === 0 ? '' : '; ', text(`${bytes(at.size)}: ${said.join(', ')}`, 300)];
    });
    return h(
        'li',
        {},
        h('span', { class: `verdict ${claim.verdict}` }, claim.verdict),
        ` ${word}`,
        text(claim.claim, 300),
        h('span', { class: 'source' }, ...sizes),
    );
}
