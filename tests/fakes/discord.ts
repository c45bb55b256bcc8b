/**
 * A small Discord that refuses what Discord refuses: HTTP API, gateway and files on one port, for the real client. Its state outlives the
 * gateway under test: people may write while that is dead, and what they wrote is in the history.
 */
import { EventEmitter } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { checkBody } from './discord-body.ts';
import { createGateway, type FakeGateway, type SessionLimit } from './discord-gateway.ts';
import { createInteractions, type FakeInteraction, isThinking } from './discord-interactions.ts';
import { renderDiscord } from './discord-markdown.ts';
import { DiscordRefusal, refuse } from './discord-refusal.ts';
import { createRest } from './discord-rest.ts';
import { createWorld, type FakeChannel, type FakeGuild, type FakeMessage, type FakeUser, type World } from './discord-world.ts';
import { parseBody, type UploadedFile } from './multipart.ts';

export type { FakeMessage } from './discord-world.ts';

export const FAKE_DISCORD_TOKEN = 'MTAwMDAwMDAwMDAwMDAwMDAx.FAKEfa.FAKEfakeFAKEfakeFAKEfakeFAKEfakeFA';

export interface DiscordCall {
  /** Arrival, ms since the epoch with fractions. */
  readonly t: number;
  readonly method: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>> | readonly unknown[];
  readonly files: readonly UploadedFile[];
  status?: number;
}

export type DiscordFault =
  | {
      readonly status: number;
      readonly code?: number;
      readonly message?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly extra?: object;
    }
  | 'hang'
  | 'reset-before'
  /** Does what was asked, then drops the connection instead of answering. */
  | 'reset-after';

export interface DiscordOptions {
  readonly host?: string;
  readonly port?: number;
  readonly token?: string;
  readonly heartbeatMs?: number;
  /** The intent is switched on in the portal. */
  readonly messageContent?: boolean;
  readonly uploadLimitBytes?: number;
  /** Five messages in so many ms in a channel (with Discord 5000), enforced with 429. */
  readonly rateWindowMs?: number;
}

interface Say {
  readonly channel: string;
  readonly text: string;
  /** Not given: in a direct chat its person, elsewhere the owner of the server. */
  readonly user?: string;
  readonly replyTo?: string;
  readonly files?: readonly UploadedFile[];
  readonly extra?: Readonly<Record<string, unknown>>;
}

export interface FakeDiscord {
  /** What a client takes as base URL, and as the host of files. */
  readonly root: string;
  readonly token: string;
  readonly botId: string;
  readonly applicationId: string;
  readonly world: World;
  readonly gateway: FakeGateway;
  readonly limit: SessionLimit;
  readonly calls: readonly DiscordCall[];
  readonly typing: readonly { readonly channel: string; readonly at: number }[];
  readonly interactions: readonly FakeInteraction[];
  readonly commands: () => readonly Record<string, unknown>[] | undefined;
  /** The person's direct chat with the bot; made at the first call. */
  dm(user: string): string;
  addGuild(more?: Partial<FakeGuild>): FakeGuild;
  /** The bot was invited while it was connected: now it is told. */
  appear(guild: FakeGuild): void;
  addChannel(guild: string, more?: Partial<FakeChannel>): FakeChannel;
  addUser(id: string, more?: Partial<FakeUser>): FakeUser;
  /** Somebody writes. While no connection listens it is in the history only. */
  say(said: Say): FakeMessage;
  /** Throws where there is no such button. */
  click(where: { readonly channel: string; readonly message: string; readonly user?: string }, label: string): FakeInteraction;
  command(where: { readonly channel: string; readonly user?: string }, name: string, args?: string): FakeInteraction;
  /** All interactions so far can be answered no more. */
  expireInteractions(): void;
  expireFiles(): void;
  /** The person does not let the bot write. */
  block(user: string): void;
  /** The bot's messages as they are now, oldest first. */
  messages(channel: string): readonly FakeMessage[];
  /** The same as people read them, marks taken out. */
  visible(channel: string): readonly string[];
  waitFor(predicate: () => unknown, ms?: number): Promise<void>;
  /** `what`: method and the beginning of the path, e.g. "POST /channels". Strikes once, n times, or while the predicate holds. Later plans win. */
  fail(what: string, how: DiscordFault, times?: number | ((call: DiscordCall) => boolean)): void;
  heal(): void;
  close(): Promise<void>;
}

