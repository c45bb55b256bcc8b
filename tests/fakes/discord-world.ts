/** People, servers, channels, threads and messages of the fake Discord: what is there, and how the API and the gateway write it. */
import type { CheckedBody, FakeButton } from './discord-body.ts';
import { refuse } from './discord-refusal.ts';
import type { UploadedFile } from './multipart.ts';

const EPOCH_MS = 1_420_070_400_000;
const THREADS = [10, 11, 12];

export interface FakeUser {
  readonly id: string;
  readonly username: string;
  readonly global_name: string | null;
  readonly bot: boolean;
}

export interface FakeChannel {
  readonly id: string;
  readonly type: number;
  readonly guild: string | undefined;
  readonly name: string;
  readonly parent: string | undefined;
  readonly owner: string | undefined;
  /** Threads: who is in it. Direct chats: who talks with the bot. */
  readonly members: Set<string>;
  /** What the bot may not do here: `view`, `send`, `threads`, `react`. */
  readonly denied: Set<string>;
  archived: boolean;
}

export interface FakeGuild {
  readonly id: string;
  readonly name: string;
  /** When the bot came to it. */
  readonly joinedAt: string;
  readonly roles: readonly { readonly id: string; readonly name: string; readonly tags?: { readonly bot_id: string } }[];
  /** Roles of members, by user. */
  readonly members: Map<string, { readonly nick: string | null; readonly roles: readonly string[] }>;
}

export interface FakeFile {
  readonly id: string;
  readonly filename: string;
  readonly content_type: string;
  readonly content: Buffer;
}

export interface FakeMessage {
  readonly id: string;
  readonly channel: string;
  readonly author: FakeUser;
  content: string;
  buttons: readonly FakeButton[];
  readonly files: readonly FakeFile[];
  readonly replyTo: string | undefined;
  readonly nonce: string | undefined;
  readonly type: number;
  flags: number;
  edits: number;
  /** Emoji by who put it. */
  readonly reactions: { readonly emoji: string; readonly user: string }[];
  readonly pings: readonly string[];
  readonly sentAt: number;
  /** Further fields of the payload, over the ones made here. */
  readonly extra: Readonly<Record<string, unknown>>;
}

export interface NewMessage {
  readonly channel: FakeChannel;
  readonly author: FakeUser;
  readonly body: CheckedBody;
  readonly files?: readonly UploadedFile[];
  readonly replyTo?: string | undefined;
  readonly extra?: Readonly<Record<string, unknown>>;
}

export interface World {
  readonly bot: FakeUser;
  readonly users: Map<string, FakeUser>;
  readonly guilds: Map<string, FakeGuild>;
  readonly channels: Map<string, FakeChannel>;
  readonly messages: Map<string, FakeMessage[]>;
  newId(): string;
  user(id: string, more?: Partial<FakeUser>): FakeUser;
  channel(id: string): FakeChannel;
  find(channel: string, id: string): FakeMessage;
  add(message: NewMessage): FakeMessage;
  remove(message: FakeMessage): void;
  channelJson(channel: FakeChannel): Record<string, unknown>;
  guildJson(guild: FakeGuild): Record<string, unknown>;
  /** As the API tells it; `live`: as the gateway does, with server and member. */
  messageJson(message: FakeMessage, live?: boolean): Record<string, unknown>;
  /** Addresses of files that were told so far work no longer. */
  expireFiles(): void;
  file(id: string, signature: string): FakeFile | undefined;
}

export function isThread({ type }: FakeChannel): boolean {
  return THREADS.includes(type);
}

