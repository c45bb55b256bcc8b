/**
 * Cuts markdown into parts that fit one message. Pure and deterministic. A part is measured as it will stand, closing fence included,
 * so that it fits as the platform counts. Nothing but white space at the cuts is lost; code that is cut is closed and opened again.
 */
import { candidates, trimStart } from './split-cut.ts';
import { type CodeSpan, type Fence, type Shape, shapeOf } from './split-shape.ts';

export interface SplitRules {
  readonly limit: number;
  /** Length of a part as the platform counts it. */
  measure(part: string): number;
}

/** Info strings beyond this are not repeated: they would fill the message (a language has a few letters). */
const LONGEST_INFO = 32;
/** So many of the limit's units are looked at for one part: markup that is not counted needs room. */
const WINDOW = 1.5;
/** A part this full is full enough: each look at a fuller one costs a parse. */
const ENOUGH = 0.8;
const TRIES = 12;

export function splitMarkdown(markdown: string, rules: SplitRules): readonly string[] {
  const parts: string[] = [];
  let rest = trimStart(markdown).trimEnd();
  while (rest !== '') {
    const cut = fitsWhole(rest, rules) ? { part: closed(rest), next: '' } : shortening(rest, rules);
    if (cut.part.trim() !== '') parts.push(cut.part);
    rest = cut.next;
  }
  return parts;
}

/** Each cut leaves less than there was: a fence that is opened again can be as long as a message itself. */
function shortening(rest: string, rules: SplitRules): Cut {
  const cut = cutOnce(rest, rules);
  return cut.next.length < rest.length ? cut : desperate(rest, rules);
}

function fitsWhole(rest: string, { limit, measure }: SplitRules): boolean {
  return rest.length <= limit * 3 && measure(closed(rest)) <= limit;
}

/** An answer that was cut off in the middle of code still gets its closing fence. */
function closed(text: string): string {
  if (!text.includes('```') && !text.includes('~~~')) return text;
  const open = shapeOf(text).codes.find(({ fence }) => fence !== undefined && !fence.closed);
  return open?.fence === undefined ? text : close(text, open.fence);
}

function close(text: string, { prefix, marks }: Fence): string {
  return `${text}${text.endsWith('\n') ? '' : '\n'}${prefix}${marks}`;
}

interface Cut {
  readonly part: string;
  readonly next: string;
}

interface Window {
  readonly rest: string;
  /** As much of the rest as was parsed. */
  readonly text: string;
  readonly shape: Shape;
}

function cutOnce(rest: string, rules: SplitRules): Cut {
  const sober = withoutAbsurdInfo(rest, rules.limit);
  const window = lookAt(sober, Math.ceil(rules.limit * WINDOW));
  let best: Cut | undefined;
  const furthest = window.text.length === window.rest.length ? window.text.length : window.text.length - 1;
  let reach = Math.min(furthest, rules.limit);
  for (let tries = 0; tries < TRIES && reach > 0; tries += 1) {
    const at = candidates(window.text, window.shape, reach);
    const cut = cutAt(window, at);
    const size = rules.measure(cut.part);
    if (size <= rules.limit) {
      best = cut;
      if (size >= rules.limit * ENOUGH || reach >= furthest) break;
      reach = Math.min(furthest, reach + (rules.limit - size));
    } else {
      if (best !== undefined) break;
      reach = Math.max(0, Math.min(at, Math.floor((at * rules.limit * 0.95) / size)));
    }
  }
  return best ?? desperate(sober, rules);
}

