/** The end of a turn: one durable transaction that settles its messages, ends it and writes down everything there is to deliver. */
import path from 'node:path';
import type { Outcome, Usage } from '../agent/events.ts';
import type { Message } from '../agent/message.ts';
import { backgroundLine, backgroundOf } from './background.ts';
import { addParts, takeBack } from './drafts.ts';
import type { AbortReason } from './lanes.ts';
import { noticePart } from './outbox.ts';
import { findDeliverables } from './presenter/deliverable.ts';
import { type OutgoingFile, takeFile } from './presenter/files.ts';
import { footerLine } from './presenter/footer.ts';
import { harmless } from './presenter/harmless.ts';
import { receiptOf } from './receipts.ts';
import { isSilence } from './silence.ts';
import type { Draft, NewPart } from './store/outbox.ts';
import type { InboxOutcome } from './store/schema.ts';
import type { SessionRow } from './store/sessions.ts';
import type { TurnRow } from './store/turns.ts';
import { accountKey, outboxLane, type TurnTarget } from './target.ts';
import type { TurnOptions } from './turn-options.ts';
import type { Overdue } from './watchdog.ts';

export type Ending =
  /** `reason`: why it was aborted. */
  | { readonly type: 'outcome'; readonly outcome: Outcome; readonly reason: Exclude<AbortReason, 'shutdown'> | Overdue | undefined }
  /** Found at start: it must not go on. */
  | { readonly type: 'stopped' | 'interrupted' | 'parked' };

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
  const { store, sessions, outbox, desk, now } = options;
  const { turn } = ending;
  logFailure(options, ending);
  const { outcome, error, parts } = await settle(options, ending, signal);
  let asked: readonly number[] = [];
  let left: Draft | undefined;
  await store.durableTogether(() => {
    closeTranscript(options, ending);
    left = addParts(options, turn.id, parts);
    store.turns.end(turn.id, { outcome, ...(error === undefined ? {} : { error }), ...usageOf(ending) });
    asked = desk.closeTurn(turn.id);
    store.inbox.settleTurn(turn.id, outcome);
    store.sessions.touch(turn.sessionId, now());
    if (backgroundOf(turn.lane) !== undefined) sessions.end(turn.lane, 'done');
  });
  for (const ask of asked) desk.settled(ask);
  outbox.kick(outboxLane(turn.target.chat));
  if (left !== undefined) void takeBack(options, left, turn.target);
  mark(options, turn, outcome);
}

function mark({ store, receipts, log }: TurnOptions, { id, target }: TurnRow, outcome: InboxOutcome): void {
  if (!receipts.has(target)) return;
  const events = harmless(log, () => store.inbox.ofTurn(id).map(({ payload }) => payload));
  receipts.show(events ?? [], receiptOf(outcome));
}

function usageOf({ ending }: TurnEnding): Partial<Usage> {
  return ending.type === 'outcome' ? ending.outcome.usage : {};
}

/** In the provider's or the bug's own words, which a chat never sees. */
function logFailure({ log }: TurnOptions, { turn, ending }: TurnEnding): void {
  if (ending.type !== 'outcome' || ending.outcome.status !== 'failed') return;
  const { kind, message, detail } = ending.outcome.error;
  log.warn({ turn: turn.id, kind, detail: detail ?? message }, 'a turn failed');
}

const parkedText = 'I gave up on this message: the gateway stopped twice while I was working on it.';
/** What the transcript says where no answer came. */
const closingTexts = {
  stop: '[The person stopped me here.]',
  interrupt: '[The person wrote something new before I was done.]',
  deadline: '[I ran out of time here.]',
  inactive: '[Nothing happened any more, so I gave up here.]',
} as const;

/** What was given up or stopped must not be taken up again with the next message: its calls get their results, its message an answer. */
function closeTranscript({ store }: TurnOptions, { turn, ending }: TurnEnding): void {
  const text = closingText(ending);
  if (text === undefined) return;
  for (const message of closing(store.transcript.read(turn.sessionId), text)) store.transcript.append(turn.sessionId, turn.id, message);
}

/** With what was said until then. */
function closingText(ending: Ending): string | undefined {
  switch (ending.type) {
    case 'outcome': {
      if (ending.reason === undefined) return undefined;
      const said = ending.outcome.text.trim();
      return `${said}${said === '' ? '' : '\n\n'}${closingTexts[ending.reason]}`;
    }
    case 'stopped':
      return closingTexts.stop;
    case 'interrupted':
      return closingTexts.interrupt;
    case 'parked':
      return parkedText;
    default:
      return ending satisfies never;
  }
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
        parts: [
          noticePart(turn.target, named(options, turn, { done: false, lines: [`⚠️ ${parkedText} Please ask again in another way.`] })),
        ],
      };
    case 'stopped':
      return { outcome: 'silent', parts: [] };
    case 'interrupted':
      return { outcome: 'interrupted', parts: [] };
    case 'outcome':
      return settleOutcome(options, { turn, session, outcome: ending.outcome, reason: ending.reason }, signal);
    default:
      return ending satisfies never;
  }
}

