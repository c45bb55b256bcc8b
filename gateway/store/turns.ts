import { and, asc, desc, eq, gt, isNotNull, lt, sql } from 'drizzle-orm';
import type { SentRef } from '../../adapters/adapter.ts';
import type { ToolCall, ToolStatus } from '../../agent/message.ts';
import type { TurnTarget } from '../target.ts';
import type { Database } from './database.ts';
import { calls, type InboxOutcome, type Requester, type TurnCut, turns } from './schema.ts';

export interface TurnRow {
  readonly id: number;
  readonly sessionId: string;
  readonly lane: string;
  readonly target: TurnTarget;
  /** How often a process took it up since its last persisted step, this time included. */
  readonly starts: number;
  readonly bubble: SentRef | null;
  readonly cut: TurnCut | null;
  readonly requester: Requester;
  readonly createdAt: number;
}

export interface NewTurn {
  readonly sessionId: string;
  readonly lane: string;
  readonly target: TurnTarget;
  readonly requester: Requester;
}

export interface TurnEnd {
  readonly outcome: InboxOutcome;
  readonly error?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

/** The life of a turn. */
export interface TurnLife {
  create(turn: NewTurn): TurnRow;
  /** The turn of a lane that has not ended: after a crash, the one that was running. */
  running(lane: string): TurnRow | undefined;
  sessionOf(id: number): string | undefined;
  /** Null: it is gone from the platform, or folded. */
  setBubble(id: number, bubble: SentRef | null): void;
  /** The running turn of a lane must not go on; false when none runs. A stop outranks an interrupt. */
  cut(lane: string, cut: TurnCut): boolean;
  end(id: number, end: TurnEnd): void;
}

/** What outlasts a process. */
export interface TurnRecovery {
  runningLanes(): readonly string[];
  setStarts(id: number, starts: number): void;
  /** A clean stop is no death: the turns that go on at the next start have a fresh count. */
  resetStarts(): void;
  /** Ended turns whose files may go now; each is named once. */
  takeEndedBefore(beforeMs: number): readonly number[];
  /** Turns that ended since then and whose bubble is still on the platform, as far as anybody knows. */
  leftBubbles(sinceMs: number): readonly LeftBubble[];
}

export interface LeftBubble {
  readonly id: number;
  readonly bubble: SentRef;
  readonly target: TurnTarget;
  readonly elapsedMs: number;
}

/** Intent rows of tool calls. */
export interface CallIntents {
  callStarted(turnId: number, call: ToolCall): void;
  /** When it had started; undefined: it had not. */
  callFinished(turnId: number, callId: string, status: ToolStatus): number | undefined;
  /** Calls that started and have no result. */
  openCalls(turnId: number): ReadonlySet<string>;
}

export interface TurnTokens {
  readonly id: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What people ask about. */
export interface TurnReports {
  /** Also one that has ended. */
  get(id: number): TurnRow | undefined;
  /** What has not ended, oldest first. */
  atWork(): readonly TurnRow[];
  /** Turns of a session whose directories in the media store have not been removed. */
  withMedia(sessionId: string): readonly number[];
  /** The ended turns of a session, newest first. */
  tokens(sessionId: string): readonly TurnTokens[];
}

export type TurnStore = TurnLife & TurnRecovery & TurnReports & CallIntents;

export function createTurnStore(database: Database, now: () => number): TurnStore {
  return { ...turnLife(database, now), ...turnRecovery(database), ...turnReports(database), ...callIntents(database, now) };
}

const isRunning = sql`state = 'running'`; // literal, so that the partial index is used

function turnLife({ orm }: Database, now: () => number): TurnLife {
  const { insert, running, end } = prepareTurns(orm);
  return {
    create: (turn) => insert.get({ ...turn, at: now() }),
    running: (lane) => running.get({ lane }),
    sessionOf: (id) => orm.select({ sessionId: turns.sessionId }).from(turns).where(eq(turns.id, id)).get()?.sessionId,
    setBubble: (id, bubble) => {
      orm.update(turns).set({ bubble }).where(eq(turns.id, id)).run();
    },
    cut: (lane, cut) =>
      orm
        .update(turns)
        .set({ cut: cut === 'stop' ? cut : sql`coalesce(${turns.cut}, ${cut})` })
        .where(and(eq(turns.lane, lane), isRunning))
        .run().changes > 0,
    end: (id, { outcome, error, inputTokens = 0, outputTokens = 0 }) => {
      end.run({ id, outcome, error: error ?? null, inputTokens, outputTokens, at: now() });
    },
  };
}

function columnsOf({ id, sessionId, lane, target, starts, bubble, cut, requester, createdAt }: typeof turns) {
  return { id, sessionId, lane, target, starts, bubble, cut, requester, createdAt };
}

function prepareTurns(orm: Database['orm']) {
  const { id, lane } = turns;
  const columns = columnsOf(turns);
  const place = sql.placeholder;
  const values = {
    sessionId: place('sessionId'),
    lane: place('lane'),
    target: place('target'),
    requester: place('requester'),
    createdAt: place('at'),
  };
  return {
    insert: orm
      .insert(turns)
      .values({ ...values, state: 'running', starts: 1 })
      .returning(columns)
      .prepare(),
    running: orm
      .select(columns)
      .from(turns)
      .where(and(eq(lane, place('lane')), isRunning))
      .prepare(),
    end: orm
      .update(turns)
      .set({
        state: 'done',
        outcome: sql`${place('outcome')}`,
        error: sql`${place('error')}`,
        inputTokens: sql`${place('inputTokens')}`,
        outputTokens: sql`${place('outputTokens')}`,
        endedAt: sql`${place('at')}`,
      })
      .where(eq(id, place('id')))
      .prepare(),
  };
}

function turnRecovery({ orm }: Database): TurnRecovery {
  return {
    runningLanes: () => {
      const rows = orm.select({ lane: turns.lane }).from(turns).where(isRunning).orderBy(asc(turns.id)).all();
      return rows.map((row) => row.lane);
    },
    setStarts: (id, starts) => {
      orm.update(turns).set({ starts }).where(eq(turns.id, id)).run();
    },
    resetStarts: () => {
      orm.update(turns).set({ starts: 0 }).where(isRunning).run();
    },
    takeEndedBefore: (beforeMs) => {
      const old = and(lt(turns.endedAt, beforeMs), eq(turns.mediaKept, true));
      const rows = orm.update(turns).set({ mediaKept: false }).where(old).returning({ id: turns.id }).all();
      return rows.map((row) => row.id);
    },
    leftBubbles: (sinceMs) => {
      const { id, bubble, target, createdAt, endedAt } = turns;
      const left = and(gt(endedAt, sinceMs), isNotNull(bubble));
      const rows = orm.select({ id, bubble, target, createdAt, endedAt }).from(turns).where(left).all();
      return rows.flatMap((row) =>
        row.bubble === null ? [] : [{ ...row, bubble: row.bubble, elapsedMs: (row.endedAt ?? 0) - row.createdAt }],
      );
    },
  };
}

function turnReports({ orm }: Database): TurnReports {
  const { id, inputTokens, outputTokens } = turns;
  return {
    get: (wanted) => orm.select(columnsOf(turns)).from(turns).where(eq(id, wanted)).get(),
    atWork: () => orm.select(columnsOf(turns)).from(turns).where(isRunning).orderBy(asc(id)).all(),
    withMedia: (sessionId) => {
      const kept = and(eq(turns.sessionId, sessionId), eq(turns.mediaKept, true));
      const rows = orm.select({ id }).from(turns).where(kept).orderBy(asc(id)).all();
      return rows.map((row) => row.id);
    },
    tokens: (sessionId) => {
      const ended = and(eq(turns.sessionId, sessionId), eq(turns.state, 'done'));
      return orm.select({ id, inputTokens, outputTokens }).from(turns).where(ended).orderBy(desc(id)).all();
    },
  };
}

function callIntents({ orm }: Database, now: () => number): CallIntents {
  const open = sql`${calls.finishedAt} is null`;
  const openCalls = orm
    .select({ callId: calls.callId })
    .from(calls)
    .where(and(eq(calls.turnId, sql.placeholder('turnId')), open))
    .prepare();
  return {
    callStarted: (turnId, call) => {
      orm.insert(calls).values({ turnId, callId: call.id, tool: call.name, arguments: call.arguments, startedAt: now() }).run();
    },
    callFinished: (turnId, callId, status) => {
      const same = and(eq(calls.turnId, turnId), eq(calls.callId, callId), open);
      return orm.update(calls).set({ status, finishedAt: now() }).where(same).returning({ at: calls.startedAt }).get()?.at;
    },
    openCalls: (turnId) => new Set(openCalls.all({ turnId }).map((row) => row.callId)),
  };
}
