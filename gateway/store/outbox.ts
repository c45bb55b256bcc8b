import { and, asc, count, desc, eq, gt, inArray, isNotNull, lt, notInArray, or, sql } from 'drizzle-orm';
import type { Outbound } from '../../adapters/adapter.ts';
import type { Database } from './database.ts';
import { type OutboxPurpose, type OutboxState, outbox } from './schema.ts';

export interface OutboxPart {
  readonly id: number;
  readonly turnId: number | null;
  readonly lane: string;
  readonly group: boolean;
  readonly purpose: OutboxPurpose;
  readonly payload: Outbound;
  readonly attempts: number;
  readonly unknowns: number;
  readonly notBefore: number;
  readonly createdAt: number;
}

export interface NewPart {
  readonly turnId?: number;
  readonly lane: string;
  readonly group: boolean;
  readonly purpose: OutboxPurpose;
  readonly payload: Outbound;
}

/** A send that did not end in a receipt and is tried again. */
export interface PartRetry {
  readonly notBefore: number;
  readonly unknowns: number;
  readonly payload?: Outbound;
  readonly error: string;
}

/** What happens to every part. */
export interface OutboxSending {
  /** Before the send; returns the new row's id. */
  add(part: NewPart): number;
  /** The oldest part of a lane that is not settled. */
  next(lane: string): OutboxPart | undefined;
  sending(id: number): void;
  /** The receipt. */
  sent(id: number, sentId: string): void;
  retry(id: number, retry: PartRetry): void;
  giveUp(id: number, state: 'failed' | 'unknown', error: string): void;
}

/** Parts that are known by what became of them. */
export interface OutboxReceipts {
  /** How far a part has come, and its id on the platform once it is there. */
  receipt(id: number): Receipt | undefined;
  /** Which part the platform knows by this id, in this lane. */
  sentAs(lane: string, sentId: string): number | undefined;
  /** What that part says. */
  payloadOf(lane: string, sentId: string): Outbound | undefined;
  /**
   * The draft that nothing has taken the place of: the turn's newest row of an answer, when that is a draft; below `before` in order to learn
   * which one that row takes the place of.
   */
  draftOf(turnId: number, before?: number): Draft | undefined;
  /** Codes that nobody needs any more: not sent, where they were not, and not kept, also where a kill came before that of one that was sent. */
  expireCodes(beforeMs: number): void;
  /** Another content for a part that is not on its way yet; false when it is too late. */
  replace(id: number, payload: Outbound): boolean;
}

/** What waits to be sent. */
export interface OutboxWaiting {
  /** Where something waits. */
  lanes(): readonly string[];
  /** An account works again: what waits for its next try is due. */
  hurry(account: string): void;
}

/** What outlasts a process, and what is told. */
export interface OutboxUpkeep {
  /** At start: drafts that did not reach the chat; the answer comes as a whole. */
  dropDrafts(why: string): void;
  /** Parts found on their way at start: the outcome of their send is unknown. */
  interrupted(): readonly OutboxPart[];
  /** The turn's person was, or is going to be, told something by the gateway itself. */
  hasNotice(turnId: number): boolean;
  /** `unknown`: parts whose send had an unknown outcome at least once. */
  count(): { readonly pending: number; readonly unknown: number };
  /** Forgets what was settled before `beforeMs`. */
  prune(beforeMs: number): void;
}

export interface Receipt {
  readonly state: OutboxState;
  readonly sentId: string | null;
}

/** A message of a turn that shows its answer while it is being written. */
export interface Draft extends Receipt {
  readonly id: number;
}

export type OutboxStore = OutboxSending & OutboxReceipts & OutboxWaiting & OutboxUpkeep;

const columns = {
  id: outbox.id,
  turnId: outbox.turnId,
  lane: outbox.lane,
  group: outbox.group,
  purpose: outbox.purpose,
  payload: outbox.payload,
  attempts: outbox.attempts,
  unknowns: outbox.unknowns,
  notBefore: outbox.notBefore,
  createdAt: outbox.createdAt,
};

const isCode = sql`purpose = 'code'`;
const withoutCode = sql`json_set(payload, '$.markdown', '(a pairing code)')`;
const isOpen = sql`state in ('pending', 'sending')`; // literal, so that the partial index is used

export function createOutboxStore(database: Database, now: () => number): OutboxStore {
  return { ...outboxSending(database, now), ...outboxReceipts(database, now), ...outboxUpkeep(database, now) };
}

function outboxSending({ orm }: Database, now: () => number): OutboxSending {
  const { insert, next, sending, sent, blank } = prepareSending(orm);
  return {
    add: (part) => Number(insert.run({ ...part, turnId: part.turnId ?? null, at: now() }).lastInsertRowid),
    next: (lane) => next.get({ lane }),
    sending: (id) => {
      sending.run({ id });
    },
    sent: (id, sentId) => {
      sent.run({ id, sentId, at: now() });
      blank.run({ id });
    },
    retry: (id, { notBefore, unknowns, payload, error }) => {
      const change = { notBefore, unknowns, error, ...(payload === undefined ? {} : { payload }) };
      orm
        .update(outbox)
        .set({ state: 'pending', ...change })
        .where(eq(outbox.id, id))
        .run();
    },
    giveUp: (id, state, error) => {
      orm.update(outbox).set({ state, error, settledAt: now() }).where(eq(outbox.id, id)).run();
      blank.run({ id });
    },
  };
}

