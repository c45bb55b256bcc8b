import { and, asc, eq, gt, gte, sql } from 'drizzle-orm';
import type { Message } from '../../agent/message.ts';
import type { Database } from './database.ts';
import { messages } from './schema.ts';

/** The stored log of a conversation: only ever appended to. Requests are repaired where they are built, never here. */
export interface TranscriptLog {
  append(sessionId: string, turnId: number, message: Message): void;
  /** What is part of the conversation, from a message on. */
  read(sessionId: string, fromId?: number): readonly Message[];
  /** The turn's own user message is already there. */
  hasTurn(sessionId: string, turnId: number): boolean;
  /** What the session's newest turn has added so far, oldest first. */
  ofLastTurn(sessionId: string, turnId: number): readonly Message[];
}

export interface TranscriptEntry {
  readonly id: number;
  readonly turnId: number;
  readonly body: Message;
  readonly at: number;
}

/** What people do with what was said. Nothing is ever deleted. */
export interface TranscriptEdits {
  /** What is part of the conversation, all of it, oldest first. */
  entries(sessionId: string): readonly TranscriptEntry[];
  /** What it began with. */
  first(sessionId: string): Message | undefined;
  /** No part of the conversation any more. */
  takeBack(ids: readonly number[]): void;
  /** Into another session. Returns the new ids by the old ones. */
  copy(entries: readonly TranscriptEntry[], sessionId: string): ReadonlyMap<number, number>;
}

export type TranscriptStore = TranscriptLog & TranscriptEdits;

export function createTranscriptStore(database: Database, now: () => number): TranscriptStore {
  return { ...transcriptLog(database, now), ...transcriptEdits(database) };
}

function transcriptLog({ orm }: Database, now: () => number): TranscriptLog {
  const place = sql.placeholder;
  const insert = orm
    .insert(messages)
    .values({ sessionId: place('sessionId'), turnId: place('turnId'), body: place('body'), at: place('at') })
    .prepare();
  const read = orm
    .select({ body: messages.body })
    .from(messages)
    .where(and(eq(messages.sessionId, place('sessionId')), gte(messages.id, place('from')), eq(messages.undone, false)))
    .orderBy(asc(messages.id))
    .prepare();
  const ofTurn = orm
    .select({ id: messages.id })
    .from(messages)
    .where(and(eq(messages.sessionId, place('sessionId')), eq(messages.turnId, place('turnId'))))
    .limit(1)
    .prepare();
  const before = sql`(select id from messages where session_id = ${place('sessionId')} and turn_id <> ${place('turnId')} order by id desc limit 1)`;
  const ofLast = orm
    .select({ body: messages.body })
    .from(messages)
    .where(and(eq(messages.sessionId, place('sessionId')), gt(messages.id, sql`coalesce(${before}, 0)`), eq(messages.undone, false)))
    .orderBy(asc(messages.id))
    .prepare();
  return {
    append: (sessionId, turnId, message) => {
      insert.run({ sessionId, turnId, body: message, at: now() });
    },
    read: (sessionId, fromId = 0) => read.all({ sessionId, from: fromId }).map((row) => row.body),
    hasTurn: (sessionId, turnId) => ofTurn.get({ sessionId, turnId }) !== undefined,
    ofLastTurn: (sessionId, turnId) => ofLast.all({ sessionId, turnId }).map((row) => row.body),
  };
}

function transcriptEdits({ orm }: Database): TranscriptEdits {
  const { id, turnId, body, at } = messages;
  const place = sql.placeholder;
  const ofSession = and(eq(messages.sessionId, place('sessionId')), eq(messages.undone, false));
  const columns = { id, turnId, body, at };
  const entries = orm.select(columns).from(messages).where(ofSession).orderBy(asc(id)).prepare();
  const first = orm.select({ body }).from(messages).where(ofSession).orderBy(asc(id)).limit(1).prepare();
  const takeBack = orm
    .update(messages)
    .set({ undone: true })
    .where(eq(id, place('id')))
    .prepare();
  return {
    entries: (sessionId) => entries.all({ sessionId }),
    first: (sessionId) => first.get({ sessionId })?.body,
    takeBack: (ids) => {
      for (const each of ids) takeBack.run({ id: each });
    },
    copy: (copied, sessionId) => {
      const ids = copied.map(({ id: old, ...rest }): [number, number] => {
        const made = orm
          .insert(messages)
          .values({ ...rest, sessionId })
          .run();
        return [old, Number(made.lastInsertRowid)];
      });
      return new Map(ids);
    },
  };
}
