/** Discord's payloads to our events. Pure. https://docs.discord.com/developers/events/gateway-events#message-create */
import type { ChatRef, InboundMessage, Quoted, Sender } from '../adapter.ts';
import type { BotRule } from '../platform.ts';
import { type GateRules, type GateVerdict, judge } from '../shared/gate.ts';
import { attachmentsOf, describeContent } from './media.ts';
import type { Place } from './places.ts';
import { timeOf, type WireMember, type WireMessage, type WireUser } from './wire.ts';

export interface CodecContext {
  readonly account: string;
  readonly me: { readonly id: string; readonly roles: ReadonlySet<string> };
  readonly rules: GateRules;
  readonly bots: BotRule;
  /** Not empty: the only channels in which the bot answers. */
  readonly onlyChats: readonly string[];
  readonly autoThread: boolean;
  readonly noThreadChats: readonly string[];
  readonly threadRequireMention: boolean;
  readonly ignoreNoMention: boolean;
  nameOf(channel: string): string | undefined;
}

export interface Found {
  readonly message: WireMessage;
  readonly place: Place;
  /** Read from the history after a gap. */
  readonly late?: true;
}

export type Decoded = { readonly type: 'message'; readonly message: InboundMessage } | { readonly type: 'ignored'; readonly why: string };

const ignored = (why: string): Decoded => ({ type: 'ignored', why });

/** Default and reply: what people write. https://docs.discord.com/developers/resources/message#message-object-message-types */
const WRITTEN = [0, 19];
const REPLY = 19;
const FORWARD = 1;

export function decodeMessage(found: Found, context: CodecContext): Decoded {
  const { message, place, late } = found;
  if (message.author.id === context.me.id) return ignored('our own');
  if (!WRITTEN.includes(message.type)) return ignored('not written by a person');
  const isBot = message.author.bot === true || (message.webhook_id !== undefined && message.webhook_id !== null);
  if (isBot && !isBotWelcome(message, context)) return ignored('a bot');
  const attachments = [
    ...attachmentsOf(message, { channel: message.channel_id, message: message.id }, message.flags),
    ...forwardedFiles(message),
  ];
  const text = textOf(message, context);
  if (text === '' && attachments.length === 0 && !mentionsUs(message, context)) return ignored('nothing in it');
  const verdict = verdictOf(found, context);
  if (verdict === 'ignored') return ignored('not addressed to the bot');
  const quoted = quotedOf(message, context);
  const name = place.guild === undefined ? undefined : context.nameOf(message.channel_id);
  return {
    type: 'message',
    message: {
      type: 'message',
      event: `m:${message.channel_id}:${message.id}`,
      chat: chatOf(found, verdict, context),
      chatType: place.guild === undefined ? 'dm' : 'group',
      ...(name === undefined ? {} : { chatName: `#${name}` }),
      sender: senderOf(message.author, message.member, isBot),
      sentAtMs: timeOf(message.id),
      message: message.id,
      text,
      mentioned: verdict === 'addressed',
      ...(quoted === undefined ? {} : { replyTo: quoted.quoted }),
      attachments: [...attachments, ...(quoted?.attachments ?? [])],
      ...(late === undefined ? {} : { late }),
    },
  };
}

function isBotWelcome(message: WireMessage, context: CodecContext): boolean {
  return context.bots === 'all' || (context.bots === 'mentions' && mentionsUs(message, context));
}

/** `@everyone` is not meant for a bot. */
function mentionsUs({ mentions, mention_roles: roles }: WireMessage, { me }: CodecContext): boolean {
  return mentions.some(({ id }) => id === me.id) || roles.some((role) => me.roles.has(role));
}

function repliesToUs({ type, referenced_message: reply }: WireMessage, { me }: CodecContext): boolean {
  return type === REPLY && reply?.author.id === me.id;
}

/** By its own id, that of its channel, or the star for all. */
export function isListed({ chat, thread }: Pick<Place, 'chat' | 'thread'>, list: readonly string[]): boolean {
  return list.some((id) => id === '*' || id === chat || id === thread);
}

/** The lists as they are for this one place. */
function rulesAt(place: Place, rules: GateRules): GateRules {
  const here = (list: readonly string[]): readonly string[] => (isListed(place, list) ? [place.chat] : []);
  return {
    ...rules,
    freeResponseChats: here(rules.freeResponseChats),
    mentionRequiredChats: here(rules.mentionRequiredChats),
    ignoredChats: here(rules.ignoredChats),
  };
}

