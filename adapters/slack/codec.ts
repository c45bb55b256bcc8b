/** Slack's payloads to our events. Pure. https://docs.slack.dev/apis/events-api */
import type { ChatRef, Inbound, InboundAnswer, InboundCommand, Quoted, Sender } from '../adapter.ts';
import type { BotRule } from '../platform.ts';
import { type GateRules, judge } from '../shared/gate.ts';
import { attachmentsOf } from './media.ts';
import { mentions, readableText, unescapeSlack, withoutLeadingMention } from './text.ts';
import {
  actionsSchema,
  assistantSchema,
  commandSchema,
  eventSchema,
  messageSchema,
  type WireActions,
  type WireCommand,
  type WireMessage,
} from './wire.ts';

/** Who we are in the workspace. */
export interface Me {
  readonly user: string;
  readonly bot: string;
  readonly team: string;
  /** An Enterprise organisation, whose user ids are one set. */
  readonly enterprise?: string;
}

export interface CodecContext {
  readonly account: string;
  readonly me: Me;
  readonly rules: GateRules;
  /** Not empty: the only channels in which the bot answers. */
  readonly allowedChats: readonly string[];
  readonly allowBots: BotRule;
  readonly replyInThread: boolean;
  readonly strictMention: boolean;
  /** Names of the menu: "!stop" is "/stop", because Slack keeps what begins with "/" for itself. */
  readonly commands: readonly string[];
  /** The bot takes part in this thread: what is written there is meant for it. */
  inThread(channel: string, thread: string): boolean;
  nameOf(user: string): string | undefined;
  readonly nowMs: number;
}

export type Decoded =
  | { readonly type: 'event'; readonly event: Inbound }
  /** `place`: for a message, so that it is not fetched again. */
  | { readonly type: 'ignored'; readonly why: string; readonly place?: Place }
  | { readonly type: 'assistant'; readonly channel: string; readonly thread: string };

/** Where a message stands in the history. */
export interface Place {
  readonly channel: string;
  readonly ts: string;
  /** Only where it stands in a thread and not in the channel itself. */
  readonly thread?: string;
}

/** What another account of the same app should have been given, and never will be. */
export const FOREIGN = 'for another installation of the app';

const ignored = (why: string, place?: Place): Decoded => ({ type: 'ignored', why, ...(place === undefined ? {} : { place }) });

/** Total: what cannot be understood is ignored with its reason, and acknowledged. */
export function decodePayload(payload: unknown, context: CodecContext): Decoded {
  const event = eventSchema.safeParse(payload);
  if (event.success) {
    const { event: inner, authorizations } = event.data;
    // One app in two workspaces: each of its connections is given events of both.
    if (authorizations?.length && !authorizations.some(({ user_id: user }) => user === context.me.user)) return ignored(FOREIGN);
    return decodeEvent(inner, context);
  }
  const used = decodeUse(payload, context);
  return used.type === 'event' && isLeftOut(used.event.chat.chat, context) ? ignored('in a channel to stay out of') : used;
}

/** A click or a slash command. */
function decodeUse(payload: unknown, context: CodecContext): Decoded {
  const actions = actionsSchema.safeParse(payload);
  if (actions.success) return decodeActions(actions.data, context);
  const command = commandSchema.safeParse(payload);
  if (command.success) return { type: 'event', event: decodeCommand(command.data, context) };
  return ignored('nothing that is known here');
}

/** The configuration keeps the bot out of this channel, whoever asks for it there. */
export function isLeftOut(channel: string, { rules, allowedChats }: Pick<CodecContext, 'rules' | 'allowedChats'>): boolean {
  if (isDirect(channel)) return false;
  return rules.ignoredChats.includes(channel) || (allowedChats.length > 0 && !allowedChats.includes(channel));
}

function decodeEvent(event: unknown, context: CodecContext): Decoded {
  const message = messageSchema.safeParse(event);
  if (message.success && message.data.channel !== undefined)
    return decodeMessage({ ...message.data, channel: message.data.channel }, context);
  const assistant = assistantSchema.safeParse(event);
  if (!assistant.success) return ignored('no message');
  const { channel_id: channel, thread_ts: thread } = assistant.data.assistant_thread;
  return { type: 'assistant', channel, thread };
}

/** What a person wrote. Edits, joins, topics and the like are no message of theirs. */
const SPOKEN = new Set([undefined, null, 'file_share', 'thread_broadcast', 'me_message', 'bot_message']);