function prepareSending(orm: Database['orm']) {
  const place = sql.placeholder;
  const values = { turnId: place('turnId'), lane: place('lane'), group: place('group'), purpose: place('purpose') };
  const same = eq(outbox.id, place('id'));
  return {
    insert: orm
      .insert(outbox)
      .values({ ...values, payload: place('payload'), state: 'pending', createdAt: place('at') })
      .prepare(),
    next: orm
      .select(columns)
      .from(outbox)
      .where(and(eq(outbox.lane, place('lane')), isOpen))
      .orderBy(asc(outbox.id))
      .limit(1)
      .prepare(),
    sending: orm.update(outbox).set({ state: 'sending', attempts: sql`attempts + 1` }).where(same).prepare(),
    sent: orm
      .update(outbox)
      .set({ state: 'sent', sentId: sql`${place('sentId')}`, settledAt: sql`${place('at')}` })
      .where(same)
      .prepare(),
    blank: orm.update(outbox).set({ payload: withoutCode }).where(and(same, isCode)).prepare(),
  };
}

function expireCodes(orm: Database['orm'], beforeMs: number, now: number): void {
  const late = and(isCode, lt(outbox.createdAt, beforeMs));
  const end = { state: 'failed', error: 'the code was too old', settledAt: now } as const;
  orm
    .update(outbox)
    .set(end)
    .where(and(late, eq(outbox.state, 'pending')))
    .run();
  const isSettled = and(isCode, notInArray(outbox.state, ['pending', 'sending']));
  orm.update(outbox).set({ payload: withoutCode }).where(or(late, isSettled)).run();
}

function outboxReceipts({ orm }: Database, now: () => number): OutboxReceipts {
  const place = sql.placeholder;
  const { id, purpose, state, sentId } = outbox;
  const spoken = orm
    .select({ id, purpose, state, sentId })
    .from(outbox)
    .where(and(eq(outbox.turnId, place('turnId')), lt(id, place('before')), inArray(purpose, ['draft', 'answer'])))
    .orderBy(desc(id))
    .limit(1)
    .prepare();
  return {
    receipt: (id) => orm.select({ state: outbox.state, sentId: outbox.sentId }).from(outbox).where(eq(outbox.id, id)).get(),
    sentAs: (lane, sentId) =>
      orm
        .select({ id: outbox.id })
        .from(outbox)
        .where(and(eq(outbox.lane, lane), eq(outbox.sentId, sentId)))
        .get()?.id,
    payloadOf: (lane, sentId) =>
      orm
        .select({ payload: outbox.payload })
        .from(outbox)
        .where(and(eq(outbox.lane, lane), eq(outbox.sentId, sentId)))
        .get()?.payload,
    draftOf: (turnId, before = Number.MAX_SAFE_INTEGER) => {
      const row = spoken.get({ turnId, before });
      return row?.purpose === 'draft' ? row : undefined;
    },
    expireCodes: (beforeMs) => expireCodes(orm, beforeMs, now()),
    replace: (id, payload) =>
      orm
        .update(outbox)
        .set({ payload })
        .where(and(eq(outbox.id, id), eq(outbox.state, 'pending')))
        .run().changes > 0,
  };
}

function outboxUpkeep({ orm }: Database, now: () => number): OutboxWaiting & OutboxUpkeep {
  return {
    hurry: (account) => {
      const ofAccount = sql`substr(${outbox.lane}, 1, ${account.length + 1}) = ${`${account}/`}`;
      orm
        .update(outbox)
        .set({ notBefore: 0 })
        .where(and(isOpen, eq(outbox.state, 'pending'), gt(outbox.notBefore, 0), ofAccount))
        .run();
    },
    dropDrafts: (error) => {
      const state = sql`case state when 'sending' then 'unknown' else 'failed' end`;
      orm
        .update(outbox)
        .set({ state, error, settledAt: now() })
        .where(and(isOpen, eq(outbox.purpose, 'draft')))
        .run();
    },
    lanes: () => {
      const rows = orm.selectDistinct({ lane: outbox.lane }).from(outbox).where(isOpen).all();
      return rows.map((row) => row.lane);
    },
    interrupted: () => orm.select(columns).from(outbox).where(eq(outbox.state, 'sending')).orderBy(asc(outbox.id)).all(),
    hasNotice: (turnId) => {
      const notice = and(eq(outbox.turnId, turnId), eq(outbox.purpose, 'notice'));
      return orm.select({ id: outbox.id }).from(outbox).where(notice).limit(1).get() !== undefined;
    },
    count: () => ({
      pending: orm.select({ open: count() }).from(outbox).where(isOpen).get()?.open ?? 0,
      unknown: orm.select({ unknown: count() }).from(outbox).where(gt(outbox.unknowns, 0)).get()?.unknown ?? 0,
    }),
    prune: (beforeMs) => {
      const old = and(isNotNull(outbox.settledAt), lt(outbox.settledAt, beforeMs));
      orm.delete(outbox).where(old).run();
    },
  };
}
