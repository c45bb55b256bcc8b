/**
 * The answer while it is written, as a stream of Slack's own, in the threads of its assistant.
 * https://docs.slack.dev/reference/methods/chat.startStream: a stream only grows, and is a message of its own. It is therefore never the
 * answer: it is taken away before that comes, and what a crash left behind is taken away at the next start.
 */
import type { AccountStore, Adapter, AdapterLog, ChatRef } from '../adapter.ts';
import { unless } from './calls.ts';
import type { Client } from './client.ts';
import { deliveryError, slackCode } from './errors.ts';
import type { AssistantThreads } from './threads.ts';

const PREFIX = 'stream:';
/** Characters of one call. A stream that is this long is not made longer: the answer itself will be cut into messages. */
const LONGEST = 11_000;
const REMOVAL_MS = 5000;

export interface Streams {
  readonly preview: NonNullable<Adapter['preview']>;
  readonly previews: NonNullable<Adapter['previews']>;
  /** Takes away what is shown in this place. Rejects with the signal's reason only. */
  end(chat: ChatRef, signal: AbortSignal): Promise<void>;
  /** Takes away what an earlier run left, or what could not be taken away before. Rejects with the signal's reason only. */
  sweep(signal: AbortSignal): Promise<void>;
}

export interface StreamParts {
  readonly client: Client;
  readonly store: AccountStore;
  readonly log: AdapterLog;
  readonly assistant: AssistantThreads;
  readonly enabled: boolean;
}

interface Shown {
  readonly ts: string;
  readonly key: string;
  text: string;
}

/** The methods are refused for good where the plan or the app has no assistant. */
const UNAVAILABLE = new Set(['unknown_method', 'missing_scope', 'not_allowed', 'feature_not_enabled', 'no_permission', 'access_denied']);

export function createStreams(parts: StreamParts): Streams {
  const { store, assistant } = parts;
  const stage: Stage = { ...parts, shown: new Map(), turns: new Map() };
  let available = parts.enabled;
  const previews = ({ chat, thread }: ChatRef): boolean => available && thread !== undefined && assistant.has(chat, thread);
  return {
    previews,
    async preview(chat, key, markdown, signal) {
      if (!previews(chat)) return;
      const text = steady(markdown.toWellFormed());
      await inTurn(stage, placeOf(chat), () => show(stage, { chat, key, text }, signal)).catch((error: unknown) => {
        if (signal.aborted) throw signal.reason;
        if (UNAVAILABLE.has(slackCode(error) ?? '')) available = false;
        throw deliveryError(error);
      });
    },
    end: (chat, signal) => inTurn(stage, placeOf(chat), () => take(stage, placeOf(chat), signal)),
    async sweep(signal) {
      for (const [key] of store.list(PREFIX, { limit: 1000 })) {
        const place = key.slice(PREFIX.length);
        if (!stage.shown.has(place)) await inTurn(stage, place, () => take(stage, place, signal));
      }
    },
  };
}

interface Stage extends StreamParts {
  /** By place. */
  readonly shown: Map<string, Shown>;
  readonly turns: Map<string, Promise<unknown>>;
}

async function show(stage: Stage, { chat, key, text }: { chat: ChatRef; key: string; text: string }, signal: AbortSignal): Promise<void> {
  const { client, shown, store } = stage;
  const place = placeOf(chat);
  const known = shown.get(place);
  if (known !== undefined && known.key === key && text !== '' && text.startsWith(known.text)) {
    const more = text.slice(known.text.length);
    if (more === '') return;
    await client.probe('chat.appendStream', { channel: chat.chat, ts: known.ts, markdown_text: harmless(more) }, signal);
    known.text = text;
    return;
  }
  await take(stage, place, signal);
  // What could not be taken away is still known by its place: another beside it would be forgotten, or both be read.
  if (text === '' || chat.thread === undefined || store.get(PREFIX + place) !== undefined) return;
  const request = { channel: chat.chat, thread_ts: chat.thread, markdown_text: harmless(text) };
  const { ts } = await client.probe('chat.startStream', request, signal);
  if (typeof ts !== 'string') return;
  store.put({ [PREFIX + place]: ts });
  shown.set(place, { ts, key, text });
}

async function take(stage: Stage, place: string, signal: AbortSignal): Promise<void> {
  const { shown, store } = stage;
  const ts = shown.get(place)?.ts ?? store.get(PREFIX + place);
  if (typeof ts !== 'string') return;
  await remove({ ...stage, place, ts }, signal);
  shown.delete(place);
}

/** One call after the other in one place, so that nothing is shown after it was taken away. */
async function inTurn({ turns }: Stage, place: string, work: () => Promise<void>): Promise<void> {
  const before = turns.get(place) ?? Promise.resolve();
  const mine = before.catch(() => undefined).then(work);
  turns.set(place, mine);
  try {
    await mine;
  } finally {
    if (turns.get(place) === mine) turns.delete(place);
  }
}

function placeOf({ chat, thread = '' }: ChatRef): string {
  return `${chat}:${thread}`;
}

/** What is shown can only be added to, so a mark that may yet become something else waits. */
function steady(text: string): string {
  return text.slice(0, LONGEST).replace(/(?:[\ud800-\udbff]|<)$/, '');
}

/** `<!channel>` and its like would ring. The mark between is not seen. */
function harmless(text: string): string {
  return text.replace(/<(?=[!@#])/g, '<\u200b');
}

interface Removal extends StreamParts {
  readonly place: string;
  readonly ts: string;
}

/** It must be stopped before it can be deleted. Where that fails for now, the next answer, or the next sweep, tries again. */
async function remove({ client, store, log, place, ts }: Removal, outer: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([outer, AbortSignal.timeout(REMOVAL_MS)]);
  const message = { channel: place.slice(0, place.indexOf(':')), ts };
  try {
    await client.probe('chat.stopStream', message, signal).catch(unless('message_not_in_streaming_state', 'message_not_found'));
    await client.probe('chat.delete', message, signal).catch(unless('message_not_found'));
    store.put({ [PREFIX + place]: undefined });
  } catch (error) {
    outer.throwIfAborted();
    const { kind, message: why } = deliveryError(error);
    if (kind === 'rejected') store.put({ [PREFIX + place]: undefined });
    log.warn({ place }, `What was shown of an answer could not be taken away. ${why}`);
  }
}
