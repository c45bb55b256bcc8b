/** As much of the browser's tree as is used here. linkedom has all of it; its own types need those of a browser, which a daemon has not. */
import { parseHTML } from 'linkedom';

export interface DomNode {
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly parentNode: DomElement | null;
}

export interface DomElement extends DomNode {
  readonly children: ArrayLike<DomElement>;
  readonly previousElementSibling: DomElement | null;
  getAttribute(name: string): string | null;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): ArrayLike<DomElement>;
  remove(): void;
}

export interface DomDocument {
  readonly body: DomElement;
  querySelector(selector: string): DomElement | null;
}

/** Runs nothing and loads nothing. */
export function parseDocument(html: string): DomDocument {
  return parseHTML(/<html[\s>]/iu.test(html) ? html : completed(html)).document;
}

/** HTML allows to leave these elements out; the parser does not put them in. */
function completed(html: string): string {
  const rest = html.replace(/<!doctype[^>]*>/iu, '').replaceAll(/<\/?head(?:\s[^>]*)?>/giu, '');
  const body = rest.search(/<body[\s>]/iu);
  if (body !== -1) return `<!doctype html><html><head>${rest.slice(0, body)}</head>${rest.slice(body)}</html>`;
  const title = /<title[^>]*>[^<]*<\/title>/iu.exec(rest)?.[0] ?? '';
  return `<!doctype html><html><head>${title}</head><body>${rest.replace(title, '')}</body></html>`;
}
