/** Calls that people see: send, edit, delete, typing. All failures leave as DeliveryError, a cancel as the signal's reason. */
import type { Adapter, Outbound, SentRef } from '../adapter.ts';
import { guarded, rejected, tsOf, unless } from './calls.ts';
import type { Client, Timing } from './client.ts';
import { deliveryError } from './errors.ts';
import { contentOf, targetOf } from './outgoing.ts';
import { isReply, replyTo } from './respond.ts';
import type { Streams } from './stream.ts';
import { deleteFile, isFileId, uploadFile } from './upload.ts';

export interface DelivererParts {
  readonly client: Client;
  readonly timing: Timing;
  readonly root: string;
  readonly unfurlLinks: boolean;
  readonly streams: Streams;
  /** The bot has written in this thread: it takes part in it from now on. */
  joined(channel: string, thread: string): void;
}

type Deliverer = Required<Pick<Adapter, 'send' | 'edit' | 'delete' | 'typing'>>;

export function createDeliverer(parts: DelivererParts): Deliverer {
  const { client } = parts;
  const typing = createTyping(client);
  return {
    send: (message, _key, signal) => guarded(signal, () => send(parts, message, signal)),
    edit: (ref, message, signal) =>
      guarded(signal, async () => {
        if (message.type === 'file' || isFileId(ref.id)) throw rejected('a file cannot replace a message, nor be replaced');
        // What only the person saw who gave the command cannot be found again.
        if (isReply(ref.id)) throw rejected('the reply to a command cannot be edited');
        await client.call('chat.update', { channel: ref.chat.chat, ts: ref.id, ...contentOf(message) }, signal);
      }),
    delete: (ref, signal) =>
      guarded(signal, async () => {
        if (isReply(ref.id)) return;
        if (isFileId(ref.id)) return deleteFile(client, ref.id, signal);
        await client.call('chat.delete', { channel: ref.chat.chat, ts: ref.id }, signal).catch(unless('message_not_found'));
      }),
    typing: (chat, signal) => guarded(signal, () => typing(chat, signal)),
  };
}

async function send(parts: DelivererParts, message: Outbound, signal: AbortSignal): Promise<SentRef> {
  const { client, streams, unfurlLinks } = parts;
  const { chat } = message;
  if (message.type === 'text' && message.interaction !== undefined) {
    const id = await replyTo(parts, { interaction: message.interaction, content: contentOf(message), inPublic: false }, signal);
    if (id !== undefined) return { chat, id };
  }
  // What was shown of the answer goes away before the answer itself comes: nobody reads it twice.
  if (message.type === 'text') await streams.end(chat, signal);
  const id = message.type === 'file' ? await uploadFile(parts, message, signal) : await post();
  if (chat.thread !== undefined) parts.joined(chat.chat, chat.thread);
  return { chat, id };

  async function post(): Promise<string> {
    if (message.type === 'file') throw rejected('a file is not posted as text');
    const previews = { unfurl_links: unfurlLinks, unfurl_media: unfurlLinks };
    return tsOf(await client.call('chat.postMessage', { ...targetOf(chat), ...contentOf(message), ...previews }, signal));
  }
}

/** Slack shows "is thinking" in threads only; where it will not, it is not asked again. https://docs.slack.dev/reference/methods/assistant.threads.setStatus */
function createTyping(client: Client): NonNullable<Adapter['typing']> {
  const refused = new Set<string>();
  return async ({ chat, thread }, signal) => {
    if (thread === undefined || refused.has(chat)) return;
    const request = { channel_id: chat, thread_ts: thread, status: 'is thinking…' };
    await client.probe('assistant.threads.setStatus', request, signal).catch((error: unknown) => {
      if (deliveryError(error).kind !== 'rejected') throw error;
      refused.add(chat);
    });
  };
}
