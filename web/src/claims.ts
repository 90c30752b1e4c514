// The claims of suites, and whether they hold in this run, as in `cupel check --format json`.
import type { Claims } from './data';
import { h } from './dom';
import { fold } from './fold';
import { bytes, digits, interval, ratio } from './text';
import { type Entry, table, text } from './table';

/** A table with more rows than this is folded. */
const FEW = 24;

const WORDS = ['held', 'refuted', 'undecided'] as const;

export function claimSection(claims: Claims, id = 'claim-table'): Node[] {
    const columns = [
        { name: 'claim' },
        { name: 'verdict' },
        { name: 'at', number: true, unit: 'bytes' },
        { name: 'claimed', number: true },
        { name: 'measured', number: true },
        { name: 'why' },
    ];
    const rows = claims.claims.flatMap((claim) =>
        claim.sizes.map((at): Entry[] => [
            h(
                'span',
                { class: 'claim' },
                text(claim.claim, 200),
                h('span', { class: 'source' }, text(`${claim.source}: “${claim.quote}”`, 300)),
            ),
            word(at.verdict),
            [at.size, bytes(at.size)],
            claim.claimed_ratio === null
                ? bound(claim, at)
                : [claim.claimed_ratio, digits(claim.claimed_ratio)],
            at.ratio === null
                ? null
                : h(
                      'span',
                      { class: 'ratio' },
                      h('data', { value: at.ratio }, ratio(at.ratio)),
                      h('span', { class: 'interval' }, interval(at.ratio_low, at.ratio_high)),
                  ),
            text(at.reason ?? '', 300),
        ]),
    );
    return [
        h(
            'p',
            { class: 'fine' },
            'Decided by this run alone. Where a claim says “fast”, “faster” or “overtakes”, a ratio is ' +
                `that of the two speeds, elsewhere that of the two times. The ${claims.intervals_are_joint} intervals are joint ` +
                `at ${Math.round((1 - claims.alpha) * 100)} %.`,
        ),
        fold(
            id,
            'Table: every claim at every size',
            () => [table('Every claim at every size', columns, rows)],
            rows.length <= FEW,
        ),
    ];
}

/** How many claims have each verdict. */
export function claimCounts(claims: Claims): string {
    const counts = WORDS.map((word) => `${claims[word]} ${word}`).join(', ');
    const many = claims.claims.length;
    return `${many} ${many === 1 ? 'claim' : 'claims'}: ${counts}`;
}

/** The claim in words, if it has no single ratio. */
function bound(claim: Claims['claims'][number], at: { is: string }): string {
    const { claimed_low: low, claimed_high: high } = claim;
    if (low !== null && high !== null) return `${digits(low)} .. ${digits(high)}`;
    if (at.is !== claim.is) return at.is;
    return claim.margin === null ? claim.is : `within ${digits(claim.margin * 100)} %`;
}

/** A verdict as a word with a sign. */
function word(verdict: string): Node {
    return h('span', { class: `verdict ${verdict}` }, verdict);
}
