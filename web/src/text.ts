// Numbers and names for people, with the same digits as in the tool's own tables.

const UNSEEN =
    // Control characters, and those that change the writing direction, end a line or have no width.
    /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A text from outside in which invisible characters are made visible. */
export function plain(text: string): string {
    return text
        .replace(/[\n\t]/g, ' ')
        .replace(UNSEEN, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The first characters of a text from outside, with a mark where it was cut. */
export function short(text: string, most = 40): string {
    // Cut before splitting: a name may be megabytes long.
    const all = Array.from(plain(text.slice(0, most * 8)));
    return all.length <= most && text.length <= most * 8
        ? all.join('')
        : all.slice(0, most - 1).join('') + '…';
}

/**
 * Like `short`, but cut in the middle: the builds of one implementation differ at the end of their
 * names.
 */
function middle(text: string, most: number): string {
    const head = Array.from(plain(text.slice(0, most * 4)));
    if (text.length <= most * 4 && head.length <= most) return head.join('');
    const end = Math.floor(most * 0.4);
    const tail = Array.from(plain(text.slice(-most * 4)));
    return `${head.slice(0, most - 1 - end).join('')}…${tail.slice(-end).join('')}`;
}

/**
 * Names shortened to this many characters, keyed by name. Names that would look alike when cut in
 * the middle are cut at the beginning, if that distinguishes more of them.
 */
export function apart(names: readonly string[], most: number): Map<string, string> {
    const cut = new Map(names.map((name) => [name, middle(name, most)]));
    const seen = new Map<string, number>();
    for (const label of cut.values()) seen.set(label, (seen.get(label) ?? 0) + 1);
    const other = new Map(cut);
    for (const [name, label] of cut) {
        const end = Array.from(plain(name.slice(-most * 4)));
        if (seen.get(label) === 1 || end.length < most) continue;
        other.set(name, `…${end.slice(1 - most).join('')}`);
    }
    return new Set(other.values()).size > seen.size ? other : cut;
}

/** Three or four digits. */
export function digits(value: number): string {
    const size = Math.abs(value);
    return value.toFixed(size < 10 ? 2 : size < 100 ? 1 : 0);
}

/** A time in ns, with its unit. */
export function time(ns: number): string {
    if (ns < 1e4) return `${digits(ns)} ns`;
    if (ns < 1e7) return `${digits(ns / 1e3)} µs`;
    if (ns < 1e10) return `${digits(ns / 1e6)} ms`;
    return `${digits(ns / 1e9)} s`;
}

/** A rounded time for an axis. */
export function roundTime(ns: number): string {
    const [value, unit] = ns < 1e3 ? [ns, 'ns'] : ns < 1e6 ? [ns / 1e3, 'µs'] : [ns / 1e6, 'ms'];
    return ns >= 1e9
        ? `${Number((ns / 1e9).toPrecision(3))} s`
        : `${Number(value.toPrecision(3))} ${unit}`;
}

/** A number of bytes, in binary units if that is exact. */
export function bytes(size: number): string {
    if (size === 0) return '0 B';
    if (size % (1 << 20) === 0) return `${size / (1 << 20)} MiB`;
    if (size % 1024 === 0) return `${size / 1024} KiB`;
    if (size % 1e6 === 0) return `${size / 1e6} MB`;
    if (size % 1e3 === 0) return `${size / 1e3} kB`;
    return `${size} B`;
}

/** An estimated size. */
export function roughly(size: number): string {
    const two = (value: number) => String(Number(value.toPrecision(2)));
    if (size < 1024) return `${two(size)} B`;
    return size < 1 << 20 ? `${two(size / 1024)} KiB` : `${two(size / (1 << 20))} MiB`;
}

/** A ratio with as many digits as its size justifies. */
export function ratio(value: number): string {
    if (value < 10) return value.toFixed(3);
    if (value < 100) return value.toFixed(2);
    if (value < 1000) return value.toFixed(1);
    return value < 1e6 ? value.toFixed(0) : value.toExponential(2);
}

/** An interval of a ratio; an end is missing if there were too few rounds. */
export function interval(low: number | null, high: number | null): string {
    if (low === null || high === null) return 'too few rounds';
    return high / low > WIDEST ? 'too few forks' : `${ratio(low)} .. ${ratio(high)}`;
}

/** How many times its lower end the upper end of an interval may be: a wider one says nothing. */
export const WIDEST = 100;

/**
 * A contender's own version among the words with which some are reported: `Eclipse Adoptium
 * 25.0.3+9-LTS, OpenJDK 64-Bit ...`, `3.11.7 (OpenSSL 3.0.19)`.
 */
export function ownVersion(whole: string): string {
    return whole.split(/[,(]/)[0]?.trimEnd().split(' ').at(-1) ?? '';
}

/** A ratio at an axis. Two forks leave intervals open that reach beyond any space for digits. */
export function ratioAtAxis(ratio: number): string {
    return ratio >= 1e5 ? ratio.toExponential() : String(ratio);
}
