/** Opens the store: which file, under which lock, at which version. Nothing else opens the database file. */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { type AccountData, createAccountData } from './account-data.ts';
import { type ApprovalStore, createApprovalStore } from './approvals.ts';
import { type AskStore, createAskStore } from './asks.ts';
import { type AuditStore, createAuditStore } from './audit.ts';
import { type AuditReader, createAuditReader } from './audit-rows.ts';
import { type ChatSettingsStore, createChatSettings } from './chat-settings.ts';
import { type Database, openDatabase, openForReading } from './database.ts';
import { createDirectoryStore, type DirectoryStore } from './directory.ts';
import { damaged, explainFailure } from './failure.ts';
import { createInboxStore, type InboxStore } from './inbox.ts';
import { lockHome } from './lock.ts';
import { createMetaStore, type MetaStore } from './meta.ts';
import { migrateDatabase } from './migrate.ts';
import { createOutboxStore, type OutboxStore } from './outbox.ts';
import { createPairingStore, type PairingStore } from './pairing.ts';
import { createPeopleStore, type PeopleStore } from './people.ts';
import { createPromptStore, type PromptStore } from './prompts.ts';
import { createSearchStore, type SearchStore } from './search.ts';
import { createSessionStore, type SessionStore } from './sessions.ts';
import { createTodoStore, type TodoStore } from './todos.ts';
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
  readonly durableTogether: Database['durableTogether'];
  readonly quick: Database['quick'];
  readonly meta: MetaStore;
  readonly accounts: AccountData;
  readonly inbox: InboxStore;
  readonly sessions: SessionStore;
  readonly turns: TurnStore;
  readonly transcript: TranscriptStore;
  readonly search: SearchStore;
  readonly directory: DirectoryStore;
  readonly todos: TodoStore;
  readonly prompts: PromptStore;
  readonly outbox: OutboxStore;
  readonly asks: AskStore;
  readonly approvals: ApprovalStore;
  readonly chats: ChatSettingsStore;
  readonly people: PeopleStore;
  readonly pairing: PairingStore;
  readonly audit: AuditStore;
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
  const umask = process.umask(0o077); // transcripts are nobody else's to read
  try {
    return openLocked(options);
  } finally {
    process.umask(umask);
  }
}

function openLocked(options: StoreOptions): Store {
  const lock = lockHome(options.home);
  const { file, notes } = chooseFile(options.home);
  try {
    const database = openDatabase(file, applicationId);
    try {
      return prepareStore(options, { database, file, notes, release: lock.release });
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    lock.release();
    throw explainFailure(error, file);
  }
}

interface Opened {
  readonly database: Database;
  readonly file: string;
  readonly notes: string[];
  readonly release: () => void;
}

function prepareStore(options: StoreOptions, { database, file, notes, release }: Opened): Store {
  const migrated = migrateDatabase(database, file, options.migrations);
  if (migrated.copy !== undefined) notes.push(`The database was upgraded; a copy of the old one is at ${migrated.copy}.`);
  const meta = createMetaStore(database);
  checkAfterUncleanStop(database, meta, file);
  const close = () => {
    meta.set('clean', true);
    database.close();
    release();
  };
  return {
    file,
    notes,
    durable: database.durable,
    durableTogether: database.durableTogether,
    quick: database.quick,
    meta,
    ...repositories(database, options.now),
    close,
  };
}

function repositories(database: Database, now: () => number) {
  return {
    accounts: createAccountData(database),
    inbox: createInboxStore(database, now),
    sessions: createSessionStore(database),
    turns: createTurnStore(database, now),
    transcript: createTranscriptStore(database, now),
    search: createSearchStore(database),
    directory: createDirectoryStore(database),
    todos: createTodoStore(database),
    prompts: createPromptStore(database, now),
    outbox: createOutboxStore(database, now),
    asks: createAskStore(database, now),
    approvals: createApprovalStore(database, now),
    chats: createChatSettings(database),
    people: createPeopleStore(database),
    pairing: createPairingStore(database),
    audit: createAuditStore(database, now),
  };
}

export interface OpenedAudit extends AuditReader {
  close(): void;
}

/**
 * To look at the record while no daemon runs; none can start meanwhile. Nothing but the lock is written: a database of another version and what a
 * killed daemon left in the log beside it stay as they are. Undefined: nothing was recorded yet. Throws as `openStore`.
 */
export function openAudit(home: string): OpenedAudit | undefined {
  if (!storeExists(home)) return undefined;
  const lock = lockHome(home);
  const { file } = chooseFile(home);
  try {
    const database = openForReading(file);
    const close = (): void => {
      database.close();
      lock.release();
    };
    if (hasAudit(database)) return { ...createAuditReader(database), close };
    close();
    return undefined;
  } catch (error) {
    lock.release();
    throw explainFailure(error, file);
  }
}

/** A database of an older version has none. */
function hasAudit({ orm }: Pick<Database, 'orm'>): boolean {
  return orm.get(sql`select name from sqlite_master where type = 'table' and name = 'audit'`) !== undefined;
}

/** There is one that `openStore` would open and not make. */
export function storeExists(home: string): boolean {
  return existsSync(chooseFile(home).file);
}

function chooseFile(home: string): { file: string; notes: string[] } {
  const usual = path.join(home, 'state.db');
  const own = path.join(home, 'gateway.db');
  const owner = ownerOf(usual);
  if (owner === 'us' || (owner === 'nobody' && !existsSync(own))) return { file: usual, notes: [] };
  if (owner === 'nobody') return { file: own, notes: [] }; // the other program's file was removed; ours stays where it is
  return {
    file: own,
    notes: [`state.db in ${home} belongs to another program and is left untouched; this gateway keeps its data in gateway.db.`],
  };
}

/** Absent and empty files are nobody's. Read before SQLite opens it, so that no lock of ours can be dropped. */
function ownerOf(file: string): 'us' | 'nobody' | 'another' {
  if (!existsSync(file)) return 'nobody';
  const header = Buffer.alloc(100);
  const handle = openSync(file, 'r');
  try {
    const length = readSync(handle, header, 0, header.length, 0);
    if (length === 0) return 'nobody';
    return length === header.length && header.readUInt32BE(applicationIdOffset) === applicationId ? 'us' : 'another';
  } finally {
    closeSync(handle);
  }
}

function checkAfterUncleanStop(database: Database, meta: MetaStore, file: string): void {
  const clean = meta.get('clean') !== false;
  meta.set('clean', false);
  if (clean) return;
  const [problem] = database.problems();
  if (problem !== undefined) throw new Error(damaged(file, problem));
}
