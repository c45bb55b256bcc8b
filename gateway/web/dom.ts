type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
type Child = Node | string;

/** An element; `true` sets a bare attribute, `false` and undefined set none. Text is always text: nothing here parses HTML. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
  element.append(...children);
  return element;
}

export function setAttribute(element: Element, name: string, value: string | number | boolean | undefined): void {
  if (value === undefined || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? '' : String(value));
}

/** Makes these the children from `start` on, in this order. What stands there already is not touched, and so keeps focus and selection. */
export function place(parent: Element, wanted: readonly Element[], start = 0): void {
  const stays = new Set(wanted);
  for (let index = parent.children.length - 1; index >= start; index--) {
    const child = parent.children[index];
    if (child && !stays.has(child)) child.remove();
  }
  for (const [index, element] of wanted.entries()) {
    const present = parent.children[start + index] ?? null;
    if (present !== element) parent.insertBefore(element, present);
  }
}

export function button(
  attributes: Attributes & { readonly label: string },
  onClick: () => void,
  ...children: readonly Child[]
): HTMLButtonElement {
  const { label, ...rest } = attributes;
  const element = h('button', { type: 'button', 'aria-label': label, title: label, ...rest }, ...children);
  element.addEventListener('click', onClick);
  return element;
}

const ICONS = {
  menu: 'M4 7h16M4 12h16M4 17h16',
  plus: 'M12 5v14M5 12h14',
  send: 'M12 19V6M6 11.5 12 5.5l6 6',
  stop: 'M8 8h8v8H8z',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M7 7l10 10M17 7 7 17',
  down: 'M12 6v12M6.5 12.5 12 18l5.5-5.5',
  chevron: 'M9 6l6 6-6 6',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6l1.1 1.1M17.3 17.3l1.1 1.1M5.6 18.4l1.1-1.1M17.3 6.7l1.1-1.1',
  moon: 'M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z',
  auto: 'M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16',
  reply: 'M10 6 5 11l5 5M5 11h8a6 6 0 0 1 6 6',
  gateway: 'M5 5h14v6H5zM5 13h14v6H5zM8.5 8h.01M8.5 16h.01',
  people:
    'M9 5a3.2 3.2 0 1 0 0 6.4A3.2 3.2 0 0 0 9 5zM3 19c.4-3.2 2.8-5 6-5s5.6 1.8 6 5M15.5 5.2a3.2 3.2 0 0 1 0 6M17.5 14.2c2 .6 3.2 2.3 3.5 4.8',
  leave: 'M14 5H6v14h8M11 12h9M16.5 8.5 20 12l-3.5 3.5',
  link: 'M10 14l4-4M8.5 11.5l-2 2a3.2 3.2 0 0 0 4.5 4.5l2-2M15.5 12.5l2-2A3.2 3.2 0 0 0 13 6l-2 2',
} as const;

export type IconName = keyof typeof ICONS;

const SVG = 'http://www.w3.org/2000/svg';

export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  const path = document.createElementNS(SVG, 'path');
  for (const [key, value] of Object.entries({ viewBox: '0 0 24 24', class: `icon icon-${name}`, 'aria-hidden': 'true' }))
    svg.setAttribute(key, value);
  path.setAttribute('d', ICONS[name]);
  svg.append(path);
  return svg;
}
