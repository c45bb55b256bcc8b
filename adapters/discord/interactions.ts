/** Slash commands and clicks to our events. Pure. https://docs.discord.com/developers/interactions/receiving-and-responding */
import { z } from 'zod';
import type { ChatRef, InboundAnswer, InboundCommand } from '../adapter.ts';
import { senderOf } from './codec.ts';
import { isThread } from './places.ts';
import { timeOf, type WireInteraction } from './wire.ts';

/** What it takes to answer an interaction; good for 15 minutes. Goes through the gateway as opaque data. */
export const ticketSchema = z.object({ id: z.string(), application: z.string(), token: z.string(), kind: z.enum(['command', 'click']) });
export type Ticket = z.infer<typeof ticketSchema>;

export type DecodedInteraction =
  | { readonly type: 'taken'; readonly event: InboundCommand | InboundAnswer; readonly ticket: Ticket }
  /** Nobody will answer it; `ticket` where the person waits for one. */
  | { readonly type: 'ignored'; readonly why: string; readonly ticket?: Ticket };

const COMMAND = 2;
const COMPONENT = 3;
/** As we make it in outgoing.ts: `<OutboundAsk.token>:<AskChoice.id>`. */
const CHOICE = /^([a-z0-9]{16}):([a-z0-9]{1,12})$/;

export function decodeInteraction(interaction: WireInteraction, account: string): DecodedInteraction {
  const { id, type, token, application_id: application, data } = interaction;
  if (type !== COMMAND && type !== COMPONENT) return { type: 'ignored', why: 'neither a command nor a click' };
  const ticket: Ticket = { id, application, token, kind: type === COMMAND ? 'command' : 'click' };
  const base = baseOf(interaction, account);
  if (base === undefined) return { type: 'ignored', why: 'from nobody or nowhere', ticket };
  const event = type === COMMAND ? commandOf(data) : answerOf(interaction);
  if (event === undefined) return { type: 'ignored', why: 'none of our buttons', ticket };
  return { type: 'taken', event: { ...base, ...event, interaction: ticket }, ticket };
}

function baseOf(interaction: WireInteraction, account: string) {
  const { id, member, user, guild_id: guild } = interaction;
  const chat = chatOf(interaction, account);
  const person = member?.user ?? user;
  if (person === undefined || person === null || chat === undefined || person.bot === true) return undefined;
  const inGuild = guild !== undefined && guild !== null;
  return {
    event: `i:${id}`,
    chat,
    chatType: inGuild ? ('group' as const) : ('dm' as const),
    sender: senderOf(person, member),
    sentAtMs: timeOf(id),
  };
}

function chatOf({ channel, channel_id: channelId }: WireInteraction, account: string): ChatRef | undefined {
  const id = channel?.id ?? channelId ?? undefined;
  if (id === undefined) return undefined;
  const parent = channel?.parent_id ?? undefined;
  const inThread = channel !== undefined && channel !== null && isThread(channel.type) && parent !== undefined;
  return { platform: 'discord', account, chat: inThread ? parent : id, ...(inThread ? { thread: id } : {}) };
}

function commandOf(data: WireInteraction['data']): Pick<InboundCommand, 'type' | 'name' | 'args'> | undefined {
  if (data?.name === undefined) return undefined;
  const args = data.options?.find(({ name }) => name === 'args')?.value;
  return { type: 'command', name: data.name, args: args === undefined ? '' : String(args).trim() };
}

function answerOf({ data, message }: WireInteraction): Pick<InboundAnswer, 'type' | 'token' | 'choice' | 'message'> | undefined {
  const [, token, choice] = CHOICE.exec(data?.custom_id ?? '') ?? [];
  if (token === undefined || choice === undefined || message === undefined || message === null) return undefined;
  return { type: 'answer', token, choice, message: message.id };
}
