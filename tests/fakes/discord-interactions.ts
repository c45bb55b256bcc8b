/** The fake's interactions: three seconds for the first answer, a quarter of an hour for the rest. */
import type { CheckedBody } from './discord-body.ts';
import { refuse } from './discord-refusal.ts';
import type { FakeChannel, FakeMessage, FakeUser, World } from './discord-world.ts';

export interface FakeInteraction {
  readonly id: string;
  readonly token: string;
  readonly channel: FakeChannel;
  readonly user: FakeUser;
  readonly type: number;
  /** The type of the first answer. */
  answer: number | undefined;
  answeredAfterMs: number | undefined;
  /** The reply that it waits for; its content is empty until it is given. */
  original: FakeMessage | undefined;
  withdrawn: boolean;
  /** What only the person sees. */
  readonly whispers: string[];
  readonly at: number;
  expired: boolean;
}

const FIRST_ANSWER_MS = 3000;
const EPHEMERAL = 1 << 6;
const LOADING = 1 << 7;

export function createInteractions(world: World, applicationId: string, now: () => number) {
  const all: FakeInteraction[] = [];

  function make(type: number, where: { readonly channel: FakeChannel; readonly user: FakeUser }, data: Record<string, unknown>) {
    const id = world.newId();
    const interaction: FakeInteraction = {
      id,
      token: `token-${id}-${Math.random().toString(36).slice(2)}`,
      ...where,
      type,
      answer: undefined,
      answeredAfterMs: undefined,
      original: undefined,
      withdrawn: false,
      whispers: [],
      at: now(),
      expired: false,
    };
    all.push(interaction);
    const { channel, user } = where;
    const member = channel.guild === undefined ? undefined : world.guilds.get(channel.guild)?.members.get(user.id);
    const person = { id: user.id, username: user.username, global_name: user.global_name, discriminator: '0', avatar: null };
    return {
      id,
      application_id: applicationId,
      type,
      token: interaction.token,
      version: 1,
      channel_id: channel.id,
      channel: world.channelJson(channel),
      locale: 'en-US',
      entitlements: [],
      authorizing_integration_owners: {},
      context: channel.guild === undefined ? 1 : 0,
      ...(channel.guild === undefined
        ? { user: person }
        : {
            guild_id: channel.guild,
            member: {
              user: person,
              nick: member?.nick ?? null,
              roles: member?.roles ?? [],
              permissions: '0',
              joined_at: '2024-01-01T00:00:00.000000+00:00',
            },
          }),
      ...data,
    };
  }

  function callback(id: string, token: string, body: Readonly<Record<string, unknown>>): void {
    const interaction = all.find((one) => one.id === id && one.token === token);
    const late = interaction !== undefined && now() - interaction.at > FIRST_ANSWER_MS;
    if (interaction === undefined || late || interaction.expired) throw refuse.unknownInteraction();
    if (interaction.answer !== undefined) throw refuse.answered();
    const type = Number(body['type']);
    if (!(interaction.type === 2 ? [4, 5] : [4, 5, 6, 7]).includes(type))
      throw refuse.form('type', 'BASE_TYPE_CHOICES', 'Not an answer to this.');
    interaction.answer = type;
    interaction.answeredAfterMs = now() - interaction.at;
    if (type === 5) {
      const empty: CheckedBody = { content: '', buttons: [], nonce: undefined, flags: LOADING, pings: [] };
      interaction.original = world.add({ channel: interaction.channel, author: world.bot, body: empty });
    }
  }

  function withToken(token: string): FakeInteraction {
    const interaction = all.find((one) => one.token === token);
    if (interaction === undefined || interaction.expired) throw refuse.invalidToken();
    return interaction;
  }

  function originalOf(token: string): FakeMessage {
    const { original, withdrawn } = withToken(token);
    if (original === undefined || withdrawn) throw refuse.unknownMessage();
    return original;
  }

  return {
    all: all as readonly FakeInteraction[],
    make,
    callback,
    edit(token: string, body: CheckedBody): FakeMessage {
      const message = originalOf(token);
      Object.assign(message, { content: body.content, buttons: body.buttons, flags: message.flags & ~LOADING, edits: message.edits + 1 });
      return message;
    },
    withdraw(token: string): void {
      world.remove(originalOf(token));
      withToken(token).withdrawn = true;
    },
    followUp(token: string, body: CheckedBody): FakeMessage | undefined {
      const interaction = withToken(token);
      if (interaction.answer === undefined) throw refuse.unknownMessage();
      if ((body.flags & EPHEMERAL) === 0) return world.add({ channel: interaction.channel, author: world.bot, body });
      interaction.whispers.push(body.content);
      return undefined;
    },
    expire(): void {
      for (const interaction of all) interaction.expired = true;
    },
  };
}

/** What stands there until the reply is given. */
export function isThinking({ flags }: FakeMessage): boolean {
  return (flags & LOADING) !== 0;
}
