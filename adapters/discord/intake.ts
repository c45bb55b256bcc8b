/** From the gateway's events to `host.receive`. Discord acknowledges nothing and repeats nothing: what was missed is read from its history. */
import type { Host } from '../adapter.ts';
import { gateRules } from '../shared/gate.ts';
import { type CodecContext, decodeMessage, type Found, isListed, textOf } from './codec.ts';
import { createGaps } from './gaps.ts';
import type { History } from './history.ts';
import type { Homes } from './homes.ts';
import { decodeInteraction } from './interactions.ts';
import type { Place, Places } from './places.ts';
import type { DiscordConfig } from './platform.ts';
import type { Replies } from './replies.ts';
import { guildSchema, interactionSchema, messageSchema, readySchema, type WireMessage } from './wire.ts';

export interface Me {
  readonly id: string;
  readonly application: string;
}

export interface Intake {
  /** An event of the gateway, in order. */
  packet(type: string, data: unknown, signal: AbortSignal): void;
  /** Undefined until the first READY. */
  me(): Me | undefined;
  /** What a message says, as people read it. */
  textOf(message: WireMessage): string;
}

export interface IntakeParts {
  readonly config: DiscordConfig;
  readonly host: Host;
  readonly places: Places;
  readonly replies: Replies;
  readonly history: History;
  readonly homes: Homes;
  readonly now: () => number;
  /** A new session began. */
  introduced(me: Me, signal: AbortSignal): void;
}

export function createIntake(parts: IntakeParts): Intake {
  const { host, places } = parts;
  let me: Me | undefined;
  const context = contextOf(parts, () => me?.id ?? '');
  const gaps = createGaps({ ...parts, decode: (found) => decodeMessage(found, context) });
  const meet = messenger({ ...parts, gaps, context });
  const ready = (data: unknown, signal: AbortSignal): void => {
    const parsed = readySchema.safeParse(data);
    if (!parsed.success) return;
    me = { id: parsed.data.user.id, application: parsed.data.application.id };
    gaps.sessionBegins(
      parsed.data.guilds.map(({ id }) => id),
      signal,
    );
    parts.introduced(me, signal);
  };
  return {
    me: () => me,
    textOf: (message) => textOf(message, context),
    packet(type, data, signal) {
      if (type === 'READY') ready(data, signal);
      else if (type === 'MESSAGE_CREATE') meet(data, signal);
      else if (type === 'INTERACTION_CREATE') interact(parts, data);
      else {
        places.event(type, data, me?.id);
        const guild = type === 'GUILD_CREATE' ? guildSchema.safeParse(data).data : undefined;
        if (guild !== undefined && guild.unavailable !== true)
          gaps.guildAppears({ id: guild.id, joinedAtMs: Date.parse(guild.joined_at) }, signal);
      }
      if (me === undefined && type !== 'READY') host.log.warn({ type }, 'An event came before the session began.');
    },
  };
}

function contextOf({ config, host, places }: IntakeParts, id: () => string): CodecContext {
  return {
    account: host.account,
    me: {
      get id() {
        return id();
      },
      roles: places.ownRoles(),
    },
    rules: gateRules(config),
    bots: config.allow_bots,
    onlyChats: config.allowed_chats,
    autoThread: config.auto_thread,
    noThreadChats: config.no_thread_chats,
    threadRequireMention: config.thread_require_mention,
    ignoreNoMention: config.ignore_no_mention,
    nameOf: places.nameOf,
  };
}

type Gaps = ReturnType<typeof createGaps>;

/** Messages of a place that is not known yet wait until it is, in their order. */
function messenger(parts: IntakeParts & { readonly gaps: Gaps; readonly context: CodecContext }) {
  const { host, places, history, gaps } = parts;
  const waiting = new Map<string, WireMessage[]>();
  const look = async (channel: string, signal: AbortSignal): Promise<void> => {
    const place = await history.place(channel, signal).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      if (!signal.aborted) host.log.warn({ channel }, `Where a message was written could not be found out. It is fetched again. ${why}`);
      return 'unknown' as const;
    });
    const messages = waiting.get(channel) ?? [];
    waiting.delete(channel);
    const [first] = messages;
    if (place === undefined || first === undefined || signal.aborted) return;
    if (place === 'unknown') gaps.owe(channel, first.id, signal);
    else for (const message of messages) take(parts, { message, place }, signal);
  };
  return (data: unknown, signal: AbortSignal): void => {
    const parsed = messageSchema.safeParse(data);
    if (!parsed.success) {
      host.log.warn(
        { at: parsed.error.issues.map(({ path }) => path.join('.')).join(', ') },
        'A message was skipped, because it is not as documented.',
      );
      return;
    }
    const message = parsed.data;
    const { channel_id: channel, guild_id: guild } = message;
    const inLine = waiting.get(channel);
    const place: Place | undefined =
      guild === undefined || guild === null ? { chat: channel, joined: true, threads: false } : places.of(channel);
    if (inLine !== undefined) inLine.push(message);
    else if (place !== undefined) take(parts, { message, place }, signal);
    else {
      waiting.set(channel, [message]);
      void look(channel, signal);
    }
  };
}

function take({ gaps, context }: { gaps: Gaps; context: CodecContext }, found: Found, signal: AbortSignal): void {
  const decoded = decodeMessage(found, context);
  const { id, channel_id: channel } = found.message;
  if (decoded.type === 'ignored') {
    gaps.passed(channel, id);
    return;
  }
  gaps.live(channel, found, signal);
}

function interact({ config, host, replies }: IntakeParts, data: unknown): void {
  const parsed = interactionSchema.safeParse(data);
  if (!parsed.success) return;
  const decoded = decodeInteraction(parsed.data, host.account);
  if (decoded.type === 'ignored') {
    if (decoded.ticket?.kind === 'click') replies.defer(decoded.ticket);
    return;
  }
  const { chat, chatType } = decoded.event;
  const only = config.allowed_chats;
  if (chatType === 'group' && (isListed(chat, config.ignored_chats) || (only.length > 0 && !isListed(chat, only)))) return;
  try {
    host.receive([decoded.event]);
  } catch (error) {
    // Unanswered, Discord tells the person that it failed.
    host.log.warn({ why: error instanceof Error ? error.message : String(error) }, 'A command or click could not be stored.');
    return;
  }
  replies.defer(decoded.ticket);
}
