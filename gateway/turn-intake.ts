/** How a turn begins: the claim on its messages, and what of them the model reads. */
import type { InboundMessage } from '../adapters/adapter.ts';
import type { TextPart } from '../agent/message.ts';
import type { MessageEntry } from './batch.ts';
import { noticePart } from './outbox.ts';
import { isShared } from './sessions.ts';
import type { InboxEntry } from './store/inbox.ts';
import type { TurnRow } from './store/turns.ts';
import { outboxLane, type TurnTarget } from './target.ts';
import { type InputMessage, type InputNotes, userMessage } from './turn-input.ts';
import type { TurnOptions } from './turn-options.ts';

/** What was sent into a chat from elsewhere matters to its next conversation for so long. */
const mirrorMs = 7 * 86_400_000;

export interface Begun {
  readonly turn: TurnRow;
  /** The session before this one was ended by a policy just now. */
  readonly reset: 'idle' | 'daily' | undefined;
}

/** One transaction: the session, the turn, the claim on its messages and, unless files must be fetched first, the transcript's new message. */
export function begin(options: TurnOptions, lane: string, entries: readonly MessageEntry[]): Begun {
  const { store, sessions, outbox } = options;
  const last = entries.at(-1);
  if (last === undefined) throw new Error('a turn needs a message');
  const target = targetOf(last.payload);
  const begun = store.quick(() => {
    const { session, reset } = sessions.open(lane);
    const { id, name, aliases } = last.payload.sender;
    const requester = aliases.length === 0 ? { id, name } : { id, name, aliases };
    const turn = store.turns.create({ sessionId: session.id, lane, target, requester });
    know(options, last.payload);
    store.inbox.claim(
      entries.map((entry) => entry.id),
      turn.id,
    );
    if (reset !== undefined && options.notifyReset) outbox.add([noticePart(target, resetNotice(reset))]);
    if (entries.every(({ mode, payload }) => mode !== 'retry' && payload.attachments.length === 0)) {
      const messages = entries.map((entry) => ({ message: entry.payload, attachments: [], internal: entry.mode === 'wake' }));
      appendInput(options, { turn, reset }, messages);
    }
    return { turn, reset };
  });
  if (begun.reset !== undefined) outbox.kick(outboxLane(target.chat));
  return begun;
}

function targetOf(message: InboundMessage): TurnTarget {
  const { chat, chatType } = message;
  return chatType === 'dm' || message.message === '' ? { chat, chatType } : { chat, chatType, replyTo: message.message };
}

/** Part of the caller's transaction: what the model is told once is used up with the message that carries it. */
function appendInput({ store, keys, now }: TurnOptions, { turn, reset }: Begun, messages: readonly InputMessage[]): void {
  const undelivered = store.sessions.get(turn.sessionId)?.undelivered ?? undefined;
  if (undelivered !== undefined) store.sessions.setUndelivered(turn.sessionId, null);
  const mirrored = store.directory.takeMirrors(turn.lane, turn.target.chat, now() - mirrorMs);
  const notes: InputNotes = {
    ...(mirrored.length === 0 ? {} : { mirrored }),
    shared: messages.some(({ message }) => isShared(message, keys)),
    ...(reset === undefined ? {} : { reset }),
    ...(undelivered === undefined ? {} : { undelivered }),
  };
  store.transcript.append(turn.sessionId, turn.id, userMessage(messages, notes));
}

/** A chat that we are talked to in can be written to. */
function know({ store, now }: TurnOptions, { chat, chatType, chatName, sender }: InboundMessage): void {
  store.directory.seen({ chat, chatType, name: chatType === 'dm' ? sender.name : (chatName ?? ''), person: sender.id, seenAt: now() });
}

function resetNotice(reset: 'idle' | 'daily'): string {
  const why = reset === 'idle' ? 'we had not talked for a while' : 'a new day began';
  return `ℹ️ I started a new conversation because ${why}. (\`session_reset\` in config.yaml changes when.)`;
}

/** Files are fetched after the turn is claimed and before the model sees it; a crash in between fetches them again. */
export async function fetchInput(options: TurnOptions, begun: Begun, signal: AbortSignal): Promise<void> {
  const { store, media } = options;
  const { turn } = begun;
  const entries = unread(options, turn);
  if (entries.length === 0) return;
  const messages: InputMessage[] = [];
  for (const { payload: message, mode } of entries) {
    messages.push({ message, attachments: await media.collect(turn.id, message, signal), internal: mode === 'wake' });
  }
  store.quick(() => appendInput(options, begun, messages));
}

/**
 * A turn that was interrupted before its files were there has said nothing to the model yet: its messages wait again, together with the one
 * that came. Part of no other transaction.
 */
export function giveBack({ store }: TurnOptions, turn: TurnRow): void {
  store.quick(() => {
    store.inbox.release(turn.id);
    store.turns.end(turn.id, { outcome: 'interrupted' });
  });
}

/** The model has not read this turn's messages. */
export function isUnread({ store }: TurnOptions, turn: TurnRow): boolean {
  return unread({ store }, turn).length > 0;
}

/** What a turn was told that ends before its files are there: the words stay in the conversation. */
export function keepUnread(options: TurnOptions, turn: TurnRow): void {
  const messages = unread(options, turn).map(({ payload: message, mode }) => ({
    message,
    attachments: message.attachments.map(notFetched),
    internal: mode === 'wake',
  }));
  if (messages.length > 0) options.store.quick(() => appendInput(options, { turn, reset: undefined }, messages));
}

function unread({ store }: Pick<TurnOptions, 'store'>, turn: TurnRow): readonly MessageEntry[] {
  if (store.transcript.hasTurn(turn.sessionId, turn.id)) return [];
  return store.inbox
    .ofTurn(turn.id)
    .filter(isMessage)
    .filter(({ mode }) => mode !== 'retry');
}

function notFetched({ kind, name }: InboundMessage['attachments'][number]): TextPart {
  return { type: 'text', text: `[${kind}${name === undefined ? '' : ` ${name}`}: not fetched, because the turn ended before]` };
}

export function isMessage(entry: InboxEntry): entry is MessageEntry {
  return entry.payload.type === 'message';
}
