/** Telegram update to our events. Pure. https://core.telegram.org/bots/api#update */
import type { ChatRef, InboundAnswer, InboundMessage, Quoted, Sender } from '../adapter.ts';
import { type GateRules, type GroupMessage, judge } from '../shared/gate.ts';
import { attachmentsOf, describeContent } from './media.ts';
import { updateSchema, type WireCallback, type WireEntity, type WireMessage, type WireQuoted, type WireUser } from './wire.ts';

export interface CodecContext {
  readonly account: string;
  readonly me: { readonly id: number; readonly username: string };
  readonly rules: GateRules;
  /** `<thread>` or `<chat>:<thread>`. */
  readonly ignoredThreads: readonly string[];
  /** Names of the menu: such a command in a group is for us even when it names nobody. */
  readonly commands: readonly string[];
  /** Albums of which one item was addressed to the bot: in a group only the item with the caption can mention it. */
  readonly albums?: ReadonlySet<string>;
}

export type Decoded =
  | { readonly type: 'message'; readonly message: InboundMessage }
  | { readonly type: 'answer'; readonly answer: InboundAnswer }
  /** The group became a supergroup and has a new id from now on. */
  | { readonly type: 'migrated'; readonly from: string; readonly to: string }
  /** `callback`: a click that nobody will answer, and the client waits for an answer. */
  | { readonly type: 'ignored'; readonly why: string; readonly callback?: string };

const ignored = (why: string): Decoded => ({ type: 'ignored', why });

/** Total: an update that cannot be understood is ignored with its reason and never holds up the ones behind it. */
export function decodeUpdate(update: unknown, context: CodecContext): Decoded {
  const parsed = updateSchema.safeParse(update);
  if (!parsed.success) return ignored(`not as documented: ${parsed.error.issues.map(({ path }) => path.join('.')).join(', ')}`);
  const { update_id: updateId, message, callback_query: callback } = parsed.data;
  if (callback !== undefined) return decodeCallback(callback, context.account);
  if (message === undefined) return ignored('not a message');
  if (message.migrate_to_chat_id !== undefined)
    return { type: 'migrated', from: String(message.chat.id), to: String(message.migrate_to_chat_id) };
  return decodeMessage(updateId, message, context);
}

function decodeMessage(updateId: number, message: WireMessage, context: CodecContext): Decoded {
  const { from, chat } = message;
  if (chat.type === 'channel' || message.is_automatic_forward === true) return ignored('a channel post');
  // A chat that speaks for a person hides who it is; only an immutable id of a person may ever authorise.
  if (from === undefined || message.sender_chat !== undefined) return ignored('nobody to answer to');
  if (from.is_bot || from.id === context.me.id) return ignored('a bot');
  const thread = threadOf(message);
  if (isIgnoredThread(String(chat.id), thread, context)) return ignored('an ignored topic');
  const attachments = attachmentsOf(message);
  const words = message.text ?? message.caption ?? describeContent(message);
  if (words === undefined && attachments.length === 0) return ignored('a service message');
  const ofAlbum = message.media_group_id !== undefined && context.albums?.has(message.media_group_id) === true;
  const verdict = chat.type === 'private' || ofAlbum ? 'addressed' : judge(groupMessage(message, context), context.rules);
  if (verdict === 'ignored') return ignored('not addressed to the bot');
  const replyTo = quotedOf(message, thread, context.me.id);
  return {
    type: 'message',
    message: {
      type: 'message',
      // update_id alone is no key: its numbering may start anywhere after a quiet week.
      event: `${updateId}:${chat.id}:${message.message_id}`,
      chat: placeOf(message, context.account),
      chatType: chat.type === 'private' ? 'dm' : 'group',
      ...(chat.title === undefined ? {} : { chatName: chat.title }),
      sender: senderOf(from),
      sentAtMs: message.date * 1000,
      message: String(message.message_id),
      text: forwardedFrom(message) + withoutMention(words ?? '', entitiesOf(message), context.me.username),
      mentioned: verdict === 'addressed',
      ...(replyTo === undefined ? {} : { replyTo: replyTo.quoted }),
      attachments: [...attachments, ...(replyTo?.attachments ?? [])],
      ...(message.media_group_id === undefined ? {} : { album: message.media_group_id }),
    },
  };
}

/** As we make it in outgoing.ts: `<OutboundAsk.token>:<AskChoice.id>`. */
const CHOICE = /^([a-z0-9]{16}):([a-z0-9]{1,12})$/;

/**
 * A click on a card. Neither mentions nor topics are asked for: the button itself is ours. Telegram warns that a client may send data
 * of which there is no button on the message, so nothing is believed here but the person, the chat and the message.
 */
function decodeCallback({ id, from, message, data = '' }: WireCallback, account: string): Decoded {
  const dismissed = (why: string): Decoded => ({ type: 'ignored', why, callback: id });
  if (from.is_bot) return dismissed('a bot');
  if (message === undefined) return dismissed('a click on no message of a chat');
  const [, token, choice] = CHOICE.exec(data) ?? [];
  if (token === undefined || choice === undefined) return dismissed('a click on no button of a card');
  return {
    type: 'answer',
    answer: {
      type: 'answer',
      event: `cb:${id}`,
      chat: placeOf(message, account),
      chatType: CHAT_TYPES[message.chat.type],
      sender: senderOf(from),
      // Telegram does not tell when the button was clicked; this is when the card was sent, 0 for one that Telegram cannot show any more.
      sentAtMs: message.date * 1000,
      token,
      choice,
      message: String(message.message_id),
      interaction: { callback: id },
    },
  };
}

