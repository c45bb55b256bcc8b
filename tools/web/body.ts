/** What the bytes of an answer are, and the text in them. Pure. */

export type BodyKind = 'html' | 'pdf' | 'text';

/** Types of which the name alone says that nothing in them can be read. */
export function mayBeRead(mime: string): boolean {
  return mime === '' || isVague(mime) || kindOf(mime) !== undefined;
}

/** Undefined: no text. What the server says counts, but where it says nothing of worth. */
export function bodyKind({ mime, charset }: { readonly mime: string; readonly charset: string }, bytes: Uint8Array): BodyKind | undefined {
  const start = Buffer.from(bytes.subarray(0, 1_024)).toString('latin1');
  if (start.trimStart().startsWith('%PDF-')) return 'pdf';
  if (start.includes('\0') && !isWide(start, charset)) return undefined;
  const named = isVague(mime) ? undefined : kindOf(mime);
  if (named !== undefined) return named === 'pdf' ? undefined : named;
  return /^\s*(?:<!--[\s\S]*?-->\s*)?<(?:!doctype html|html|head|body)[\s>]/iu.test(start) ? 'html' : 'text';
}

/** Of two or four bytes a character. */
function isWide(start: string, charset: string): boolean {
  return /^(?:\xff\xfe|\xfe\xff)/u.test(start) || /^(?:utf-?16|utf-?32|ucs-?2|unicode)/u.test(charset);
}

function isVague(mime: string): boolean {
  return ['', 'application/octet-stream', 'binary/octet-stream', 'application/x-download', 'application/force-download'].includes(mime);
}

const textTypes =
  /^(?:text\/.+|application\/(?:.+\+)?(?:json|xml|yaml|toml|javascript|ecmascript|x-ndjson|jsonl|x-yaml|x-sh|sql|rtf|x-subrip|x-tex))$/u;

function kindOf(mime: string): BodyKind | undefined {
  if (mime === 'text/html' || mime === 'application/xhtml+xml') return 'html';
  if (mime === 'application/pdf' || mime === 'application/x-pdf') return 'pdf';
  return textTypes.test(mime) || mime === 'image/svg+xml' || mime === 'message/rfc822' ? 'text' : undefined;
}

/** By its mark, what the server says, what the page says, and what its bytes look like, in this order. */
export function textOf(bytes: Uint8Array, kind: BodyKind, charset: string): string {
  const declared = [markOf(bytes), charset, kind === 'html' ? declaredIn(bytes) : ''].find((name) => name !== '' && isKnown(name));
  if (declared !== undefined) return new TextDecoder(declared).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes); // the one in which no byte is wrong, and what undeclared old pages are in
  }
}

function markOf([first, second, third]: Uint8Array): string {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : '';
}

function declaredIn(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 4_096)).toString('latin1');
  return /<meta\s[^>]*charset\s*=\s*["']?\s*([\w:-]+)/iu.exec(start)?.[1] ?? '';
}

function isKnown(charset: string): boolean {
  try {
    return new TextDecoder(charset).encoding !== '';
  } catch {
    return false;
  }
}
