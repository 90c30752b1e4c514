// Parts of the page that are folded until the reader opens them. Their content is made then, so
// that a page of thousands of cells opens at once. They stay open when the page is drawn again.
import { h } from './dom';

const opened = new Set<string>();

/** The parts that the reader has folded. */
const closed = new Set<string>();

/**
 * A folded part, or one that is folded only by the reader. Its id must be the same in every
 * drawing.
 */
export function fold(
    id: string,
    summary: Node | string,
    content: () => Node[],
    unfolded = false,
): HTMLElement {
    const part = h('details', { id, class: 'fold' }, h('summary', {}, summary));
    let empty = true;
    const open = () => {
        if (empty) part.append(...content());
        empty = false;
    };
    if (opened.has(id) || (unfolded && !closed.has(id))) {
        part.open = true;
        open();
    }
    part.addEventListener('toggle', () => {
        if (part.open) {
            opened.add(id);
            closed.delete(id);
            open();
        } else {
            opened.delete(id);
            closed.add(id);
        }
    });
    return part;
}
