import { existsSync } from 'node:fs';
import path from 'node:path';
import { createLiveConfig, type LiveConfig } from './live.ts';
import { ConfigError } from './load.ts';
import { changeNotice } from './restart.ts';

export interface WatchOptions<T extends object> {
  readonly home: string;
  /** Beside config.yaml, by their names in the home. */
  readonly files: readonly string[];
  readonly initial: T;
  read(before: T): T;
  /** Keys that hold only after a restart. */
  changes(after: T): Parameters<typeof changeNotice>[1];
  /** The owner. */
  tell(sentence: string): void;
}

/** Also while nobody writes: who has just broken the file is still looking. */
const lookEveryMs = 5000;

/** The configuration as the files say, as long as they can be used. */
export function watchHome<T extends object>({ home, files, initial, read, changes, tell }: WatchOptions<T>): LiveConfig<T> {
  const file = path.join(home, 'config.yaml');
  const live: LiveConfig<T> = createLiveConfig<T>({
    files: [file, ...files.map((name) => path.join(home, name))],
    load: () => {
      // Without it everything would be as in a fresh home: nobody could talk to the bots any more.
      if (!existsSync(file)) throw new ConfigError(home, ['config.yaml is gone']);
      try {
        return read(live.current());
      } catch (error) {
        throw error instanceof ConfigError ? error : new ConfigError(home, [error instanceof Error ? error.message : String(error)]);
      }
    },
    initial,
    now: Date.now,
    onBroken: tell,
    onChanged: ({ after, repaired }) => {
      const notice = changeNotice(repaired, changes(after));
      if (notice !== undefined) tell(notice);
    },
  });
  setInterval(live.current, lookEveryMs).unref();
  return live;
}