const now = (): number => performance.timeOrigin + performance.now();

function matcher(times: number | ((call: DiscordCall) => boolean)): (call: DiscordCall) => boolean {
  if (typeof times === 'function') return times;
  let left = times;
  return () => left > 0 && left-- > 0;
}

export async function startFakeDiscord(options: DiscordOptions = {}): Promise<FakeDiscord> {
  const { host = '127.0.0.1', port = 0, token = FAKE_DISCORD_TOKEN } = options;
  const botId = '100000000000000001';
  const applicationId = '100000000000000002';
  const owner = '200000000000000001';
  const bus = new EventEmitter();
  bus.setMaxListeners(0);
  const changed = (): void => void bus.emit('changed');
  const calls: DiscordCall[] = [];
  const faults: { readonly what: string; readonly how: DiscordFault; readonly strikes: (call: DiscordCall) => boolean }[] = [];
  const limit: SessionLimit = { total: 1000, remaining: 1000, resetAfterMs: 86_400_000 };
  const server = http.createServer();
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const address = `${host}:${(server.address() as AddressInfo).port}`;
  const root = `http://${address}`;
  const world = createWorld({ botId, root: () => root, now });
  const interactions = createInteractions(world, applicationId, now);
  const gateway = createGateway(server, {
    token,
    applicationId,
    heartbeatMs: options.heartbeatMs ?? 200,
    messageContent: options.messageContent ?? true,
    limit,
    world,
    url: () => `ws://${address}`,
    changed,
  });
  const rest = createRest({
    world,
    interactions,
    applicationId,
    uploadLimitBytes: options.uploadLimitBytes ?? 10 * 1024 * 1024,
    now,
    dispatch: gateway.dispatch,
    gatewayInfo: () => ({
      url: `ws://${address}`,
      shards: 1,
      session_start_limit: { total: limit.total, remaining: limit.remaining, reset_after: limit.resetAfterMs, max_concurrency: 1 },
    }),
  });
  const buckets = new Map<string, { startedAt: number; used: number }>();

  function answer(response: http.ServerResponse, status: number, body: object | undefined, headers: Record<string, string> = {}): void {
    if (response.writableEnded || response.destroyed) return;
    if (body === undefined) response.writeHead(status, headers).end();
    else response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  }

  function refused(response: http.ServerResponse, { status, code, message, extra }: DiscordRefusal): void {
    answer(response, status, { message, code, ...extra });
  }

  const windowMs = options.rateWindowMs ?? 0;

  /** Five messages in a window, as the headers tell. */
  function limited({ method, path }: DiscordCall): { readonly headers: Record<string, string>; readonly exceeded: boolean } {
    const route = method === 'POST' ? /^\/channels\/(\d+)\/messages$/.exec(path) : null;
    if (windowMs === 0 || route === null) return { headers: {}, exceeded: false };
    const key = route[1] ?? '';
    const known = buckets.get(key);
    const bucket = known !== undefined && now() - known.startedAt < windowMs ? known : { startedAt: now(), used: 0 };
    buckets.set(key, bucket);
    const exceeded = bucket.used >= 5;
    if (!exceeded) bucket.used += 1;
    const resetAfter = ((windowMs - (now() - bucket.startedAt)) / 1000).toFixed(3);
    const headers = {
      'x-ratelimit-limit': '5',
      'x-ratelimit-remaining': String(5 - bucket.used),
      'x-ratelimit-reset-after': resetAfter,
      'x-ratelimit-bucket': 'messages',
    };
    return { headers: exceeded ? { ...headers, 'retry-after': resetAfter, 'x-ratelimit-scope': 'user' } : headers, exceeded };
  }

  /** True when the call was dealt with and must not be worked on. */
  function strike(how: DiscordFault | undefined, call: DiscordCall, response: http.ServerResponse): boolean {
    if (how === undefined || how === 'reset-after') return false;
    if (how === 'reset-before') response.socket?.destroy();
    else if (how !== 'hang') {
      call.status = how.status;
      answer(
        response,
        how.status,
        { message: how.message ?? http.STATUS_CODES[how.status], code: how.code ?? 0, ...how.extra },
        how.headers,
      );
    }
    return true;
  }

  function handle(call: DiscordCall, query: URLSearchParams, response: http.ServerResponse): void {
    calls.push(call);
    const planned = faults.findLast(({ what, strikes }) => `${call.method} ${call.path}`.startsWith(what) && strikes(call));
    if (strike(planned?.how, call, response)) return;
    const { headers, exceeded } = limited(call);
    if (exceeded) {
      call.status = 429;
      answer(
        response,
        429,
        { message: 'You are being rate limited.', retry_after: Number(headers['retry-after']), global: false },
        headers,
      );
      return;
    }
    try {
      const result = rest.perform({ ...call, query });
      if (planned?.how === 'reset-after') {
        response.socket?.destroy();
        return;
      }
      call.status = result === undefined ? 204 : 200;
      answer(response, call.status, result, headers);
    } catch (error) {
      if (!(error instanceof DiscordRefusal)) throw error;
      call.status = error.status;
      refused(response, error);
    }
  }

  function download(url: URL, response: http.ServerResponse): void {
    const id = /^\/attachments\/\d+\/(\d+)\//.exec(url.pathname)?.[1] ?? '';
    const file = world.file(id, url.searchParams.get('hm') ?? '');
    if (file === undefined) response.writeHead(404, { 'content-type': 'text/plain' }).end('This content is no longer available.');
    else response.writeHead(200, { 'content-type': file.content_type }).end(file.content);
  }

  function route(request: http.IncomingMessage, raw: Buffer, response: http.ServerResponse): void {
    const url = new URL(request.url ?? '/', root);
    const path = /^\/api\/v10(\/.*)$/.exec(url.pathname)?.[1];
    if (url.pathname.startsWith('/attachments/')) download(url, response);
    else if (path === undefined) refused(response, refuse.notFound());
    else if (!rest.isOpen(path) && request.headers.authorization !== `Bot ${token}`) {
      calls.push({ t: now(), method: request.method ?? '', path, body: {}, files: [], status: 401 });
      refused(response, refuse.unauthorized());
    } else {
      const { fields, files } = parseBody(request.headers['content-type'] ?? '', raw);
      const body = fields['payload_json'] === undefined ? fields : JSON.parse(String(fields['payload_json']));
      handle({ t: now(), method: request.method ?? '', path, body, files }, url.searchParams, response);
    }
  }

  server.on('request', (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      route(request, Buffer.concat(chunks), response);
      changed();
    });
  });

  function waitFor(predicate: () => unknown, ms = 5000): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        clearInterval(poll);
        bus.off('changed', look);
      };
      const look = (): void => {
        if (!predicate()) return;
        stop();
        resolve();
      };
      const timer = setTimeout(() => {
        stop();
        reject(new Error(`Not within ${ms} ms: ${predicate.toString().slice(0, 300)}`));
      }, ms);
      const poll = setInterval(look, 20);
      bus.on('changed', look);
      look();
    });
  }

  const personOf = (channel: FakeChannel, user: string | undefined): FakeUser =>
    world.user(user ?? (channel.type === 1 ? ([...channel.members][0] ?? owner) : owner));

  function emitInteraction(payload: { readonly id: string }): FakeInteraction {
    gateway.dispatch('INTERACTION_CREATE', payload);
    const made = interactions.all.find(({ id }) => id === payload.id);
    if (made === undefined) throw new Error('The interaction was not made.');
    return made;
  }

  return {
    root,
    token,
    botId,
    applicationId,
    world,
    gateway,
    limit,
    calls,
    typing: rest.typing,
    interactions: interactions.all,
    commands: rest.commands,
    dm(user) {
      const known = [...world.channels.values()].find(({ type, members }) => type === 1 && members.has(user));
      if (known !== undefined) return known.id;
      world.user(user);
      const channel: FakeChannel = {
        id: world.newId(),
        type: 1,
        guild: undefined,
        name: '',
        parent: undefined,
        owner: undefined,
        members: new Set([user]),
        denied: new Set(),
        archived: false,
      };
      world.channels.set(channel.id, channel);
      return channel.id;
    },
    addGuild(more = {}) {
      const id = more.id ?? world.newId();
      const guild: FakeGuild = {
        id,
        name: 'Server',
        joinedAt: '2024-01-01T00:00:00.000000+00:00',
        roles: [{ id: world.newId(), name: 'Hermes', tags: { bot_id: botId } }],
        members: new Map([[owner, { nick: null, roles: [] }]]),
        ...more,
      };
      world.user(owner);
      world.guilds.set(id, guild);
      return guild;
    },
    appear: (guild) => gateway.dispatch('GUILD_CREATE', world.guildJson(guild)),
    addChannel(guild, more = {}) {
      const id = more.id ?? world.newId();
      const channel: FakeChannel = {
        id,
        type: 0,
        guild,
        name: 'general',
        parent: undefined,
        owner: undefined,
        members: new Set(),
        denied: new Set(),
        archived: false,
        ...more,
      };
      world.channels.set(id, channel);
      if (gateway.live())
        gateway.dispatch([10, 11, 12].includes(channel.type) ? 'THREAD_CREATE' : 'CHANNEL_CREATE', world.channelJson(channel));
      return channel;
    },
    addUser: (id, more) => world.user(id, more),
    say({ channel: id, text, user, replyTo, files = [], extra }) {
      const channel = world.channels.get(id);
      if (channel === undefined) throw new Error(`There is no channel ${id}.`);
      // People may write more than bots: with Nitro 4000 characters.
      const body = { ...checkBody({ content: '-' }, [], Number.POSITIVE_INFINITY), content: text };
      const message = world.add({
        channel,
        author: personOf(channel, user),
        body,
        files,
        replyTo,
        ...(extra === undefined ? {} : { extra }),
      });
      gateway.dispatch('MESSAGE_CREATE', world.messageJson(message, true));
      return message;
    },
    click({ channel: id, message: messageId, user }, label) {
      const channel = world.channel(id);
      const message = world.find(id, messageId);
      const button = message.buttons.find((one) => one.label === label || one.custom_id === label);
      if (button === undefined) throw new Error(`There is no button "${label}" on message ${messageId}.`);
      const where = { channel, user: personOf(channel, user) };
      return emitInteraction(
        interactions.make(3, where, { message: world.messageJson(message), data: { custom_id: button.custom_id, component_type: 2 } }),
      );
    },
    command({ channel: id, user }, name, args) {
      const channel = world.channel(id);
      const options = args === undefined ? [] : [{ name: 'args', type: 3, value: args }];
      return emitInteraction(
        interactions.make(2, { channel, user: personOf(channel, user) }, { data: { id: '1', type: 1, name, options } }),
      );
    },
    expireInteractions: interactions.expire,
    expireFiles: world.expireFiles,
    block: (user) => void rest.blocked.add(user),
    messages: (channel) => (world.messages.get(channel) ?? []).filter(({ author }) => author === world.bot),
    visible: (channel) =>
      (world.messages.get(channel) ?? [])
        .filter((message) => message.author === world.bot && !isThinking(message))
        .map(({ content }) => renderDiscord(content).text),
    waitFor,
    fail: (what, how, times = 1) => void faults.push({ what, how, strikes: matcher(times) }),
    heal: () => void faults.splice(0),
    close: () =>
      new Promise((resolve) => {
        gateway.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
