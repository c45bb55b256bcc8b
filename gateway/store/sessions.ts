import { and, desc, eq, exists, isNull, or, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { messages, type SessionEnd, type SessionSettings, sessions, turns } from './schema.ts';

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
  /** Takes back the end. No other session of its key may be open. */
  reopen(id: string, at: number): void;
}

/** What people do with their conversations. */
export interface SessionChoices {
  setTitle(id: string, title: string): void;
  setSettings(id: string, settings: SessionSettings): void;
  /** Those of a key in which something was said, and the open one; last used first. */
  recent(key: string, most: number): readonly SessionRow[];
  /** Of all open sessions. */
  openKeys(): readonly string[];
}

/** What a person or the model is still to be told, or was. */
export interface SessionNotes {
  markTrimmedTold(id: string): void;
  /** Why the last answer did not arrive; null once the next turn was told. */
  setUndelivered(id: string, reason: string | null): void;
  setUndeliveredOfTurn(turnId: number, reason: string): void;
}

export type SessionStore = SessionLife & SessionChoices & SessionNotes;

export function createSessionStore(database: Database): SessionStore {
  return { ...sessionLife(database), ...sessionChoices(database), ...sessionNotes(database) };
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
    reopen: (id, at) => {
      orm.update(sessions).set({ endedAt: null, endReason: null, updatedAt: at }).where(eq(sessions.id, id)).run();
    },
  };
}

function sessionChoices({ orm }: Database): SessionChoices {
  return {
    setTitle: (id, title) => {
      orm.update(sessions).set({ title }).where(eq(sessions.id, id)).run();
    },
    setSettings: (id, settings) => {
      orm.update(sessions).set({ settings }).where(eq(sessions.id, id)).run();
    },
    openKeys: () =>
      orm
        .select({ key: sessions.key })
        .from(sessions)
        .where(isNull(sessions.endedAt))
        .all()
        .map(({ key }) => key),
    recent: (key, most) => {
      const ofSession = and(eq(messages.sessionId, sessions.id), eq(messages.undone, false));
      const said = exists(orm.select({ id: messages.id }).from(messages).where(ofSession));
      return orm
        .select()
        .from(sessions)
        .where(and(eq(sessions.key, key), or(isNull(sessions.endedAt), said)))
        .orderBy(desc(sessions.updatedAt), desc(sessions.createdAt), desc(sessions.id))
        .limit(most)
        .all();
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
