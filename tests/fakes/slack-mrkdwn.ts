/**
 * Slack's mrkdwn, strictly: what its documentation says must be escaped is an error here although the server lets it pass, and so is code
 * that is opened and not closed. https://docs.slack.dev/messaging/formatting-message-text
 */

export interface ParsedMrkdwn {
  /** The words that people see. */
  readonly text: string;
  readonly links: readonly string[];
  /** Everybody who would be notified: users, groups, `!channel`. */
  readonly mentions: readonly string[];
  /** Pieces by their marks, outermost first: `bold`, `italic`, `strike`, `code`, `pre`, `quote`. */
  readonly marked: readonly (readonly [kind: string, text: string])[];
}

export class MrkdwnError extends Error {
  override readonly name = 'MrkdwnError';
}

const CHARACTERS: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&' };
const KINDS: Readonly<Record<string, string>> = { '*': 'bold', _: 'italic', '~': 'strike' };

interface Findings {
  readonly links: string[];
  readonly mentions: string[];
  readonly marked: [string, string][];
}

/** Throws MrkdwnError. */
export function parseMrkdwn(source: string): ParsedMrkdwn {
  if (!source.isWellFormed()) throw new MrkdwnError('half of a surrogate pair');
  const found: Findings = { links: [], mentions: [], marked: [] };
  const fences = source.split('```');
  if (fences.length % 2 === 0) throw new MrkdwnError('code that is not closed');
  const pieces = fences.map((piece, index) => {
    if (index % 2 === 0) return prose(piece, found);
    const code = literal(piece).replace(/^\n|\n$/g, '');
    if (code.trim() === '') throw new MrkdwnError('empty code');
    found.marked.push(['pre', code]);
    return code;
  });
  return { text: pieces.join('').replaceAll('\u200b', ''), ...found };
}

/** Nothing in code has a meaning but the escapes. */
function literal(code: string): string {
  if (/[<>]/.test(code)) throw new MrkdwnError(`an unescaped "<" or ">" in code: ${code.slice(0, 60)}`);
  return decoded(code);
}

function decoded(text: string): string {
  if (/&(?!(?:lt|gt|amp);)/.test(text)) throw new MrkdwnError(`an unescaped "&": ${text.slice(0, 60)}`);
  return text.replace(/&(lt|gt|amp);/g, (_whole, name: string) => CHARACTERS[name] ?? '');
}

function prose(piece: string, found: Findings): string {
  return piece
    .split('\n')
    .map((line) => {
      const quoted = /^> ?/.exec(line)?.[0] ?? '';
      const words = inline(line.slice(quoted.length), found);
      if (quoted !== '') found.marked.push(['quote', words]);
      return words;
    })
    .join('\n');
}

function inline(line: string, found: Findings): string {
  const ticks = line.split('`');
  if (ticks.length % 2 === 0) throw new MrkdwnError(`a tick that closes nothing: ${line.slice(0, 80)}`);
  const kept: string[] = [];
  const shadow = ticks
    .map((piece, index) => {
      if (index % 2 === 0) return references(piece, found);
      found.marked.push(['code', literal(piece)]);
      // A private character in place of the code: no mark is looked for inside.
      kept.push(literal(piece));
      return '\ue000';
    })
    .join('');
  const words = withoutMarks(shadow, found);
  return words.replace(/\ue000/g, () => kept.shift() ?? '');
}

function references(piece: string, found: Findings): string {
  let text = '';
  let at = 0;
  for (const match of piece.matchAll(/<([^<>\n]*)>/g)) {
    text += outside(piece.slice(at, match.index)) + reference(match[1] ?? '', found);
    at = match.index + match[0].length;
  }
  return text + outside(piece.slice(at));
}

function outside(text: string): string {
  if (/[<>]/.test(text)) throw new MrkdwnError(`an unescaped "<" or ">": ${text.slice(0, 60)}`);
  return decoded(text);
}

function reference(inside: string, found: Findings): string {
  const [target = '', label] = inside.split('|', 2);
  if (/^[@!]/.test(target)) found.mentions.push(target);
  else if (/^(?:https?:\/\/|mailto:|tel:|slack:)\S+$/i.test(target)) found.links.push(decoded(target));
  else if (!/^#[CG][A-Z0-9]+$/.test(target)) throw new MrkdwnError(`no link and no mention: <${inside.slice(0, 60)}>`);
  if (inside.split('|').length > 2) throw new MrkdwnError(`two labels: <${inside.slice(0, 60)}>`);
  if (label === '') throw new MrkdwnError('an empty label');
  return decoded(label ?? target);
}

/** A mark counts between a word and something else, on one line. */
const MARKED = /(?<=^|[\s\u200b([{*_~"'.,:;!?>–—/-])([*_~])(?=\S)([^\n]*?\S)\1(?=$|[\s\u200b)\]}*_~"'.,:;!?–—/-])/u;

function withoutMarks(line: string, found: Findings): string {
  let rest = line;
  for (let match = MARKED.exec(rest); match !== null; match = MARKED.exec(rest)) {
    const [whole, mark = '', words = ''] = match;
    found.marked.push([KINDS[mark] ?? '', words.replaceAll('\u200b', '')]);
    rest = rest.slice(0, match.index) + words + rest.slice(match.index + whole.length);
  }
  return rest;
}
