import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { type SessionEnd, type SessionSettings, sessions, turns } from './schema.ts';

export interface SessionRow {
  readonly id: string;
  readonly key: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly workspace: string;
  readonly title: string | null;
  readonly settings: SessionSettings;
  readonly trimmedTold: boolean;
  readonly undelivered: string | null;
}

/** The life of a session. */
export interface SessionLife {
  /** The open session of a key. */
  open(key: string): SessionRow | undefined;
  get(id: string): SessionRow | undefined;
  create(session: SessionRow): void;
  touch(id: string, at: number): void;
  end(id: string, at: number, reason: SessionEnd): void;
}

/** What a person or the model is still to be told, or was. */
export interface SessionNotes {
  markTrimmedTold(id: string): void;
  /** Why the last answer did not arrive; null once the next turn was told. */
  setUndelivered(id: string, reason: string | null): void;
  setUndeliveredOfTurn(turnId: number, reason: string): void;
}

export type SessionStore = SessionLife & SessionNotes;

export function createSessionStore(database: Database): SessionStore {
  return { ...sessionLife(database), ...sessionNotes(database) };
}

function sessionLife({ orm }: Database): SessionLife {
  const place = sql.placeholder;
  const open = orm
    .select()
    .from(sessions)
    .where(and(eq(sessions.key, place('key')), isNull(sessions.endedAt)))
    .prepare();
  const get = orm
    .select()
    .from(sessions)
    .where(eq(sessions.id, place('id')))
    .prepare();
  const touch = orm
    .update(sessions)
    .set({ updatedAt: sql`${place('at')}` })
    .where(eq(sessions.id, place('id')))
    .prepare();
  return {
    open: (key) => open.get({ key }),
    get: (id) => get.get({ id }),
    create: (session) => {
      orm.insert(sessions).values(session).run();
    },
    touch: (id, at) => {
      touch.run({ id, at });
    },
    end: (id, at, reason) => {
      orm.update(sessions).set({ endedAt: at, endReason: reason }).where(eq(sessions.id, id)).run();
    },
  };
}

function sessionNotes({ orm }: Database): SessionNotes {
  return {
    markTrimmedTold: (id) => {
      orm.update(sessions).set({ trimmedTold: true }).where(eq(sessions.id, id)).run();
    },
    setUndelivered: (id, reason) => {
      orm.update(sessions).set({ undelivered: reason }).where(eq(sessions.id, id)).run();
    },
    setUndeliveredOfTurn: (turnId, reason) => {
      const session = orm.select({ id: turns.sessionId }).from(turns).where(eq(turns.id, turnId));
      orm.update(sessions).set({ undelivered: reason }).where(eq(sessions.id, session)).run();
    },
  };
}