export interface PlacedMessage extends WireMessage {
  readonly channel: string;
}

export function decodeMessage(message: PlacedMessage, context: CodecContext): Decoded {
  const place = placeOf(message);
  if (!SPOKEN.has(message.subtype) || message.hidden === true) return ignored('no message of a person', place);
  const sender = senderOf(message, context);
  if (sender === undefined) return ignored('ours, or nobody to answer to', place);
  const text = message.text ?? '';
  if (sender.isBot && !isWelcomeBot(text, context)) return ignored('another bot', place);
  const verdict = isDirect(message.channel) ? 'addressed' : judgeIn(message, text, context);
  if (verdict === 'ignored') return ignored('not addressed to the bot', place);
  const attachments = attachmentsOf([...(message.files ?? []), ...shared(message).flatMap(({ files }) => files ?? [])]);
  const said = wordsOf(message, context);
  if (said === '' && attachments.length === 0) return ignored('an empty message', place);
  const replyTo = quotedOf(message, context);
  return {
    type: 'event',
    event: {
      type: 'message',
      // A mention comes twice, as `message` and as `app_mention`, and a retry again; the place in the channel is one.
      event: `${message.channel}:${message.ts}`,
      chat: chatOf(message, context),
      chatType: isDirect(message.channel) ? 'dm' : 'group',
      sender,
      sentAtMs: msOf(message.ts),
      message: message.ts,
      text: said,
      mentioned: verdict === 'addressed',
      ...(replyTo === undefined ? {} : { replyTo }),
      attachments,
    },
  };
}

/** In a thread below a message of ours: the only way to reply to a card. What that says Slack does not tell. */
function quotedOf({ ts, thread_ts: thread, parent_user_id: parent }: PlacedMessage, { me }: CodecContext): Quoted | undefined {
  return thread && thread !== ts && parent === me.user ? { message: thread, author: 'the bot', fromBot: true, text: '' } : undefined;
}

/** A broadcast reply stands in the channel's history too. */
export function placeOf(message: PlacedMessage): Place {
  const { channel, ts, thread_ts: thread, subtype } = message;
  return thread && thread !== ts && subtype !== 'thread_broadcast' ? { channel, ts, thread } : { channel, ts };
}

/** Where the answer belongs: an answer to a mention opens a thread under it, unless that is not wanted. */
function chatOf({ channel, ts, thread_ts: thread }: PlacedMessage, { account, replyInThread }: CodecContext): ChatRef {
  // A message that was answered in a thread names itself as that thread from then on.
  const opened = thread && thread !== ts ? thread : replyInThread && !isDirect(channel) ? ts : undefined;
  return { platform: 'slack', account, chat: channel, ...(opened === undefined ? {} : { thread: opened }) };
}

export function isDirect(channel: string): boolean {
  return channel.startsWith('D');
}

export function msOf(ts: string): number {
  return Math.round(Number(ts) * 1000);
}

function judgeIn(message: PlacedMessage, text: string, context: CodecContext): ReturnType<typeof judge> {
  const { me, rules, strictMention } = context;
  if (isLeftOut(message.channel, context)) return 'ignored';
  const thread = message.thread_ts ?? undefined;
  const joined = thread !== undefined && (message.parent_user_id === me.user || context.inThread(message.channel, thread));
  return judge(
    {
      chat: message.channel,
      text: unescapeSlack(text),
      mentioned: message.type === 'app_mention' || mentions(text, me.user),
      repliesToBot: joined && !strictMention,
      command: joined && commandIn(text, context) !== undefined ? 'anyone' : 'none',
    },
    rules,
  );
}

function isWelcomeBot(text: string, { allowBots, me }: CodecContext): boolean {
  return allowBots === 'all' || (allowBots === 'mentions' && mentions(text, me.user));
}

/**
 * Undefined: our own, or nobody. A user id is unique in its workspace only, so who comes from another one (Slack Connect) has the workspace
 * in front of it; the people of ours go by either form.
 */
function senderOf(message: WireMessage, { me, nameOf }: CodecContext): Sender | undefined {
  const { user, bot_id: bot } = message;
  const isBot = Boolean(bot) || message.subtype === 'bot_message';
  const id = user || bot;
  if (!id || user === me.user || bot === me.bot) return undefined;
  const name = message.bot_profile?.name || (isBot ? message.username : undefined) || nameOf(id) || id;
  return { ...identityOf(id, message.user_team ?? message.team, me), name, isBot, roles: [] };
}

