// A drawing of the page as its own file: the style that the page gives it is written into it.
import { svg } from './dom';

const PROPERTIES = [
    ...['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-dasharray'],
    ...['stroke-linejoin', 'paint-order', 'opacity'],
];
const OF_TEXT = ['font-family', 'font-size', 'font-weight', 'font-variant-numeric'];

/** The drawing as SVG text, on the page's own background. `about` says where it comes from. */
export function standalone(root: SVGSVGElement, about: string): string {
    const copy = root.cloneNode(true) as SVGSVGElement;
    const copies = copy.querySelectorAll('*');
    root.querySelectorAll('*').forEach((element, i) => {
        const target = copies[i];
        if (!target || element.tagName === 'title') return;
        const style = getComputedStyle(element);
        const isText = ['text', 'tspan'].includes(element.tagName);
        // A group passes nothing on: each of its elements has its own style.
        const properties = element.tagName === 'g' ? ['opacity'] : PROPERTIES;
        for (const property of isText ? [...properties, ...OF_TEXT] : properties) {
            target.setAttribute(property, style.getPropertyValue(property));
        }
        target.removeAttribute('class');
    });
    const paper = getComputedStyle(document.body).backgroundColor;
    const { width, height } = root.viewBox.baseVal;
    copy.prepend(svg('desc', {}, about), svg('rect', { width, height, fill: paper }));
    copy.removeAttribute('class');
    return new XMLSerializer().serializeToString(copy);
}
