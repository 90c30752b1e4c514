// The control at every size: a second copy of the run's baseline compared with the baseline. It
// shows how much of the differences is noise.
import { scaleLog } from 'd3-scale';
import { copyButton, withTools } from './copy';
import { h, svg } from './dom';
import { AXIS, frame, logTicks, nameRoom, rowAxis, whisker } from './frame';
import { standalone } from './standalone';
import { type Entry, ends, table } from './table';
import { bytes, ratio, ratioAtAxis } from './text';
import { share, trust } from './trust';
import { type View, about } from './view';

export function controlSection(view: View, width: number): Node[] {
    const drawing = chart(view, Math.min(width, 640));
    return [
        h(
            'p',
            {},
            'A second copy of the run’s own baseline, in its own process: its true ratio is 1. If the ' +
                'controls of a run are further from 1 than by chance, all its intervals are widened by as ' +
                'much. If a control is certainly off by over 1 %, its comparison is untrusted.',
        ),
        withTools(
            drawing,
            copyButton('Copy SVG', () => standalone(drawing, about(view))),
        ),
        controlTable(view),
    ];
}

function chart(view: View, width: number): SVGSVGElement {
    const { works } = view.chart;
    const row = 20;
    const { room } = nameRoom(
        works.map((work) => bytes(work.size)),
        width,
        0.4,
    );
    const f = frame(
        'Ratio of the control to the baseline at each size',
        width,
        works.length * row + 10 + AXIS,
        {
            ...{ left: room, right: 16, top: 6, bottom: AXIS },
        },
    );
    const values = works.flatMap((w) => (w.comparison.control ?? []).flatMap((v) => v ?? []));
    const far = Math.max(1.03, ...values.map((v) => Math.max(v, 1 / v))) * 1.005;
    const [low, high] = [1 / far, far];
    const x = scaleLog([low, high], [f.left, f.right]);
    const zone = {
        x: x(1 / 1.01),
        width: x(1.01) - x(1 / 1.01),
        y: f.top,
        height: f.bottom - f.top,
    };
    f.root.append(svg('rect', { ...zone, class: 'zone' }, svg('title', {}, 'within 1 %')));
    const what = 'times as long, logarithmic scale';
    f.root.append(rowAxis(f, x, logTicks(low, high, 5), what, ratioAtAxis));
    f.root.append(svg('line', { x1: x(1), x2: x(1), y1: f.top, y2: f.bottom, class: 'one' }));
    works.forEach((work, i) => {
        const at = f.top + row * (i + 0.5);
        const chosen = work === view.work ? 'plain chosen' : 'plain';
        const position = {
            x: f.left - 8,
            y: at + 4,
            'text-anchor': 'end',
            class: `label ${chosen}`,
        };
        f.root.append(svg('text', position, bytes(work.size)));
        if (!work.comparison.control) return;
        const [estimate, from, to] = work.comparison.control;
        f.root.append(...whisker(x, [low, high], [from, to], at, 'plain'));
        if (estimate === null) return;
        const distrusted = trust(work) === 'untrusted';
        const shape = distrusted
            ? { r: 3, class: 'mark hollow plain' }
            : { r: 2.75, class: 'mark plain' };
        f.root.append(svg('circle', { cx: x(estimate), cy: at, ...shape }));
    });
    return f.root;
}

function controlTable(view: View): Node {
    const columns = [
        { name: 'size', unit: 'bytes' },
        { name: 'control', number: true },
        { name: 'interval', number: true },
        { name: 'smallest difference', number: true },
        { name: 'rounds', number: true },
        { name: 'disturbed', number: true },
    ];
    const rows = view.chart.works.map(({ size, comparison, cells }): Entry[] => {
        const floor = cells[0]?.floor ?? null;
        const estimate = comparison.control?.[0] ?? null;
        return [
            [size, bytes(size)],
            estimate === null ? null : [estimate, ratio(estimate)],
            comparison.control ? ends(comparison.control[1], comparison.control[2], ratio) : null,
            floor === null ? null : [floor, share(floor)],
            [comparison.rounds, `${comparison.rounds}`],
            [comparison.disturbed, `${comparison.disturbed}`],
        ];
    });
    return table('The control, by size', columns, rows);
}
