/** Channels and threads as the gateway tells of them: where a message was written, and whether we take part there. */
import type { z } from 'zod';
import { channelSchema, guildSchema, type WireChannel, type WireGuild } from './wire.ts';

/** Announcement thread, public thread, private thread. https://docs.discord.com/developers/resources/channel#channel-object-channel-types */
const THREADS = [10, 11, 12];
/** Text and announcement channels; voice channels have a chat without threads. */
const WITH_THREADS = [0, 5];
const DIRECT = 1;

export interface Place {
  /** Not set: a direct chat. */
  readonly guild?: string;
  /** The channel; of a thread its parent. */
  readonly chat: string;
  readonly thread?: string;
  /** We take part in the thread. */
  readonly joined: boolean;
  /** A message here can open a thread. */
  readonly threads: boolean;
}

export interface Known {
  readonly id: string;
  readonly lastMessage: string | undefined;
}

/** What is known of them. */
export interface Directory {
  /** Undefined: not known yet. */
  of(channel: string): Place | undefined;
  nameOf(channel: string): string | undefined;
  channelsOf(guild: string): readonly Known[];
  /** One of the servers that we are in. */
  anyGuild(): string | undefined;
  /** The roles that stand for the bot itself. */
  ownRoles(): ReadonlySet<string>;
}

export interface Places extends Directory {
  /** Learns from any event of the gateway. */
  event(type: string, data: unknown, me: string | undefined): void;
  /** From a payload of the API. False for what no person writes in. */
  learn(channel: WireChannel, me: string | undefined): boolean;
  /** We wrote in it, which makes us a part of it. */
  joined(thread: string): void;
}

interface Entry {
  readonly place: Place;
  readonly name: string | undefined;
  readonly lastMessage: string | undefined;
}

export function isThread(type: number): boolean {
  return THREADS.includes(type);
}

export function createPlaces(): Places {
  const entries = new Map<string, Entry>();
  const roles = new Set<string>();
  const learn = (channel: WireChannel, me: string | undefined, guild = channel.guild_id ?? undefined): boolean => {
    const place = placeOf(channel, me, { guild, before: entries.get(channel.id)?.place });
    if (place === undefined) return false;
    entries.set(channel.id, { place, name: channel.name ?? undefined, lastMessage: channel.last_message_id ?? undefined });
    return true;
  };
  const join = (thread: string, joined: boolean): void => {
    const entry = entries.get(thread);
    if (entry?.place.thread !== undefined) entries.set(thread, { ...entry, place: { ...entry.place, joined } });
  };
  const guild = ({ id, channels, threads, roles: all }: WireGuild, me: string | undefined): void => {
    for (const channel of [...channels, ...threads]) learn(channel, me, id);
    for (const role of all) if (me !== undefined && role.tags?.bot_id === me) roles.add(role.id);
  };
  const changed = (type: string, channel: WireChannel, me: string | undefined): void => {
    if (type.endsWith('DELETE')) entries.delete(channel.id);
    // An archived thread that somebody wakes up does not tell whether we are in it: that is asked when somebody writes.
    else if (type !== 'THREAD_UPDATE' || entries.has(channel.id)) learn(channel, me);
  };
  return {
    event(type, data, me) {
      if (type === 'GUILD_CREATE') parsed(guildSchema, data, (found) => guild(found, me));
      else if (CHANNEL_EVENTS.has(type)) parsed(channelSchema, data, (channel) => changed(type, channel, me));
      else if (type === 'THREAD_LIST_SYNC')
        for (const one of listOf(data, 'threads')) parsed(channelSchema, one, (thread) => learn(thread, me));
      else if (type === 'THREAD_MEMBERS_UPDATE') membersChanged(data, me, join);
    },
    learn: (channel, me) => learn(channel, me),
    of: (channel) => entries.get(channel)?.place,
    nameOf: (channel) => entries.get(channel)?.name,
    joined: (thread) => join(thread, true),
    channelsOf: (wanted) =>
      [...entries].filter(([, { place }]) => place.guild === wanted).map(([id, { lastMessage }]) => ({ id, lastMessage })),
    anyGuild: () => entries.values().find(({ place }) => place.guild !== undefined)?.place.guild,
    ownRoles: () => roles,
  };
}

function membersChanged(update: unknown, me: string | undefined, join: (thread: string, joined: boolean) => void): void {
  const thread = textOf(update, 'id');
  if (thread === undefined || me === undefined) return;
  if (listOf(update, 'added_members').some((one) => textOf(one, 'user_id') === me)) join(thread, true);
  if (listOf(update, 'removed_member_ids').includes(me)) join(thread, false);
}

const CHANNEL_EVENTS = new Set(['CHANNEL_CREATE', 'CHANNEL_UPDATE', 'CHANNEL_DELETE', 'THREAD_CREATE', 'THREAD_UPDATE', 'THREAD_DELETE']);

interface Context {
  readonly guild: string | undefined;
  readonly before: Place | undefined;
}

function placeOf(channel: WireChannel, me: string | undefined, { guild, before }: Context): Place | undefined {
  const { id, type, parent_id: parent, owner_id: owner, member } = channel;
  if (type === DIRECT) return { chat: id, joined: true, threads: false };
  const home = guild ?? before?.guild;
  if (home === undefined) return undefined;
  if (!isThread(type)) return { guild: home, chat: id, joined: false, threads: WITH_THREADS.includes(type) };
  if (parent === undefined || parent === null) return undefined;
  const joined = (member !== undefined && member !== null) || (me !== undefined && owner === me) || before?.joined === true;
  return { guild: home, chat: parent, thread: id, joined, threads: false };
}

function parsed<T>(schema: z.ZodType<T>, data: unknown, use: (found: T) => void): void {
  const result = schema.safeParse(data);
  if (result.success) use(result.data);
}

function listOf(data: unknown, key: string): readonly unknown[] {
  const value = typeof data === 'object' && data !== null ? Object.getOwnPropertyDescriptor(data, key)?.value : undefined;
  return Array.isArray(value) ? value : [];
}

function textOf(data: unknown, key: string): string | undefined {
  const value = typeof data === 'object' && data !== null ? Object.getOwnPropertyDescriptor(data, key)?.value : undefined;
  return typeof value === 'string' ? value : undefined;
}
