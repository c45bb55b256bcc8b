/** Every table of the one database but those of platform accounts. Times are ms since the epoch. JSON columns hold data that was validated before it came here. */
import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { ChatRef, Inbound, Json, Outbound, SentRef } from '../../adapters/adapter.ts';
import type { Message, ToolStatus } from '../../agent/message.ts';
import type { ReasoningEffort } from '../../agent/model.ts';
import type { RiskMemory } from '../../agent/risk.ts';
import type { TurnTarget } from '../target.ts';

export const meta = sqliteTable('meta', {
  key: text().primaryKey(),
  value: text({ mode: 'json' }).$type<Json>().notNull(),
});

export type InboxState = 'pending' | 'command' | 'claimed' | 'done';
/** `interrupted`: another message came first; `said`: it was heard as an answer to a question, or by a turn at work. */
export type InboxOutcome = 'answered' | 'failed' | 'silent' | 'command' | 'parked' | 'interrupted' | 'said';
/**
 * How a message that did not simply begin a turn is taken up: with what came beside it (`merge`), as a turn of its own after the present
 * one (`queue`), by the turn at work (`steer`), or by answering the transcript anew (`retry`). `wake`: no person wrote it.
 */
export type InboxMode = 'merge' | 'queue' | 'steer' | 'retry' | 'wake';

export const inbox = sqliteTable(
  'inbox',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    platform: text().notNull(),
    account: text().notNull(),
    event: text().notNull(),
    /** Session key: the lane in which it waits. */
    lane: text().notNull(),
    payload: text({ mode: 'json' }).$type<Inbound>().notNull(),
    state: text().$type<InboxState>().notNull(),
    mode: text().$type<InboxMode>(),
    outcome: text().$type<InboxOutcome>(),
    turnId: integer('turn_id'),
    receivedAt: integer('received_at').notNull(),
    settledAt: integer('settled_at'),
  },
  (table) => [
    uniqueIndex('inbox_event').on(table.platform, table.account, table.event),
    index('inbox_open').on(table.lane, table.id).where(sql`state <> 'done'`),
    index('inbox_turn').on(table.turnId),
    index('inbox_settled').on(table.settledAt),
  ],
);

/** `done`: a background run has posted its result. */
export type SessionEnd = 'new' | 'idle' | 'daily' | 'switched' | 'done' | 'revoked';

/** What a person chose for one conversation; gone with it. */
export interface SessionSettings {
  readonly model?: string;
  readonly reasoning?: ReasoningEffort;
  readonly personality?: string;
  /** Nothing is asked about; what is never allowed stays so. */
  readonly yolo?: true;
  /** Id of the first message that requests still contain (`/compress`). */
  readonly keepFrom?: number;
}

/** What a person chose for a chat; outlasts its conversations. */
export interface ChatSettings {
  readonly progress?: 'off' | 'new' | 'all' | 'verbose';
  readonly busy?: 'interrupt' | 'queue' | 'steer';
}

export const sessions = sqliteTable(
  'sessions',
  {
    id: text().primaryKey(),
    key: text().notNull(),
    createdAt: integer('created_at').notNull(),
    /** Last activity; the reset policies look at it. */
    updatedAt: integer('updated_at').notNull(),
    endedAt: integer('ended_at'),
    endReason: text('end_reason').$type<SessionEnd>(),
    workspace: text().notNull(),
    title: text(),
    settings: text({ mode: 'json' }).$type<SessionSettings>().notNull().default({}),
    /** The person was told that old turns are left out of requests. */
    trimmedTold: integer('trimmed_told', { mode: 'boolean' }).notNull().default(false),
    /** Why the last answer did not arrive; the next turn is told once. */
    undelivered: text(),
  },
  (table) => [
    uniqueIndex('sessions_open').on(table.key).where(sql`ended_at is null`),
    index('sessions_recent').on(table.key, table.updatedAt),
  ],
);

