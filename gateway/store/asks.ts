import { randomBytes } from 'node:crypto';
import { and, asc, eq, lt, sql } from 'drizzle-orm';
import type { TurnTarget } from '../target.ts';
import type { Database } from './database.ts';
import { type AskBody, type AskDecision, type AskState, asks, type Requester } from './schema.ts';

export interface AskRow {
  readonly id: number;
  readonly turnId: number;
  readonly callId: string;
  readonly n: number;
  readonly token: string;
  readonly chat: string;
  readonly number: number;
  readonly lane: string;
  readonly target: TurnTarget;
  readonly requester: Requester;
  readonly body: AskBody;
  readonly state: AskState;
  readonly decision: AskDecision | null;
  readonly cardId: number;
  readonly deadline: number;
}

export interface AskPlace {
  readonly turnId: number;
  readonly callId: string;
  readonly n: number;
}

export interface NewAsk extends AskPlace {
  readonly chat: string;
  readonly number: number;
  readonly token: string;
  readonly lane: string;
  readonly target: TurnTarget;
  readonly requester: Requester;
  readonly body: AskBody;
  readonly cardId: number;
  readonly deadline: number;
}

export interface AskEnd {
  readonly state: Exclude<AskState, 'open'>;
  readonly decision?: AskDecision;
}

/** The life of a question to a person. */
export interface AskLife {
  add(ask: NewAsk): AskRow;
  find(place: AskPlace): AskRow | undefined;
  /** False when it was closed before: the first decision counts. */
  close(id: number, end: AskEnd): boolean;
  ofTurn(turnId: number): readonly AskRow[];
  nextNumber(chat: string): number;
  /** Forgets what was closed before `beforeMs`, but for the newest of each chat: no number is given twice. */
  prune(beforeMs: number): void;
}

/** How people and the gateway find it again. */
export interface AskSearch {
  get(id: number): AskRow | undefined;
  byToken(token: string): AskRow | undefined;
  byCard(cardId: number): AskRow | undefined;
  /** Oldest first; of one chat, or all. */
  open(chat?: string): readonly AskRow[];
}

/** Their cards. */
export interface AskCards {
  /** Closed, and their cards may not show it yet. */
  staleCards(): readonly AskRow[];
  cardClosed(id: number): void;
}

export type AskStore = AskLife & AskSearch & AskCards;

const isOpen = sql`state = 'open'`; // literal, so that the partial index is used

export function createAskStore(database: Database, now: () => number): AskStore {
  return { ...askLife(database, now), ...askSearch(database), ...askCards(database) };
}

/** 16 characters of [a-z0-9], 80 bits. */
export function newToken(): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
  return [...randomBytes(16)].map((byte) => alphabet[byte & 31]).join('');
}

function askLife({ orm }: Database, now: () => number): AskLife {
  const ofTurn = orm
    .select()
    .from(asks)
    .where(eq(asks.turnId, sql.placeholder('turnId')))
    .orderBy(asc(asks.id))
    .prepare();
  return {
    add: (ask) =>
      orm
        .insert(asks)
        .values({ ...ask, state: 'open', createdAt: now() })
        .returning()
        .get(),
    find: ({ turnId, callId, n }) =>
      orm
        .select()
        .from(asks)
        .where(and(eq(asks.turnId, turnId), eq(asks.callId, callId), eq(asks.n, n)))
        .get(),
    close: (id, { state, decision }) =>
      orm
        .update(asks)
        .set({ state, decision: decision ?? null, closedAt: now() })
        .where(and(eq(asks.id, id), isOpen))
        .run().changes > 0,
    ofTurn: (turnId) => ofTurn.all({ turnId }),
    nextNumber: (chat) => {
      const last = orm
        .select({ number: sql<number | null>`max(${asks.number})` })
        .from(asks)
        .where(eq(asks.chat, chat))
        .get();
      return (last?.number ?? 0) + 1;
    },
    prune: (beforeMs) => {
      const newest = sql`${asks.number} < (select max(newer.number) from asks newer where newer.chat = ${asks.chat})`;
      orm
        .delete(asks)
        .where(and(sql`state <> 'open'`, lt(asks.closedAt, beforeMs), newest))
        .run();
    },
  };
}

function askSearch({ orm }: Database): AskSearch {
  const openIn = orm
    .select()
    .from(asks)
    .where(and(isOpen, eq(asks.chat, sql.placeholder('chat'))))
    .orderBy(asc(asks.id))
    .prepare();
  return {
    get: (id) => orm.select().from(asks).where(eq(asks.id, id)).get(),
    byToken: (token) => orm.select().from(asks).where(eq(asks.token, token)).get(),
    byCard: (cardId) => orm.select().from(asks).where(eq(asks.cardId, cardId)).get(),
    open: (chat) => (chat === undefined ? orm.select().from(asks).where(isOpen).orderBy(asc(asks.id)).all() : openIn.all({ chat })),
  };
}

function askCards({ orm }: Database): AskCards {
  return {
    staleCards: () => orm.select().from(asks).where(sql`state <> 'open' and card_closed = 0`).orderBy(asc(asks.id)).all(),
    cardClosed: (id) => {
      orm.update(asks).set({ cardClosed: true }).where(eq(asks.id, id)).run();
    },
  };
}
