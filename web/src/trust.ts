// Whether a comparison can have verdicts, by its control: a second copy of the baseline, whose true
// ratio is 1. Without verdicts, no drawing and no sentence may look as if there were any.
import { h } from './dom';
import type { Work } from './model';
import { bytes, interval, ratio } from './text';

/**
 * `sound`: any difference beyond the tie zone can be decided; `coarse`: only one beyond the floor,
 * or the control is so uncertain that only large ones will be;
 * `none`: nothing shows that equals would be equal; `untrusted`: equals are not.
 */
export type Trust = 'sound' | 'coarse' | 'none' | 'untrusted';

export function trust({ cells, comparison }: Work): Trust {
    const floor = cells[0]?.floor ?? null;
    if (cells[0]?.untrusted === true) return 'untrusted';
    const bounded = comparison.control?.every((value) => value !== null) ?? false;
    if (!bounded || floor === null) return 'none';
    return floor > 0 || doubt(comparison.control) > DOUBT ? 'coarse' : 'sound';
}

/** With a control that is less certain than this, no tick says that all is well. */
const DOUBT = 0.05;

/** How far the interval of a control reaches from 1, as a share. */
function doubt(control: Work['comparison']['control']): number {
    const [, low, high] = control ?? [];
    return Math.max(1 - (low ?? 1), (high ?? 1) - 1);
}

/** Whether the verdicts of a comparison count. */
export function decides(work: Work): boolean {
    return ['sound', 'coarse'].includes(trust(work));
}

/**
 * The fastest, or those that tie for it; none as long as the answer is open, or if nothing shows
 * which of several it is.
 */
export function winners(work: Work): string[] {
    const { answer, finding } = work;
    if (!answer?.decided || !finding || !decides(work)) return [];
    const isOne = finding.kind === 'choice' && answer.fastest.length === 1;
    return isOne || ['fastest', 'tie'].includes(finding.kind) ? answer.fastest : [];
}

/** Why there are no verdicts, in words; `null` if there are. */
export function distrust(work: Work): string | null {
    const state = trust(work);
    if (state === 'untrusted') {
        return 'Untrusted: the control certainly differs from the baseline by over 1 %, so there are no verdicts.';
    }
    if (state !== 'none') return null;
    const { control } = work.comparison;
    if (work.comparison.baseline === null) {
        return 'The baseline has no time, so there is no control and there are no verdicts.';
    }
    return !control || control.includes(null)
        ? 'The control has too few rounds, so there are no verdicts.'
        : 'There are fewer forks than layouts, so there are no verdicts.';
}

const SIGNS = { sound: '✓', coarse: '≈', none: '?', untrusted: '✕' };

/** The result of a comparison's control, with a sign. */
export function trustLine(work: Work): HTMLElement {
    const state = trust(work);
    const { control } = work.comparison;
    const floor = work.cells[0]?.floor ?? 0;
    const measured =
        control && control[0] !== null
            ? [
                  'Control ',
                  h('data', { value: control[0] }, ratio(control[0])),
                  ` [${interval(control[1], control[2])}]. `,
              ]
            : [];
    const coarse =
        floor > 0
            ? `Verdicts count, but so few forks decide no difference below ${share(floor)}.`
            : `Verdicts count, but equal code may seem ${share(doubt(control))} apart, so the intervals are wide.`;
    const says = distrust(work) ?? (state === 'coarse' ? coarse : 'Verdicts count.');
    return h(
        'p',
        { class: `trust ${state}` },
        `${SIGNS[state]} At ${bytes(work.size)}: `,
        ...measured,
        says,
    );
}

/** The changes during the run, a line for each: its interval covers both sides. */
export function changeLines({ comparison }: Work): HTMLElement[] {
    return comparison.changes.map((change) => h('p', { class: 'trust coarse' }, `≠ ${change}`));
}

/** A floor in per cent, without a digit that it does not have. */
export function share(floor: number): string {
    return `${Number((floor * 100).toFixed(1))} %`;
}
