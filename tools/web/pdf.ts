/** The text of a PDF, page by page. */
import { getDocumentProxy } from 'unpdf';
import type { Page } from './page.ts';

/** Nobody reads more of it, and a file of some kilobytes can say that it has millions of pages. */
const maxPages = 2_000;
const maxLength = 5_000_000;

/** Throws with a sentence what the file is no good for. */
export async function readPdf(bytes: Uint8Array): Promise<Page> {
  const document = await getDocumentProxy(bytes, { verbosity: 0 }).catch((error: unknown) => {
    const isLocked = error instanceof Error && error.name === 'PasswordException';
    throw new Error(isLocked ? 'the PDF is locked with a password' : 'the PDF is damaged, or is none', { cause: error });
  });
  const pages: string[] = [];
  let length = 0;
  for (let number = 1; number <= Math.min(document.numPages, maxPages) && length < maxLength; number += 1) {
    const text = await pageText(document, number);
    length += text.length;
    pages.push(`## Page ${number}\n\n${text === '' ? '(no text)' : text}`);
  }
  if (length === 0) throw new Error(`the PDF has no text in its ${document.numPages} pages: it may be scanned`);
  const more = pages.length < document.numPages ? [`[... ${document.numPages - pages.length} more pages]`] : [];
  return { title: await titleOf(document), byline: '', markdown: [...pages, ...more].join('\n\n') };
}

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;

async function pageText(document: PdfDocument, number: number): Promise<string> {
  const page = await document.getPage(number);
  const { items } = await page.getTextContent();
  page.cleanup();
  const text = items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join('');
  return text
    .replaceAll(/[^\S\n]+/gu, ' ')
    .replaceAll(/ ?\n ?/gu, '\n')
    .trim();
}

async function titleOf(document: PdfDocument): Promise<string> {
  const { info } = await document.getMetadata();
  const title = 'Title' in info ? info.Title : '';
  return typeof title === 'string' ? title.trim() : '';
}