function identityOf(user: string, team: string | null | undefined, { team: own, enterprise }: Me): Pick<Sender, 'id' | 'aliases'> {
  const isOurs = !team || team === own || team === enterprise;
  return isOurs ? { id: user, aliases: [`${own}:${user}`] } : { id: `${team}:${user}`, aliases: [] };
}

function shared(message: WireMessage): NonNullable<WireMessage['attachments']> {
  return (message.attachments ?? []).filter(({ is_share: share, is_msg_unfurl: unfurl }) => share === true || unfurl === true);
}

/** Words of somebody else are marked, so that a shared "!stop" is no command and its author is not mistaken for the sender. */
function wordsOf(message: WireMessage, context: CodecContext): string {
  const { me, nameOf } = context;
  const own = withoutLeadingMention(message.text ?? '', me.user);
  const command = commandIn(own, context);
  const said = readableText(command ?? own, nameOf).trim();
  const quoted = shared(message).map(
    ({ author_name: author, text, fallback }) =>
      `[Forwarded from ${author || 'somebody'}]\n${readableText(text || fallback || '', nameOf)}`,
  );
  return [said, ...quoted].filter((part) => part !== '').join('\n\n');
}

/** "!stop now" as "/stop now", where the menu has it. */
function commandIn(text: string, { commands, me }: CodecContext): string | undefined {
  const [, name = '', rest = ''] = /^\s*!([a-z][\w-]*)(?=\s|$)(.*)$/is.exec(withoutLeadingMention(text, me.user)) ?? [];
  return commands.includes(name.toLowerCase()) ? `/${name}${rest}` : undefined;
}

/** As we make it in outgoing.ts: the token names the card, the button's id the choice. */
const TOKEN = /^[a-z0-9]{16}$/;
const CHOICE = /^choice:([a-z0-9]{1,12})$/;

/** A click on a card. Slack vouches for the message and the person; the value of a button is the one that we put there. */
function decodeActions(payload: WireActions, { account, me, nameOf }: CodecContext): Decoded {
  const { user, channel, container, message } = payload;
  const [action] = payload.actions;
  const place = channel?.id ?? container?.channel_id;
  const ts = message?.ts ?? container?.message_ts;
  const choice = CHOICE.exec(action?.action_id ?? '')?.[1];
  if (action === undefined || choice === undefined || !TOKEN.test(action.value ?? '')) return ignored('no button of ours');
  if (!place || !ts || (message?.user && message.user !== me.user)) return ignored('a click on no message of ours');
  const thread = message?.thread_ts ?? container?.thread_ts;
  const answer: InboundAnswer = {
    type: 'answer',
    event: `${place}:${ts}:${action.action_ts ?? payload.trigger_id ?? ''}:${user.id}`,
    chat: { platform: 'slack', account, chat: place, ...(thread ? { thread } : {}) },
    chatType: isDirect(place) ? 'dm' : 'group',
    sender: {
      ...identityOf(user.id, user.team_id, me),
      name: nameOf(user.id) ?? user.name ?? user.username ?? user.id,
      isBot: false,
      roles: [],
    },
    sentAtMs: msOf(action.action_ts ?? ts),
    token: action.value ?? '',
    choice,
    message: ts,
    interaction: {
      user: user.id,
      ...(payload.response_url ? { response_url: payload.response_url } : {}),
      ...(thread ? { thread } : {}),
    },
  };
  return { type: 'event', event: answer };
}

/** `/hermes <name> <args>`; without a name it asks for help. Slack knows no slash commands in threads. */
function decodeCommand(payload: WireCommand, { account, me, nameOf, nowMs }: CodecContext): InboundCommand {
  const { channel_id: channel, user_id: user, trigger_id: trigger } = payload;
  const [, name = 'help', args = ''] = /^[/!]?(\S+)\s*(.*)$/s.exec(unescapeSlack(payload.text ?? '').trim()) ?? [];
  return {
    type: 'command',
    event: `command:${trigger}`,
    chat: { platform: 'slack', account, chat: channel },
    chatType: isDirect(channel) ? 'dm' : 'group',
    sender: { ...identityOf(user, payload.team_id, me), name: nameOf(user) ?? payload.user_name ?? user, isBot: false, roles: [] },
    // Slack does not say when it was typed, but it came at once.
    sentAtMs: nowMs,
    name: name.toLowerCase(),
    args,
    interaction: { response_url: payload.response_url, user, channel },
  };
}
