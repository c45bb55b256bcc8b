/**
 * A small Telegram Bot API that refuses what Telegram refuses. Real HTTP, so that the real client talks to it.
 * `getUpdates` keeps an update until a call asks for a higher offset, knows one poller a token (409), and long-polls.
 */
import { EventEmitter } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { parseBody, type UploadedFile } from './multipart.ts';
import type { FakeCallbackAnswer } from './telegram-buttons.ts';
import { createChats, type FakeMessage } from './telegram-chats.ts';
import { createPenalties, type FakePacing } from './telegram-penalties.ts';
import { Refusal } from './telegram-refusal.ts';
import { createUpdates, type FakePoll, type QueuedUpdate } from './telegram-updates.ts';

export type { FakeMessage } from './telegram-chats.ts';
export type { FakePoll, QueuedUpdate } from './telegram-updates.ts';

export const FAKE_TOKEN = '7000000001:FAKEfakeFAKEfakeFAKEfakeFAKEfakeFAK';

export interface FakeCall {
  /** Arrival, ms since the epoch with fractions. */
  readonly t: number;
  readonly method: string;
  readonly chatId: number | undefined;
  readonly threadId: number | undefined;
  /** `text` or `caption` as it was sent, markup included. */
  readonly text: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
  readonly files: readonly UploadedFile[];
  /** HTTP status that was decided on; undefined while the call hangs. */
  status?: number;
  /** Message that the call made or changed. */
  messageId?: number;
}

export type Fault =
  | { readonly status: number; readonly description?: string; readonly parameters?: Readonly<Record<string, unknown>> }
  /** An answer that is no Bot API envelope, as a proxy in front of it gives. */
  | { readonly status: number; readonly body: string }
  /** Accepts the request and never answers. */
  | 'hang'
  /** Drops the connection before anything was done. */
  | 'reset-before'
  /** Does what was asked, then drops the connection instead of answering. Sends of this kind are in `acceptedThenDropped`. */
  | 'reset-after'
  /** Does what was asked, sends half of the answer, then drops the connection. */
  | 'cut';

