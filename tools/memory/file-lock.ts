import { setTimeout as pause } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';

const patienceMs = 5_000;
const lookEveryMs = 25;

/**
 * Runs the work while nobody else does under the same lock file, in this process or another. SQLite's own file lock on an empty database that is never
 * written: the kernel gives it free however a process ends. Throws when it stays taken.
 */
export async function withFileLock<T>(file: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const lock = new Sqlite(file, { timeout: 0 });
  try {
    await take(lock, signal);
    return await work();
  } finally {
    lock.close();
  }
}

async function take(lock: Sqlite.Database, signal: AbortSignal): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += lookEveryMs) {
    try {
      lock.pragma('journal_mode = MEMORY'); // nothing is ever written: no journal beside it
      lock.exec('BEGIN EXCLUSIVE');
      return;
    } catch (error) {
      const isTaken = error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY');
      if (!isTaken) throw error;
      if (waitedMs >= patienceMs)
        throw new Error('The memory is being written by another program for too long. Try again later.', { cause: error });
      await pause(lookEveryMs, undefined, { signal });
    }
  }
}
