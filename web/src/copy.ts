// Buttons that put something on the clipboard, and say so.
import { h } from './dom';

/** A button that copies the result of `make` when it is pressed. */
export function copyButton(label: string, make: () => string): HTMLElement {
    const button = h('button', { type: 'button', class: 'copy' }, label);
    let waiting = 0;
    button.addEventListener('click', () => {
        void copy(make()).then((done) => {
            const said = done ? 'Copied' : 'Not copied: the browser refused';
            button.textContent = said;
            status().textContent = `${label}: ${said.toLowerCase()}`;
            clearTimeout(waiting);
            waiting = setTimeout(() => {
                button.textContent = label;
            }, 2000);
        });
    });
    return button;
}

/** A drawing or a table with its buttons below. */
export function withTools(content: Node, ...buttons: HTMLElement[]): HTMLElement {
    return h('div', { class: 'figure' }, content, h('p', { class: 'tools' }, ...buttons));
}

/** Screen readers read this element whenever its text changes. */
function status(): HTMLElement {
    const known = document.getElementById('copied');
    if (known) return known;
    const made = h('p', { id: 'copied', role: 'status', class: 'unseen' });
    document.body.append(made);
    return made;
}

async function copy(text: string): Promise<boolean> {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        // Some browsers give a page from a file no clipboard, but let it copy a selection.
        const field = h('textarea', { class: 'unseen', 'aria-hidden': 'true' });
        field.value = text;
        document.body.append(field);
        field.select();
        // eslint-disable-next-line @typescript-eslint/no-deprecated -- there is nothing else
        const done = document.execCommand('copy');
        field.remove();
        return done;
    }
}