export interface InjectedText {
  readonly chatId: number;
  readonly text: string;
  readonly fromId?: number;
  /** Further fields of the message, over the ones made here. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** A whole update, or the short form of a text message. `update_id` may be given to redeliver or to restart the numbering. */
export type Injection = InjectedText | Readonly<Record<string, unknown>>;

export interface FakeOptions {
  readonly host?: string;
  readonly port?: number;
  readonly token?: string;
  readonly username?: string;
  readonly replyDelayMs?: number;
  /** Enforced with 429 and a growing `retry_after` when given. */
  readonly pacing?: FakePacing;
  readonly uploadLimitBytes?: number;
  readonly downloadLimitBytes?: number;
  readonly webhookRetryMs?: number;
}

interface PlannedFault {
  readonly method: string;
  readonly how: Fault;
  /** Whether it strikes this call. */
  readonly strikes: (call: FakeCall) => boolean;
}

export interface FakeTelegram {
  /** Base URL: what a client takes as `apiRoot`. */
  readonly root: string;
  readonly token: string;
  readonly botId: number;
  readonly username: string;
  /** Every call but getUpdates, in order of arrival. */
  readonly calls: readonly FakeCall[];
  readonly polls: readonly FakePoll[];
  readonly acceptedThenDropped: readonly FakeCall[];
  /** Updates that no poll has confirmed yet (or no webhook has accepted). */
  readonly waiting: () => readonly QueuedUpdate[];
  readonly openPolls: () => number;
  /** Most polls that were ever open at once: 1 unless two clients share the token. */
  readonly mostPolls: () => number;
  readonly callsDuringPenalty: () => number;
  readonly commands: () => readonly unknown[];
  readonly webhook: () => { readonly url: string; readonly secret: string };
  /** Pretends that a webhook is set, so that getUpdates answers 409. */
  setWebhook(url: string, secret?: string): void;
  inject(injection: Injection): QueuedUpdate;
  /** All updates are queued before the waiting poll is answered. */
  injectMany(injections: readonly Injection[]): QueuedUpdate[];
  /**
   * A person (in a private chat its owner) clicks a button, named by its text or its data. Throws where there is none; a click that
   * cannot be made with an honest client is injected as a `callback_query`.
   */
  click(where: { readonly chatId: number; readonly messageId: number }, button: string, fromId?: number): QueuedUpdate;
  readonly callbackAnswers: readonly FakeCallbackAnswer[];
  /** All clicks so far are too old to be answered. */
  forgetCallbacks(): void;
  /** What people see in the chat now: edits applied, deleted messages gone. Ours only. */
  messages(chatId: number): readonly FakeMessage[];
  drafts(chatId: number): readonly string[];
  /** Waits until the predicate holds; it is asked after every event. Rejects after `ms`. */
  waitFor(predicate: () => unknown, ms?: number): Promise<void>;
  /** `method` may be `*`. Strikes once, n times, or while the predicate holds. Later plans win. */
  fail(method: string, how: Fault, times?: number | ((call: FakeCall) => boolean)): void;
  /** Forgets all planned faults; hanging calls stay hung. */
  heal(): void;
  /** A file that getFile and /file/ know. Answers its file_id. */
  addFile(path: string, content: Buffer): string;
  /** Closes a forum topic for good: sending into it is refused from now on. */
  forgetThread(chatId: number, threadId: number): void;
  close(): Promise<void>;
}

const now = (): number => performance.timeOrigin + performance.now();

function matcher(times: number | ((call: FakeCall) => boolean)): (call: FakeCall) => boolean {
  if (typeof times === 'function') return times;
  let left = times;
  return () => left > 0 && left-- > 0;
}

export async function startFakeTelegram(options: FakeOptions = {}): Promise<FakeTelegram> {
  const { host = '127.0.0.1', port = 0, token = FAKE_TOKEN, username = 'hermes_fake_bot', replyDelayMs = 0 } = options;
  const botId = Number(token.split(':')[0]);
  const bus = new EventEmitter();
  bus.setMaxListeners(0);
  const changed = (): boolean => bus.emit('changed');
  const calls: FakeCall[] = [];
  const acceptedThenDropped: FakeCall[] = [];
  const faults: PlannedFault[] = [];
  const files = new Map<string, { path: string; content: Buffer }>();
  const me = { id: botId, is_bot: true, first_name: 'Hermes', username, can_join_groups: true, can_read_all_group_messages: true };
  const chats = createChats({
    me,
    now,
    files,
    uploadLimitBytes: options.uploadLimitBytes ?? 50_000_000,
    downloadLimitBytes: options.downloadLimitBytes ?? 20_000_000,
  });
  const updates = createUpdates({ now, changed, webhookRetryMs: options.webhookRetryMs ?? 200 });
  const penalties = createPenalties(options.pacing, now);

  function answer(response: http.ServerResponse, status: number, body: object): void {
    if (response.writableEnded || response.destroyed) return;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  }

  const refuse = (response: http.ServerResponse, status: number, description: string, parameters?: object): void =>
    answer(response, status, { ok: false, error_code: status, description, ...(parameters === undefined ? {} : { parameters }) });

  /** True when the call was dealt with and must not be worked on. */
  function strike(how: Fault | undefined, call: FakeCall, response: http.ServerResponse): boolean {
    if (how === undefined || how === 'reset-after' || how === 'cut') return false;
    if (how === 'hang') return true;
    if (how === 'reset-before') {
      response.socket?.destroy();
      return true;
    }
    call.status = how.status;
    if ('body' in how) response.writeHead(how.status, { 'content-type': 'text/html' }).end(how.body);
    else refuse(response, how.status, how.description ?? http.STATUS_CODES[how.status] ?? 'Error', how.parameters);
    return true;
  }

  function finish(how: Fault | undefined, call: FakeCall, response: http.ServerResponse, result: unknown): void {
    if (how === 'reset-after' || how === 'cut') {
      acceptedThenDropped.push(call);
      if (how === 'reset-after') {
        response.socket?.destroy();
        return;
      }
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
      response.write('{"ok":true,"result":{"mess');
      setTimeout(() => response.socket?.destroy(), 5);
      return;
    }
    call.status = 200;
    if (replyDelayMs > 0) setTimeout(() => answer(response, 200, { ok: true, result }), replyDelayMs);
    else answer(response, 200, { ok: true, result });
  }

  function perform(call: FakeCall): unknown {
    const retryAfter = penalties.check(call);
    if (retryAfter !== undefined) throw new Refusal(429, `Too Many Requests: retry after ${retryAfter}`, { retry_after: retryAfter });
    switch (call.method.toLowerCase()) {
      case 'getme':
        return me;
      case 'setwebhook':
        updates.allow(call.body['allowed_updates']);
        updates.setWebhook(String(call.body['url'] ?? ''), String(call.body['secret_token'] ?? ''));
        return true;
      case 'deletewebhook':
        updates.setWebhook('', '');
        return true;
      case 'getwebhookinfo':
        return updates.webhookInfo();
      default:
        return chats.perform(call);
    }
  }

  function handle(call: FakeCall, response: http.ServerResponse): void {
    const isPoll = call.method.toLowerCase() === 'getupdates';
    if (!isPoll) calls.push(call);
    const planned = faults.findLast(
      ({ method, strikes }) => (method === '*' || method.toLowerCase() === call.method.toLowerCase()) && strikes(call),
    );
    try {
      if (strike(planned?.how, call, response)) {
        if (isPoll) updates.seen(call.body);
        return;
      }
      if (isPoll) {
        updates.poll(call.body, {
          answer: (result) => finish(planned?.how, call, response, result),
          refuse: (status, description) => refuse(response, status, description),
          onClose: (listener) => void response.on('close', listener),
        });
        return;
      }
      finish(planned?.how, call, response, perform(call));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      call.status = error.status;
      refuse(response, error.status, error.message, error.parameters);
    } finally {
      changed();
    }
  }

  function download(path: string, response: http.ServerResponse): void {
    const file = [...files.values()].find((candidate) => candidate.path === path);
    if (file === undefined) {
      refuse(response, 404, 'Not Found');
      return;
    }
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': file.content.length }).end(file.content);
  }

  function route(request: http.IncomingMessage, raw: Buffer, response: http.ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://fake');
    const file = /^\/file\/bot([^/]+)\/(.+)$/.exec(url.pathname);
    const method = /^\/bot([^/]+)\/(?:test\/)?(\w+)$/.exec(url.pathname);
    const given = file?.[1] ?? method?.[1];
    if (given === undefined) {
      refuse(response, 404, 'Not Found');
      return;
    }
    // A token that is no token at all is 404, a wrong one 401: as the Bot API does.
    if (!/^\d+:/.test(decodeURIComponent(given))) {
      refuse(response, 404, 'Not Found');
      return;
    }
    if (decodeURIComponent(given) !== token) {
      refuse(response, 401, 'Unauthorized');
      return;
    }
    if (file?.[2] !== undefined) {
      download(decodeURIComponent(file[2]), response);
      return;
    }
    const form = parseBody(request.headers['content-type'] ?? '', raw);
    const body = { ...Object.fromEntries(url.searchParams), ...form.fields };
    handle(callOf(method?.[2] ?? '', body, form.files), response);
  }

  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => route(request, Buffer.concat(chunks), response));
  });
  server.keepAliveTimeout = 120_000;
  server.requestTimeout = 0;
  await new Promise<void>((resolve) => server.listen(port, host, resolve));

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
    root: `http://${host}:${(server.address() as AddressInfo).port}`,
    token,
    botId,
    username,
    calls,
    polls: updates.polls,
    acceptedThenDropped,
    waiting: updates.waiting,
    openPolls: updates.openPolls,
    mostPolls: updates.mostPolls,
    callsDuringPenalty: penalties.violations,
    commands: chats.commands,
    webhook: updates.webhook,
    setWebhook: (url, secret = '') => updates.setWebhook(url, secret),
    inject: (injection) => {
      const queued = updates.queue(chats.updateOf(injection));
      updates.flush();
      return queued;
    },
    injectMany: (injections) => {
      const queued = injections.map((injection) => updates.queue(chats.updateOf(injection)));
      updates.flush();
      return queued;
    },
    click: (where, button, fromId = Math.abs(where.chatId)) => {
      const queued = updates.queue(chats.updateOf(chats.click(where, button, fromId)));
      updates.flush();
      return queued;
    },
    callbackAnswers: chats.callbackAnswers,
    forgetCallbacks: chats.forgetCallbacks,
    messages: chats.messages,
    drafts: chats.drafts,
    waitFor,
    fail: (method, how, times = 1) => void faults.push({ method, how, strikes: matcher(times) }),
    heal: () => void faults.splice(0),
    addFile: (path, content) => {
      const id = `file-${files.size + 1}`;
      files.set(id, { path, content });
      return id;
    },
    forgetThread: chats.forgetThread,
    close: () =>
      new Promise((resolve) => {
        updates.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function callOf(method: string, body: Record<string, unknown>, files: readonly UploadedFile[]): FakeCall {
  const number = (key: string): number | undefined => (body[key] === undefined ? undefined : Number(body[key]));
  const text = body['text'] ?? body['caption'];
  return {
    t: now(),
    method,
    chatId: number('chat_id'),
    threadId: number('message_thread_id'),
    text: text === undefined ? undefined : String(text),
    body,
    files,
  };
}
