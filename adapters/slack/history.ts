/** What was written while nobody listened. https://docs.slack.dev/reference/methods/conversations.history */
import { z } from 'zod';
import { sleep } from '../shared/backoff.ts';
import type { Answer, Client } from './client.ts';
import { pauseMs, slackCode } from './errors.ts';
import { messageSchema, type WireMessage } from './wire.ts';

const PAGE = 200;
/** Of one channel and look: the newest are taken, and what is older is left. */
const MOST_PAGES = 20;
const MOST_CHANNELS_PAGES = 20;

const answerSchema = z.object({
  messages: z.array(z.unknown()).default([]),
  response_metadata: z.object({ next_cursor: z.string().nullish() }).nullish(),
});

const channelsSchema = z.object({
  channels: z.array(z.object({ id: z.string() })).default([]),
  response_metadata: z.object({ next_cursor: z.string().nullish() }).nullish(),
});

/** There is nothing there that we may read. */
const CLOSED = new Set([
  'channel_not_found',
  'not_in_channel',
  'is_archived',
  'thread_not_found',
  'missing_scope',
  'no_permission',
  'access_denied',
]);

export interface History {
  /** Of a channel itself, after `after`, oldest first. Empty where it cannot be read. */
  channel(channel: string, after: string, signal: AbortSignal): Promise<readonly WireMessage[]>;
  /** Of a thread without its first message. */
  thread(place: { readonly channel: string; readonly thread: string }, after: string, signal: AbortSignal): Promise<readonly WireMessage[]>;
  /** The newest message of a channel after `after`. */
  newest(channel: string, after: string, signal: AbortSignal): Promise<WireMessage | undefined>;
  /** Channels and chats that the bot is in; empty where that cannot be told. */
  channels(signal: AbortSignal): Promise<readonly string[]>;
}

export function createHistory(client: Client): History {
  const call = (method: string, args: Record<string, unknown>, signal: AbortSignal) => patiently(client, { method, args }, signal);
  const pages = async (method: string, args: Record<string, unknown>, signal: AbortSignal): Promise<WireMessage[]> => {
    const found: WireMessage[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const answer = answerSchema.parse(await call(method, { ...args, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) }, signal));
      found.push(...answer.messages.flatMap((message) => messageSchema.safeParse(message).data ?? []));
      cursor = answer.response_metadata?.next_cursor || undefined;
      if (cursor === undefined) break;
    }
    return found.toSorted((one, other) => compareTs(one.ts, other.ts));
  };
  const readable = <T>(work: Promise<readonly T[]>): Promise<readonly T[]> =>
    work.catch((error: unknown) => {
      if (CLOSED.has(slackCode(error) ?? '')) return [];
      throw error;
    });
  return {
    channel: (channel, oldest, signal) =>
      readable(
        pages('conversations.history', { channel, oldest, inclusive: false }, signal).then((all) =>
          all.filter(({ ts }) => compareTs(ts, oldest) > 0),
        ),
      ),
    thread: ({ channel, thread }, oldest, signal) =>
      readable(
        pages('conversations.replies', { channel, ts: thread, oldest, inclusive: false }, signal).then((all) =>
          all.filter(({ ts }) => ts !== thread && compareTs(ts, oldest) > 0),
        ),
      ),
    async newest(channel, oldest, signal) {
      const { messages } = answerSchema.parse(
        await client.probe('conversations.history', { channel, oldest, inclusive: false, limit: 1 }, signal),
      );
      return messageSchema.safeParse(messages[0]).data;
    },
    channels: (signal) => channelsOf(call, signal).catch(() => []),
  };
}

type PatientCall = (method: string, args: Record<string, unknown>, signal: AbortSignal) => Promise<Answer>;

async function channelsOf(call: PatientCall, signal: AbortSignal): Promise<readonly string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_CHANNELS_PAGES; page += 1) {
    const args = { types: 'public_channel,private_channel,mpim,im', exclude_archived: true, limit: PAGE };
    const answer = channelsSchema.parse(await call('users.conversations', cursor === undefined ? args : { ...args, cursor }, signal));
    found.push(...answer.channels.map(({ id }) => id));
    cursor = answer.response_metadata?.next_cursor || undefined;
    if (cursor === undefined) break;
  }
  return found;
}

/** Nobody waits for what is long past, so a pause that Slack asks for is simply taken. */
async function patiently(
  client: Client,
  { method, args }: { readonly method: string; readonly args: Record<string, unknown> },
  signal: AbortSignal,
): Promise<Answer> {
  for (;;) {
    try {
      return await client.call(method, args, signal);
    } catch (error) {
      const pause = pauseMs(error);
      if (signal.aborted || pause === undefined) throw error;
      await sleep(pause, signal);
    }
  }
}

/** All have the same number of digits. */
export function compareTs(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
