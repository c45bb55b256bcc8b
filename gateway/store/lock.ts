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
  const lock = openLock(home);
  try {
    lock.pragma('journal_mode = MEMORY'); // nothing is ever written: no journal beside it
    lock.exec('BEGIN EXCLUSIVE');
    writeFileSync(path.join(home, 'gateway.pid'), `${process.pid}\n`);
  } catch (error) {
    lock.close();
    throw isBusy(error) ? lockedBy(home) : unwritable(home, error);
  }
  return { release: () => lock.close() };
}

function openLock(home: string): Sqlite.Database {
  try {
    return new Sqlite(path.join(home, 'gateway.lock'), { timeout: 0 });
  } catch (error) {
    throw unwritable(home, error);
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

function lockedBy(home: string): HomeLockedError {
  return new HomeLockedError(
    `another gateway is running on ${home}${holder(home)}. Stop it first, or set HERMES_HOME to another directory.`,
  );
}

function unwritable(home: string, error: unknown): Error {
  const why = error instanceof Error ? error.message : String(error);
  return new Error(
    `the gateway cannot write in ${home} (${why}). Check that it exists, belongs to you and has space, or set HERMES_HOME to another directory.`,
    { cause: error },
  );
}

function holder(home: string): string {
  try {
    return ` (process ${readFileSync(path.join(home, 'gateway.pid'), 'utf8').trim()})`;
  } catch {
    return ''; // the name of the holder is a courtesy; the lock itself has decided
  }
}
