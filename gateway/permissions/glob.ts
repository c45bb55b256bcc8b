/**
 * Patterns of rules. `*` is any text, in paths within one name; `**` any text, in paths over many; `?` one character; `\` takes the next one as it is.
 * Linear in the length of the name for each character of the pattern: the pattern is the owner's, the name is the model's.
 */
import { UNKNOWN } from '../../agent/risk.ts';

export interface Glob {
  /** Whatever stands for what is not known. */
  matches(name: string): boolean;
  /** With something in the place of what is not known. */
  mayMatch(name: string): boolean;
}

export interface GlobKind {
  /** A path: its parts are kept apart. */
  readonly isPath: boolean;
  /** Wildcards match names that begin with a dot as well. */
  readonly hidden: boolean;
}

type Token =
  | { readonly type: 'is'; readonly unit: string }
  /** `dirs`: whole directories, or nothing. */
  | { readonly type: 'one' | 'some' | 'all' | 'dirs' };

export function createGlob(pattern: string, kind: GlobKind): Glob {
  const tokens = tokensOf(pattern, kind);
  // "git push *" is also "git push", and "~/notes/**" also "~/notes".
  const [beforeLast, last] = tokens.slice(-2);
  const isTail = beforeLast?.type === 'is' && beforeLast.unit === (kind.isPath ? '/' : ' ') && last?.type === 'all' && tokens.length > 2;
  const ways = isTail ? [tokens, tokens.slice(0, -2)] : [tokens];
  return {
    matches: (name) => ways.some((way) => walk(way, name, { ...kind, loose: false })),
    mayMatch: (name) => ways.some((way) => walk(way, name, { ...kind, loose: true })),
  };
}

/** Nothing in it is special any more. */
export function literal(text: string): string {
  return text.replaceAll(/[\\*?]/gu, String.raw`\$&`);
}

/** Where the first wildcard stands, or the end. */
export function literalLength(pattern: string): number {
  const index = pattern.search(/[\\*?]/u);
  return index < 0 ? pattern.length : index;
}

function tokensOf(pattern: string, { isPath }: GlobKind): readonly Token[] {
  const tokens: Token[] = [];
  for (const [part] of pattern.matchAll(isPath ? /\\[\s\S]|(?<=^|\/)\*\*\/|\*+|[\s\S]/g : /\\[\s\S]|\*+|[\s\S]/g)) {
    if (part === '**/') tokens.push({ type: 'dirs' });
    else if (part.startsWith('*')) tokens.push({ type: isPath && part === '*' ? 'some' : 'all' });
    else if (part === '?') tokens.push({ type: 'one' });
    else tokens.push({ type: 'is', unit: part.length > 1 ? part.slice(1) : part });
  }
  return tokens;
}

interface Way extends GlobKind {
  readonly loose: boolean;
}

/** All ways through the pattern at once. */
function walk(tokens: readonly Token[], name: string, way: Way): boolean {
  let states = closed(new Set([0]), tokens, true);
  for (let at = 0; at < name.length && states.size > 0; at += 1) {
    const unit = name.charAt(at);
    const next =
      way.loose && unit === UNKNOWN ? anyFurther(states, tokens) : step(states, tokens, (token) => takes(token, { name, at }, way));
    states = closed(next, tokens, unit === '/');
  }
  return states.has(tokens.length);
}

function step(states: ReadonlySet<number>, tokens: readonly Token[], taken: (token: Token) => boolean): Set<number> {
  const next = new Set<number>();
  for (const state of states) {
    const token = tokens[state];
    if (token === undefined || !taken(token)) continue;
    next.add(token.type === 'is' || token.type === 'one' ? state + 1 : state);
  }
  return next;
}

/** What is not known may stand for any part of the rest. */
function anyFurther(states: ReadonlySet<number>, tokens: readonly Token[]): Set<number> {
  const first = Math.min(...states);
  return new Set(tokens.keys().filter((state) => state >= first)).add(tokens.length);
}

/** With what is reached by taking nothing. */
function closed(states: Set<number>, tokens: readonly Token[], isBoundary: boolean): Set<number> {
  for (const state of states) {
    const type = tokens[state]?.type;
    if (type === 'some' || type === 'all' || (type === 'dirs' && isBoundary)) states.add(state + 1); // a set is walked to its end, also as it grows
  }
  return states;
}

function takes(token: Token, { name, at }: { readonly name: string; readonly at: number }, { isPath, hidden }: Way): boolean {
  const unit = name.charAt(at);
  if (token.type === 'is') return token.unit === unit;
  if (!isPath) return token.type !== 'one' || unit !== UNKNOWN;
  if (unit === UNKNOWN) return false; // it may climb out of where it stands
  if (!hidden && unit === '.' && name.charAt(at - 1) === '/') return false;
  return unit !== '/' || token.type === 'all' || token.type === 'dirs';
}
