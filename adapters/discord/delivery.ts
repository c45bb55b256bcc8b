/** Calls that people see: send, edit, delete, typing, reactions. All failures leave as DeliveryError, a cancel as the signal's reason. */
import { readFile, stat } from 'node:fs/promises';
import { Routes } from 'discord.js';
import { type Adapter, type ChatRef, DeliveryError, type Outbound, type OutboundFile, type Receipt, type SentRef } from '../adapter.ts';
import { isRefusal, MISSING_PERMISSIONS, UNKNOWN_CHANNEL, UNKNOWN_MESSAGE } from './errors.ts';
import { contentOf, fileName, sendFields } from './outgoing.ts';
import type { Places } from './places.ts';
import { UPLOAD_LIMIT_BYTES } from './platform.ts';
import type { Replies } from './replies.ts';
import { type Call, guarded, type Request } from './rest.ts';
import type { Threads } from './threads.ts';
import { voiceFacts } from './voice.ts';

export interface DelivererParts {
  readonly call: Call;
  readonly threads: Threads;
  readonly places: Places;
  readonly replies: Replies;
  readonly suppressEmbeds: boolean;
  readonly reactions: boolean;
}

type Deliverer = Required<Pick<Adapter, 'send' | 'edit' | 'delete' | 'typing'>> & Pick<Adapter, 'react'>;

export function createDeliverer(parts: DelivererParts): Deliverer {
  const { call, threads, suppressEmbeds } = parts;
  return {
    send: (message, key, signal) => guarded(signal, () => send(parts, { message, key }, signal)),
    edit: (ref, message, signal) =>
      guarded(signal, async () => {
        if (message.type === 'file') throw rejected('a file cannot replace a message');
        const body = contentOf(message, suppressEmbeds);
        await somewhere(threads.places(ref.chat, ref.id), (channel) =>
          call({ method: 'PATCH', route: Routes.channelMessage(channel, ref.id), body }, signal),
        );
      }),
    delete: (ref, signal) =>
      guarded(signal, async () => {
        const places = threads.places(ref.chat, ref.id);
        await somewhere(places, (channel) => call({ method: 'DELETE', route: Routes.channelMessage(channel, ref.id) }, signal)).catch(
          unlessGone,
        );
      }),
    typing: (chat, signal) =>
      guarded(signal, async () => {
        await call({ method: 'POST', route: Routes.channelTyping(threads.present(chat)) }, signal);
      }),
    ...(parts.reactions ? { react: (message, receipt, signal) => guarded(signal, () => react(parts, { message, receipt }, signal)) } : {}),
  };
}

function rejected(sentence: string): DeliveryError {
  return new DeliveryError(`Discord: ${sentence}.`, { kind: 'rejected', certain: true });
}

/** What already is as it should be is no failure. */
function unlessGone(error: unknown): void {
  if (!isRefusal(error, UNKNOWN_MESSAGE, UNKNOWN_CHANNEL)) throw error;
}

/** In the first of the channels that has the message. */
async function somewhere(channels: readonly string[], attempt: (channel: string) => Promise<unknown>): Promise<void> {
  const [channel = '', ...others] = channels;
  try {
    await attempt(channel);
  } catch (error) {
    if (others.length === 0 || !isRefusal(error, UNKNOWN_MESSAGE, UNKNOWN_CHANNEL, NOT_TEXT)) throw error;
    await somewhere(others, attempt);
  }
}

const NOT_TEXT = 50_008;

interface Sending {
  readonly message: Outbound;
  readonly key: string;
}

async function send(parts: DelivererParts, { message, key }: Sending, signal: AbortSignal): Promise<SentRef> {
  const { threads, places, replies, suppressEmbeds } = parts;
  const { chat } = message;
  if (message.type === 'text' && message.interaction !== undefined) {
    const id = await replies.reply(message.interaction, { key, content: contentOf(message, suppressEmbeds) }, signal);
    if (id !== undefined) return { chat, id };
  }
  const payload = message.type === 'file' ? await filePayload(message) : { body: contentOf(message, suppressEmbeds) };
  const channel = await threads.open(chat, signal);
  const id = await deliver(parts, { payload, key, channel, chat, replyTo: message.replyTo }, signal);
  if (chat.thread !== undefined) places.joined(chat.thread);
  return { chat, id };
}

