/** Plain words as Discord shows them unchanged, and code. Pure. https://support.discord.com/hc/en-us/articles/210298617 */

const LINKLIKE = /<(?=[@#:/]|a:|t:|id:|https?:)/g;

/** `||hidden||`, as Discord and Telegram write it. The bars must touch the text: "a || b || c" is an expression. */
const SPOILER = /\|\|(?=\S)([^|]*?[^|\s])\|\|/g;

/** Where the words stand: in italics even one underscore inside a word would end them, and in a link a bracket would. */
export interface Within {
  readonly italic?: boolean;
  readonly link?: boolean;
}

/** What stands inside a line. */
export function escapeText(text: string, within: Within = {}): string {
  let escaped = '';
  let from = 0;
  for (const match of text.matchAll(SPOILER)) {
    escaped += `${escapeMarks(text.slice(from, match.index), within)}||${escapeMarks(match[1] ?? '', within)}||`;
    from = match.index + match[0].length;
  }
  return escaped + escapeMarks(text.slice(from), within);
}

/** As little as may be: in notifications people see the backslashes. */
function escapeMarks(text: string, { italic = false, link = false }: Within): string {
  return (
    text
      // Before a letter a backslash is one; at the end nobody knows what follows.
      .replace(/\\(?![0-9A-Za-z\s])/g, '\\\\')
      .replace(italic ? /\*/g : /\*(?!(?<=\S *\*)(?<= \*) )/g, '\\*')
      .replaceAll('`', '\\`')
      .replace(italic ? /_/g : /(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])/g, '\\_')
      .replace(/~(?=~)|(?<=~)~/g, '\\~')
      .replace(/\|(?=\|)|(?<=\|)\|/g, '\\|')
      .replace(link ? /[[\]]/g : /\](?=\()/g, '\\$&')
      .replace(LINKLIKE, '\\<')
  );
}

/** A line that begins like a heading, quote, list or small print, but is none. */
export function escapeLineStarts(text: string): string {
  return text.replace(/^([ \t]*)(#{1,3}(?=\s)|-#(?=\s)|[-+](?=\s)|>{1,3}(?=\s))/gm, '$1\\$2').replace(/^([ \t]*\d+)\.(?=\s)/gm, '$1\\.');
}

/**
 * A backtick inside takes a fence of two, and a space where it would touch it. Several in a row are parted by a space without width: a fence of
 * three is that of a block.
 */
export function inlineCode(value: string): string {
  if (value.trim() === '') return value;
  const code = value.replace(/`(?=`)/g, '`\u200b');
  const fence = code.includes('`') ? '``' : '`';
  return `${fence}${code.startsWith('`') ? ' ' : ''}${code}${code.endsWith('`') ? ' ' : ''}${fence}`;
}

const LANGUAGE = /^[a-z0-9_+\-.#]{1,32}$/i;

/** Discord knows only fences of three: inside, they are parted by a space without width. */
export function codeBlock(value: string, language?: string | null): string {
  if (value.trim() === '') return '';
  const code = value.replace(/`(?=``)|(?<=``)`$/g, '`\u200b');
  return `\`\`\`${language !== undefined && language !== null && LANGUAGE.test(language) ? language : ''}\n${code}\n\`\`\``;
}
