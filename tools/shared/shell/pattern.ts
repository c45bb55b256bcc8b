import path from 'node:path';

/**
 * A word of a command as far as it is known before the command runs: literal text in which private-use characters stand for what is not known.
 * Input that contains these characters itself is refused before it is parsed.
 */

/** Any text at all: may hold slashes, spaces, options, several words or nothing. */
export const ANY = '\ue000';
/** `ANY` that bash cuts at blanks: none, one or several words. */
export const SEVERAL = `${ANY}\ue004`;
/** Behind `ANY` or `SEVERAL`: nobody put this text together. It comes from the environment, is the name of a file that was listed, or one of several known ones. */
export const VOUCHED = '\ue006';

/** Whether part of the word was computed, so that it may name anything. */
export function isComputed(word: string): boolean {
  return /\ue000(?!\ue004?\ue006)/u.test(word);
}

/** What is left of a value that may have become another one: nothing is known but that nobody computed it, if that was so. */
export function forgotten(value: string | undefined): string {
  return value === undefined || isHarmless(value) ? ANY + VOUCHED : ANY;
}

/** A known place elsewhere is none: what lies below it may be secret. */
function isHarmless(value: string): boolean {
  return !isComputed(value) && !/^[/~]|(?:^|\/)\.\.(?:\/|$)/u.test(value);
}

/** Some text without a slash that begins neither with a dot nor, at the start of a word, with a dash: a glob, a number. */
export const PIECE = '\ue001';
/** A relative path that stays below its directory. */
export const DEEP = '\ue002';

/** What arithmetic gives: digits, perhaps with a minus before them. */
export const NUMBER = '\ue005';

/** Some name that begins with a dot and is neither `.` nor `..`. */
const HIDDEN = '\ue003';

export const PLACEHOLDERS = /[\ue000-\uf8ff]/u;

// Characters that make a text look different from what runs, and those that we use ourselves as marks.
const DECEIVING =
  /[[\p{Cc}--[\t\n]]\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u115f\u1160\u3164\uffa0\u{e0000}-\u{e01ef}\ue000-\uf8ff]/v;

// A family, a rainbow, the flag of Wales: several characters that are shown as one emoji.
const JOINED_EMOJI =
  /\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?(?:\u200d\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?)+|\u{1f3f4}[\u{e0030}-\u{e007a}]{3,6}\u{e007f}/gu;
// These scripts are not written right without them.
const JOINERS =
  /(?<=[\p{scx=Arab}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}])[\u200c\u200d](?=[\p{scx=Arab}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}])/gu;

export function isDeceiving(text: string): boolean {
  return DECEIVING.test(text.replaceAll(JOINED_EMOJI, '').replaceAll(JOINERS, '')) || !text.isWellFormed();
}

export function isStatic(word: string): boolean {
  return !PLACEHOLDERS.test(word);
}

/** For people: how the unknown parts are shown. */
export function shown(word: string): string {
  return word
    .replaceAll(VOUCHED, '')
    .replaceAll(SEVERAL, '…')
    .replaceAll(ANY, '…')
    .replaceAll(PIECE, '*')
    .replaceAll(NUMBER, '*')
    .replaceAll(DEEP, '**')
    .replaceAll(HIDDEN, '.*');
}

/** All directories that a relative word may be relative to; `undefined`: not known. */
export type Directories = ReadonlySet<string> | undefined;

/** Every place that the word may mean, absolute and without `..`; `undefined`: cannot be told before it runs. */
export function resolveWord(word: string, directories: Directories): string[] | undefined {
  if (word.includes(ANY) || word.split('/').some(mayClimb)) return undefined;
  if (path.isAbsolute(word)) return [path.normalize(word)];
  return directories === undefined ? undefined : [...directories].map((directory) => path.resolve(directory, word));
}

/** `.*` and the like may match `..`. */
export function mayClimb(component: string): boolean {
  return /^\.[.\ue001\ue002]*[\ue001\ue002][.\ue001\ue002]*$/u.test(component);
}

const MOST_CLIMBS = 4;

/** The words that a word with `.*` in it may mean, none of which has a part that may be `..` or a name; `undefined`: too many. */
export function withoutClimbs(word: string): string[] | undefined {
  const parts = word.split('/');
  if (parts.filter(mayClimb).length > MOST_CLIMBS) return undefined;
  const start: string[][] = [[]];
  const all = parts.reduce((words, part) => words.flatMap((known) => meanings(part).map((meaning) => [...known, meaning])), start);
  return all.map((known) => known.join('/'));
}

/** A hidden name is written so that it is none that may climb. */
function meanings(component: string): string[] {
  return mayClimb(component) ? ['.', '..', HIDDEN] : [component];
}

/** Whether a resolved pattern could mean `rule`. In a rule `*` is one whole component or the rest of one, `**` everything below. */
export function couldBe(pattern: string, rule: string): boolean {
  const known = pattern.slice(0, firstIndex(pattern, PLACEHOLDERS));
  const required = rule.slice(0, firstIndex(rule, /\*/u));
  const mayFit = known.startsWith(required) || required.startsWith(known); // most of many rules are out here, before anything is split
  return mayFit && matches(components(pattern), components(rule));
}

function firstIndex(text: string, what: RegExp): number {
  const index = text.search(what);
  return index < 0 ? text.length : index;
}

function components(text: string): string[] {
  return text.split('/').filter((component) => component !== '');
}

function matches(pattern: readonly string[], rule: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  const [ruleFirst, ...ruleRest] = rule;
  if (ruleFirst === '**') return first !== undefined;
  if (first === DEEP) return rule.length > 0;
  if (first === undefined || ruleFirst === undefined) return first === ruleFirst;
  return componentMatches(first, ruleFirst) && matches(rest, ruleRest);
}

function componentMatches(pattern: string, rule: string): boolean {
  if (rule === '*') return true;
  const ruleLiteral = rule.endsWith('*') ? rule.slice(0, -1) : undefined;
  if (isStatic(pattern)) return ruleLiteral === undefined ? pattern === rule : pattern.startsWith(ruleLiteral);
  if ((pattern.startsWith(PIECE) || pattern.startsWith(NUMBER)) && rule.startsWith('.')) return false;
  if (pattern === HIDDEN) return rule.startsWith('.');
  if (ruleLiteral === undefined) return new RegExp(`^${globSource(pattern)}$`, 'u').test(rule);
  const known = pattern.slice(0, pattern.search(PLACEHOLDERS));
  return known.startsWith(ruleLiteral) || ruleLiteral.startsWith(known);
}

function globSource(pattern: string): string {
  return [...pattern].map((character) => (isStatic(character) ? character.replace(/[\\^$.*+?()[\]{}|]/u, '\\$&') : '[^/]*')).join('');
}
