// The line that is nearest to the pointer: it is drawn strongly, all others weakly.

/** A line of a chart with everything that is drawn for it. */
export interface Drawn<T> {
    /** Its points from left to right. */
    points: { x: number; y: number; of: T }[];
    parts: SVGElement[];
    /** The height of its name next to the chart; `null` without a name. */
    label: number | null;
}

/**
 * Follows the pointer over a drawing. `near` gets the nearest line and its nearest point, or `null`
 * when the pointer leaves; `chosen` gets the line that is clicked. `inside` is the range of the
 * lines; beyond it are the names.
 */
export function follow<T, L extends Drawn<T>>(
    root: SVGSVGElement,
    lines: L[],
    inside: [left: number, right: number],
    near: (found: { line: L; of: T } | null) => void,
    chosen: (line: L) => void,
): void {
    let now: L | null = null;
    const show = (line: L | null) => {
        if (line === now) return;
        for (const part of now?.parts ?? []) part.classList.remove('near');
        for (const part of line?.parts ?? []) part.classList.add('near');
        root.classList.toggle('pointed', line !== null);
        now = line;
    };
    const at = (event: PointerEvent) => {
        const box = root.getBoundingClientRect();
        const scale = root.viewBox.baseVal.width / box.width;
        const [x, y] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
        const beside = x < inside[0] - 12 || x > inside[1] + 12;
        const found = least(lines, (line) => {
            const level = beside ? line.label : height(line.points, x);
            return level === null ? Infinity : Math.abs(level - y);
        });
        show(found);
        const point = found && least(found.points, (p) => Math.abs(p.x - x));
        near(found && point && { line: found, of: point.of });
    };
    root.addEventListener('pointermove', at);
    root.addEventListener('pointerdown', at);
    root.addEventListener('pointerleave', (event) => {
        // A finger that is lifted leaves too, but its reader still reads.
        if (event.pointerType === 'touch') return;
        show(null);
        near(null);
    });
    root.addEventListener('pointerup', (event) => {
        // A finger taps to read.
        if (now && event.pointerType === 'mouse') chosen(now);
    });
}

function least<T>(all: T[], of: (one: T) => number): T | null {
    let [best, value] = [null as T | null, Infinity];
    for (const one of all) {
        const next = of(one);
        if (next < value) [best, value] = [one, next];
    }
    return best;
}

/** The height of a line at `x`; beyond its ends, the height of its end. */
function height(points: { x: number; y: number }[], x: number): number | null {
    const after = points.findIndex((point) => point.x >= x);
    const [a, b] = [points[after - 1], points[after]];
    if (after < 0) return points.at(-1)?.y ?? null;
    if (!a || !b) return b?.y ?? null;
    return a.y + ((b.y - a.y) * (x - a.x)) / (b.x - a.x);
}
