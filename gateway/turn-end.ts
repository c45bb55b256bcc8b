/** The end of a turn: one durable transaction that settles its messages, ends it and writes down everything there is to deliver. */
import path from 'node:path';
import type { Outcome } from '../agent/events.ts';
import type { Message } from '../agent/message.ts';
import { noticePart } from './outbox.ts';
import { findDeliverables } from './presenter/deliverable.ts';
import { type OutgoingFile, takeFile } from './presenter/files.ts';
import type { NewPart } from './store/outbox.ts';
import type { InboxOutcome } from './store/schema.ts';
import type { SessionRow } from './store/sessions.ts';
import type { TurnRow } from './store/turns.ts';
import { accountKey, outboxLane, type TurnTarget } from './target.ts';
import type { TurnOptions } from './turn-options.ts';

export type Ending = { readonly type: 'outcome'; readonly outcome: Outcome } | { readonly type: 'stopped' } | { readonly type: 'parked' };

export interface TurnEnding {
  readonly turn: TurnRow;
  readonly session?: SessionRow;
  readonly ending: Ending;
}

interface Settlement {
  readonly outcome: InboxOutcome;
  readonly error?: string;
  readonly parts: readonly NewPart[];
}

export async function endTurn(options: TurnOptions, ending: TurnEnding, signal: AbortSignal): Promise<void> {
  const { store, outbox, now } = options;
  const { turn } = ending;
  logFailure(options, ending);
  const { outcome, error, parts } = await settle(options, ending, signal);
  await store.durableTogether(() => {
    closeTranscript(options, ending);
    outbox.add(parts.map((part) => ({ ...part, turnId: turn.id })));
    store.turns.end(turn.id, { outcome, ...(error === undefined ? {} : { error }) });
    store.inbox.settleTurn(turn.id, outcome);
    store.sessions.touch(turn.sessionId, now());
  });
  outbox.kick(outboxLane(turn.target.chat));
}

/** In the provider's or the bug's own words, which a chat never sees. */
function logFailure({ log }: TurnOptions, { turn, ending }: TurnEnding): void {
  if (ending.type !== 'outcome' || ending.outcome.status !== 'failed') return;
  const { kind, message, detail } = ending.outcome.error;
  log.warn({ turn: turn.id, kind, detail: detail ?? message }, 'a turn failed');
}

const parkedText = 'I gave up on this message: the gateway stopped twice while I was working on it.';
const stoppedText = 'I was told to stop before I had answered this message.';

/** What was given up or stopped must not be taken up again with the next message: its calls get their results, its message an answer. */
function closeTranscript({ store }: TurnOptions, { turn, ending }: TurnEnding): void {
  const text = closingText(ending);
  if (text === undefined) return;
  for (const message of closing(store.transcript.read(turn.sessionId), text)) store.transcript.append(turn.sessionId, turn.id, message);
}

function closingText(ending: Ending): string | undefined {
  if (ending.type === 'outcome') return ending.outcome.status === 'aborted' ? stoppedText : undefined;
  return ending.type === 'parked' ? parkedText : stoppedText;
}

function closing(transcript: readonly Message[], text: string): readonly Message[] {
  const at = transcript.findLastIndex((message) => message.role !== 'tool');
  const last = transcript[at];
  if (last?.role === 'assistant' && last.calls.length === 0) return []; // it had its answer
  const answered = new Set(transcript.slice(at + 1).map((message) => (message.role === 'tool' ? message.callId : '')));
  const open = last?.role === 'assistant' ? last.calls.filter((call) => !answered.has(call.id)) : [];
  const results = open.map(({ id, name }): Message => ({ role: 'tool', callId: id, name, status: 'unknown', content: text }));
  return [...results, { role: 'assistant', text, calls: [], finish: 'stop' }];
}

async function settle(options: TurnOptions, { turn, session, ending }: TurnEnding, signal: AbortSignal): Promise<Settlement> {
  switch (ending.type) {
    case 'parked':
      return {
        outcome: 'parked',
        parts: [noticePart(turn.target, `⚠️ ${parkedText} Please ask again in another way.`)],
      };
    case 'stopped':
      return { outcome: 'silent', parts: [] };
    case 'outcome':
      return settleOutcome(options, { turn, session, outcome: ending.outcome }, signal);
    default:
      return ending satisfies never;
  }
}

interface Finished {
  readonly turn: TurnRow;
  readonly session: SessionRow | undefined;
  readonly outcome: Outcome;
}

async function settleOutcome(options: TurnOptions, { turn, session, outcome }: Finished, signal: AbortSignal): Promise<Settlement> {
  switch (outcome.status) {
    case 'aborted':
      return { outcome: 'silent', parts: [] };
    case 'failed': {
      const said = outcome.text.trim() === '' ? '' : `${outcome.text.trim()}\n\n`;
      return { outcome: 'failed', error: outcome.error.kind, parts: textParts(options, turn.target, `${said}⚠️ ${outcome.error.message}`) };
    }
    case 'completed':
      return { outcome: 'answered', parts: await answerParts(options, { turn, session, text: outcome.text }, signal) };
    default:
      return outcome satisfies never;
  }
}

function textParts({ accounts }: TurnOptions, target: TurnTarget, markdown: string): NewPart[] {
  const platform = accounts.get(accountKey(target.chat))?.platform;
  const parts = platform === undefined ? [markdown] : platform.split(markdown);
  const { replyTo: _, ...rest } = target;
  return parts.map((part, index) => ({ ...noticePart(index === 0 ? target : rest, part), purpose: 'answer' }));
}

interface Answer {
  readonly turn: TurnRow;
  readonly session: SessionRow | undefined;
  readonly text: string;
}

async function answerParts(options: TurnOptions, { turn, session, text }: Answer, signal: AbortSignal): Promise<NewPart[]> {
  const { text: markdown, paths } = findDeliverables(text);
  const files: NewPart[] = [];
  const refused: string[] = [];
  for (const [index, wanted] of paths.entries()) {
    try {
      files.push(filePart(turn.target, await take(options, { turn, session, wanted, index }, signal)));
    } catch (error) {
      signal.throwIfAborted();
      refused.push(`⚠️ I could not send a file: ${error instanceof Error ? error.message : 'it could not be read'}.`);
    }
  }
  const body = [markdown, ...refused].filter((line) => line !== '').join('\n\n');
  return [...(body === '' ? [] : textParts(options, turn.target, body)), ...files];
}

interface Wanted {
  readonly turn: TurnRow;
  readonly session: SessionRow | undefined;
  readonly wanted: string;
  readonly index: number;
}

async function take(
  { accounts, media }: TurnOptions,
  { turn, session, wanted, index }: Wanted,
  signal: AbortSignal,
): Promise<OutgoingFile> {
  if (session === undefined) throw new Error('its conversation is gone');
  const limitBytes = accounts.get(accountKey(turn.target.chat))?.platform.limits.uploadBytes ?? 0;
  const store = media.directory(turn.id);
  const into = path.join(store, 'out', String(index));
  return takeFile({ wanted, workspace: session.workspace, alsoFrom: [store], into, limitBytes }, signal);
}

function filePart(target: TurnTarget, file: OutgoingFile): NewPart {
  const { chat, chatType } = target;
  return { lane: outboxLane(chat), group: chatType !== 'dm', purpose: 'answer', payload: { type: 'file', chat, ...file } };
}
