import { isDeepStrictEqual } from 'node:util';
import { createFileWatch } from './file-watch.ts';
import { ConfigError } from './load.ts';

export interface ConfigChange<T> {
  readonly before: T;
  readonly after: T;
  /** The files were broken before; `after` may then say the same as `before`. */
  readonly repaired: boolean;
}

export interface LiveOptions<T extends object> {
  /** Absolute paths. None of them has to exist. */
  readonly files: readonly string[];
  /** A whole new snapshot, of plain data so that equal ones are known as such. Throws ConfigError where the files cannot be used. */
  load(): T;
  /** What `load` returned at the start. */
  readonly initial: T;
  now(): number;
  /** Once for each broken version of the files. The sentence is fit for the owner's chat. */
  onBroken(sentence: string): void;
  /** `current()` returns `after` already. Not called for edits that change no value. */
  onChanged?(change: ConfigChange<T>): void;
}

export interface LiveConfig<T> {
  /** The last good snapshot, frozen, the same object until a file changes. Take it once for what belongs together (a turn). */
  current(): T;
}

const intervalMs = 250;

/** Looks at the files when asked, not by a timer: a daemon that nobody talks to does nothing. */
export function createLiveConfig<T extends object>(options: LiveOptions<T>): LiveConfig<T> {
  const watch = createFileWatch(options.files);
  let snapshot = Object.freeze(options.initial);
  let lookedAt = Number.NEGATIVE_INFINITY;
  let broken: string | undefined;

  const take = (loaded: T | ConfigError, version: string): void => {
    if (loaded instanceof ConfigError) {
      const isTold = broken === version;
      broken = version;
      if (!isTold) options.onBroken(brokenSentence(loaded.problems));
      return;
    }
    const repaired = broken !== undefined;
    broken = undefined;
    const isSame = isDeepStrictEqual(loaded, snapshot);
    const before = snapshot;
    if (!isSame) snapshot = Object.freeze(loaded);
    if (!isSame || repaired) options.onChanged?.({ before, after: snapshot, repaired });
  };

  return {
    current() {
      const at = options.now();
      if (Math.abs(at - lookedAt) < intervalMs) return snapshot;
      lookedAt = at; // before the look: what is called from it may ask again
      const version = watch.changed(at);
      if (version !== undefined) take(tryLoad(options.load), version);
      return snapshot;
    },
  };
}

/** Something made from the snapshot, made again only when that is another one. */
export function derived<T, D>(live: LiveConfig<T>, make: (snapshot: T) => D): () => D {
  let last: { readonly from: T; readonly made: D } | undefined;
  return () => {
    const from = live.current();
    if (last?.from !== from) last = { from, made: make(from) };
    return last.made;
  };
}

function tryLoad<T>(load: () => T): T | ConfigError {
  try {
    return load();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

const shownProblems = 5;

/** Without the directory: it goes to a chat. */
function brokenSentence(problems: readonly string[]): string {
  const shown = problems.slice(0, shownProblems).map((problem) => `\n- ${problem}`);
  const more = problems.length > shownProblems ? [`\n- and ${problems.length - shownProblems} more`] : [];
  return `The configuration was changed and cannot be used. What held before stays in force until this is mended:${[...shown, ...more].join('')}`;
}