export function createWorld({ botId, root, now }: { botId: string; root: () => string; now: () => number }): World {
  const bot: FakeUser = { id: botId, username: 'hermes', global_name: 'Hermes', bot: true };
  const users = new Map([[botId, bot]]);
  const guilds: World['guilds'] = new Map();
  const channels: World['channels'] = new Map();
  const messages: World['messages'] = new Map();
  const files = new Map<string, FakeFile>();
  let sequence = 0;
  let signature = 1;

  const newId = (): string => {
    sequence += 1;
    return String((BigInt(Math.floor(now() - EPOCH_MS)) << 22n) + BigInt(sequence % (1 << 22)));
  };
  const listOf = (channel: string): FakeMessage[] => {
    const list = messages.get(channel) ?? [];
    messages.set(channel, list);
    return list;
  };
  const userJson = (user: FakeUser): Record<string, unknown> => ({
    ...user,
    discriminator: '0',
    avatar: null,
    ...(user.bot ? {} : { bot: undefined }),
  });
  const memberOf = (guild: string | undefined, user: string): Record<string, unknown> | undefined => {
    if (guild === undefined) return undefined;
    const member = guilds.get(guild)?.members.get(user) ?? { nick: null, roles: [] };
    return { ...member, joined_at: '2024-01-01T00:00:00.000000+00:00', deaf: false, mute: false, flags: 0 };
  };
  const fileJson = (file: FakeFile, channel: string): Record<string, unknown> => ({
    id: file.id,
    filename: file.filename,
    size: file.content.length,
    content_type: file.content_type,
    url: `${root()}/attachments/${channel}/${file.id}/${encodeURIComponent(file.filename)}?ex=ffffffff&is=0&hm=${signature}`,
    proxy_url: `${root()}/attachments/${channel}/${file.id}/${encodeURIComponent(file.filename)}`,
  });

  const world: World = {
    bot,
    users,
    guilds,
    channels,
    messages,
    newId,
    user(id, more = {}) {
      const user = {
        ...(users.get(id) ?? { id, username: `user_${id.slice(-4)}`, global_name: `User ${id.slice(-4)}`, bot: false }),
        ...more,
      };
      users.set(id, user);
      return user;
    },
    channel(id) {
      const found = channels.get(id);
      if (found === undefined) throw refuse.unknownChannel();
      if (found.denied.has('view')) throw refuse.missingAccess();
      return found;
    },
    find(channel, id) {
      const message = messages.get(channel)?.find((one) => one.id === id);
      if (message === undefined) throw refuse.unknownMessage();
      return message;
    },
    add({ channel, author, body, files: uploaded = [], replyTo, extra = {} }) {
      const kept = uploaded.map((file): FakeFile => ({ id: newId(), filename: file.name, content_type: file.type, content: file.content }));
      for (const file of kept) files.set(file.id, file);
      const message: FakeMessage = {
        id: newId(),
        channel: channel.id,
        author,
        content: body.content,
        buttons: body.buttons,
        files: kept,
        replyTo,
        nonce: body.nonce,
        type: replyTo === undefined ? 0 : 19,
        flags: body.flags,
        edits: 0,
        reactions: [],
        pings: body.pings,
        sentAt: now(),
        extra,
      };
      listOf(channel.id).push(message);
      channel.archived = false;
      if (isThread(channel)) channel.members.add(author.id);
      return message;
    },
    remove(message) {
      messages.set(
        message.channel,
        listOf(message.channel).filter((one) => one !== message),
      );
    },
    channelJson(channel) {
      const { id, type, guild, name, parent, owner, members, archived } = channel;
      const base = { id, type, name, guild_id: guild, parent_id: parent ?? null, last_message_id: messages.get(id)?.at(-1)?.id ?? null };
      if (type === 1)
        return { id, type, last_message_id: base.last_message_id, recipients: [...members].map((one) => userJson(world.user(one))) };
      if (!isThread(channel)) return { ...base, position: 0, permission_overwrites: [] };
      const joined = members.has(botId)
        ? { member: { id, user_id: botId, join_timestamp: '2024-01-01T00:00:00.000000+00:00', flags: 0 } }
        : {};
      const metadata = { archived, locked: false, auto_archive_duration: 1440, archive_timestamp: '2024-01-01T00:00:00.000000+00:00' };
      return { ...base, owner_id: owner, thread_metadata: metadata, message_count: 0, member_count: members.size, ...joined };
    },
    guildJson({ id, name, roles, joinedAt }) {
      const mine = [...channels.values()].filter(({ guild, denied }) => guild === id && !denied.has('view'));
      return {
        id,
        name,
        roles: roles.map((role) => ({
          ...role,
          permissions: '0',
          position: 0,
          color: 0,
          hoist: false,
          managed: role.tags !== undefined,
          mentionable: true,
        })),
        channels: mine.filter((channel) => !isThread(channel)).map(world.channelJson),
        threads: mine.filter((channel) => isThread(channel) && !channel.archived).map(world.channelJson),
        members: [],
        presences: [],
        voice_states: [],
        emojis: [],
        stickers: [],
        stage_instances: [],
        guild_scheduled_events: [],
        soundboard_sounds: [],
        features: [],
        member_count: 2,
        joined_at: joinedAt,
        unavailable: false,
        large: false,
        owner_id: '100000000000000001',
        preferred_locale: 'en-US',
        verification_level: 0,
        default_message_notifications: 0,
        explicit_content_filter: 0,
        mfa_level: 0,
        premium_tier: 0,
        nsfw_level: 0,
        system_channel_flags: 0,
      };
    },
    messageJson(message, live = false) {
      const { guild } = channels.get(message.channel) ?? {};
      const mentioned = [...message.content.matchAll(/<@!?(\d+)>/g)].flatMap(([, id = '']) => (users.has(id) ? [world.user(id)] : []));
      const replied = message.replyTo === undefined ? undefined : messages.get(message.channel)?.find(({ id }) => id === message.replyTo);
      const mentions = replied === undefined || message.extra['mention_reply'] === false ? mentioned : [...mentioned, replied.author];
      return {
        id: message.id,
        channel_id: message.channel,
        type: message.type,
        author: userJson(message.author),
        content: message.content,
        timestamp: new Date(message.sentAt).toISOString(),
        edited_timestamp: message.edits === 0 ? null : new Date(now()).toISOString(),
        tts: false,
        mention_everyone: message.pings.some((ping) => ping.startsWith('@')),
        mentions: mentions.map(userJson),
        mention_roles: [...message.content.matchAll(/<@&(\d+)>/g)].map(([, id]) => id),
        attachments: message.files.map((file) => fileJson(file, message.channel)),
        embeds: [],
        components:
          message.buttons.length === 0
            ? []
            : [{ type: 1, components: message.buttons.map((button) => ({ type: 2, style: 2, ...button })) }],
        flags: message.flags,
        pinned: false,
        ...(message.replyTo === undefined
          ? {}
          : { message_reference: { type: 0, message_id: message.replyTo, channel_id: message.channel, guild_id: guild } }),
        ...(message.replyTo === undefined ? {} : { referenced_message: replied === undefined ? null : world.messageJson(replied) }),
        ...(live && guild !== undefined ? { guild_id: guild, member: memberOf(guild, message.author.id) } : {}),
        ...(live && message.nonce !== undefined ? { nonce: message.nonce } : {}),
        ...message.extra,
      };
    },
    expireFiles() {
      signature += 1;
    },
    file: (id, given) => (given === String(signature) ? files.get(id) : undefined),
  };
  return world;
}
