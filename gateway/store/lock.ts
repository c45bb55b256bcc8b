/** One daemon per home: an operating-system lock on a file of its own, released by the kernel however the process ends. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Sqlite from 'better-sqlite3';

export class HomeLockedError extends Error {
  override readonly name = 'HomeLockedError';
}

export interface HomeLock {
  release(): void;
}

/** SQLite's own file lock does the work: an exclusive transaction on an empty database that is never written. Throws HomeLockedError. */
export function lockHome(home: string): HomeLock {
  const file = path.join(home, 'gateway.lock');
  const lock = new Sqlite(file, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    throw new HomeLockedError(
      `another gateway is running on ${home}${holder(home)}. Stop it first, or set HERMES_HOME to another directory.`,
    );
  }
  writeFileSync(path.join(home, 'gateway.pid'), `${process.pid}\n`);
  return { release: () => lock.close() };
}

function isBusy(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

function holder(home: string): string {
  try {
    return ` (process ${readFileSync(path.join(home, 'gateway.pid'), 'utf8').trim()})`;
  } catch {
    return ''; // the name of the holder is a courtesy; the lock itself has decided
  }
}
