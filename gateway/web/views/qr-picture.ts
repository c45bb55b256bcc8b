import { h } from '../dom.ts';

const SVG = 'http://www.w3.org/2000/svg';
const QUIET = 4;

/** Drawn here: the code goes through no other hands. Dark on light in every theme, because that is what phones read. */
export function qrPicture(rows: readonly string[]): HTMLElement {
  const size = rows.length + 2 * QUIET;
  const svg = document.createElementNS(SVG, 'svg');
  const path = document.createElementNS(SVG, 'path');
  const squares = rows.flatMap((row, y) => [...row].flatMap((cell, x) => (cell === '1' ? [`M${x + QUIET} ${y + QUIET}h1v1h-1z`] : [])));
  path.setAttribute('d', squares.join(''));
  for (const [name, value] of Object.entries({ viewBox: `0 0 ${size} ${size}`, 'shape-rendering': 'crispEdges', 'aria-hidden': 'true' }))
    svg.setAttribute(name, value);
  svg.append(path);
  return h('div', { class: 'link-qr', role: 'img', 'aria-label': 'Code to scan with the phone' }, svg);
}
