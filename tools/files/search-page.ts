import path from 'node:path';
import type { ToolOutput } from '../../agent/tool.ts';
import { isWithin } from '../shared/home-paths.ts';
import type { Target } from './place.ts';
import type { RipgrepEnd } from './ripgrep.ts';

/** Counts results, skips those before the page and ends the search one after it. */

export type SearchMode = 'content' | 'files_only' | 'count';

export interface Found {
  readonly file: string;
  /** Context around a match does not count. */
  readonly isMatch: boolean;
  readonly line?: { readonly number: number; readonly content: string };
  readonly count?: number;
}

export interface PageOptions {
  readonly mode: SearchMode;
  readonly limit: number;
  readonly offset: number;
  /** Lines around a match, at most. */
  readonly context: number;
  readonly workspace: string;
  readonly target: Target;
}

export interface SearchPage {
  /** `false`: it has all that it wanted. */
  add(found: Found): boolean;
  /** What follows does not belong to what came before. */
  gap(): void;
  /** There is one more in a file that is not shown. */
  hide(): void;
  output(end: RipgrepEnd['kind'], what: string): ToolOutput;
}

const MAX_CHARACTERS = 100_000;
const SHOWN_COLUMNS = 400;

export function createSearchPage(options: PageOptions): SearchPage {
  const { limit, offset } = options;
  const taken: Found[] = [];
  let context: Found[] = [];
  let seen = 0;
  let characters = 0;
  let hidden = 0;
  let isPast = false;
  let isApart = false;
  const take = (found: Found): void => {
    taken.push(found);
    characters += shownLine(found, options).length + 1;
  };
  const addMatch = (found: Found): boolean => {
    isPast = seen >= offset + limit || characters > MAX_CHARACTERS;
    if (isPast) return false;
    seen += 1;
    if (seen > offset) for (const each of [...context.filter(({ file }) => file === found.file), found]) take(each);
    context = [];
    isApart = false;
    return true;
  };
  const addContext = (found: Found): boolean => {
    const isAfterLast = seen > offset && !isApart && found.file === taken.at(-1)?.file;
    if (isAfterLast) take(found);
    else context = [...context, found].slice(-options.context);
    return true;
  };
  return {
    add: (found) => (found.isMatch ? addMatch(found) : addContext(found)),
    gap: () => {
      isApart = true;
    },
    hide: () => {
      hidden += 1;
    },
    output: (end, what) => {
      const state = { taken, seen, hidden, isTimeout: end === 'timeout', next: isPast ? seen : undefined };
      return { content: present(state, options, what), data: dataOf(state, options) };
    },
  };
}

interface State {
  readonly taken: readonly Found[];
  /** The number of the last result. */
  readonly seen: number;
  readonly hidden: number;
  readonly isTimeout: boolean;
  /** Where the next page begins, if there is one. */
  readonly next: number | undefined;
}

function present({ taken, seen, hidden, isTimeout, next }: State, options: PageOptions, what: string): string {
  const withheld = hidden > 0 ? ` ${hidden} protected ${hidden === 1 ? 'file is' : 'files are'} not shown.` : '';
  const timeout = isTimeout ? ' The search took too long and was ended: search a smaller directory.' : '';
  if (taken.length === 0)
    return options.offset > 0 && seen > 0 ? `No more results; there are ${seen}.${timeout}` : `No ${what} found.${withheld}${timeout}`;
  const more = next === undefined ? '' : ` There are more: go on with offset ${next}.`;
  const lines = taken.map((found) => shownLine(found, options));
  return `${lines.join('\n')}\n\n[results ${options.offset + 1} to ${seen}.${more}${withheld}${timeout}]`;
}

function shownLine({ file, isMatch, line, count }: Found, options: PageOptions): string {
  const name = nameOf(file, options);
  if (line === undefined) return count === undefined ? name : `${name}: ${count}`;
  const mark = isMatch ? ':' : '-';
  const { content } = line;
  const shown =
    content.length > SHOWN_COLUMNS
      ? `${content.slice(0, SHOWN_COLUMNS).toWellFormed()} [... ${content.length - SHOWN_COLUMNS} more]`
      : content;
  return `${name}${mark}${line.number}${mark} ${shown}`;
}

/** What a script receives. */
function dataOf({ taken, next, isTimeout }: State, options: PageOptions): unknown {
  const about = { truncated: next !== undefined || isTimeout, next_offset: next ?? null };
  if (options.mode === 'files_only') return { files: taken.map(({ file }) => nameOf(file, options)), ...about };
  if (options.mode === 'count')
    return { counts: Object.fromEntries(taken.map(({ file, count = 0 }) => [nameOf(file, options), count])), ...about };
  const matches = taken.map(({ file, isMatch, line }) => ({
    path: nameOf(file, options),
    line: line?.number ?? 0,
    content: line?.content ?? '',
    ...(isMatch ? {} : { context: true }),
  }));
  return { matches, ...about };
}

/** Names as they may be handed on: relative to the workspace where they lie in it. */
function nameOf(file: string, { target, workspace }: PageOptions): string {
  const asNamed = path.join(target.named, path.relative(target.real, file));
  return isWithin(asNamed, workspace) ? path.relative(workspace, asNamed) : asNamed;
}
