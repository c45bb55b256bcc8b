/** Opens the store: which file, under which lock, at which version. Nothing else opens the database file. */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { type AccountData, createAccountData } from './account-data.ts';
import { type Database, openDatabase } from './database.ts';
import { createInboxStore, type InboxStore } from './inbox.ts';
import { lockHome } from './lock.ts';
import { createMetaStore, type MetaStore } from './meta.ts';
import { migrateDatabase } from './migrate.ts';
import { createOutboxStore, type OutboxStore } from './outbox.ts';
import { createSessionStore, type SessionStore } from './sessions.ts';
import { createTranscriptStore, type TranscriptStore } from './transcript.ts';
import { createTurnStore, type TurnStore } from './turns.ts';

/** "HGW1": tells our database from other programs' (SQLite keeps it in the file's header). */
const applicationId = 0x48475731;
const applicationIdOffset = 68;

export interface Store {
  readonly file: string;
  /** What the owner should know about the database, one sentence each. */
  readonly notes: readonly string[];
  readonly durable: Database['durable'];
  readonly quick: Database['quick'];
  readonly meta: MetaStore;
  readonly accounts: AccountData;
  readonly inbox: InboxStore;
  readonly sessions: SessionStore;
  readonly turns: TurnStore;
  readonly transcript: TranscriptStore;
  readonly outbox: OutboxStore;
  /** Marks the stop as clean, closes the file and gives the home free. */
  close(): void;
}

export interface StoreOptions {
  readonly home: string;
  /** The folder with the SQL files. */
  readonly migrations: string;
  readonly now: () => number;
}

/** Throws HomeLockedError when another daemon runs here, or an error whose message a person can act on. */
export function openStore(options: StoreOptions): Store {
  const lock = lockHome(options.home);
  try {
    const { file, notes } = chooseFile(options.home);
    const database = openDatabase(file);
    const migrated = migrateDatabase(database, file, options.migrations);
    database.orm.run(sql.raw(`pragma application_id = ${applicationId}`));
    if (migrated.copy !== undefined) notes.push(`The database was upgraded; a copy of the old one is at ${migrated.copy}.`);
    const meta = createMetaStore(database);
    notes.push(...checkAfterUncleanStop(database, meta, file));
    const close = () => {
      meta.set('clean', true);
      database.close();
      lock.release();
    };
    return { file, notes, durable: database.durable, quick: database.quick, meta, ...repositories(database, options.now), close };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function repositories(database: Database, now: () => number) {
  return {
    accounts: createAccountData(database),
    inbox: createInboxStore(database, now),
    sessions: createSessionStore(database),
    turns: createTurnStore(database, now),
    transcript: createTranscriptStore(database, now),
    outbox: createOutboxStore(database, now),
  };
}

function chooseFile(home: string): { file: string; notes: string[] } {
  const usual = path.join(home, 'state.db');
  if (isOurs(usual)) return { file: usual, notes: [] };
  const file = path.join(home, 'gateway.db');
  return {
    file,
    notes: [`state.db in ${home} belongs to another program and is left untouched; this gateway keeps its data in gateway.db.`],
  };
}

/** Absent and empty files are ours to use. Read before SQLite opens it, so that no lock of ours can be dropped. */
function isOurs(file: string): boolean {
  if (!existsSync(file)) return true;
  const header = Buffer.alloc(100);
  const handle = openSync(file, 'r');
  try {
    const length = readSync(handle, header, 0, header.length, 0);
    return length === 0 || (length === header.length && header.readUInt32BE(applicationIdOffset) === applicationId);
  } finally {
    closeSync(handle);
  }
}

function checkAfterUncleanStop(database: Database, meta: MetaStore, file: string): readonly string[] {
  const clean = meta.get('clean') !== false;
  meta.set('clean', false);
  if (clean) return [];
  const problems = database.problems();
  if (problems.length === 0) return [];
  throw new Error(`the database ${file} is damaged (${problems[0]}). Move it away and restore a backup, or start with an empty home.`);
}
