/** The one writer connection and its two kinds of transactions. */
import Sqlite from 'better-sqlite3';
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';
import { createGroupCommit } from './group-commit.ts';

/** SQLite before 3.51.3 has a WAL-reset race that can corrupt a database. */
const oldestSqlite = [3, 51, 3] as const;

export interface Database {
  readonly orm: BetterSQLite3Database;
  /**
   * A transaction that survives power loss (synchronous=FULL): for what is promised to a platform. Must not be called inside another.
   * The callback is synchronous; a throw rolls back.
   */
  durable<T>(work: () => T): T;
  /**
   * As `durable`, for work that ends at about the same time in many sessions: all of one moment share a transaction, so that they wait for
   * the disk once. Rejects with what its own callback throws; the others are not touched by that.
   */
  durableTogether(work: () => void): Promise<void>;
  /** A transaction that survives SIGKILL (synchronous=NORMAL): intents, audit. Inside another transaction it joins that one. */
  quick<T>(work: () => T): T;
  /** Runs `PRAGMA quick_check`; the problems found. */
  problems(): readonly string[];
  close(): void;
}

export function openDatabase(file: string, applicationId: number): Database {
  const sqlite = new Sqlite(file);
  try {
    requireSqlite(sqlite);
    sign(sqlite, applicationId);
    sqlite.pragma('journal_mode = WAL');
    sqlite.pragma('synchronous = NORMAL');
    sqlite.pragma('busy_timeout = 2000');
    return databaseOf(sqlite);
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

/** Nothing can be written through it. Only under the lock of the home, as the other. */
export function openForReading(file: string): Pick<Database, 'orm' | 'close'> {
  const sqlite = new Sqlite(file, { readonly: true, fileMustExist: true });
  return { orm: drizzle({ client: sqlite }), close: () => closeQuietly(sqlite) };
}

/** Before WAL mode, so that the mark stands in the file itself and not in the log beside it: whose the file is is read without SQLite. */
function sign(sqlite: Sqlite.Database, applicationId: number): void {
  if (sqlite.pragma('application_id', { simple: true }) !== applicationId) sqlite.pragma(`application_id = ${applicationId}`);
}

function databaseOf(sqlite: Sqlite.Database): Database {
  const { durable, quick } = transactions(sqlite);
  return {
    orm: drizzle({ client: sqlite }),
    durable,
    durableTogether: createGroupCommit(durable),
    quick,
    problems: () => quickCheck(sqlite),
    close: () => closeQuietly(sqlite),
  };
}

function transactions(sqlite: Sqlite.Database): Pick<Database, 'durable' | 'quick'> {
  const begin = sqlite.prepare('BEGIN IMMEDIATE');
  const commit = sqlite.prepare('COMMIT');
  const rollback = sqlite.prepare('ROLLBACK');
  const full = sqlite.prepare('PRAGMA synchronous = 2');
  const normal = sqlite.prepare('PRAGMA synchronous = 1');
  const run = <T>(work: () => T): T => {
    begin.run();
    try {
      const result = work();
      commit.run();
      return result;
    } finally {
      if (sqlite.inTransaction) rollback.run();
    }
  };
  return {
    durable: (work) => {
      if (sqlite.inTransaction)
        throw new Error('a durable transaction cannot be part of another: synchronous cannot be changed inside one');
      full.run();
      try {
        return run(work);
      } finally {
        normal.run();
      }
    },
    quick: (work) => (sqlite.inTransaction ? work() : run(work)),
  };
}

function requireSqlite(sqlite: Sqlite.Database): void {
  const version = String(sqlite.prepare('select sqlite_version()').pluck().get());
  const parts = version.split('.').map(Number);
  for (const [index, least] of oldestSqlite.entries()) {
    const part = parts[index] ?? 0;
    if (part > least) return;
    if (part < least)
      throw new Error(
        `SQLite ${version} is too old: ${oldestSqlite.join('.')} or newer is needed (it comes with better-sqlite3; run "npm ci")`,
      );
  }
}

function quickCheck(sqlite: Sqlite.Database): readonly string[] {
  const rows = sqlite.pragma('quick_check(10)') as readonly { readonly quick_check: string }[]; // the shape of this pragma's rows
  return rows.map((row) => row.quick_check).filter((row) => row !== 'ok');
}

/** Checkpoints the WAL, so that a copied home is one file; failing to (full disk) loses nothing. */
function closeQuietly(sqlite: Sqlite.Database): void {
  if (!sqlite.open) return;
  sqlite.close();
}