function verdictOf({ message, place }: Found, context: CodecContext): GateVerdict {
  if (place.guild === undefined) return 'addressed';
  const { onlyChats, threadRequireMention } = context;
  if (onlyChats.length > 0 && !isListed(place, onlyChats)) return 'ignored';
  const rules = rulesAt(place, context.rules);
  const verdict = judge(
    {
      chat: place.chat,
      text: message.content,
      mentioned: mentionsUs(message, context),
      repliesToBot: repliesToUs(message, context),
      command: 'none',
    },
    rules,
  );
  if (verdict === 'addressed') return verdict;
  const mustMention = threadRequireMention || context.rules.mentionRequiredChats.includes(place.thread ?? '');
  const takesPart = place.thread !== undefined && place.joined && !mustMention && rules.ignoredChats.length === 0;
  const forOthers = context.ignoreNoMention && message.mentions.length > 0;
  return (verdict === 'overheard' || takesPart) && !forOthers ? 'overheard' : 'ignored';
}

/** A thread that hangs on a message has that message's id, so it is known before there is a thread. */
function chatOf({ message, place }: Found, verdict: GateVerdict, context: CodecContext): ChatRef {
  const chat = { platform: 'discord', account: context.account, chat: place.chat };
  if (place.thread !== undefined) return { ...chat, thread: place.thread };
  return verdict === 'addressed' && opensThread(message, place, context) ? { ...chat, thread: message.id } : chat;
}

function opensThread({ type }: WireMessage, place: Place, { autoThread, noThreadChats, rules }: CodecContext): boolean {
  if (!autoThread || !place.threads || type === REPLY) return false;
  return !isListed(place, noThreadChats) && !isListed(place, rules.freeResponseChats);
}

export function senderOf(author: WireUser, member: WireMember | null | undefined, isBot = author.bot === true): Sender {
  return { id: author.id, aliases: [], name: nameOf(author, member), isBot, roles: member?.roles ?? [] };
}

function nameOf({ id, username, global_name: name }: WireUser, member?: WireMember | null): string {
  return [member?.nick, name, username].find((one) => one !== undefined && one !== null && one !== '') ?? id;
}

/** What it says, as people read it. */
export function textOf(message: WireMessage, context: CodecContext): string {
  const written = readable(withoutOurMention(message.content, context), message.mentions, context);
  const parts = [written, describeContent(message) ?? '', forwardedText(message)];
  return parts.filter((part) => part !== '').join('\n');
}

/** "@our_bot hello" is "hello"; a mention further inside is part of the sentence. */
function withoutOurMention(content: string, { me }: CodecContext): string {
  const [lead = '', sort, id = ''] = /^\s*<@(&|!)?(\d+)>[\s,:]*/.exec(content) ?? [];
  const ours = sort === '&' ? me.roles.has(id) : id === me.id;
  return ours ? content.slice(lead.length) : content;
}

/** Ids as people see them: names. */
function readable(content: string, mentions: WireMessage['mentions'], { nameOf: channelName }: CodecContext): string {
  return content
    .replace(/<@!?(\d+)>/g, (whole, id) => {
      const user = mentions.find((one) => one.id === id);
      return user === undefined ? whole : `@${nameOf(user, user.member)}`;
    })
    .replace(/<#(\d+)>/g, (whole, id) => {
      const name = channelName(id);
      return name === undefined ? whole : `#${name}`;
    })
    .replace(/<a?(:\w+:)\d+>/g, '$1')
    .trim();
}

/** Words of somebody else: marked, so that a forwarded "/stop" is no command. */
function forwardedText({ message_reference: reference, message_snapshots: snapshots }: WireMessage): string {
  if (reference?.type !== FORWARD) return '';
  return (snapshots ?? []).map(({ message }) => `[Forwarded]\n${message.content}`.trim()).join('\n');
}

function forwardedFiles({ id, channel_id: channel, message_snapshots: snapshots }: WireMessage): InboundMessage['attachments'] {
  return (snapshots ?? []).flatMap(({ message }) => attachmentsOf(message, { channel, message: id }));
}

function quotedOf(
  { type, referenced_message: reply, mentions }: WireMessage,
  context: CodecContext,
): { quoted: Quoted; attachments: InboundMessage['attachments'] } | undefined {
  if (type !== REPLY || reply === undefined || reply === null) return undefined;
  const fromBot = reply.author.id === context.me.id;
  const attachments = attachmentsOf(reply, { channel: reply.channel_id, message: reply.id });
  const [first] = attachments;
  const text = readable(reply.content, mentions, context) || describeContent(reply) || (first === undefined ? '' : `[${first.kind}]`);
  return { quoted: { message: reply.id, author: nameOf(reply.author), fromBot, text }, attachments: fromBot ? [] : attachments };
}
