/**
 * Telegram's HTML parse mode, strictly: what the Bot API answers with 400 is an error here, and so is what its documentation forbids
 * although the server lets it pass (nested block quotes, anything inside code). https://core.telegram.org/bots/api#html-style
 */

export interface TelegramEntity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
  readonly language?: string;
}

export interface ParsedHtml {
  /** The text that people see; its length in UTF-16 units is what the limit of 4096 counts. */
  readonly text: string;
  readonly entities: readonly TelegramEntity[];
}

export class TelegramHtmlError extends Error {
  override readonly name = 'TelegramHtmlError';
}

const TYPES: Readonly<Record<string, string>> = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  ins: 'underline',
  s: 'strikethrough',
  strike: 'strikethrough',
  del: 'strikethrough',
  span: 'spoiler',
  'tg-spoiler': 'spoiler',
  a: 'text_link',
  code: 'code',
  pre: 'pre',
  blockquote: 'blockquote',
};

const CHARACTERS: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };

interface OpenTag {
  readonly name: string;
  readonly type: string;
  readonly offset: number;
  readonly attributes: Readonly<Record<string, string>>;
}

function fail(description: string): never {
  throw new TelegramHtmlError(`Bad Request: can't parse entities: ${description}`);
}

function decode(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(lt|gt|amp|quot));/gi, (_whole, decimal, hex, name) => {
    if (name !== undefined) return CHARACTERS[String(name).toLowerCase()] ?? '';
    return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal));
  });
}

function attributesOf(source: string, at: number): Record<string, string> {
  const attributes: Record<string, string> = {};
  const rest = source.replace(/\s+([a-z-]+)(?:=(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/gi, (_whole, name, double, single, bare) => {
    attributes[String(name).toLowerCase()] = decode(double ?? single ?? bare ?? '');
    return '';
  });
  if (rest.trim() !== '') fail(`Unexpected attribute text at byte offset ${at}`);
  return attributes;
}

function checkPlace(tag: OpenTag, open: readonly OpenTag[], at: number): void {
  const inside = open.at(-1);
  const codeInPre = tag.type === 'code' && inside?.type === 'pre';
  if (open.some(({ type }) => type === 'code' || type === 'pre') && !codeInPre)
    fail(`Entity "${tag.name}" inside code at byte offset ${at}`);
  if ((tag.type === 'code' || tag.type === 'pre') && !codeInPre && open.some(({ type }) => type !== 'blockquote'))
    fail(`Code inside "${inside?.name}" at byte offset ${at}`);
  if (tag.type === 'blockquote' && open.some(({ type }) => type === 'blockquote')) fail(`Nested blockquote at byte offset ${at}`);
}

function openTag(source: string, offset: number, at: number): OpenTag {
  const [, name = '', rest = ''] = /^([a-z][a-z0-9-]*)?(.*)$/is.exec(source) ?? [];
  const type = TYPES[name.toLowerCase()];
  if (type === undefined) fail(`Unsupported start tag "${name}" at byte offset ${at}`);
  const attributes = attributesOf(rest, at);
  if (name.toLowerCase() === 'span' && attributes['class'] !== 'tg-spoiler')
    fail(`Tag "span" must have class "tg-spoiler" at byte offset ${at}`);
  return { name: name.toLowerCase(), type, offset, attributes };
}

function entityOf(tag: OpenTag, end: number): TelegramEntity {
  const language = /^language-(.+)$/.exec(tag.attributes['class'] ?? '')?.[1];
  const url = tag.attributes['href'];
  return {
    type: tag.type,
    offset: tag.offset,
    length: end - tag.offset,
    ...(tag.type === 'text_link' && url !== undefined ? { url } : {}),
    ...(language === undefined ? {} : { language }),
  };
}

/** Throws TelegramHtmlError with the description that the Bot API would answer. */
export function parseTelegramHtml(html: string): ParsedHtml {
  const open: OpenTag[] = [];
  const entities: TelegramEntity[] = [];
  let text = '';
  let at = 0;
  for (const match of html.matchAll(/<(\/?)((?:[^<>"']|"[^"]*"|'[^']*')*)>|[<>]/g)) {
    text += decode(html.slice(at, match.index));
    at = match.index + match[0].length;
    const [whole, closing, body] = match;
    if (whole === '>') fail(`Unescaped ">" at byte offset ${match.index}`);
    if (body === undefined) fail(`Unsupported start tag "" at byte offset ${match.index}`);
    if (closing === '/') {
      const tag = open.pop();
      if (tag === undefined) fail(`Unexpected end tag at byte offset ${match.index}`);
      if (tag.name !== body.trim().toLowerCase())
        fail(`Unmatched end tag at byte offset ${match.index}, expected "</${tag.name}>", found "</${body}>"`);
      if (text.length > tag.offset) entities.push(entityOf(tag, text.length));
    } else {
      const tag = openTag(body, text.length, match.index);
      checkPlace(tag, open, match.index);
      open.push(tag);
    }
  }
  const left = open.at(-1);
  if (left !== undefined) fail(`Can't find end tag corresponding to start tag "${left.name}"`);
  return { text: text + decode(html.slice(at)), entities };
}
