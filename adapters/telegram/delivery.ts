/** Calls that people see: send, edit, delete, typing, drafts. All failures leave as DeliveryError, a cancel as the signal's reason. */
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { InputFile } from 'grammy';
import { type Adapter, type ChatRef, DeliveryError, type Outbound, type OutboundFile, type SentRef } from '../adapter.ts';
import { type Client, grammySignal } from './client.ts';
import { deliveryError, errorCode, isRefusal, migratedTo } from './errors.ts';
import { toTelegramHtml } from './html.ts';
import type { Migrations } from './migrations.ts';
import { contentOf, fileMethod, type TargetPayload, targetOf } from './outgoing.ts';
import { splitForTelegram, UPLOAD_LIMIT_BYTES } from './platform.ts';

export interface DelivererParts {
  readonly client: Client;
  readonly migrations: Migrations;
  readonly disableLinkPreviews: boolean;
}

type Deliverer = Required<Pick<Adapter, 'send' | 'edit' | 'delete' | 'preview' | 'previews' | 'typing'>>;

export function createDeliverer(parts: DelivererParts): Deliverer {
  const { client, migrations, disableLinkPreviews } = parts;
  const here = (chat: ChatRef): TargetPayload => moved(targetOf(chat), migrations);
  const preview = createPreview(client, here);
  return {
    send: (message, _key, signal) => guarded(signal, () => send(parts, message, signal)),
    edit: (ref, message, signal) =>
      guarded(signal, async () => {
        if (message.type === 'file')
          throw new DeliveryError('Telegram: a file cannot replace a message.', { kind: 'rejected', certain: true });
        const content = contentOf(message, disableLinkPreviews);
        const request = { chat_id: here(ref.chat).chat_id, message_id: Number(ref.id), ...content };
        await client.calls.editMessageText(request, grammySignal(signal)).catch(unless(/message is not modified/i));
      }),
    delete: (ref, signal) =>
      guarded(signal, async () => {
        const request = { chat_id: here(ref.chat).chat_id, message_id: Number(ref.id) };
        await client.calls.deleteMessage(request, grammySignal(signal)).catch(unless(/message to delete not found/i));
      }),
    typing: (chat, signal) =>
      guarded(signal, async () => {
        await client.probe.sendChatAction({ ...here(chat), action: 'typing' }, grammySignal(signal));
      }),
    preview: (chat, key, markdown, signal) => guarded(signal, () => preview.show(chat, key, markdown, signal)),
    previews: preview.shows,
  };
}

/** What already is as it should be is no failure. */
function unless(description: RegExp): (error: unknown) => void {
  return (error) => {
    if (!isRefusal(error, 400, description)) throw error;
  };
}

/** All failures leave as DeliveryError, a cancel as the signal's reason. */
export async function guarded<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  try {
    return await call();
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw deliveryError(error);
  }
}

function moved(target: TargetPayload, migrations: Migrations): TargetPayload {
  return { ...target, chat_id: migrations.current(target.chat_id) };
}

async function send(parts: DelivererParts, message: Outbound, signal: AbortSignal): Promise<SentRef> {
  const { client, migrations, disableLinkPreviews } = parts;
  const call =
    message.type === 'file'
      ? await fileCall(client, message, signal)
      : (target: TargetPayload) =>
          client.calls.sendMessage({ ...target, ...contentOf(message, disableLinkPreviews) }, grammySignal(signal));
  const target = moved(targetOf(message.chat, message.replyTo), migrations);
  const sent = await withSecondChance(call, target, migrations);
  return { chat: message.chat, id: String(sent.message_id) };
}

interface Sent {
  readonly message_id: number;
}

/** Two refusals name their own cure, and with both it is certain that nothing was sent. */
async function withSecondChance(
  call: (target: TargetPayload) => Promise<Sent>,
  target: TargetPayload,
  migrations: Migrations,
): Promise<Sent> {
  try {
    return await call(target);
  } catch (error) {
    const to = migratedTo(error);
    if (to !== undefined) {
      migrations.moved(target.chat_id, to);
      return await call({ ...target, chat_id: to });
    }
    if (target.reply_parameters === undefined || !isRefusal(error, 400, /message to be replied not found|replied message not found/i))
      throw error;
    const { reply_parameters: _gone, ...withoutReply } = target;
    return await call(withoutReply);
  }
}

async function fileCall(client: Client, message: OutboundFile, signal: AbortSignal): Promise<(target: TargetPayload) => Promise<Sent>> {
  const sizeBytes = await sizeOf(message);
  const api = client.files;
  const native = grammySignal(signal);
  return (target) => {
    const file = new InputFile(message.path, message.name);
    const method = fileMethod(message, sizeBytes);
    switch (method) {
      case 'sendPhoto':
        return api.sendPhoto({ ...target, photo: file }, native);
      case 'sendVoice':
        return api.sendVoice({ ...target, voice: file }, native);
      case 'sendAudio':
        return api.sendAudio({ ...target, audio: file }, native);
      case 'sendVideo':
        return api.sendVideo({ ...target, video: file }, native);
      case 'sendAnimation':
        return api.sendAnimation({ ...target, animation: file }, native);
      case 'sendDocument':
        return api.sendDocument({ ...target, document: file }, native);
      default:
        return method satisfies never;
    }
  };
}

async function sizeOf({ path, name }: OutboundFile): Promise<number> {
  const rejected = (why: string): DeliveryError => new DeliveryError(`Telegram: ${name} ${why}.`, { kind: 'rejected', certain: true });
  const { size } = await stat(path).catch(() => {
    throw rejected('is gone');
  });
  if (size === 0) throw rejected('is empty');
  if (size > UPLOAD_LIMIT_BYTES) throw rejected(`is larger than the ${UPLOAD_LIMIT_BYTES / 1_000_000} MB that bots may send`);
  return size;
}

/** A growing answer is rendered once a second: of a long one only its end, which is what a person reads then. */
const PREVIEWED_UNITS = 3000;

interface Preview {
  readonly show: NonNullable<Adapter['preview']>;
  readonly shows: NonNullable<Adapter['previews']>;
}

/** Drafts exist in private chats only; elsewhere the answer is simply not previewed. https://core.telegram.org/bots/api#sendmessagedraft */
function createPreview(client: Client, here: (chat: ChatRef) => TargetPayload): Preview {
  // A self-hosted server of an older version does not know the method, and will not learn it while we run.
  let known = true;
  const shows = (chat: ChatRef): boolean => known && Number(chat.chat) > 0;
  const show: Preview['show'] = async (chat, key, markdown, signal) => {
    const part = shows(chat) ? splitForTelegram(latest(markdown).toWellFormed()).at(-1) : undefined;
    if (part === undefined) return;
    const draft = { ...here(chat), draft_id: draftId(key), text: toTelegramHtml(part), parse_mode: 'HTML' as const };
    await client.probe.sendMessageDraft(draft, grammySignal(signal)).catch((error: unknown) => {
      if (errorCode(error) === 404) known = false;
      throw error;
    });
  };
  return { show, shows };
}

function latest(markdown: string): string {
  if (markdown.length <= PREVIEWED_UNITS) return markdown;
  const line = markdown.indexOf('\n', markdown.length - PREVIEWED_UNITS);
  return markdown.slice(line < 0 ? -PREVIEWED_UNITS : line + 1);
}

/** Not zero, the same for the same answer. */
function draftId(key: string): number {
  return (createHash('sha256').update(key).digest().readUInt32BE() >>> 1) + 1;
}
