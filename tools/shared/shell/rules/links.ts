import path from 'node:path';
import type { SensitivePlaces } from '../../sensitive-paths.ts';
import { couldBe, DEEP, type Directories, PLACEHOLDERS, resolveWord } from '../pattern.ts';

/** Where a command would run. */
export interface ShellPlace extends SensitivePlaces {
  /** The directory in which it begins. */
  readonly directory: string;
  /** What the shell was given before. Present: what it is given now lasts, too. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Directories in which writing needs nobody's consent. */
  readonly writable: readonly string[];
  /** Follows links as far as the path exists; the identity where nobody should look at the disk. */
  realPath(file: string): string;
  /** Links in a directory, or all below it (`deep`); absent where nobody should look at the disk. */
  links?(directory: string, deep: boolean): readonly string[];
}

const MOST_PLACES = 16;

/**
 * Every place that a word may mean; `undefined`: cannot be told before it runs. To the kernel `..` is what lies above the place that a link leads to, to `cd` and to
 * a person it is what stands before the link: both are meant.
 */
export function meant(word: string, directories: Directories, place: ShellPlace): string[] | undefined {
  const files = resolveWord(word, directories);
  const parts = word.split('/');
  if (files === undefined || !parts.includes('..')) return files;
  const bases = path.isAbsolute(word) ? ['/'] : [...(directories ?? [])];
  return [...new Set([...files, ...bases.flatMap((base) => climbed(base, parts, place))])];
}

function climbed(base: string, parts: readonly string[], place: ShellPlace): string[] {
  let places = [base];
  for (const part of parts) {
    if (part === '' || part === '.') continue;
    places =
      part === '..'
        ? places.flatMap((file) => followed(file, place, false).map((real) => path.dirname(real)))
        : places.map((file) => path.join(file, part));
    places = [...new Set(places)].slice(0, MOST_PLACES);
  }
  return places;
}

/** Links are followed in the part of a path that is known, and those that may be meant by the first part that is not. `deep`: also below it. */
export function followed(file: string, place: ShellPlace, deep: boolean): string[] {
  const unknown = file.search(PLACEHOLDERS);
  if (unknown < 0) return [place.realPath(file)];
  const known = file.slice(0, file.lastIndexOf('/', unknown));
  if (known === '') return [file];
  const real = place.realPath(known) + file.slice(known.length);
  const links = place.links?.(place.realPath(known), deep && real.includes(DEEP)) ?? [];
  return [real, ...links.flatMap((link) => throughLink(real, link, place))];
}

function throughLink(pattern: string, link: string, place: ShellPlace): string[] {
  const parts = pattern.split('/');
  const depth = link.split('/').length;
  return couldBe(parts.slice(0, depth).join('/'), link) ? [[place.realPath(link), ...parts.slice(depth)].join('/')] : [];
}
