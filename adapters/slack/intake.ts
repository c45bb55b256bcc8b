/** From Slack's payloads to `host.receive`. What it resolves is on disk, or knowingly left out, and may be acknowledged. */
import type { Host, Inbound, InboundMessage } from '../adapter.ts';
import type { MenuCommand } from '../platform.ts';
import { type CatchUp, createCatchUp } from '../shared/backfill.ts';
import { sleep } from '../shared/backoff.ts';
import { gateRules } from '../shared/gate.ts';
import type { Timing } from './client.ts';
import {
  type CodecContext,
  type Decoded,
  decodeMessage,
  decodePayload,
  FOREIGN,
  isDirect,
  isLeftOut,
  type Place,
  type PlacedMessage,
} from './codec.ts';
import { compareTs, type History } from './history.ts';
import type { Identity } from './identity.ts';
import type { Names } from './names.ts';
import type { SlackConfig } from './platform.ts';
import type { Threads } from './threads.ts';
import { eventSchema } from './wire.ts';

/** Slack sends a mention twice, and anything again that it believes lost. */
const REMEMBERED_EVENTS = 500;
const STORE_ATTEMPTS = 5;

export class StoreRefusedError extends Error {
  override readonly name = 'StoreRefusedError';
}

/** Who we are was not told yet: what came must be offered again. */
export class TooEarlyError extends Error {
  override readonly name = 'TooEarlyError';
}

export interface Intake {
  /** Rejects when it could not be stored: nothing of it was taken then. */
  take(payload: unknown, signal: AbortSignal): Promise<void>;
  /** From now on events come: what was written before and is found in the history is late. */
  listening(): void;
  readonly catchUp: CatchUp<Item>;
  /** The newest message of each channel that we have heard of, live or from its history. */
  readonly heard: ReadonlyMap<string, string>;
}

export interface IntakeParts {
  readonly config: SlackConfig;
  readonly host: Host;
  readonly menu: readonly MenuCommand[];
  readonly identity: Identity;
  readonly names: Names;
  readonly threads: Threads;
  readonly history: History;
  readonly timing: Timing;
  readonly now: () => number;
}

/** A message at its place in a channel or thread; without `event` it is not for us. */
export interface Item {
  readonly ts: string;
  readonly event?: InboundMessage;
}

export function createIntake(parts: IntakeParts): Intake {
  const { host, threads } = parts;
  const context = contextOf(parts);
  const heard = new Map<string, string>();
  const store = createStoring(host, threads);
  let sinceMs = 0;
  const timely = ({ event }: Item, late: boolean): InboundMessage[] => {
    if (event === undefined) return [];
    return [late && event.sentAtMs < sinceMs ? { ...event, late: true } : event];
  };
  const catchUp = createCatchUp<Item>({
    store: host.store,
    log: host.log,
    compare: compareTs,
    positionOf: ({ ts }) => ts,
    fetch: createFetch({ ...parts, context, heard }),
    hand: (items, keep, late) => {
      const events = items.flatMap((item) => timely(item, late));
      store(events, keep);
    },
  });
  const inOrder = createQueue({ ...parts, context, heard, catchUp });
  return {
    listening: () => {
      sinceMs = parts.now();
      hearDirect(catchUp, heard, sinceMs);
    },
    catchUp,
    heard,
    take: async (payload, signal) => {
      if (eventSchema.safeParse(payload).success) return refusing(inOrder(payload, signal));
      const decoded = decodePayload(payload, context());
      if (decoded.type === 'event') await insistently(() => store([decoded.event], {}), parts.timing.storeRetryMs, signal);
    },
  };
}

/** Nothing may have come from them yet, and never will if Slack sends nothing: what is written from now on proves that. */
function hearDirect(catchUp: CatchUp<Item>, heard: Map<string, string>, nowMs: number): void {
  for (const mark of catchUp.channels()) {
    if (isDirect(mark) && !mark.includes(':') && !heard.has(mark)) heard.set(mark, (nowMs / 1000).toFixed(6));
  }
}

interface QueueParts extends Pick<IntakeParts, 'host' | 'threads' | 'names'> {
  readonly context: () => CodecContext;
  readonly heard: Map<string, string>;
  readonly catchUp: CatchUp<Item>;
}

