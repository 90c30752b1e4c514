// How a contender is named: with its version, because a figure belongs to a version.
import { h, svg } from './dom';
import type { Names } from './model';
import { apart, ownVersion, plain, short } from './text';
import { text } from './table';

/** A contender's version, short enough to stand next to its name; empty if it is not known. */
export function version(names: Names, name: string): string {
    return short(ownVersion((names.get(name)?.version ?? '').slice(0, 400)), 24);
}

/** A contender's name and version as plain text. */
export function titled(names: Names, name: string, most = 60): string {
    return `${short(name, most)} ${version(names, name)}`.trimEnd();
}

/** A contender's name and version in a sentence or a table. */
export function called(names: Names, name: string, most = 160): HTMLElement {
    const number = version(names, name);
    const whole = plain((names.get(name)?.version ?? '').slice(0, 200));
    const title = whole === number ? {} : { title: whole };
    const builtWith = names.get(name)?.builtWith ?? null;
    return h(
        'span',
        { class: 'called' },
        text(name, most),
        number === '' ? null : h('span', { class: 'version', ...title }, ` ${number}`),
        builtWith === null
            ? null
            : h('span', { class: 'version built-with', title: plain(builtWith) }, ' prebuilt'),
    );
}

/** The most letters of a sentence: one that names leaks says so at its end. */
export const LONGEST = 1200;

/**
 * A sentence of the tool about these contenders: those that win are bold, and versions grey. It is cut
 * if it is very long.
 */
export function sentence(
    names: Names,
    said: string,
    winning: string[],
    most = LONGEST,
): HTMLElement {
    let last = '';
    const parts = short(said, most)
        .split(/([,;:]? )/)
        .map((word) => {
            const isVersion = word !== '' && word === version(names, last);
            if (/^[,;:]? $/.test(word)) return word;
            last = word;
            if (isVersion) return h('span', { class: 'version' }, word);
            return winning.includes(word) ? h('strong', {}, word) : word;
        });
    return h('bdi', said.length > most ? { title: plain(said.slice(0, 2000)) } : {}, ...parts);
}

/** Below this many letters, a label has no space for a version. */
const FEW_LETTERS = 20;

/** The labels of a chart: names next to their versions, and cut only where the two do not fit. */
export function tags(
    names: Names,
    all: string[],
    letters: number,
): (name: string) => (SVGElement | string)[] {
    const versions = new Map(
        all.map((name) => [name, letters < FEW_LETTERS ? '' : short(version(names, name), 12)]),
    );
    const space = (name: string) => {
        const number = versions.get(name) ?? '';
        return number === '' ? letters : letters - number.length - 1;
    };
    const long = all.filter((name) => plain(name).length > space(name));
    const cut = apart(long, Math.min(...long.map(space)));
    return (name) => {
        const number = versions.get(name) ?? '';
        const shown = cut.get(name) ?? plain(name);
        return number === '' ? [shown] : [shown, svg('tspan', { class: 'version' }, ` ${number}`)];
    };
}