/** By session key. */
export const chatSettings = sqliteTable('chat_settings', {
  lane: text().primaryKey(),
  settings: text({ mode: 'json' }).$type<ChatSettings>().notNull(),
});

export type TurnState = 'running' | 'done' | 'parked';
/** Why a turn must not go on, also after a crash. */
export type TurnCut = 'stop' | 'interrupt';

/** Who began a turn: the one who may answer its questions. */
export interface Requester {
  readonly id: string;
  readonly name: string;
  /** Other immutable ids of the same person. */
  readonly aliases?: readonly string[];
}

export const turns = sqliteTable(
  'turns',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    sessionId: text('session_id').notNull(),
    lane: text().notNull(),
    /** Where everything that this turn says goes; captured at ingress and never changed. */
    target: text({ mode: 'json' }).$type<TurnTarget>().notNull(),
    state: text().$type<TurnState>().notNull(),
    /** How often a process took this turn up since its last persisted step. */
    starts: integer().notNull(),
    /** The progress bubble on the platform, so that a restarted turn goes on with the same one. */
    bubble: text({ mode: 'json' }).$type<SentRef>(),
    cut: text().$type<TurnCut>(),
    requester: text({ mode: 'json' }).$type<Requester>().notNull().default({ id: '', name: '' }),
    inputTokens: integer('input_tokens').notNull().default(0),
    outputTokens: integer('output_tokens').notNull().default(0),
    /** Its directory in the media store has not been removed. */
    mediaKept: integer('media_kept', { mode: 'boolean' }).notNull().default(true),
    outcome: text().$type<InboxOutcome>(),
    error: text(),
    createdAt: integer('created_at').notNull(),
    endedAt: integer('ended_at'),
  },
  (table) => [
    index('turns_running').on(table.lane).where(sql`state = 'running'`),
    index('turns_ended').on(table.endedAt),
    index('turns_session').on(table.sessionId),
  ],
);

/** The transcripts. */
export const messages = sqliteTable(
  'messages',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    sessionId: text('session_id').notNull(),
    turnId: integer('turn_id').notNull(),
    body: text({ mode: 'json' }).$type<Message>().notNull(),
    /** Taken back (`/undo`, `/retry`): kept, and no part of the conversation. */
    undone: integer({ mode: 'boolean' }).notNull().default(false),
    at: integer().notNull(),
  },
  (table) => [index('messages_session').on(table.sessionId, table.id)],
);

/** Intent rows: a tool call is here before it runs. A call that started and has no `finishedAt` was cut by a crash. */
export const calls = sqliteTable(
  'calls',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    turnId: integer('turn_id').notNull(),
    callId: text('call_id').notNull(),
    tool: text().notNull(),
    arguments: text().notNull(),
    status: text().$type<ToolStatus>(),
    startedAt: integer('started_at').notNull(),
    finishedAt: integer('finished_at'),
  },
  (table) => [index('calls_open').on(table.turnId).where(sql`finished_at is null`)],
);

/**
 * `pending` waits, `sending` is on its way (found at start: outcome unknown), `sent` has its receipt, `failed` was given up,
 * `unknown` may or may not have arrived and is not repeated again.
 */
export type OutboxState = 'pending' | 'sending' | 'sent' | 'failed' | 'unknown';
/** `draft`: an answer that is still being written, on a platform that shows it as a message. */
/** `code`: holds a pairing code, which goes when the part is settled. */
export type OutboxPurpose = 'answer' | 'draft' | 'notice' | 'ask' | 'code';

