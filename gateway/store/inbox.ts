import { and, asc, count, eq, lt, sql } from 'drizzle-orm';
import type { Inbound } from '../../adapters/adapter.ts';
import type { Database } from './database.ts';
import { type InboxOutcome, type InboxState, inbox } from './schema.ts';

export interface InboxEntry {
  readonly id: number;
  readonly lane: string;
  readonly payload: Inbound;
  readonly receivedAt: number;
}

export interface NewInbound {
  readonly event: Inbound;
  readonly lane: string;
  readonly state: InboxState;
}

export interface InboxStore {
  /** The id of the new row, or undefined when this event was stored before. */
  add(inbound: NewInbound): number | undefined;
  /** What waits in a lane, oldest first. */
  pending(lane: string): readonly InboxEntry[];
  /** Commands whose effect was not recorded before a crash, oldest first. */
  commands(): readonly InboxEntry[];
  /** Lanes that have something waiting. */
  lanes(): readonly string[];
  claim(ids: readonly number[], turnId: number): void;
  ofTurn(turnId: number): readonly InboxEntry[];
  settleTurn(turnId: number, outcome: InboxOutcome): void;
  settle(id: number, outcome: InboxOutcome): void;
  countOpen(): number;
  /** Forgets what was settled before `beforeMs`. */
  prune(beforeMs: number): void;
}

/** Most pending rows that one look at a lane reads; a lane longer than this is worked off in several looks. */
const lookLimit = 64;

export function createInboxStore({ orm }: Database, now: () => number): InboxStore {
  const open = sql`state <> 'done'`; // literal, so that the partial index is used
  const columns = { id: inbox.id, lane: inbox.lane, payload: inbox.payload, receivedAt: inbox.receivedAt };
  const insert = prepareInsert(orm);
  const pending = orm
    .select(columns)
    .from(inbox)
    .where(and(eq(inbox.lane, sql.placeholder('lane')), open, eq(inbox.state, 'pending')))
    .orderBy(asc(inbox.id))
    .limit(lookLimit)
    .prepare();
  const claim = orm
    .update(inbox)
    .set({ state: 'claimed', turnId: sql`${sql.placeholder('turnId')}` })
    .where(eq(inbox.id, sql.placeholder('id')))
    .prepare();
  const settleTurn = orm
    .update(inbox)
    .set({ state: 'done', outcome: sql`${sql.placeholder('outcome')}`, settledAt: sql`${sql.placeholder('at')}` })
    .where(and(eq(inbox.turnId, sql.placeholder('turnId')), open))
    .prepare();
  return {
    add: ({ event, lane, state }) => insert({ event, lane, state, receivedAt: now() }),
    pending: (lane) => pending.all({ lane }),
    commands: () =>
      orm
        .select(columns)
        .from(inbox)
        .where(and(open, eq(inbox.state, 'command')))
        .orderBy(asc(inbox.id))
        .all(),
    lanes: () =>
      orm
        .selectDistinct({ lane: inbox.lane })
        .from(inbox)
        .where(and(open, eq(inbox.state, 'pending')))
        .all()
        .map((row) => row.lane),
    claim: (ids, turnId) => {
      for (const id of ids) claim.run({ id, turnId });
    },
    ofTurn: (turnId) => orm.select(columns).from(inbox).where(eq(inbox.turnId, turnId)).orderBy(asc(inbox.id)).all(),
    settleTurn: (turnId, outcome) => {
      settleTurn.run({ turnId, outcome, at: now() });
    },
    settle: (id, outcome) => {
      orm.update(inbox).set({ state: 'done', outcome, settledAt: now() }).where(eq(inbox.id, id)).run();
    },
    countOpen: () => orm.select({ open: count() }).from(inbox).where(open).get()?.open ?? 0,
    prune: (beforeMs) => {
      orm
        .delete(inbox)
        .where(and(eq(inbox.state, 'done'), lt(inbox.settledAt, beforeMs)))
        .run();
    },
  };
}

function prepareInsert(orm: Database['orm']): (row: NewInbound & { readonly receivedAt: number }) => number | undefined {
  const place = sql.placeholder;
  const statement = orm
    .insert(inbox)
    .values({
      platform: place('platform'),
      account: place('account'),
      event: place('event'),
      lane: place('lane'),
      payload: place('payload'),
      state: place('state'),
      receivedAt: place('receivedAt'),
    })
    .onConflictDoNothing()
    .returning({ id: inbox.id })
    .prepare();
  return ({ event, lane, state, receivedAt }) =>
    statement.get({
      platform: event.chat.platform,
      account: event.chat.account,
      event: event.event,
      lane,
      payload: event,
      state,
      receivedAt,
    })?.id;
}