/** Parts are parsed on their own, so what a part begins with decides how it is read: the window begins where the part does. */
function lookAt(rest: string, least: number): Window {
  const lineEnd = rest.slice(0, least * 2).indexOf('\n', least);
  const text = rest.slice(0, lineEnd < 0 ? least * 2 : lineEnd + 1);
  const shape = shapeOf(text);
  if (text.length === rest.length) return { rest, text, shape };
  const last = shape.codes.at(-1);
  if (last?.fence === undefined || last.fence.closed || last.end < text.trimEnd().length) return { rest, text, shape };
  // Half of an opening line is no fence yet: it is left to the next part.
  if (last.start > 0 && !text.includes('\n', last.start)) return { rest, text: text.slice(0, last.start), shape };
  // Code in a list or quote is taken out of it when it is cut, which needs all of it.
  return last.nested ? { rest, text: rest, shape: shapeOf(rest) } : { rest, text, shape };
}

function cutAt({ rest, text, shape }: Window, at: number): Cut {
  if (at >= rest.length) return { part: closed(rest), next: '' };
  const code = shape.codes.find(({ start, end }) => start < at && at < end);
  if (code === undefined) return { part: text.slice(0, at).trimEnd(), next: trimStart(rest.slice(at)) };
  if (code.fence === undefined) return { part: text.slice(0, at).trimEnd(), next: rest.slice(at).replace(/^\n/, '') };
  return cutCode(rest, { ...code, fence: code.fence }, at);
}

function cutCode(rest: string, code: CodeSpan & { readonly fence: Fence }, at: number): Cut {
  const { fence } = code;
  const opening = `${fence.marks}${shortInfo(fence.info)}\n`;
  const part = close(rest.slice(0, at), fence);
  if (!code.nested) return { part, next: opening + rest.slice(at).replace(/^\n/, '') };
  const after = trimStart(rest.slice(code.end));
  const next = `${opening}${valueFrom(rest, code, at)}\n${fence.marks}${after === '' ? '' : `\n\n${after}`}`;
  return { part, next };
}

/** The content behind the cut without the indentation or quote marks that it has in the source. */
function valueFrom(rest: string, { fence, value }: CodeSpan & { readonly fence: Fence }, at: number): string {
  const before = rest.slice(fence.contentStart, at);
  const line = before.split('\n').length - 1;
  const lines = value.split('\n');
  if (rest[at] === '\n') return lines.slice(line + 1).join('\n');
  const lineStart = rest.lastIndexOf('\n', at - 1) + 1;
  const lineEnd = rest.indexOf('\n', at);
  const sourceLength = (lineEnd < 0 ? rest.length : lineEnd) - lineStart;
  const current = lines[line] ?? '';
  const column = Math.max(0, at - lineStart - (sourceLength - current.length));
  return [current.slice(column), ...lines.slice(line + 1)].join('\n');
}

function shortInfo(info: string): string {
  if (info.length <= LONGEST_INFO) return info;
  const [language = ''] = info.split(/\s/, 1);
  return language.length <= LONGEST_INFO ? language : '';
}

/** A fence whose first line alone would fill a message is opened with its language only. */
function withoutAbsurdInfo(rest: string, limit: number): string {
  const [line, marks = '', info = ''] = /^(`{3,}|~{3,})([^\n]*)/.exec(rest) ?? [];
  if (line === undefined || line.length * 4 <= limit || info.length <= LONGEST_INFO) return rest;
  return `${marks}${shortInfo(info.trim())}${rest.slice(line.length)}`;
}

/** What no rule could cut: as many whole characters as fit. Ends always, because one character is taken at least. */
function desperate(rest: string, { limit, measure }: SplitRules): Cut {
  for (let units = Math.min(rest.length, limit); units > 1; units = Math.floor(units / 2)) {
    const at = wholeCharacters(rest, units);
    if (at > 0 && measure(rest.slice(0, at)) <= limit) return { part: rest.slice(0, at), next: rest.slice(at) };
  }
  const [first = ''] = rest;
  return { part: first, next: rest.slice(first.length) };
}

/** Never half of a surrogate pair. */
function wholeCharacters(text: string, units: number): number {
  const last = text.charCodeAt(units - 1);
  return last >= 0xd800 && last <= 0xdbff ? units - 1 : units;
}
