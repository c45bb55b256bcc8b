/**
 * Discord's markdown as its clients show it, strictly: what is left over of a mark, nested where it may not be or longer than it may be, throws.
 * https://support.discord.com/hc/en-us/articles/210298617 and the rules of the open-source parsers that follow the client's.
 */

export class DiscordMarkdownError extends Error {
  override readonly name = 'DiscordMarkdownError';
}

export interface Rendered {
  /** What people read, marks taken out. */
  readonly text: string;
  /** Sorts of formatting, in order of their beginning. */
  readonly kinds: readonly string[];
}

const CODE = /^```(?:([a-z0-9_+\-.#]+?)\n)?\n*([^\n][\s\S]*?)\n*```/i;
const QUOTE = /^(?: *>(?!>>) +[^\n]*(?:\n|$))+/;
const HEADING = /^(#{1,3}) +((?:\\[^\n]|[^\\\n])+?)#*\s*(?:\n|$)/;
const SMALL = /^-# +([^\n]+)(?:\n|$)/;
const ITEM = /^( *)([*-]|\d+\.) +([^\n]*)(?:\n|$)/;

interface State {
  readonly kinds: string[];
  readonly quoted: boolean;
}

export function renderDiscord(content: string): Rendered {
  const kinds: string[] = [];
  const text = blocks(content, { kinds, quoted: false });
  return { text: text.replaceAll('\u200b', ''), kinds };
}

function blocks(source: string, state: State): string {
  let out = '';
  let rest = source;
  let lineStart = true;
  while (rest !== '') {
    const taken: Taken = (lineStart ? lineBlock(rest, state) : undefined) ?? codeAt(rest, state) ?? inlineUntil(rest, state);
    out += taken.text;
    rest = rest.slice(taken.length);
    lineStart = taken.ended || out.endsWith('\n');
  }
  return out;
}

interface Taken {
  readonly text: string;
  readonly length: number;
  readonly ended: boolean;
}

function codeAt(rest: string, { kinds }: State): Taken | undefined {
  const match = CODE.exec(rest);
  if (match === null) return undefined;
  kinds.push('code');
  return { text: `${match[2] ?? ''}`, length: match[0].length, ended: false };
}

function lineBlock(rest: string, state: State): Taken | undefined {
  const { kinds, quoted } = state;
  const quote = quoted ? null : QUOTE.exec(rest);
  if (quote !== null) {
    kinds.push('quote');
    const inner = quote[0].replace(/^ *> ?/gm, '');
    return { text: blocks(inner, { ...state, quoted: true }), length: quote[0].length, ended: true };
  }
  const heading = HEADING.exec(rest);
  if (heading !== null) return whole(heading, `heading${heading[1]?.length}`, inline((heading[2] ?? '').trim(), kinds), kinds);
  const small = SMALL.exec(rest);
  if (small !== null) return whole(small, 'small', inline(small[1] ?? '', kinds), kinds);
  const item = ITEM.exec(rest);
  if (item === null) return undefined;
  const [, indent = '', bullet = '', words = ''] = item;
  return whole(item, 'item', `${indent}${bullet === '-' || bullet === '*' ? '•' : bullet} ${inline(words, kinds)}`, kinds);
}

function whole(match: RegExpExecArray, kind: string, text: string, kinds: string[]): Taken {
  kinds.push(kind);
  return { text: `${text}${match[0].endsWith('\n') ? '\n' : ''}`, length: match[0].length, ended: true };
}

/** Up to the end of the line, or to code that begins within it. */
function inlineUntil(rest: string, { kinds }: State): Taken {
  const newline = rest.indexOf('\n');
  const line = newline < 0 ? rest : rest.slice(0, newline + 1);
  const code = line.indexOf('```');
  if (code > 0 && CODE.test(rest.slice(code))) return { text: inline(rest.slice(0, code), kinds), length: code, ended: false };
  if (code === 0) throw new DiscordMarkdownError(`a fence that nothing closes: ${rest.slice(0, 60)}`);
  const span = spanAcross(rest, line.length);
  return { text: inline(rest.slice(0, span), kinds), length: span, ended: rest[span - 1] === '\n' };
}

/** Bold and the like may go over several lines of a paragraph. */
function spanAcross(rest: string, least: number): number {
  const blank = rest.search(/\n\n/);
  const fence = rest.indexOf('\n```');
  const ends = [blank, fence].filter((at) => at >= 0).map((at) => at + 1);
  const paragraph = Math.min(rest.length, ...ends);
  const lines = rest.slice(least, paragraph).split('\n');
  let length = least;
  for (const line of lines) {
    if (line === '' || QUOTE.test(line) || HEADING.test(line) || SMALL.test(line) || ITEM.test(line)) break;
    length += line.length + 1;
  }
  return Math.min(length, paragraph);
}

const RULES: readonly (readonly [string, RegExp])[] = [
  ['escape', /^\\([^0-9A-Za-z\s])/],
  ['address', /^<(https?:\/\/[^\s<>]+)>/i],
  ['address', /^(https?:\/\/[^\s<]+[^<.,:;"'\]\s])/i],
  ['mention', /^<(?:@[!&]?|#)\d+>/],
  ['link', /^\[((?:\\.|[^[\]\\]|\[(?:\\.|[^[\]\\])*\])*)\]\(<?(https?:\/\/[^\s()<>]+)>?\)/i],
  ['code', /^(`+)([\s\S]*?[^`])\1(?!`)/],
  ['bold', /^\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)/],
  ['underline', /^__((?:\\[\s\S]|[^\\])+?)__(?!_)/],
  ['italic', /^_((?:__|\\[\s\S]|[^\\_])+?)_(?![0-9A-Za-z_])/],
  ['italic', /^\*(?=\S)((?:\*\*|\\[\s\S]|\s+(?:\\[\s\S]|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*)/],
  ['gone', /^~~([\s\S]+?)~~(?!_)/],
  ['spoiler', /^\|\|([\s\S]+?)\|\|/],
];
const TEXT = /^[\s\S]+?(?=[^0-9A-Za-z\s\u00c0-\uffff]|https?:|$)/;

function inline(source: string, kinds: string[]): string {
  let out = '';
  let rest = source;
  while (rest !== '') {
    const [text, length] = spanAt(rest, kinds) ?? plainAt(rest);
    out += text;
    rest = rest.slice(length);
  }
  return out;
}

function spanAt(rest: string, kinds: string[]): [string, number] | undefined {
  for (const [kind, rule] of RULES) {
    const match = rule.exec(rest);
    if (match === null) continue;
    const [whole, first = '', second = ''] = match;
    if (kind === 'escape') return [first, whole.length];
    kinds.push(kind);
    if (kind === 'address') return [first, whole.length];
    if (kind === 'mention') return [whole, whole.length];
    if (kind === 'code') return [second.replace(/^ (?= *`)|(?<=`) $/g, ''), whole.length];
    return [inline(first, kinds), whole.length];
  }
  return undefined;
}

function plainAt(rest: string): [string, number] {
  const [text = rest.slice(0, 1)] = TEXT.exec(rest) ?? [];
  return [text, text.length];
}
