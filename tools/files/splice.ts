import type { Match } from './matching.ts';

/** Works on the raw text, so that line ends outside of the passages stay as they are; inside they follow the file. */
export function splice(raw: string, text: string, matches: readonly Match[]): string {
  const toRaw = rawOffsets(raw, text);
  const lineEnd = dominantLineEnd(raw);
  let result = '';
  let from = 0;
  for (const match of matches) {
    const start = toRaw(match.start);
    const end = toRaw(match.end);
    result += raw.slice(from, start) + match.replacement.replaceAll('\n', lineEndNear(raw.slice(start, end), lineEnd));
    from = end;
  }
  return result + raw.slice(from);
}

function dominantLineEnd(raw: string): string {
  const crlf = raw.split('\r\n').length - 1;
  const all = raw.split('\n').length - 1;
  return crlf * 2 > all ? '\r\n' : '\n';
}

function lineEndNear(passage: string, otherwise: string): string {
  const end = passage.indexOf('\n');
  if (end < 0) return otherwise;
  return passage[end - 1] === '\r' ? '\r\n' : '\n';
}

/** From an offset in the LF text to the one in the raw text. Asked in rising order. */
function rawOffsets(raw: string, text: string): (offset: number) => number {
  if (raw.length === text.length) return (offset) => offset;
  let at = 0;
  let rawAt = 0;
  return (offset) => {
    for (; at < offset; at += 1) rawAt += raw[rawAt] === '\r' && raw[rawAt + 1] === '\n' ? 2 : 1;
    return rawAt;
  };
}

export function toLf(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
