/** What a script of sed does besides editing, read as GNU sed reads it. Pure. */

const LONGEST = 10_000;

export type SedEffect = { readonly kind: 'runs' } | { readonly kind: 'writes' | 'reads'; readonly file: string };

/** `undefined`: it could not be read. */
export function sedEffects(script: string): readonly SedEffect[] | undefined {
  if (script.length > LONGEST) return undefined;
  const reader: Reader = { text: script, at: 0, effects: [] };
  while (reader.at < script.length) if (!readCommand(reader)) return undefined;
  return reader.effects;
}

/** A place in the script. Mutable: every step moves it on. */
interface Reader {
  readonly text: string;
  at: number;
  readonly effects: SedEffect[];
}

function readCommand(reader: Reader): boolean {
  take(reader, /[\s;}]*/uy);
  if (reader.at >= reader.text.length) return true;
  if (!readAddresses(reader)) return false;
  take(reader, /[\s!]*/uy);
  const letter = take(reader, /./uy);
  return letter === '' ? readsNothingMore(reader) : readRest(letter, reader);
}

/** An address that is not known before it runs may hold the command as well. */
function readsNothingMore({ text }: Reader): boolean {
  return /[\ue000-\uf8ff]$/u.test(text);
}

/** What only shows when it runs is taken for a number. */
const NUMBER = /[\d~$+\ue000-\uf8ff]+/uy;

function readAddresses(reader: Reader): boolean {
  if (!readAddress(reader)) return false;
  take(reader, /\s*/uy);
  if (take(reader, /,/uy) === '') return true;
  take(reader, /\s*/uy);
  return readAddress(reader);
}

/** None is one, too. */
function readAddress(reader: Reader): boolean {
  if (take(reader, NUMBER) !== '') return true;
  const delimiter = take(reader, /\/|\\[^\\\n]/uy).slice(-1);
  if (delimiter === '') return true;
  if (readPattern(reader, delimiter) === undefined) return false;
  take(reader, /[IM]*/uy);
  return true;
}

/** Up to the next delimiter outside of brackets and behind it; `undefined`: there is none. */
function readPattern(reader: Reader, delimiter: string): string | undefined {
  const from = reader.at;
  while (reader.at < reader.text.length) {
    const set = delimiter === '[' ? '' : take(reader, /\[\^?\]?(?:\[[.:=][^\]\n]{0,20}[.:=]\]|[^\]\n]){0,200}\]/uy);
    if (set !== '') continue;
    const character = take(reader, /\\[\s\S]|[\s\S]/uy);
    if (character === delimiter) return reader.text.slice(from, reader.at - 1);
  }
  return undefined;
}

/** The same where brackets mean nothing. */
function readReplacement(reader: Reader, delimiter: string): boolean {
  while (reader.at < reader.text.length) if (take(reader, /\\[\s\S]|[\s\S]/uy) === delimiter) return true;
  return false;
}

function readRest(letter: string, reader: Reader): boolean {
  switch (letter) {
    case 's':
      return readSubstitution(reader);
    case 'y': {
      const delimiter = take(reader, /[^\\\n]/uy);
      return delimiter !== '' && readReplacement(reader, delimiter) && readReplacement(reader, delimiter);
    }
    case 'e':
      take(reader, /[^\n]*/uy);
      reader.effects.push({ kind: 'runs' });
      return true;
    case 'r':
    case 'R':
      reader.effects.push({ kind: 'reads', file: take(reader, /[^\n]*/uy).trim() });
      return true;
    case 'w':
    case 'W':
      reader.effects.push({ kind: 'writes', file: take(reader, /[^\n]*/uy).trim() });
      return true;
    case 'a':
    case 'i':
    case 'c':
      take(reader, /(?:\\[\s\S]|[^\n\\])*/uy);
      return true;
    case '#':
    case ':':
      take(reader, /[^\n]*/uy);
      return true;
    default:
      return readPlain(letter, reader);
  }
}

/** A label ends at a blank or semicolon, a number says how much. */
function readPlain(letter: string, reader: Reader): boolean {
  if (/[btTv]/u.test(letter)) take(reader, /[ \t]*[^\s;}]*/uy);
  else if (/[lLqQ]/u.test(letter)) take(reader, /[ \t]*[\d\ue000-\uf8ff]*/uy);
  return /[btTvlLqQ{=dDgGhHnNpPxzF]/u.test(letter);
}

function readSubstitution(reader: Reader): boolean {
  const delimiter = take(reader, /[^\\\n]/uy);
  if (delimiter === '' || readPattern(reader, delimiter) === undefined || !readReplacement(reader, delimiter)) return false;
  const flags = take(reader, /[gpiImMe\d\ue000-\uf8ff]*/uy);
  if (flags.includes('e')) reader.effects.push({ kind: 'runs' });
  if (take(reader, /w/uy) !== '') reader.effects.push({ kind: 'writes', file: take(reader, /[^\n]*/uy).trim() });
  return true;
}

function take(reader: Reader, pattern: RegExp): string {
  pattern.lastIndex = reader.at;
  const [found = ''] = pattern.exec(reader.text) ?? [];
  reader.at += found.length;
  return found;
}