interface Payload {
  readonly body: object;
  readonly file?: NonNullable<Request['file']>;
  /** What else the message may be, where the channel does not take this. */
  readonly instead?: Payload;
}

interface Delivery {
  readonly payload: Payload;
  readonly key: string;
  readonly channel: string;
  readonly chat: ChatRef;
  readonly replyTo: string | undefined;
}

async function deliver(parts: DelivererParts, delivery: Delivery, signal: AbortSignal): Promise<string> {
  const { call } = parts;
  const { payload, key, channel, chat, replyTo } = delivery;
  const { body, file, instead } = payload;
  try {
    const fields = { ...body, ...sendFields(key, anchor({ where: channel, chat, replyTo })) };
    const request = { method: 'POST', route: Routes.channelMessages(channel), body: fields } as const;
    return idOf(await call(file === undefined ? request : { ...request, file }, signal));
  } catch (error) {
    if (instead !== undefined && isRefusal(error, NO_VOICE, MISSING_PERMISSIONS))
      return await deliver(parts, { ...delivery, payload: instead }, signal);
    // A thread whose first message was deleted before it was opened is none: its channel takes what was meant for it.
    if (channel === chat.chat || !isRefusal(error, UNKNOWN_CHANNEL) || parts.threads.isOpened(channel)) throw error;
    return await deliver(parts, { ...delivery, channel: chat.chat }, signal);
  }
}

const NO_VOICE = 50_173;

/** Only a message of the same channel can be replied to; the one that a thread hangs on is in the channel, and stands above it anyway. */
function anchor({ where, chat, replyTo }: { where: string; chat: ChatRef; replyTo: string | undefined }): string | undefined {
  if (replyTo === undefined || replyTo === '') return undefined;
  return where === chat.thread && replyTo === chat.thread ? undefined : replyTo;
}

async function filePayload(message: OutboundFile): Promise<Payload> {
  const { size } = await stat(message.path).catch(() => {
    throw rejected(`${message.name} is gone`);
  });
  if (size === 0) throw rejected(`${message.name} is empty`);
  if (size > UPLOAD_LIMIT_BYTES)
    throw rejected(`${message.name} is larger than the ${UPLOAD_LIMIT_BYTES / 1024 / 1024} MB that bots may send`);
  const data = await readFile(message.path);
  const plain = { body: NO_PINGS, file: { name: fileName(message), data, contentType: message.mime } };
  const facts = message.kind === 'voice' && /^audio\/(?:ogg|opus)/.test(message.mime) ? voiceFacts(data) : undefined;
  if (facts === undefined) return plain;
  const name = 'voice-message.ogg';
  const body = { ...NO_PINGS, flags: VOICE_MESSAGE, attachments: [{ id: '0', filename: name, ...facts }] };
  return { body, file: { name, data, contentType: 'audio/ogg' }, instead: plain };
}

const NO_PINGS = { allowed_mentions: { parse: [], replied_user: false } } as const;
const VOICE_MESSAGE = 1 << 13;

function idOf(message: unknown): string {
  if (typeof message === 'object' && message !== null && 'id' in message && typeof message.id === 'string') return message.id;
  throw new DeliveryError('Discord: the answer to a message names no message.', { kind: 'transient', certain: false });
}

const MARKS: Readonly<Record<Receipt, string>> = { seen: '👀', done: '✅', failed: '❌' };

interface Reaction {
  readonly message: SentRef;
  readonly receipt: Receipt;
}

async function react({ call, threads }: DelivererParts, { message: { chat, id }, receipt }: Reaction, signal: AbortSignal): Promise<void> {
  const route = (channel: string, mark: string) => Routes.channelMessageOwnReaction(channel, id, encodeURIComponent(mark));
  await somewhere(threads.places(chat, id), async (channel) => {
    await call({ method: 'PUT', route: route(channel, MARKS[receipt]) }, signal);
    if (receipt === 'seen') return;
    await call({ method: 'DELETE', route: route(channel, MARKS.seen) }, signal).catch((error: unknown) => {
      if (!isRefusal(error, UNKNOWN_MESSAGE, UNKNOWN_EMOJI)) throw error;
    });
  });
}

const UNKNOWN_EMOJI = 10_014;
