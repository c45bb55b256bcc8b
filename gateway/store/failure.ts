/** Says in a sentence that a person can act on why SQLite cannot open or change the store. */
import { statfsSync } from 'node:fs';
import path from 'node:path';
import Sqlite from 'better-sqlite3';

type SqliteError = InstanceType<typeof Sqlite.SqliteError>;

/** What SQLite itself may have given back before we look. */
const leastFreeBytes = 1024 * 1024;

/** `error` itself where SQLite has nothing to do with it, or where it says all there is to say. */
export function explainFailure(error: unknown, file: string): unknown {
  const cause = sqliteError(error);
  const sentence = cause === undefined ? undefined : explain(cause, file);
  return sentence === undefined ? error : new Error(sentence, { cause: error });
}

/** The disk (full, broken), not the caller: the same may work later. */
export function isStoreFailure(error: unknown): boolean {
  return sqliteError(error) !== undefined;
}

export function damaged(file: string, problem: string): string {
  return `the database ${file} is damaged (${problem}). Move it away and restore a backup, or start with an empty home.`;
}

function explain({ code, message }: SqliteError, file: string): string | undefined {
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') return damaged(file, message);
  if (code === 'SQLITE_FULL' || (code.startsWith('SQLITE_IOERR') && isFull(file)))
    return `the disk that holds ${file} is full. Free some space and start again; what was stored is kept.`;
  if (!/^SQLITE_(READONLY|CANTOPEN|IOERR|PERM)/.test(code)) return undefined;
  return `the database ${file} cannot be used (${message}). Check that it and its directory belong to you, can be written and have space.`;
}

/** SQLite calls a full disk an I/O error where it cannot grow its shared memory. */
function isFull(file: string): boolean {
  const { bavail, bsize } = statfsSync(path.dirname(file));
  return bavail * bsize < leastFreeBytes;
}

/** Migrations wrap what SQLite reported. */
function sqliteError(error: unknown): SqliteError | undefined {
  if (error instanceof Sqlite.SqliteError) return error;
  return error instanceof Error ? sqliteError(error.cause) : undefined;
}