export const outbox = sqliteTable(
  'outbox',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    turnId: integer('turn_id'),
    /** "<platform>/<account>/<chat>": parts of one lane are sent strictly in order. */
    lane: text().notNull(),
    /** A group or channel: slower pacing. */
    group: integer({ mode: 'boolean' }).notNull(),
    purpose: text().$type<OutboxPurpose>().notNull(),
    payload: text({ mode: 'json' }).$type<Outbound>().notNull(),
    state: text().$type<OutboxState>().notNull(),
    attempts: integer().notNull().default(0),
    /** Sends whose outcome is unknown. */
    unknowns: integer().notNull().default(0),
    notBefore: integer('not_before').notNull().default(0),
    sentId: text('sent_id'),
    error: text(),
    createdAt: integer('created_at').notNull(),
    settledAt: integer('settled_at'),
  },
  (table) => [
    index('outbox_open').on(table.lane, table.id).where(sql`state in ('pending', 'sending')`),
    index('outbox_turn').on(table.turnId),
    index('outbox_sent').on(table.lane, table.sentId),
    index('outbox_settled').on(table.settledAt),
  ],
);

export type AskState = 'open' | 'decided' | 'expired' | 'closed';

/** What is asked. */
export type AskBody =
  | {
      readonly kind: 'approval';
      readonly markdown: string;
      /** What a no forbids for the rest of the turn. */
      readonly subjects: readonly string[];
      /** What "session" and "always" remember; `always` is absent where it is not offered. */
      readonly remember: { readonly session: string; readonly always?: RiskMemory };
      /** Whoever it is asked of may not allow it. For showing only: who may is judged when somebody does. */
      readonly forAdmins?: true;
    }
  /** Not asked by a run: may this stranger be let in? `request` is the id of the pairing request. */
  | { readonly kind: 'pairing'; readonly markdown: string; readonly request: string; readonly chat: ChatRef }
  /** Not asked by a run: what the person wrote waits, and need not. */
  | { readonly kind: 'interrupt'; readonly markdown: string }
  | { readonly kind: 'question'; readonly markdown: string; readonly choices: readonly string[]; readonly allowFreetext: boolean };

export interface AskDecision {
  /** Id of a choice; `text` for an answer in words. */
  readonly choice: string;
  readonly text: string;
  readonly by: Requester;
}

/** Questions to people. One for each (turn, call, n), so that a run that goes on after a crash finds its own again. */
export const asks = sqliteTable(
  'asks',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    turnId: integer('turn_id').notNull(),
    callId: text('call_id').notNull(),
    /** 0: the approval of the call; from 1: its questions. */
    n: integer().notNull(),
    token: text().notNull(),
    /** Outbox lane of the chat; numbers count within it. */
    chat: text().notNull(),
    number: integer().notNull(),
    lane: text().notNull(),
    target: text({ mode: 'json' }).$type<TurnTarget>().notNull(),
    requester: text({ mode: 'json' }).$type<Requester>().notNull(),
    body: text({ mode: 'json' }).$type<AskBody>().notNull(),
    state: text().$type<AskState>().notNull(),
    decision: text({ mode: 'json' }).$type<AskDecision>(),
    /** The outbox part that shows it. */
    cardId: integer('card_id').notNull(),
    /** The card shows its end. */
    cardClosed: integer('card_closed', { mode: 'boolean' }).notNull().default(false),
    deadline: integer().notNull(),
    createdAt: integer('created_at').notNull(),
    closedAt: integer('closed_at'),
  },
  (table) => [
    uniqueIndex('asks_call').on(table.turnId, table.callId, table.n),
    uniqueIndex('asks_token').on(table.token),
    index('asks_open').on(table.chat, table.number).where(sql`state = 'open'`),
    index('asks_number').on(table.chat, table.number),
    index('asks_card').on(table.cardId),
    index('asks_cards').on(table.id).where(sql`state <> 'open' and card_closed = 0`),
  ],
);

/** Remembered approvals. `scope` is a session's id, or `always`. */
export const approvals = sqliteTable(
  'approvals',
  {
    scope: text().notNull(),
    key: text().notNull(),
    label: text().notNull(),
    by: text({ mode: 'json' }).$type<Requester>().notNull(),
    at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.scope, table.key] })],
);
