import { and, asc, count, desc, eq, gte, lt, sql } from 'drizzle-orm';
import type { Inbound, InboundMessage } from '../../adapters/adapter.ts';
import type { Database } from './database.ts';
import { type InboxMode, type InboxOutcome, type InboxState, inbox } from './schema.ts';

export interface InboxEntry {
  readonly id: number;
  readonly lane: string;
  readonly payload: Inbound;
  readonly mode: InboxMode | null;
  readonly receivedAt: number;
}

/** With what has become of it. */
export interface StoredEntry extends InboxEntry {
  readonly state: InboxState;
  readonly outcome: InboxOutcome | null;
}

export interface NewInbound {
  readonly event: Inbound;
  readonly lane: string;
  readonly state: InboxState;
  readonly mode?: InboxMode;
}

/** What came in and waits. */
export interface InboxIntake {
  /** The id of the new row, or undefined when this event was stored before. */
  add(inbound: NewInbound): number | undefined;
  /** What waits in a lane, oldest first. */
  pending(lane: string): readonly InboxEntry[];
  /** What this person has said on the account and nobody has taken up yet, in whatever lane. */
  waitingFrom(account: string, ids: readonly string[]): readonly number[];
  /** Of the few that came just before: those with much in them, newest first. */
  longBefore(id: number): readonly StoredEntry[];
  /** Commands whose effect was not recorded before a crash, oldest first. */
  commands(): readonly InboxEntry[];
  /** Lanes that have something waiting. */
  lanes(): readonly string[];
}

/** How what came in is settled. */
export interface InboxSettling {
  claim(ids: readonly number[], turnId: number): void;
  ofTurn(turnId: number): readonly InboxEntry[];
  settleTurn(turnId: number, outcome: InboxOutcome): void;
  settle(id: number, outcome: InboxOutcome): void;
  countOpen(): number;
  /** Forgets what was settled before `beforeMs`. */
  prune(beforeMs: number): void;
}

/** How what came in is to be taken up. */
export interface InboxModes {
  /** What a turn has claimed waits again, and is one turn with what came meanwhile. */
  release(turnId: number): void;
  setMode(id: number, mode: InboxMode): void;
  /** It belongs to what waits, or works, in another way than it seemed. */
  place(id: number, how: { readonly lane: string; readonly mode: InboxMode | null }): void;
  /** A command that becomes something to say: from now on it waits in a lane as this message. */
  turnInto(id: number, message: InboundMessage, how: { readonly lane: string; readonly mode: InboxMode | null }): void;
}

export type InboxStore = InboxIntake & InboxModes & InboxSettling;

/** Most pending rows that one look at a lane reads; a lane longer than this is worked off in several looks. */
const lookLimit = 64;
/** How far back `longBefore` looks, and from how many characters of JSON on; a text of 4000 units may be half as many characters. */
const lookBack = 64;
const longPayload = 2000;
const columns = { id: inbox.id, lane: inbox.lane, payload: inbox.payload, mode: inbox.mode, receivedAt: inbox.receivedAt };
const isOpen = sql`state <> 'done'`; // literal, so that the partial index is used

export function createInboxStore(database: Database, now: () => number): InboxStore {
  return { ...inboxIntake(database, now), ...inboxModes(database), ...inboxSettling(database, now) };
}

function inboxIntake({ orm }: Database, now: () => number): InboxIntake {
  const insert = prepareInsert(orm);
  const waiting = and(isOpen, eq(inbox.state, 'pending'));
  const pending = orm
    .select(columns)
    .from(inbox)
    .where(and(eq(inbox.lane, sql.placeholder('lane')), waiting))
    .orderBy(asc(inbox.id))
    .limit(lookLimit)
    .prepare();
  const { id, payload, state, outcome } = inbox;
  const before = sql.placeholder('before');
  const long = orm
    .select({ ...columns, state, outcome })
    .from(inbox)
    .where(and(lt(id, before), gte(id, sql`${before} - ${lookBack}`), sql`length(${payload}) >= ${longPayload}`))
    .orderBy(desc(id))
    .prepare();
  const from = prepareWaitingFrom(orm);
  return {
    add: (inbound) => insert({ ...inbound, receivedAt: now() }),
    pending: (lane) => pending.all({ lane }),
    longBefore: (before) => long.all({ before }),
    waitingFrom: (account, ids) => from.all({ account, ids: JSON.stringify(ids) }).map((row) => row.id),
    commands: () => {
      const isCommand = and(isOpen, eq(inbox.state, 'command'));
      return orm.select(columns).from(inbox).where(isCommand).orderBy(asc(inbox.id)).all();
    },
    lanes: () => {
      const rows = orm.selectDistinct({ lane: inbox.lane }).from(inbox).where(waiting).all();
      return rows.map((row) => row.lane);
    },
  };
}

function prepareWaitingFrom(orm: Database['orm']) {
  const { id, payload, platform, account } = inbox;
  const known = sql`(select value from json_each(${sql.placeholder('ids')}))`;
  const aliases = sql`json_each(${payload}, '$.sender.aliases')`;
  const isFrom = sql`(json_extract(${payload}, '$.sender.id') in ${known} or exists (select 1 from ${aliases} alias where alias.value in ${known}))`;
  const isHere = sql`${platform} || '/' || ${account} = ${sql.placeholder('account')}`;
  return orm
    .select({ id })
    .from(inbox)
    .where(and(isOpen, eq(inbox.state, 'pending'), isHere, isFrom))
    .orderBy(asc(id))
    .prepare();
}

function inboxModes({ orm }: Database): InboxModes {
  return {
    release: (turnId) => {
      orm
        .update(inbox)
        .set({ state: 'pending', turnId: null, mode: 'merge' })
        .where(and(eq(inbox.turnId, turnId), isOpen))
        .run();
    },
    setMode: (id, mode) => {
      orm.update(inbox).set({ mode }).where(eq(inbox.id, id)).run();
    },
    place: (id, { lane, mode }) => {
      orm.update(inbox).set({ lane, mode }).where(eq(inbox.id, id)).run();
    },
    turnInto: (id, message, { lane, mode }) => {
      orm.update(inbox).set({ payload: message, state: 'pending', lane, mode }).where(eq(inbox.id, id)).run();
    },
  };
}

function inboxSettling({ orm }: Database, now: () => number): InboxSettling {
  const place = sql.placeholder;
  const claim = orm
    .update(inbox)
    .set({ state: 'claimed', turnId: sql`${place('turnId')}` })
    .where(eq(inbox.id, place('id')))
    .prepare();
  const settleTurn = orm
    .update(inbox)
    .set({ state: 'done', outcome: sql`${place('outcome')}`, settledAt: sql`${place('at')}` })
    .where(and(eq(inbox.turnId, place('turnId')), isOpen))
    .prepare();
  return {
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
    countOpen: () => orm.select({ open: count() }).from(inbox).where(isOpen).get()?.open ?? 0,
    prune: (beforeMs) => {
      const old = and(eq(inbox.state, 'done'), lt(inbox.settledAt, beforeMs));
      orm.delete(inbox).where(old).run();
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
      mode: place('mode'),
      receivedAt: place('receivedAt'),
    })
    .onConflictDoNothing()
    .returning({ id: inbox.id })
    .prepare();
  return ({ event, lane, state, mode, receivedAt }) =>
    statement.get({
      platform: event.chat.platform,
      account: event.chat.account,
      event: event.event,
      lane,
      payload: event,
      state,
      mode: mode ?? null,
      receivedAt,
    })?.id;
}
