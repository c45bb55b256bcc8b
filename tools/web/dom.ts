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
  readonly title: string;
  readonly body: DomElement;
  readonly documentElement: DomElement;
  querySelector(selector: string): DomElement | null;
}

/** What is only a part of a page becomes a page around it. Runs nothing and loads nothing. */
export function parseDocument(html: string): DomDocument {
  const whole = /<html[\s>]/iu.test(html) ? html : `<!doctype html><html><head></head><body>${html}</body></html>`;
  return parseHTML(whole).document;
}