interface Finished {
  readonly turn: TurnRow;
  readonly session: SessionRow | undefined;
  readonly outcome: Outcome;
  readonly reason: Extract<Ending, { readonly type: 'outcome' }>['reason'];
}

async function settleOutcome(options: TurnOptions, finished: Finished, signal: AbortSignal): Promise<Settlement> {
  const { turn, session, outcome } = finished;
  switch (outcome.status) {
    case 'aborted':
      return settleAborted(options, finished);
    case 'failed': {
      const text = named(options, turn, { done: false, lines: [outcome.text.trim(), `⚠️ ${outcome.error.message}`] });
      return { outcome: 'failed', error: outcome.error.kind, parts: textParts(options, turn.target, text) };
    }
    case 'completed':
      return settleCompleted(options, { turn, session, outcome }, signal);
    default:
      return outcome satisfies never;
  }
}

/** Silence delivers nothing of its own; files that were promised before it come all the same. */
async function settleCompleted(options: TurnOptions, answer: Answer, signal: AbortSignal): Promise<Settlement> {
  const promised = promisedBefore(options, answer);
  const { text, paths } = isSilence(answer.outcome.text) ? { text: '', paths: [] } : findDeliverables(answer.outcome.text);
  const wanted = [...new Set([...promised, ...paths])];
  if (text === '' && wanted.length === 0) return { outcome: 'silent', parts: [] };
  return { outcome: 'answered', parts: await answerParts(options, { ...answer, text, wanted }, signal) };
}

/** The files of what was said between two tools. */
function promisedBefore({ store }: TurnOptions, { turn }: Answer): readonly string[] {
  const said = store.transcript.ofLastTurn(turn.sessionId, turn.id);
  return said.flatMap((message) => (message.role === 'assistant' && message.calls.length > 0 ? findDeliverables(message.text).paths : []));
}

/** What was said until then is kept, in the chat too. */
function settleAborted(options: TurnOptions, { turn, outcome, reason }: Finished): Settlement {
  const said = outcome.text.trim();
  const parts = (mark: string): NewPart[] => textParts(options, turn.target, named(options, turn, { done: false, lines: [said, mark] }));
  switch (reason) {
    case 'deadline':
      return {
        outcome: 'failed',
        error: reason,
        parts: parts('⚠️ I ran out of time for this and stopped. Ask me to go on, or for a smaller part.'),
      };
    case 'inactive':
      return { outcome: 'failed', error: reason, parts: parts('⚠️ Nothing happened any more, so I gave up. Please ask again.') };
    case 'interrupt':
      return { outcome: 'interrupted', parts: said === '' ? [] : parts('✂️ _(interrupted)_') };
    default:
      return { outcome: 'silent', parts: said === '' ? [] : parts('✂️ _(stopped)_') };
  }
}

/** What a background run posts begins with a line that names it. */
function named(
  { store }: TurnOptions,
  turn: TurnRow,
  { done, lines }: { readonly done: boolean; readonly lines: readonly string[] },
): string {
  const line = backgroundLine(turn.lane, { done, prompt: store.sessions.get(turn.sessionId)?.title ?? '' });
  return [line, ...lines].filter((each) => each !== '').join('\n\n');
}

export function textParts({ accounts }: TurnOptions, target: TurnTarget, markdown: string): NewPart[] {
  const platform = accounts.get(accountKey(target.chat))?.platform;
  const parts = platform === undefined ? [markdown] : platform.split(markdown);
  const { replyTo: _, ...rest } = target;
  return parts.map((part, index) => ({ ...noticePart(index === 0 ? target : rest, part), purpose: 'answer' }));
}

interface Answer {
  readonly turn: TurnRow;
  readonly session: SessionRow | undefined;
  readonly outcome: Outcome;
}

/** Empty where nobody wants one. */
function footer({ settings, now }: TurnOptions, { turn, session, outcome }: Answer): string {
  if (!settings().display(turn.target.chat.platform).everywhere.footer) return '';
  const { name: model } = settings().agent.models.get(session?.settings.model);
  return footerLine({ model, elapsedMs: now() - turn.createdAt, usage: outcome.usage });
}

interface Delivered extends Answer {
  readonly text: string;
  readonly wanted: readonly string[];
}

async function answerParts(options: TurnOptions, answer: Delivered, signal: AbortSignal): Promise<NewPart[]> {
  const { turn, session, text: markdown } = answer;
  const files: NewPart[] = [];
  const refused: string[] = [];
  for (const [index, wanted] of answer.wanted.entries()) {
    try {
      files.push(filePart(turn.target, await take(options, { turn, session, wanted, index }, signal)));
    } catch (error) {
      signal.throwIfAborted();
      refused.push(`⚠️ I could not send a file: ${error instanceof Error ? error.message : 'it could not be read'}.`);
    }
  }
  const lines = [markdown, ...refused].filter((line) => line !== '');
  const under = lines.length === 0 ? '' : footer(options, answer);
  const body = named(options, turn, { done: true, lines: [...lines, under] });
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
