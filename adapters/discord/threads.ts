/** Threads that answers open: made with the first message, once, however often that is tried. */
import { type Channel, Routes } from 'discord.js';
import { type AdapterLog, type ChatRef, DeliveryError } from '../adapter.ts';
import { isRefusal, MISSING_ACCESS, THREAD_EXISTS, UNKNOWN_CHANNEL, UNKNOWN_MESSAGE } from './errors.ts';
import type { Homes } from './homes.ts';
import type { Places } from './places.ts';
import type { Call } from './rest.ts';
import { channelSchema, messageSchema, type WireMessage } from './wire.ts';

export interface Threads {
  /**
   * Where a message for this chat goes. Makes the thread if there was none; where we may not, it is the channel. Rejects with DeliveryError
   * where the thread was deleted: what belongs in it, and be it a private one, is not for the channel.
   */
  open(chat: ChatRef, signal: AbortSignal): Promise<string>;
  /** It has been a thread: what is meant for it goes nowhere else. */
  isOpened(thread: string): boolean;
  /** Where a message of this chat may be, the likeliest first. */
  places(chat: ChatRef, message: string): readonly string[];
  /** Where people see us typing. */
  present(chat: ChatRef): string;
}

export interface ThreadsParts {
  readonly call: Call;
  readonly places: Places;
  readonly homes: Homes;
  readonly log: AdapterLog;
  me(): string | undefined;
  /** What a message says. */
  textOf(message: WireMessage): string;
}

const LONGEST_NAME = 80;
const USUAL_NAME = 'Conversation';
/** We may not open a thread, or not here: then the channel has to do. */
const NO_THREADS = [50_013, 50_024, 50_008, 30_033, 160_005, 160_006, MISSING_ACCESS];

export function createThreads(parts: ThreadsParts): Threads {
  const { places, homes } = parts;
  const without = new Set<string>();
  const opening = new Map<string, Promise<string>>();
  const isThere = (thread: string): boolean => places.of(thread) !== undefined;
  const open = async ({ chat }: ChatRef, thread: string, signal: AbortSignal): Promise<string> => {
    const made = homes.isKnown(thread) ? await find(parts, thread, signal) : await make(parts, { chat, thread }, signal);
    if (!made) without.add(thread);
    return made ? thread : chat;
  };
  return {
    async open(chat, signal) {
      const { thread } = chat;
      if (thread === undefined || without.has(thread)) return chat.chat;
      if (isThere(thread)) return thread;
      const known = opening.get(thread) ?? open(chat, thread, signal).finally(() => opening.delete(thread));
      opening.set(thread, known);
      return await known;
    },
    isOpened: homes.isKnown,
    places({ chat, thread }, message) {
      if (thread === undefined || without.has(thread)) return [chat];
      // The message that a thread hangs on stands in the channel; the one that opens a forum's post stands in the thread.
      if (message === thread) return [chat, thread];
      return isThere(thread) ? [thread] : [thread, chat];
    },
    present: ({ chat, thread }) => (thread !== undefined && isThere(thread) ? thread : chat),
  };
}

interface Wanted {
  readonly chat: string;
  readonly thread: string;
}

/** One that sleeps in the archive: a server does not list those. */
async function find({ call, places, me }: ThreadsParts, thread: string, signal: AbortSignal): Promise<true> {
  const found = await call({ method: 'GET', route: Routes.channel(thread) }, signal).catch((error: unknown) => {
    if (!isRefusal(error, UNKNOWN_CHANNEL, MISSING_ACCESS)) throw error;
    throw new DeliveryError('Discord: the thread was deleted, or the bot was shut out of it.', {
      kind: 'rejected',
      certain: true,
      cause: error,
    });
  });
  const parsed = channelSchema.safeParse(found);
  if (parsed.success) places.learn(parsed.data, me());
  return true;
}

/** False: there can be none. https://docs.discord.com/developers/resources/channel#start-thread-from-message */
async function make(parts: ThreadsParts, { chat, thread }: Wanted, signal: AbortSignal): Promise<boolean> {
  const { call, places, homes, log, me } = parts;
  try {
    const name = await nameOf(parts, { chat, thread }, signal);
    const made = await call({ method: 'POST', route: Routes.threads(chat as Channel['id'], thread), body: { name } }, signal);
    const parsed = channelSchema.safeParse(made);
    if (!parsed.success) return true;
    places.learn(parsed.data, me());
    const guild = places.of(thread)?.guild;
    if (guild !== undefined) homes.add(thread, guild);
    return true;
  } catch (error) {
    // It is there already; or it hangs on no message, and sending into it tells more.
    if (isRefusal(error, THREAD_EXISTS, UNKNOWN_MESSAGE)) return true;
    if (!isRefusal(error, ...NO_THREADS)) throw error;
    log.warn(
      { channel: chat },
      'No thread could be opened, so the answer goes to the channel. Does the bot have the permission "Create Public Threads" there?',
    );
    return false;
  }
}

/** One line that says what it is about: the message that it hangs on, which an earlier run may have read. */
async function nameOf({ call, textOf }: ThreadsParts, { chat, thread }: Wanted, signal: AbortSignal): Promise<string> {
  const found = await call({ method: 'GET', route: Routes.channelMessage(chat, thread) }, signal).catch(() => undefined);
  const { data } = messageSchema.safeParse(found);
  const line = data === undefined ? '' : textOf(withoutLead(data)).replace(/\s+/g, ' ').trim();
  const characters = [...line];
  return characters.length > LONGEST_NAME ? `${characters.slice(0, LONGEST_NAME - 1).join('')}…` : line || USUAL_NAME;
}

/** It began with our name, and we may not have been told who we are yet. */
function withoutLead(message: WireMessage): WireMessage {
  const [lead = '', id] = /^\s*<@!?(\d+)>[\s,:]*/.exec(message.content) ?? [];
  const isBots = message.mentions.some((one) => one.id === id && one.bot === true);
  return isBots ? { ...message, content: message.content.slice(lead.length) } : message;
}
