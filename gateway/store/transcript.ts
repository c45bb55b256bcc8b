import { and, asc, eq, gte, sql } from 'drizzle-orm';
import type { Message } from '../../agent/message.ts';
import type { Database } from './database.ts';
import { messages } from './schema.ts';

/** The stored log of a conversation: only ever appended to. Requests are repaired where they are built, never here. */
export interface TranscriptStore {
  append(sessionId: string, turnId: number, message: Message): void;
  /** What is part of the conversation, from a message on. */
  read(sessionId: string, fromId?: number): readonly Message[];
  /** The turn's own user message is already there. */
  hasTurn(sessionId: string, turnId: number): boolean;
}

export function createTranscriptStore({ orm }: Database, now: () => number): TranscriptStore {
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
  return {
    append: (sessionId, turnId, message) => {
      insert.run({ sessionId, turnId, body: message, at: now() });
    },
    read: (sessionId, fromId = 0) => read.all({ sessionId, from: fromId }).map((row) => row.body),
    hasTurn: (sessionId, turnId) => ofTurn.get({ sessionId, turnId }) !== undefined,
  };
}
