// The meaning of the marks and zones of a chart, in words next to a sample of each.
import { h, svg } from './dom';

const BOX = { width: 22, height: 12 };

function sample(...marks: SVGElement[]): SVGElement {
    return svg('svg', { ...BOX, 'aria-hidden': 'true' }, ...marks);
}

const zone = (name: string) => sample(svg('rect', { ...BOX, class: name }));

/** The zones of a chart of ratios; `floor` only if something is below it. */
export function zones(tieZone: number, floor: boolean): Node[] {
    return [
        h('span', {}, zone('zone'), `tie zone, ${Number((tieZone * 100).toFixed(2))} %`),
        ...(floor ? [h('span', {}, zone('floor'), 'not decided by so few forks')] : []),
    ];
}

/** The colours of verdicts. */
export function verdicts(): Node[] {
    const words = ['faster', 'slower', 'not separated'];
    return words.map((word) => {
        const dot = svg('circle', {
            cx: 11,
            cy: 6,
            r: 4.5,
            class: `mark ${word.replace(' ', '-')}`,
        });
        return h('span', {}, sample(dot), word);
    });
}

/** The hollow marks of levels. */
export function rings(): Node {
    const ring = svg('circle', { cx: 11, cy: 6, r: 4.5, class: 'level plain' });
    return h('span', {}, sample(ring), 'a level of its processes, with its share of them');
}

/** The brackets around contenders that are not separated. */
export function brackets(all: boolean): Node[] {
    const bracket = (name: string, word: string) => {
        const line = svg('path', { d: 'M6,1H12V11H6', class: name });
        return h('span', {}, sample(line), word);
    };
    return [
        bracket('bracket lead', 'tied, or not told apart'),
        ...(all ? [bracket('bracket', 'neighbours that are not separated')] : []),
    ];
}

/** A line of explanations. */
export function key(...parts: (Node | string)[]): HTMLElement {
    return h('p', { class: 'key' }, ...parts);
}
