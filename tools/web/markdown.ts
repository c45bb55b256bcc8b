/** A tree of HTML as markdown. Addresses are made complete; what would run or be loaded by itself is left out. */
import Turndown from 'turndown';
import type { DomElement, DomNode } from './dom.ts';

type Options = Turndown.Options;

const dropped = 'script style noscript template svg iframe object embed canvas audio video button input select textarea dialog'.split(' ');

/** `base`: what relative addresses are relative to. */
export function toMarkdown(tree: DomElement, base: string): string {
  const options: Options = { headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-', emDelimiter: '*', hr: '---' };
  const turndown = new Turndown(options);
  // The elements that it hands to its rules are those of the tree that it was given; its types name those of a browser.
  const rule = (name: string, filter: string | readonly string[], replacement: (content: string, node: DomElement) => string): void =>
    void turndown.addRule(name, {
      filter: filter as Turndown.TagName[],
      replacement: (content, node) => replacement(content, node as unknown as DomElement),
    });
  rule('dropped', dropped, () => '');
  rule('struck', ['del', 's', 'strike'], (content) => (content.trim() === '' ? '' : `~~${content}~~`));
  rule('link', ['a'], (content, node) => link(content, absolute(node.getAttribute('href'), base)));
  rule('image', ['img'], (_content, node) => image(node, base));
  rule('cell', ['th', 'td'], (content, node) => (isTable(tableOf(node)) ? ` ${oneLine(content)} |` : `${content}\n\n`));
  rule('row', ['tr'], (content, node) => (isTable(tableOf(node)) ? row(content, node) : content));
  rule('table', ['table'], (content) => `\n\n${content.trim()}\n\n`);
  rule('tablePart', ['thead', 'tbody', 'tfoot'], (content) => content);
  return turndown.turndown(tree as unknown as Turndown.Node).trim();
}

function absolute(address: string | null, base: string): URL | null {
  const url = address === null || address.trim() === '' || address.startsWith('#') ? null : URL.parse(address.trim(), base);
  return url !== null && ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url : null;
}

function link(content: string, url: URL | null): string {
  const text = content.trim().replaceAll(/\s*\n\s*/gu, ' ');
  if (url === null || text === '') return content;
  return `[${text}](${bare(url)})`;
}

function image(node: DomElement, base: string): string {
  const alt = oneLine(node.getAttribute('alt') ?? '').replaceAll(/[[\]]/gu, '');
  const url = absolute(node.getAttribute('src') ?? node.getAttribute('data-src'), base);
  return url === null || url.protocol === 'mailto:' ? alt : `![${alt}](${bare(url)})`;
}

function bare(url: URL): string {
  return url.href.replaceAll('(', '%28').replaceAll(')', '%29');
}

function oneLine(text: string): string {
  return text
    .trim()
    .replaceAll(/\s*\n\s*/gu, ' ')
    .replaceAll('|', '\\|');
}

function tableOf(node: DomNode): DomElement | null {
  for (let at = node.parentNode; at !== null; at = at.parentNode) if (at.nodeName.toUpperCase() === 'TABLE') return at;
  return null;
}

/** Not one that only arranges the page: those have other tables in them, or a single row or column. */
function isTable(table: DomElement | null): boolean {
  if (table === null || tableOf(table) !== null || table.querySelector('table') !== null) return false;
  const rows = table.querySelectorAll('tr');
  return rows.length > 1 && Array.from(rows).some((one) => one.children.length > 1);
}

function row(content: string, node: DomElement): string {
  const isFirst = node === tableOf(node)?.querySelector('tr');
  const line = `|${content}\n`;
  return isFirst ? `${line}|${' --- |'.repeat(node.children.length)}\n` : line;
}
