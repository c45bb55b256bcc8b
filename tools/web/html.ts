/** What a web page is about, as markdown. */
import { Readability } from '@mozilla/readability';
import { type DomDocument, type DomElement, parseDocument } from './dom.ts';
import { toMarkdown } from './markdown.ts';
import type { Page } from './page.ts';

/** An article this much shorter than its page is a wrong guess: a list, a forum, a front page. */
const leastShare = 0.25;
/** More than this takes the search for the article longer than it is worth. */
const maxElements = 50_000;
const hidden =
  'title, script, style, noscript, template, [hidden], [aria-hidden="true"], [style*="display:none"], [style*="display: none"]';

/** `address`: where it came from. */
export function readHtml(html: string, address: string): Page {
  const whole = parseDocument(html);
  const base = URL.parse(whole.querySelector('base[href]')?.getAttribute('href') ?? '', address)?.href ?? address;
  const title = oneLine(whole.querySelector('title')?.textContent ?? '');
  const visible = withoutHidden(whole);
  const length = textLength(visible);
  const article = visible.querySelectorAll('*').length > maxElements ? null : articleOf(html);
  const content = article === null || article.content == null ? undefined : parseDocument(article.content).body;
  if (article === null || content === undefined || textLength(content) < length * leastShare)
    return { title, byline: '', markdown: toMarkdown(visible, base) };
  const byline = [article.byline, article.publishedTime].map((part) => oneLine(part ?? '')).filter((part) => part !== '');
  return { title: oneLine(article.title ?? '') || title, byline: byline.join(', '), markdown: toMarkdown(content, base) };
}

/** It changes the tree that it reads, and so has one of its own. */
function articleOf(html: string): ReturnType<Readability['parse']> {
  return new Readability(parseDocument(html) as ConstructorParameters<typeof Readability>[0], { keepClasses: true }).parse();
}

function withoutHidden({ body }: DomDocument): DomElement {
  for (const node of Array.from(body.querySelectorAll(hidden))) node.remove();
  return body;
}

function textLength({ textContent }: DomElement): number {
  return (textContent ?? '').replaceAll(/\s+/gu, ' ').length;
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s+/gu, ' ');
}
