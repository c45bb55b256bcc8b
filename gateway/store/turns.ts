import { and, asc, eq, lt, sql } from 'drizzle-orm';
import type { SentRef } from '../../adapters/adapter.ts';
import type { ToolCall, ToolStatus } from '../../agent/message.ts';
import type { TurnTarget } from '../target.ts';
import type { Database } from './database.ts';
import { calls, type InboxOutcome, turns } from './schema.ts';

export interface TurnRow {
  readonly id: number;
  readonly sessionId: string;
  readonly lane: string;
  readonly target: TurnTarget;
  /** How often a process took it up since its last persisted step, this time included. */
  readonly starts: number;
  readonly bubble: SentRef | null;
  readonly stopped: boolean;
}

export interface NewTurn {
  readonly sessionId: string;
  readonly lane: string;
  readonly target: TurnTarget;
}

export interface TurnEnd {
  readonly outcome: InboxOutcome;
  readonly error?: string;
}

export interface TurnStore {
  create(turn: NewTurn): TurnRow;
  /** The turn of a lane that has not ended: after a crash, the one that was running. */
  running(lane: string): TurnRow | undefined;
  runningLanes(): readonly string[];
  setStarts(id: number, starts: number): void;
  /** A clean stop is no death: the turns that go on at the next start have a fresh count. */
  resetStarts(): void;
  setBubble(id: number, bubble: SentRef): void;
  /** The person stopped the running turn of a lane; false when none runs. */
  stop(lane: string): boolean;
  end(id: number, end: TurnEnd): void;
  callStarted(turnId: number, call: ToolCall): void;
  callFinished(turnId: number, callId: string, status: ToolStatus): void;
  /** Calls that started and have no result. */
  openCalls(turnId: number): ReadonlySet<string>;
  /** Ended turns whose files may go now; each is named once. */
  takeEndedBefore(beforeMs: number): readonly number[];
}

export function createTurnStore(database: Database, now: () => number): TurnStore {
  return { ...turnRows(database, now), ...callRows(database, now) };
}

type TurnRows = Pick<
  TurnStore,
  'create' | 'running' | 'runningLanes' | 'setStarts' | 'resetStarts' | 'setBubble' | 'stop' | 'end' | 'takeEndedBefore'
>;

function turnRows({ orm }: Database, now: () => number): TurnRows {
  const columns = {
    id: turns.id,
    sessionId: turns.sessionId,
    lane: turns.lane,
    target: turns.target,
    starts: turns.starts,
    bubble: turns.bubble,
    stopped: turns.stopped,
  };
  const place = sql.placeholder;
  const insert = orm
    .insert(turns)
    .values({
      sessionId: place('sessionId'),
      lane: place('lane'),
      target: place('target'),
      state: 'running',
      starts: 1,
      createdAt: place('at'),
    })
    .returning(columns)
    .prepare();
  const running = orm
    .select(columns)
    .from(turns)
    .where(and(eq(turns.lane, place('lane')), sql`state = 'running'`))
    .prepare();
  const end = orm
    .update(turns)
    .set({ state: 'done', outcome: sql`${place('outcome')}`, error: sql`${place('error')}`, endedAt: sql`${place('at')}` })
    .where(eq(turns.id, place('id')))
    .prepare();
  return {
    create: (turn) => insert.get({ ...turn, at: now() }),
    running: (lane) => running.get({ lane }),
    runningLanes: () =>
      orm
        .select({ lane: turns.lane })
        .from(turns)
        .where(sql`state = 'running'`)
        .orderBy(asc(turns.id))
        .all()
        .map((row) => row.lane),
    setStarts: (id, starts) => {
      orm.update(turns).set({ starts }).where(eq(turns.id, id)).run();
    },
    resetStarts: () => {
      orm.update(turns).set({ starts: 0 }).where(sql`state = 'running'`).run();
    },
    setBubble: (id, bubble) => {
      orm.update(turns).set({ bubble }).where(eq(turns.id, id)).run();
    },
    stop: (lane) =>
      orm
        .update(turns)
        .set({ stopped: true })
        .where(and(eq(turns.lane, lane), sql`state = 'running'`))
        .run().changes > 0,
    end: (id, { outcome, error }) => {
      end.run({ id, outcome, error: error ?? null, at: now() });
    },
    takeEndedBefore: (beforeMs) => {
      const old = and(lt(turns.endedAt, beforeMs), eq(turns.mediaKept, true));
      return orm
        .update(turns)
        .set({ mediaKept: false })
        .where(old)
        .returning({ id: turns.id })
        .all()
        .map((row) => row.id);
    },
  };
}

type CallRows = Pick<TurnStore, 'callStarted' | 'callFinished' | 'openCalls'>;

function callRows({ orm }: Database, now: () => number): CallRows {
  const open = sql`${calls.finishedAt} is null`;
  return {
    callStarted: (turnId, call) => {
      orm.insert(calls).values({ turnId, callId: call.id, tool: call.name, arguments: call.arguments, startedAt: now() }).run();
    },
    callFinished: (turnId, callId, status) => {
      orm
        .update(calls)
        .set({ status, finishedAt: now() })
        .where(and(eq(calls.turnId, turnId), eq(calls.callId, callId), open))
        .run();
    },
    openCalls: (turnId) =>
      new Set(
        orm
          .select({ callId: calls.callId })
          .from(calls)
          .where(and(eq(calls.turnId, turnId), open))
          .all()
          .map((row) => row.callId),
      ),
  };
}
