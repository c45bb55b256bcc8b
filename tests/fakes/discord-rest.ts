/** The fake's HTTP API: routes and what each refuses. Unknown routes are 404, as with Discord. */
import { checkBody, checkCommands } from './discord-body.ts';
import type { createInteractions } from './discord-interactions.ts';
import { refuse } from './discord-refusal.ts';
import { type FakeChannel, isThread, type World } from './discord-world.ts';
import type { UploadedFile } from './multipart.ts';

export interface RestCall {
  readonly method: string;
  /** Below `/api/v10`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>> | readonly unknown[];
  readonly files: readonly UploadedFile[];
}

export interface RestContext {
  readonly world: World;
  readonly interactions: ReturnType<typeof createInteractions>;
  readonly applicationId: string;
  readonly uploadLimitBytes: number;
  readonly gatewayInfo: () => object;
  readonly now: () => number;
  dispatch(t: string, d: unknown): void;
}

/** Undefined: 204. */
type Answer = object | undefined;
type Handler = (params: readonly string[], call: RestCall) => Answer;

const NONCE_MS = 300_000;
const VOICE_MESSAGE = 1 << 13;

export function createRest(context: RestContext) {
  const { world, interactions, dispatch, now } = context;
  const typing: { readonly channel: string; readonly at: number }[] = [];
  const blocked = new Set<string>();
  let commands: readonly Record<string, unknown>[] | undefined;

  const bodyOf = (call: RestCall): Readonly<Record<string, unknown>> =>
    Array.isArray(call.body) ? {} : (call.body as Record<string, unknown>);
  const may = (channel: FakeChannel, what: string): void => {
    if (channel.denied.has(what)) throw refuse.missingPermissions();
  };
  const checked = (call: RestCall) => checkBody(bodyOf(call), call.files, context.uploadLimitBytes);

  const post: Handler = ([id = ''], call) => {
    const channel = world.channel(id);
    if ([4, 15, 16].includes(channel.type)) throw refuse.noText();
    may(channel, 'send');
    if (channel.type === 1 && [...channel.members].some((member) => blocked.has(member))) throw refuse.cannotWriteToUser();
    const raw = bodyOf(call);
    const body = checked(call);
    if ((body.flags & VOICE_MESSAGE) !== 0 && channel.denied.has('voice')) throw refuse.noVoice();
    const list = world.messages.get(id) ?? [];
    const twin = list.find(
      (one) => one.author === world.bot && one.nonce !== undefined && one.nonce === body.nonce && now() - one.sentAt < NONCE_MS,
    );
    if (raw['enforce_nonce'] === true && twin !== undefined) return world.messageJson(twin);
    const replyTo = referenceOf(
      raw['message_reference'],
      list.map((one) => one.id),
    );
    const message = world.add({ channel, author: world.bot, body, files: call.files, replyTo });
    dispatch('MESSAGE_CREATE', world.messageJson(message, true));
    return world.messageJson(message);
  };

  const startThread: Handler = ([id = '', messageId = ''], call) => {
    const channel = world.channel(id);
    may(channel, 'threads');
    if (![0, 5].includes(channel.type)) throw refuse.wrongChannelType();
    world.find(id, messageId);
    if (world.channels.has(messageId)) throw refuse.threadExists();
    const name = String(bodyOf(call)['name'] ?? '');
    if (name.length < 1 || [...name].length > 100)
      throw refuse.form('name', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 100 in length.');
    const thread: FakeChannel = {
      id: messageId,
      type: 11,
      guild: channel.guild,
      name,
      parent: id,
      owner: world.bot.id,
      members: new Set([world.bot.id]),
      denied: new Set(),
      archived: false,
    };
    world.channels.set(thread.id, thread);
    dispatch('THREAD_CREATE', { ...world.channelJson(thread), newly_created: true });
    return world.channelJson(thread);
  };

  const patch: Handler = ([id = '', messageId = ''], call) => {
    const channel = world.channel(id);
    const message = world.find(id, messageId);
    if (message.author !== world.bot) throw refuse.notOurs();
    if (isThread(channel) && channel.archived) throw refuse.form('_', '50083', 'Thread is archived');
    const raw = bodyOf(call);
    const { content, buttons, flags } = checked(call);
    Object.assign(message, {
      content,
      ...(raw['components'] === undefined ? {} : { buttons }),
      ...(raw['flags'] === undefined ? {} : { flags }),
      edits: message.edits + 1,
    });
    return world.messageJson(message);
  };

  /** The oldest ones behind `after`, told newest first. */
  const history: Handler = ([id = ''], { query }) => {
    world.channel(id);
    const limit = Number(query.get('limit') ?? 50);
    if (limit < 1 || limit > 100) throw refuse.form('limit', 'NUMBER_TYPE_MAX', 'int value should be less than or equal to 100.');
    const after = BigInt(query.get('after') ?? 0);
    const found = (world.messages.get(id) ?? []).filter((one) => BigInt(one.id) > after).slice(0, limit);
    return found.reverse().map((one) => world.messageJson(one));
  };

  const react = (add: boolean): Handler => {
    return ([id = '', messageId = '', emoji = '']) => {
      may(world.channel(id), 'react');
      const { reactions } = world.find(id, messageId);
      const mark = { emoji: decodeURIComponent(emoji), user: world.bot.id };
      const at = reactions.findIndex((one) => one.emoji === mark.emoji && one.user === mark.user);
      if (add && at < 0) reactions.push(mark);
      if (!add && at >= 0) reactions.splice(at, 1);
      return undefined;
    };
  };

  const routes: readonly (readonly [string, RegExp, Handler])[] = [
    ['GET', /^\/gateway\/bot$/, () => context.gatewayInfo()],
    ['GET', /^\/users\/@me$/, () => world.bot],
    ['GET', /^\/channels\/(\d+)$/, ([id = '']) => world.channelJson(world.channel(id))],
    ['GET', /^\/channels\/(\d+)\/messages$/, history],
    ['POST', /^\/channels\/(\d+)\/messages$/, post],
    [
      'GET',
      /^\/channels\/(\d+)\/messages\/(\d+)$/,
      ([id = '', message = '']) => world.messageJson(world.find(world.channel(id).id, message)),
    ],
    ['PATCH', /^\/channels\/(\d+)\/messages\/(\d+)$/, patch],
    [
      'DELETE',
      /^\/channels\/(\d+)\/messages\/(\d+)$/,
      ([id = '', message = '']) => void world.remove(world.find(world.channel(id).id, message)),
    ],
    ['POST', /^\/channels\/(\d+)\/typing$/, ([id = '']) => void typing.push({ channel: world.channel(id).id, at: now() })],
    ['PUT', /^\/channels\/(\d+)\/messages\/(\d+)\/reactions\/([^/]+)\/@me$/, react(true)],
    ['DELETE', /^\/channels\/(\d+)\/messages\/(\d+)\/reactions\/([^/]+)\/@me$/, react(false)],
    ['POST', /^\/channels\/(\d+)\/messages\/(\d+)\/threads$/, startThread],
    ['GET', /^\/guilds\/(\d+)\/members\/(\d+)$/, member],
    ['PUT', /^\/applications\/(\d+)\/commands$/, register],
    [
      'POST',
      /^\/interactions\/(\d+)\/([^/]+)\/callback$/,
      ([id = '', token = ''], call) => void interactions.callback(id, token, bodyOf(call)),
    ],
    [
      'PATCH',
      /^\/webhooks\/(\d+)\/([^/]+)\/messages\/(?:@|%40)original$/,
      ([, token = ''], call) => world.messageJson(interactions.edit(token, checked(call))),
    ],
    ['DELETE', /^\/webhooks\/(\d+)\/([^/]+)\/messages\/(?:@|%40)original$/, ([, token = '']) => void interactions.withdraw(token)],
    ['POST', /^\/webhooks\/(\d+)\/([^/]+)$/, ([, token = ''], call) => followUp(token, call)],
  ];

  function member([guildId = '', userId = '']: readonly string[]): Answer {
    const found = world.guilds.get(guildId)?.members.get(userId);
    if (found === undefined) throw refuse.unknownMember();
    return { ...found, user: world.user(userId) };
  }

  function register([application = '']: readonly string[], { body }: RestCall): Answer {
    if (application !== context.applicationId) throw refuse.missingAccess();
    commands = checkCommands(body);
    return commands;
  }

  function followUp(token: string, call: RestCall): Answer {
    const message = interactions.followUp(token, checked(call));
    return message === undefined ? { id: world.newId(), flags: 64 } : world.messageJson(message);
  }

  return {
    typing: typing as readonly { readonly channel: string; readonly at: number }[],
    blocked,
    commands: () => commands,
    /** These authorise themselves by the token in their path. */
    isOpen: (path: string): boolean => /^\/(?:interactions|webhooks)\//.test(path),
    perform(call: RestCall): Answer {
      for (const [method, pattern, handler] of routes) {
        const match = method === call.method ? pattern.exec(call.path) : null;
        if (match !== null) return handler(match.slice(1), call);
      }
      throw refuse.notFound();
    },
  };
}

function referenceOf(reference: unknown, known: readonly string[]): string | undefined {
  if (typeof reference !== 'object' || reference === null || !('message_id' in reference)) return undefined;
  const id = String(reference.message_id);
  if (known.includes(id)) return id;
  if ('fail_if_not_exists' in reference && reference.fail_if_not_exists === false) return undefined;
  throw refuse.form('message_reference', 'MESSAGE_REFERENCE_UNKNOWN_MESSAGE', 'Unknown message');
}
