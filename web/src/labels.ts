// Names next to the lines of a chart, on the side where the lines are further apart.
import { svg } from './dom';
import type { Frame, Look } from './frame';

const HEIGHT = 15;

/** The names of a chart fit next to it if there are at most this many. */
export function mostNamed(width: number): number {
    return width > 640 ? 40 : 24;
}

/** The height that this many names need. */
export function heightOf(names: number): number {
    return names * HEIGHT + 20;
}

/** A name next to an end of its line. */
export interface Label {
    name: string;
    /** The text: a name, perhaps with its version. */
    shown: (SVGElement | string)[];
    title: string;
    x: number;
    y: number;
    look: Look | undefined;
}

/** How far these values are apart; being further apart than a label is high does not help. */
export function spread(values: number[]): number {
    const sorted = [...values].sort((a, b) => a - b);
    return sorted
        .slice(1)
        .reduce((sum, value, i) => sum + Math.min(HEIGHT, value - (sorted[i] ?? value)), 0);
}

/**
 * Draws names next to a chart, moved apart so that none overlaps another, and connected to their
 * lines. Returns the group of each name, with its height.
 */
export function drawLabels(
    frame: Frame,
    all: Label[],
    side: 'left' | 'right',
): Map<string, { group: SVGGElement; y: number }> {
    const placed = [...all].sort((a, b) => a.y - b.y).map((label) => ({ label, y: label.y }));
    const low = frame.top + 4;
    placed.forEach((item, i) => {
        item.y = Math.max(item.y, i === 0 ? low : (placed[i - 1]?.y ?? 0) + HEIGHT);
    });
    for (let i = placed.length - 1, floor = frame.bottom + 4; i >= 0; i--) {
        const item = placed[i];
        if (!item) continue;
        item.y = Math.min(item.y, floor);
        floor = item.y - HEIGHT;
    }
    const [edge, away, anchor] =
        side === 'right' ? [frame.right, 1, 'start'] : [frame.left, -1, 'end'];
    const found = new Map<string, { group: SVGGElement; y: number }>();
    for (const { label, y } of placed) {
        const colour = label.look?.colour ?? 'other';
        const from = `${(label.x + 6 * away).toFixed(1)},${label.y.toFixed(1)}`;
        const position = { x: edge + 17 * away, y: y + 4, 'text-anchor': anchor };
        const group = svg(
            'g',
            { class: 'name' },
            svg('path', {
                d: `M${from}L${edge + 14 * away},${y.toFixed(1)}`,
                class: `leader ${colour}`,
            }),
            svg(
                'text',
                { ...position, class: `label ${colour}` },
                ...label.shown,
                svg('title', {}, label.title),
            ),
        );
        frame.root.append(group);
        found.set(label.name, { group, y });
    }
    return found;
}
