/** Threads that answers open: made with the first message, once, however often that is tried. */
import { type Channel, Routes } from 'discord.js';
import type { AdapterLog, ChatRef } from '../adapter.ts';
import { isRefusal, MISSING_ACCESS, THREAD_EXISTS, UNKNOWN_MESSAGE } from './errors.ts';
import type { Places } from './places.ts';
import type { Call } from './rest.ts';
import { channelSchema } from './wire.ts';

export interface Threads {
  /** Where a message for this chat goes. Makes the thread if it is not there; where we may not, it is the channel. */
  open(chat: ChatRef, signal: AbortSignal): Promise<string>;
  /** Where a message of this chat may be, the likeliest first. */
  places(chat: ChatRef, message: string): readonly string[];
  /** Where people see us typing. */
  present(chat: ChatRef): string;
  /** What a thread is to be called: what its first message says. */
  name(thread: string, text: string): void;
}

export interface ThreadsParts {
  readonly call: Call;
  readonly places: Places;
  readonly log: AdapterLog;
  me(): string | undefined;
}

const LONGEST_NAME = 80;
const rememberedNames = 500;
const USUAL_NAME = 'Conversation';
/** We may not open a thread, or not here: then the channel has to do. */
const NO_THREADS = [50_013, 50_024, 50_008, 30_033, 160_005, 160_006, MISSING_ACCESS];

export function createThreads(parts: ThreadsParts): Threads {
  const { places } = parts;
  const names = new Map<string, string>();
  const without = new Set<string>();
  const opening = new Map<string, Promise<string>>();
  const isThere = (thread: string): boolean => places.of(thread) !== undefined;
  const open = async ({ chat }: ChatRef, thread: string, signal: AbortSignal): Promise<string> => {
    const made = await make(parts, { chat, thread, name: names.get(thread) ?? USUAL_NAME }, signal);
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
    places({ chat, thread }, message) {
      if (thread === undefined || without.has(thread)) return [chat];
      // The message that a thread hangs on stands in the channel; the one that opens a forum's post stands in the thread.
      if (message === thread) return [chat, thread];
      return isThere(thread) ? [thread] : [thread, chat];
    },
    present: ({ chat, thread }) => (thread !== undefined && isThere(thread) ? thread : chat),
    name(thread, text) {
      names.set(thread, nameFrom(text));
      for (const old of [...names.keys()].slice(0, -rememberedNames)) names.delete(old);
    },
  };
}

interface Wanted {
  readonly chat: string;
  readonly thread: string;
  readonly name: string;
}

/** False: there can be none. https://docs.discord.com/developers/resources/channel#start-thread-from-message */
async function make({ call, places, log, me }: ThreadsParts, { chat, thread, name }: Wanted, signal: AbortSignal): Promise<boolean> {
  try {
    const made = await call({ method: 'POST', route: Routes.threads(chat as Channel['id'], thread), body: { name } }, signal);
    const parsed = channelSchema.safeParse(made);
    if (parsed.success) places.learn(parsed.data, me());
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

/** One line that says what it is about. */
function nameFrom(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const characters = [...line];
  return characters.length > LONGEST_NAME ? `${characters.slice(0, LONGEST_NAME - 1).join('')}…` : line || USUAL_NAME;
}