/** A name that must be asked for may not let a later message go first. Resolves when the message is stored, which later ones do not wait for. */
function createQueue({ host, threads, names, context, heard, catchUp }: QueueParts): Intake['take'] {
  let queue: Promise<unknown> = Promise.resolve();
  return (payload, signal) => {
    const handed = queue.then(async () => {
      const again = (): Decoded => decodePayload(payload, context());
      const decoded = await named(again(), again, { names, signal });
      signal.throwIfAborted();
      hear(heard, payload, decoded);
      if (decoded.type === 'ignored' && decoded.why === FOREIGN)
        host.log.warn({}, 'Slack sent what is for another workspace. Two accounts may not share one app: give each its own.');
      return { stored: handOver(decoded, { catchUp, threads }) };
    });
    queue = handed.catch(() => undefined);
    return handed.then(({ stored }) => stored);
  };
}

function contextOf({ config, host, menu, identity, names, threads, now }: IntakeParts): () => CodecContext {
  const known = {
    account: host.account,
    rules: gateRules(config),
    allowedChats: config.allowed_chats,
    allowBots: config.allow_bots,
    replyInThread: config.reply_in_thread,
    strictMention: config.strict_mention,
    commands: menu.flatMap(({ name, aliases = [] }) => [name, ...aliases]),
    inThread: threads.joined,
    nameOf: names.nameOf,
  };
  return () => {
    const me = identity.me();
    if (me === undefined) throw new TooEarlyError('Who the bot is has not been told yet; the event must be offered again.');
    return { ...known, me, nowMs: now() };
  };
}

/** Decoded once more when the names are there. */
async function named(
  decoded: Decoded,
  again: () => Decoded,
  { names, signal }: { readonly names: Names; readonly signal: AbortSignal },
): Promise<Decoded> {
  if (decoded.type !== 'event') return decoded;
  const { sender } = decoded.event;
  const mentioned =
    decoded.event.type === 'message' ? [...decoded.event.text.matchAll(/@([UW][A-Z0-9]{6,})/g)].map(([, id = '']) => id) : [];
  const unknown = [...(sender.name === sender.id && !sender.isBot ? [sender.id] : []), ...mentioned];
  if (unknown.length === 0) return decoded;
  await names.learn(unknown, signal);
  return again();
}

/** Threads have a mark of their own: they are not in their channel's history. */
export function markOf({ channel, thread }: Pick<Place, 'channel' | 'thread'>): string {
  return thread === undefined ? channel : `${channel}:${thread}`;
}

/** Of plain messages only: where we are told of mentions alone, silence says nothing. */
function hear(heard: Map<string, string>, payload: unknown, decoded: Decoded): void {
  const { event } = eventSchema.parse(payload);
  const isPlain = typeof event === 'object' && event !== null && 'type' in event && event.type === 'message';
  const place = decoded.type === 'ignored' ? decoded.place : decoded.type === 'event' ? placeOfEvent(decoded.event) : undefined;
  if (place === undefined || !isPlain || place.thread !== undefined) return;
  if (compareTs(place.ts, heard.get(place.channel) ?? '') > 0) heard.set(place.channel, place.ts);
}

function placeOfEvent(event: Inbound): Place | undefined {
  if (event.type !== 'message') return undefined;
  const { chat, message } = event;
  return chat.thread === undefined || chat.thread === message
    ? { channel: chat.chat, ts: message }
    : { channel: chat.chat, ts: message, thread: chat.thread };
}

/** Undefined where there is nothing to wait for. */
function handOver(
  decoded: Decoded,
  { catchUp, threads }: Pick<Intake, 'catchUp'> & Pick<IntakeParts, 'threads'>,
): Promise<void> | undefined {
  if (decoded.type === 'assistant') threads.assistant.add(decoded.channel, decoded.thread);
  if (decoded.type === 'ignored' && decoded.place !== undefined) catchUp.skip(markOf(decoded.place), decoded.place.ts);
  if (decoded.type !== 'event' || decoded.event.type !== 'message') return undefined;
  const { event } = decoded;
  expectThread(event, threads);
  const place = placeOfEvent(event);
  return place && catchUp.live(markOf(place), { ts: place.ts, event });
}