const CHAT_TYPES = { private: 'dm', group: 'group', supergroup: 'group', channel: 'channel' } as const;

type Placed = Pick<WireMessage, 'chat' | 'message_thread_id' | 'is_topic_message'>;

function placeOf(message: Placed, account: string): ChatRef {
  const thread = threadOf(message);
  return { platform: 'telegram', account, chat: String(message.chat.id), ...(thread === undefined ? {} : { thread }) };
}

/** Replies in ordinary groups have a message_thread_id too, but only a topic is a place; the General topic (1) has none of its own. */
function threadOf(message: Placed): string | undefined {
  const { message_thread_id: thread, is_topic_message: isTopic } = message;
  return isTopic === true && thread !== undefined && thread !== 1 ? String(thread) : undefined;
}

function isIgnoredThread(chat: string, thread: string | undefined, { ignoredThreads }: CodecContext): boolean {
  const name = thread ?? '1';
  return ignoredThreads.includes(`${chat}:${name}`) || (thread !== undefined && ignoredThreads.includes(thread));
}

function senderOf(from: WireUser): Sender {
  return { id: String(from.id), aliases: [], name: nameOf(from), isBot: from.is_bot, roles: [] };
}

function nameOf(user: WireUser): string {
  const name = [user.first_name, user.last_name].filter((part) => part !== undefined && part !== '').join(' ');
  return name === '' ? (user.username ?? String(user.id)) : name;
}

function entitiesOf(message: WireMessage): readonly WireEntity[] {
  return (message.text === undefined ? message.caption_entities : message.entities) ?? [];
}

/** Offsets of entities count UTF-16 units, as JavaScript does. */
function groupMessage(message: WireMessage, context: CodecContext): GroupMessage {
  const text = message.text ?? message.caption ?? '';
  const { id, username } = context.me;
  const mentioned = entitiesOf(message).some((entity) => {
    if (entity.type === 'text_mention') return entity.user?.id === id;
    return entity.type === 'mention' && sameName(text.slice(entity.offset + 1, entity.offset + entity.length), username);
  });
  const reply = isTopicRoot(message) ? undefined : message.reply_to_message;
  return {
    chat: String(message.chat.id),
    text,
    mentioned,
    repliesToBot: reply?.from?.id === id,
    command: commandFor(text, message, context),
  };
}

function commandFor(text: string, message: WireMessage, { me, commands }: CodecContext): GroupMessage['command'] {
  const entity = entitiesOf(message).find(({ type, offset }) => type === 'bot_command' && offset === 0);
  if (entity === undefined) return 'none';
  const [name = '', whom] = text.slice(1, entity.length).split('@');
  if (whom !== undefined) return sameName(whom, me.username) ? 'ours' : 'other';
  return commands.includes(name.toLowerCase()) ? 'anyone' : 'none';
}

function sameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** "/stop@our_bot now" is "/stop now", "@our_bot hello" is "hello"; a mention further inside is part of the sentence. */
function withoutMention(text: string, entities: readonly WireEntity[], username: string): string {
  const [first] = entities.filter(({ offset }) => offset === 0);
  if (first === undefined || username === '') return text;
  const lead = text.slice(0, first.length);
  const tail = text.slice(first.length);
  if (first.type === 'mention' && sameName(lead, `@${username}`)) return tail.replace(/^[\s,:]+/, '') || text;
  if (first.type === 'bot_command' && lead.toLowerCase().endsWith(`@${username.toLowerCase()}`))
    return lead.slice(0, lead.lastIndexOf('@')) + tail;
  return text;
}

/** Words of somebody else: marked, so that a forwarded "/stop" is no command and its author is not mistaken for the sender. */
function forwardedFrom({ forward_origin: origin }: WireMessage): string {
  if (origin === undefined) return '';
  const name =
    origin.sender_user === undefined
      ? (origin.sender_user_name ?? origin.chat?.title ?? origin.sender_chat?.title ?? 'somebody')
      : nameOf(origin.sender_user);
  return `[Forwarded from ${name}]\n`;
}

/** In a topic every message "replies" to the one that opened the topic. */
function isTopicRoot({ reply_to_message: reply, message_thread_id: thread, is_topic_message: isTopic }: WireMessage): boolean {
  return isTopic === true && (reply?.forum_topic_created !== undefined || reply?.message_id === thread);
}

function quotedOf(
  message: WireMessage,
  thread: string | undefined,
  ownId: number,
): { quoted: Quoted; attachments: InboundMessage['attachments'] } | undefined {
  const reply = message.reply_to_message;
  if (reply === undefined || (thread !== undefined && isTopicRoot(message))) return undefined;
  const fromBot = reply.from?.id === ownId;
  const quoted = {
    message: String(reply.message_id),
    author: reply.sender_chat?.title ?? (reply.from === undefined ? '' : nameOf(reply.from)),
    fromBot,
    text: message.quote?.text ?? quotedText(reply),
  };
  return { quoted, attachments: fromBot ? [] : attachmentsOf(reply) };
}

function quotedText(reply: WireQuoted): string {
  const [attachment] = attachmentsOf(reply);
  return reply.text ?? reply.caption ?? describeContent(reply) ?? (attachment === undefined ? '' : `[${attachment.kind}]`);
}
