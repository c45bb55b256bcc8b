/**
 * A small Slack that refuses what Slack refuses: Web API, Socket Mode, response addresses and files. Real HTTP and web sockets, so that the
 * real client talks to it. It may run in a process of its own and keeps its state while the gateway is killed.
 */
import { EventEmitter } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { parseBody } from './multipart.ts';
import { createChats, type FakeChannel, type FakeSlackMessage } from './slack-chats.ts';
import { createFiles } from './slack-files.ts';
import { perform } from './slack-methods.ts';
import { type Fields, SlackRefusal } from './slack-refusal.ts';
import { createResponses, type FakeResponse } from './slack-responses.ts';
import { createSockets, type FakeEnvelope, type SocketMood } from './slack-socket.ts';

export type { FakeSlackMessage } from './slack-chats.ts';

export const BOT_TOKEN = 'xoxb-1-2-FAKEfakeFAKEfake';
export const APP_TOKEN = 'xapp-1-A0FAKE-2-fakefake';

export type SlackFault =
  | { readonly error: string; readonly extra?: Fields }
  | { readonly status: number; readonly body?: string; readonly retryAfter?: number }
  /** Accepts the request and never answers. */
  | 'hang'
  /** Drops the connection before anything was done. */
  | 'reset-before'
  /** Does what was asked, then drops the connection instead of answering. */
  | 'reset-after';

export interface FakeSlackCall {
  readonly t: number;
  readonly method: string;
  readonly fields: Fields;
  /** What it was refused with. */
  error?: string;
}

export interface FakeSlackOptions {
  readonly port?: number;
  readonly retryMs?: number;
  readonly scopes?: readonly string[];
  readonly now?: () => number;
}

export interface Spoken {
  readonly channel?: string;
  readonly user?: string;
  readonly thread?: string;
  readonly files?: readonly Fields[];
  /** Further fields of the event. */
  readonly extra?: Fields;
  /** Nothing of it is sent; it stands in the history only. */
  readonly quietly?: true;
}

export interface FakeSlack {
  /** Base of the Web API: what a client takes as `base_url`. */
  readonly root: string;
  readonly origin: string;
  readonly team: string;
  readonly botUser: string;
  readonly botId: string;
  readonly calls: readonly FakeSlackCall[];
  readonly envelopes: readonly FakeEnvelope[];
  readonly responses: readonly FakeResponse[];
  readonly ephemerals: readonly { readonly channel: string; readonly user: string; readonly text: string }[];
  readonly statuses: readonly { readonly channel: string; readonly thread: string; readonly status: string }[];
  /** Events that were not acknowledged yet. */
  unacknowledged(): number;
  /** Sockets ever opened, open now, and the most at once. */
  sockets(): { readonly ever: number; readonly open: number; readonly most: number };
  channel(id: string): FakeChannel;
  /** A person writes: into the history, and as events. Where the bot is mentioned in a channel, twice, as Slack does. Answers the ts. */
  say(words: string, how?: Spoken): string;
  /** An event of any kind. */
  event(event: Fields): FakeEnvelope;
  /** A person clicks a button, named by its words. Throws where there is none. */
  click(where: { readonly channel: string; readonly ts: string }, button: string, user?: string): FakeEnvelope;
  /** `/hermes <words>`. */
  command(words: string, how?: { readonly channel?: string; readonly user?: string }): FakeEnvelope;
  /** The payloads of the above, for a server that is called by Slack. */
  payload: {
    click(where: { readonly channel: string; readonly ts: string }, button: string, user?: string): Fields;
    command(words: string, how?: { readonly channel?: string; readonly user?: string }): Fields;
    event(event: Fields): Fields;
  };
  again(envelope: FakeEnvelope): void;
  forget(): void;
  /** All addresses for answers are too old. */
  expireResponses(): void;
  mood(mood: SocketMood): void;
  refresh(reason?: string): void;
  dropSockets(): void;
  /** What people see of the bot in a channel now, oldest first. */
  messages(channel: string): readonly FakeSlackMessage[];
  addFile(name: string, content: Buffer, more?: Fields): Fields;
  waitFor(predicate: () => unknown, ms?: number): Promise<void>;
  /** `method` may be `*`. Strikes once, n times, or while the predicate holds. Later plans win. */
  fail(method: string, how: SlackFault, times?: number | ((call: FakeSlackCall) => boolean)): void;
  heal(): void;
  close(): Promise<void>;
}

interface PlannedFault {
  readonly method: string;
  readonly how: SlackFault;
  readonly strikes: (call: FakeSlackCall) => boolean;
}

