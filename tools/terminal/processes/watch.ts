import { plainText } from '../../shared/output.ts';

/** Watches what a process prints for texts, within limits: a program that prints one of them all the time must not wake anybody all the time. */

export interface Match {
  readonly pattern: string;
  readonly lines: readonly string[];
  /** How many lines matched since the last time without being told. */
  readonly untold: number;
}

export type Seen = { readonly type: 'match'; readonly match: Match } | { readonly type: 'too often' };

export interface Watch {
  push(chunk: Buffer): Seen | undefined;
  /** What was begun and not ended counts as a line: a prompt, or the last words. */
  rest(): Seen | undefined;
}

const EVERY_MS = 15_000;
const BAD_WINDOWS = 3;
const MOST_LINES = 20;
const LONGEST_LINE = 4_000;

export function createWatch(patterns: readonly string[], now: () => number): Watch {
  const decoder = new TextDecoder();
  const limit = createLimit(now);
  let begun = '';
  const linesOf = (chunk: Buffer): string[] => {
    const lines = (begun + decoder.decode(chunk, { stream: true })).split('\n');
    begun = (lines.pop() ?? '').slice(-LONGEST_LINE);
    return lines.map((line) => plainText(line.slice(0, LONGEST_LINE)));
  };
  const look = (all: readonly string[]): Seen | undefined => {
    const lines = all.filter((line) => patterns.some((pattern) => line.includes(pattern)));
    const [first] = lines;
    if (first === undefined) return undefined;
    const allowed = limit(lines.length);
    if (allowed.type !== 'now') return allowed.type === 'never' ? { type: 'too often' } : undefined;
    const pattern = patterns.find((each) => first.includes(each)) ?? '';
    return { type: 'match', match: { pattern, lines: lines.slice(0, MOST_LINES), untold: allowed.untold } };
  };
  return {
    push: (chunk) => look(linesOf(chunk)),
    rest: () => {
      const line = begun;
      begun = '';
      return look([plainText(line)]);
    },
  };
}

type Allowed = { readonly type: 'now'; readonly untold: number } | { readonly type: 'later' | 'never' | 'over' };

/** Once in 15 s. After three windows in a row in which more came than that: `never`, once, and `over` from then on. */
function createLimit(now: () => number): (lines: number) => Allowed {
  let toldAt = Number.NEGATIVE_INFINITY;
  let untold = 0;
  let bad = 0;
  return (lines) => {
    if (bad >= BAD_WINDOWS) return { type: 'over' };
    if (now() - toldAt < EVERY_MS) {
      if (untold === 0) bad += 1;
      untold += lines;
      return { type: bad >= BAD_WINDOWS ? 'never' : 'later' };
    }
    if (untold === 0) bad = 0;
    const before = untold;
    untold = 0;
    toldAt = now();
    return { type: 'now', untold: before };
  };
}

const GLOBAL_MOST = 15;
const GLOBAL_WINDOW_MS = 10_000;
const GLOBAL_REST_MS = 30_000;

/** Over all processes: after 15 in 10 s nothing for 30 s. */
export function createGlobalLimit(now: () => number): () => boolean {
  let recent: number[] = [];
  let restUntil = Number.NEGATIVE_INFINITY;
  return () => {
    if (now() < restUntil) return false;
    recent = [...recent.filter((at) => now() - at < GLOBAL_WINDOW_MS), now()];
    if (recent.length <= GLOBAL_MOST) return true;
    restUntil = now() + GLOBAL_REST_MS;
    recent = [];
    return false;
  };
}
