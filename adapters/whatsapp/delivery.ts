/** Calls that people see: send, edit, delete, typing, marks. All failures leave as DeliveryError, a cancel as the signal's reason. */
import { stat } from 'node:fs/promises';
import { type Adapter, type ChatRef, DeliveryError, type Outbound, type OutboundFile, type Receipt, type SentRef } from '../adapter.ts';
import { sleep } from '../shared/backoff.ts';
import { toJson } from './bytes.ts';
import type { Chats } from './chats.ts';
import { deliveryError, NOT_CONNECTED } from './errors.ts';
import type { MessageIds } from './ids.ts';
import type { Content, Line } from './line.ts';
import { deleteContent, editContent, fileContent, fileOf, type Setting, textContent } from './outgoing.ts';
import { UPLOAD_LIMIT_BYTES, type WhatsAppConfig } from './platform.ts';

/** WhatsApp takes changes for a quarter of an hour; later ones no phone shows. https://faq.whatsapp.com/1113134059358240 */
const EDITABLE_MS = 15 * 60_000;

export interface DelivererParts {
  readonly config: Pick<WhatsAppConfig, 'reply_only' | 'jitter_ms' | 'read_receipts' | 'reactions'>;
  readonly ids: MessageIds;
  readonly chats: Chats;
  /** The connection, while there is one that messages flow over. */
  readonly line: () => Line | undefined;
  readonly now: () => number;
  readonly random: () => number;
}

type Deliverer = Required<Pick<Adapter, 'send' | 'edit' | 'delete' | 'typing'>> & Pick<Adapter, 'react'>;

export function createDeliverer(parts: DelivererParts): Deliverer {
  const { config } = parts;
  const marks = config.read_receipts || config.reactions;
  return {
    send: (message, key, signal) => guarded(signal, () => send(parts, { message, key }, signal)),
    edit: (ref, message, signal) => guarded(signal, () => edit(parts, ref, message)),
    delete: (ref, signal) =>
      guarded(signal, () => {
        const { chat } = ref.chat;
        return lineOf(parts).relay(chat, deleteContent({ jid: chat, id: ref.id }), { id: changeId(parts, ref, 'delete'), edit: '7' });
      }),
    typing: (chat, signal) => guarded(signal, () => lineOf(parts).presence.typing(chat.chat)),
    ...(marks ? { react: (ref: SentRef, receipt: Receipt, signal: AbortSignal) => guarded(signal, () => mark(parts, ref, receipt)) } : {}),
  };
}

/** The client library cannot break off a call; nobody waits for it any longer than they want to. */
async function guarded<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const stopped = Promise.withResolvers<never>();
  const stop = (): void => stopped.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([call(), stopped.promise]);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw deliveryError(error);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function lineOf({ line }: DelivererParts): Line {
  const present = line();
  if (present === undefined) throw new DeliveryError(NOT_CONNECTED, { kind: 'transient', certain: true });
  return present;
}

interface Job {
  readonly message: Outbound;
  readonly key: string;
}

async function send(parts: DelivererParts, { message, key }: Job, signal: AbortSignal): Promise<SentRef> {
  const { chats, ids } = parts;
  const { chat } = message;
  mayWrite(parts, chat);
  lineOf(parts);
  await sleep(jitterMs(parts), signal);
  const id = ids.of(chat, key);
  const content = await contentOf(parts, { message, id });
  signal.throwIfAborted();
  await lineOf(parts).relay(chat.chat, content, { id });
  chats.ours.sent(id);
  return { chat, id };
}

/** A number that writes to people who have not written to it is what WhatsApp looks for. https://github.com/WhiskeySockets/Baileys/issues/1983 */
function mayWrite({ config, chats }: DelivererParts, chat: ChatRef): void {
  if (!config.reply_only || chats.knows(chat.chat)) return;
  throw new DeliveryError(
    'WhatsApp: nobody has written to the bot in this chat yet, and writing first is what gets numbers banned. Let the person write first, or set whatsapp.reply_only to false.',
    { kind: 'rejected', certain: true },
  );
}

function jitterMs({ config, random }: DelivererParts): number {
  const [least, most] = config.jitter_ms;
  return least + random() * (most - least);
}

interface Piece {
  readonly message: Outbound;
  readonly id: string;
}

async function contentOf(parts: DelivererParts, { message, id }: Piece): Promise<Content> {
  const setting = parts.chats.setting(message);
  if (message.type !== 'file') return textContent(message, setting);
  const kept = parts.chats.ours.contentOf(message.chat.chat, id);
  if (kept !== undefined) return kept;
  const content = await uploaded(parts, message, setting);
  // Kept before it is sent: whoever cannot decrypt it asks for the same file, and the upload is not repeated after a crash.
  parts.chats.ours.keepFile(id, toJson(content));
  return content;
}

async function uploaded(parts: DelivererParts, message: OutboundFile, setting: Setting): Promise<Content> {
  const file = fileOf(message, await sizeOf(message));
  return fileContent(await lineOf(parts).media.upload(file), setting);
}

async function sizeOf({ path, name }: OutboundFile): Promise<number> {
  const rejected = (why: string): DeliveryError => new DeliveryError(`WhatsApp: ${name} ${why}.`, { kind: 'rejected', certain: true });
  const { size } = await stat(path).catch(() => {
    throw rejected('is gone');
  });
  if (size === 0) throw rejected('is empty');
  if (size > UPLOAD_LIMIT_BYTES) throw rejected(`is larger than the ${UPLOAD_LIMIT_BYTES / 1_000_000} MB that are sent over WhatsApp`);
  return size;
}

async function edit(parts: DelivererParts, ref: SentRef, message: Outbound): Promise<void> {
  const rejected = (why: string): DeliveryError => new DeliveryError(`WhatsApp: ${why}.`, { kind: 'rejected', certain: true });
  if (message.type === 'file') throw rejected('a file cannot replace a message');
  const { chats, now } = parts;
  const sentAt = chats.ours.sentAt(ref.id);
  if (sentAt !== undefined && now() - sentAt > EDITABLE_MS) throw rejected('a message can be changed for 15 minutes only');
  const { chat } = ref.chat;
  const edited = textContent(message, { ...chats.setting(message), anchor: undefined });
  const id = changeId(parts, ref, JSON.stringify(edited));
  await lineOf(parts).relay(chat, editContent({ jid: chat, id: ref.id }, edited, now()), { id, edit: '1' });
}

/** The same change twice is one message. */
function changeId({ ids }: DelivererParts, ref: SentRef, change: string): string {
  return ids.of(ref.chat, `change ${ref.id} ${change}`);
}

const REACTIONS: Readonly<Record<Receipt, string>> = { seen: '👀', done: '✅', failed: '❌' };

async function mark(parts: DelivererParts, ref: SentRef, receipt: Receipt): Promise<void> {
  const { config, chats } = parts;
  const key = chats.keyOf(ref);
  if (key === undefined) return;
  const line = lineOf(parts);
  if (config.read_receipts && receipt === 'seen') await line.presence.read(key);
  if (!config.reactions) return;
  const reactionMessage = { key: { ...key }, text: REACTIONS[receipt], senderTimestampMs: parts.now() };
  await line.relay(ref.chat.chat, { reactionMessage }, { id: changeId(parts, ref, receipt) });
}