const PERSON = 'U0PERSON1';
const DIRECT = 'D0DIRECT1';

export async function startFakeSlack(options: FakeSlackOptions = {}): Promise<FakeSlack> {
  const now = options.now ?? (() => performance.timeOrigin + performance.now());
  const { port = 0, retryMs = 150 } = options;
  const bus = new EventEmitter();
  bus.setMaxListeners(0);
  const changed = (): void => void bus.emit('changed');
  const team = 'T0TEAM001';
  const botUser = 'U0HERMES1';
  const botId = 'B0HERMES1';
  const calls: FakeSlackCall[] = [];
  const faults: PlannedFault[] = [];
  const sockets = createSockets({ now, changed, retryMs });
  const eventOf = (event: Fields): Fields => ({
    type: 'event_callback',
    team_id: team,
    api_app_id: 'A0FAKE',
    event_id: `Ev${sockets.envelopes.length}`,
    event_time: Math.floor(now() / 1000),
    authorizations: [{ team_id: team, user_id: botUser, is_bot: true }],
    event,
  });
  const eventIn = (channel: string, event: Fields): Fields => ({
    ...event,
    channel,
    channel_type: channel.startsWith('D') ? 'im' : 'channel',
    event_ts: event['ts'],
  });
  const posted = ({ channel, wire }: FakeSlackMessage): void => void sockets.push('events_api', eventOf(eventIn(channel, wire)));
  const chats = createChats({ botUser, botId, team, now, posted });
  const responses = createResponses(changed);
  const files = createFiles();
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => route(request, Buffer.concat(chunks), response));
  });
  server.on('upgrade', (request, socket, head: Buffer) => sockets.upgrade(request, socket, head));
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const origin = `http://${host}`;

  function json(response: http.ServerResponse, status: number, body: object, headers: Readonly<Record<string, string>> = {}): void {
    if (response.writableEnded || response.destroyed) return;
    const scopes = options.scopes === undefined ? {} : { 'x-oauth-scopes': options.scopes.join(',') };
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...scopes, ...headers }).end(JSON.stringify(body));
  }

  function strike(how: SlackFault, response: http.ServerResponse): void {
    if (how === 'hang' || how === 'reset-after') return;
    if (how === 'reset-before') response.socket?.destroy();
    else if ('error' in how) json(response, 200, { ok: false, error: how.error, ...how.extra });
    else {
      const retry = how.retryAfter === undefined ? {} : { 'retry-after': String(how.retryAfter) };
      response.writeHead(how.status, { 'content-type': 'text/html', ...retry }).end(how.body ?? '');
    }
  }

  function api(method: string, fields: Fields, given: { readonly token: string; readonly response: http.ServerResponse }): void {
    const { token, response } = given;
    const call: FakeSlackCall = { t: now(), method, fields };
    calls.push(call);
    const planned = faults.findLast((fault) => (fault.method === '*' || fault.method === method) && fault.strikes(call));
    try {
      if (planned !== undefined && planned.how !== 'reset-after') {
        strike(planned.how, response);
        return;
      }
      const needed = method.startsWith('apps.connections.') ? APP_TOKEN : BOT_TOKEN;
      if (token === '') throw new SlackRefusal('not_authed');
      if (token !== needed) throw new SlackRefusal([APP_TOKEN, BOT_TOKEN].includes(token) ? 'not_allowed_token_type' : 'invalid_auth');
      const answer = perform(method, fields, { chats, files, sockets, host, origin, team, botUser, botId, posted });
      if (planned === undefined) json(response, 200, { ok: true, ...answer });
      else response.socket?.destroy();
    } catch (error) {
      if (!(error instanceof SlackRefusal)) throw error;
      call.error = error.message;
      json(response, 200, { ok: false, error: error.message, ...error.extra });
    } finally {
      changed();
    }
  }

  function route(request: http.IncomingMessage, raw: Buffer, response: http.ServerResponse): void {
    const url = new URL(request.url ?? '/', origin);
    const token = (request.headers.authorization ?? '').replace(/^Bearer /, '');
    const [, room = '', rest = ''] = /^\/(api|files|upload|hooks)\/(.+)$/.exec(url.pathname) ?? [];
    if (room === 'hooks') responses.post(rest, JSON.parse(raw.toString('utf8')) as Fields, response);
    else if (room === 'upload') files.receive(rest, raw, response);
    else if (room === 'files') files.serve(rest, token === BOT_TOKEN, response);
    else if (room === 'api') api(rest, parseBody(request.headers['content-type'] ?? '', raw).fields, { token, response });
    else json(response, 404, {});
    changed();
  }

  function click({ channel, ts }: { readonly channel: string; readonly ts: string }, button: string, user = PERSON): Fields {
    const message = chats.channel(channel).messages.find((one) => one.ts === ts);
    const pressed = message?.buttons.find((one) => one.text === button);
    if (message === undefined || pressed === undefined) throw new Error(`There is no button "${button}" on message ${ts} in ${channel}.`);
    const actionTs = `${Math.floor(now() / 1000)}.${String(sockets.envelopes.length + 100_000)}`;
    const thread = message.thread === undefined ? {} : { thread_ts: message.thread };
    return {
      type: 'block_actions',
      user: { id: user, username: 'ann', name: 'ann', team_id: team },
      api_app_id: 'A0FAKE',
      team: { id: team, domain: 'fake' },
      container: { type: 'message', message_ts: ts, channel_id: channel, is_ephemeral: false, ...thread },
      trigger_id: `${sockets.envelopes.length}.1.abc`,
      channel: { id: channel, name: 'directmessage' },
      message: { ...message.wire, ts, ...thread },
      response_url: `${origin}/hooks/${responses.open()}`,
      actions: [{ type: 'button', block_id: 'b', action_id: pressed.action_id, value: pressed.value, action_ts: actionTs }],
    };
  }

  function command(words: string, { channel = DIRECT, user = PERSON }: { readonly channel?: string; readonly user?: string } = {}): Fields {
    return {
      command: '/hermes',
      text: words,
      token: 'legacy',
      team_id: team,
      team_domain: 'fake',
      channel_id: channel,
      channel_name: channel.startsWith('D') ? 'directmessage' : 'general',
      user_id: user,
      user_name: 'ann',
      api_app_id: 'A0FAKE',
      response_url: `${origin}/hooks/${responses.open()}`,
      trigger_id: `${sockets.envelopes.length}.1.${Math.random().toString(36).slice(2)}`,
    };
  }

  function say(words: string, { channel = DIRECT, user = PERSON, thread, files: given = [], extra, quietly }: Spoken = {}): string {
    const place = chats.channel(channel);
    const message = chats.add(
      place,
      { user, bot: false, thread, streaming: false, unfurl: true, files: given, source: words, text: words, buttons: [] },
      extra,
    );
    const event = eventIn(channel, message.wire);
    if (quietly !== true) {
      if (place.member) sockets.push('events_api', eventOf(event));
      if (!channel.startsWith('D') && words.includes(`<@${botUser}>`))
        sockets.push('events_api', eventOf({ ...event, type: 'app_mention' }));
    }
    changed();
    return message.ts;
  }

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
      // Events of this server are heard at once; what the predicate reads elsewhere is looked at now and then.
      const poll = setInterval(look, 20);
      bus.on('changed', look);
      look();
    });
  }

  return {
    root: `${origin}/api`,
    origin,
    team,
    botUser,
    botId,
    calls,
    envelopes: sockets.envelopes,
    responses: responses.posted,
    ephemerals: chats.ephemerals,
    statuses: chats.statuses,
    unacknowledged: () => sockets.envelopes.filter(({ acknowledgedAt, lost }) => acknowledgedAt === undefined && !lost).length,
    sockets: () => ({ ever: sockets.connections(), open: sockets.open(), most: sockets.most() }),
    channel: chats.channel,
    say,
    event: (event) => sockets.push('events_api', eventOf(event)),
    click: (where, button, user) => sockets.push('interactive', click(where, button, user)),
    command: (words, how) => sockets.push('slash_commands', command(words, how)),
    payload: { click, command, event: eventOf },
    again: sockets.again,
    forget: sockets.forget,
    expireResponses: responses.expire,
    mood: sockets.setMood,
    refresh: sockets.refresh,
    dropSockets: sockets.drop,
    messages: (channel) => chats.channel(channel).messages.filter(({ bot }) => bot),
    addFile: (name, content, more) => files.add(origin, { name, content, more: more ?? {} }),
    waitFor,
    fail: (method, how, times = 1) => void faults.push({ method, how, strikes: matcher(times) }),
    heal: () => void faults.splice(0),
    close: () =>
      new Promise((resolve) => {
        sockets.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function matcher(times: number | ((call: FakeSlackCall) => boolean)): (call: FakeSlackCall) => boolean {
  if (typeof times === 'function') return times;
  let left = times;
  return () => left > 0 && left-- > 0;
}
