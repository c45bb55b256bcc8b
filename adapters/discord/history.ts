/** What Discord's history holds behind a mark. https://docs.discord.com/developers/resources/message#get-channel-messages */
import { Routes } from 'discord.js';
import type { Found } from './codec.ts';
import { isRefusal, MISSING_ACCESS, MISSING_PERMISSIONS, UNKNOWN_CHANNEL } from './errors.ts';
import type { Place, Places } from './places.ts';
import type { Call } from './rest.ts';
import { channelSchema, compareSnowflakes, messageSchema, type WireMember, type WireMessage } from './wire.ts';

export interface History {
  /** One page, oldest first; empty when there is no more, or nothing that we may read. */
  page(channel: string, after: string, signal: AbortSignal): Promise<readonly Found[]>;
  /** Where a channel is, asked for if it is not known. Undefined: nowhere that we may look. */
  place(channel: string, signal: AbortSignal): Promise<Place | undefined>;
}

export interface HistoryParts {
  readonly call: Call;
  readonly places: Places;
  /** Roles may let somebody in, and the history does not tell them. */
  readonly withRoles: boolean;
  me(): string | undefined;
}

const PAGE = 100;
const GONE = [UNKNOWN_CHANNEL, MISSING_ACCESS, MISSING_PERMISSIONS];

export function createHistory(parts: HistoryParts): History {
  const { call, places, withRoles, me } = parts;
  const place = async (channel: string, signal: AbortSignal): Promise<Place | undefined> => {
    const known = places.of(channel);
    if (known !== undefined) return known;
    const answer = await call({ method: 'GET', route: Routes.channel(channel) }, signal).catch(unlessGone);
    const parsed = channelSchema.safeParse(answer);
    if (parsed.success) places.learn(parsed.data, me());
    return places.of(channel);
  };
  return {
    place,
    async page(channel, after, signal) {
      const where = await place(channel, signal);
      if (where === undefined) return [];
      const query = new URLSearchParams({ after, limit: String(PAGE) });
      const answer = await call({ method: 'GET', route: Routes.channelMessages(channel), query }, signal).catch(unlessGone);
      const messages = oldestFirst(answer);
      if (withRoles && where.guild !== undefined) return await withMembers(call, { messages, place: where, guild: where.guild }, signal);
      return messages.map((message) => ({ message, place: where }));
    },
  };
}

function unlessGone(error: unknown): undefined {
  if (isRefusal(error, ...GONE)) return undefined;
  throw error;
}

function oldestFirst(answer: unknown): WireMessage[] {
  const messages = (Array.isArray(answer) ? answer : []).flatMap((one) => messageSchema.safeParse(one).data ?? []);
  return messages.toSorted((one, other) => compareSnowflakes(one.id, other.id));
}

interface Page {
  readonly messages: readonly WireMessage[];
  readonly place: Place;
  readonly guild: string;
}

/** Each author is asked for once; who has left the server has no roles. */
async function withMembers(call: Call, { messages, place, guild }: Page, signal: AbortSignal): Promise<Found[]> {
  const members = new Map<string, WireMember | undefined>();
  const found: Found[] = [];
  for (const message of messages) {
    const { id, bot } = message.author;
    if (!members.has(id) && bot !== true) members.set(id, await memberOf(call, { guild, user: id }, signal));
    const member = members.get(id);
    found.push({ message: member === undefined ? message : { ...message, member }, place });
  }
  return found;
}

const UNKNOWN_MEMBER = 10_007;

async function memberOf(
  call: Call,
  { guild, user }: { guild: string; user: string },
  signal: AbortSignal,
): Promise<WireMember | undefined> {
  try {
    const answer = await call({ method: 'GET', route: Routes.guildMember(guild, user) }, signal);
    return messageSchema.shape.member.safeParse(answer).data ?? undefined;
  } catch (error) {
    if (isRefusal(error, UNKNOWN_MEMBER, ...GONE)) return undefined;
    throw error;
  }
}