/** Whoever is addressed in a thread takes part in it, and what comes next there may come before this is stored. */
function expectThread({ chat, mentioned }: InboundMessage, threads: Threads): void {
  if (mentioned && chat.thread !== undefined && !isDirect(chat.chat)) threads.expect(chat.chat, chat.thread);
}

type Storing = (events: readonly Inbound[], keep: Parameters<Host['receive']>[1]) => void;

/** Everything of one hand-over in one transaction, and nothing twice. */
function createStoring(host: Host, threads: Threads): Storing {
  const done = new Set<string>();
  return (events, keep) => {
    const fresh = events.filter(({ event }) => !done.has(event));
    const joined = fresh.flatMap((event) =>
      event.type === 'message' && event.mentioned && event.chat.thread !== undefined && event.chatType !== 'dm'
        ? Object.entries(threads.entry(event.chat.chat, event.chat.thread))
        : [],
    );
    host.receive(fresh, { ...keep, ...Object.fromEntries(joined) });
    for (const { event } of fresh) done.add(event);
    for (const oldest of [...done].slice(0, -REMEMBERED_EVENTS)) done.delete(oldest);
  };
}

/** Slack sends a click or a slash command once only, and waits for 3 s. */
async function insistently(work: () => void, pauseMs: number, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      work();
      return;
    } catch (error) {
      if (attempt >= STORE_ATTEMPTS) throw new StoreRefusedError(refusedSentence(error), { cause: error });
    }
    await sleep(pauseMs, signal);
  }
}

async function refusing(handed: Promise<void>): Promise<void> {
  await handed.catch((error: unknown) => {
    if (error instanceof TooEarlyError) throw error;
    throw new StoreRefusedError(refusedSentence(error), { cause: error });
  });
}

function refusedSentence(error: unknown): string {
  return `What came from Slack could not be stored, so Slack is not told that it arrived. ${error instanceof Error ? error.message : ''}`.trim();
}

interface FetchParts extends Pick<IntakeParts, 'history' | 'threads' | 'names'> {
  readonly context: () => CodecContext;
  readonly heard: Map<string, string>;
}

/** Of a channel, the newest: each costs a call. The bot may have been mentioned in them. */
const MOST_THREADS_OF_OTHERS = 50;

/** Replies to a message that was missed along with them stand behind it: their thread is not known otherwise. */
function createFetch({ history, threads, names, context, heard }: FetchParts) {
  return async (mark: string, after: string, signal: AbortSignal): Promise<readonly Item[]> => {
    const [channel = '', thread] = mark.split(':');
    const decode = async (message: PlacedMessage): Promise<InboundMessage | undefined> => {
      const again = (): Decoded => decodeMessage(message, context());
      const decoded = await named(again(), again, { names, signal });
      if (decoded.type !== 'event' || decoded.event.type !== 'message') return undefined;
      expectThread(decoded.event, threads);
      return decoded.event;
    };
    const found =
      thread === undefined ? await history.channel(channel, after, signal) : await history.thread({ channel, thread }, after, signal);
    const items: Item[] = [];
    const discussed = isLeftOut(channel, context())
      ? []
      : found.filter(({ reply_count: replies }) => replies).slice(-MOST_THREADS_OF_OTHERS);
    for (const message of found) {
      const event = await decode({ ...message, channel });
      items.push(event === undefined ? { ts: message.ts } : { ts: message.ts, event });
      if (thread !== undefined) continue;
      if (compareTs(message.ts, heard.get(channel) ?? '') > 0) heard.set(channel, message.ts);
      // Threads of Slack's assistant hang on a message of nobody.
      if (!message.reply_count || (event === undefined && !isDirect(channel) && !discussed.includes(message))) continue;
      for (const reply of await history.thread({ channel, thread: message.ts }, message.ts, signal)) {
        const late = await decode({ ...reply, channel });
        if (late !== undefined) items.push({ ts: message.ts, event: late });
      }
    }
    return items;
  };
}
