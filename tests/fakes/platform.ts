/**
 * A small real platform: a server in memory and the adapter that talks to it. It records every call, fails as it is told to, and can be
 * severed from a gateway that "was killed" while what it has delivered stays.
 */
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { z } from 'zod';
import {
  type Adapter,
  type Attachment,
  type ChatRef,
  DeliveryError,
  type Host,
  type Inbound,
  type Outbound,
  type OutboundAsk,
  type SentRef,
} from '../../adapters/adapter.ts';
import type { AccountConfig, Pacing, Platform } from '../../adapters/platform.ts';

/** `private-previews`: previews are shown in direct chats only, whose ids do not begin with `g`. */
export type Capability = 'edit' | 'delete' | 'preview' | 'private-previews' | 'typing' | 'fetch' | 'idempotent' | 'buttons' | 'react';
export type CallKind = 'send' | 'edit' | 'delete' | 'preview' | 'typing' | 'fetch' | 'respond' | 'react';

/** One call of the adapter, whatever became of it. */
export interface PlatformCall {
  readonly kind: CallKind;
  readonly chat: string;
  readonly at: number;
  readonly key?: string;
  readonly message?: Outbound;
  readonly text?: string;
  readonly ref?: string;
}

/** What the chat shows. */
export interface Shown {
  readonly id: string;
  readonly chat: ChatRef;
  readonly key: string;
  message: Outbound;
  /** Of a file, as it was uploaded. */
  readonly content?: Buffer;
  deleted: boolean;
}

/**
 * `arrived`: the platform has the message although the caller gets an error. `hang` lasts until the caller's signal. `bug` throws what no
 * adapter should. `after` runs at the point of failure.
 */
export interface Fault {
  readonly on?: CallKind;
  readonly chat?: string;
  readonly arrived?: true;
  readonly throws?: DeliveryError | Error;
  readonly hang?: true;
  readonly after?: () => void;
  /** How often; default once. */
  readonly times?: number;
}

export interface FakePlatformOptions {
  readonly capabilities?: readonly Capability[];
  readonly config?: Partial<AccountConfig>;
  readonly pacing?: Partial<Pacing>;
  readonly progress?: Partial<Platform['progress']>;
  readonly limits?: Partial<Platform['limits']>;
  /** Longest part, UTF-16 units. */
  readonly partUnits?: number;
  readonly files?: Readonly<Record<string, () => Readable>>;
  readonly now?: () => number;
}

export interface FakePlatform {
  readonly platform: Platform;
  readonly config: AccountConfig;
  /** Every call, in order. */
  readonly calls: readonly PlatformCall[];
  /** Everything that was ever delivered, in order. */
  readonly shown: readonly Shown[];
  /** The next matching calls fail like this. */
  fail(fault: Fault): void;
  /** Delivers events; throws what the gateway throws. */
  receive(events: readonly Inbound[], keep?: Parameters<Host['receive']>[1]): void;
  /** Of the gateway that is connected. */
  readonly host: Host | undefined;
  /** The texts of finished messages in a chat (no bubbles), as a person reads them. */
  texts(chat: string): readonly string[];
  /** Cards that were shown in a chat, as they are now. */
  cards(chat: string): readonly (OutboundAsk & { readonly id: string })[];
  /** What clicks were answered with, in order. */
  readonly responses: readonly string[];
  /** Bubbles that were shown in a chat, deleted or not. */
  bubbles(chat: string): readonly Shown[];
  /** The process of the present gateway is gone: nothing it still does has any effect. */
  sever(): void;
}

const unlimited: Pacing = { chat_interval_ms: 0, chat_burst: 1, group_per_minute: 0, per_second: 0 };
const allCapabilities: readonly Capability[] = ['edit', 'delete', 'preview', 'typing', 'fetch', 'buttons'];

export function createFakePlatform(options: FakePlatformOptions = {}): FakePlatform {
  const server = createServer(options);
  const config: AccountConfig = {
    allowed_users: ['*'],
    group_allowed_chats: [],
    ...options.config,
    pacing: { ...unlimited, ...options.pacing },
  };
  return {
    config,
    platform: platformOf(options, server),
    calls: server.calls,
    shown: server.shown,
    fail: (fault) => {
      server.faults.push({ fault, left: fault.times ?? 1 });
    },
    get host() {
      return server.host;
    },
    receive: (events, keep) => {
      if (server.host === undefined) throw new Error('no gateway is connected');
      server.host.receive(events, keep);
    },
    texts: (chat) =>
      server.shown.filter(inChat(chat)).flatMap(({ message, deleted }) => (message.type === 'text' && !deleted ? [message.markdown] : [])),
    cards: (chat) => server.shown.filter(inChat(chat)).flatMap(({ id, message }) => (message.type === 'ask' ? [{ ...message, id }] : [])),
    get responses() {
      return server.calls.flatMap(({ kind, text }) => (kind === 'respond' ? [text ?? ''] : []));
    },
    bubbles: (chat) => server.shown.filter(inChat(chat)).filter(({ message }) => message.type === 'progress'),
    sever: () => {
      server.host = undefined;
      server.generation += 1;
    },
  };
}

function inChat(chat: string): (shown: Shown) => boolean {
  return (shown) => shown.chat.chat === chat;
}

interface Server {
  readonly calls: PlatformCall[];
  readonly shown: Shown[];
  readonly faults: { readonly fault: Fault; left: number }[];
  readonly options: FakePlatformOptions;
  host: Host | undefined;
  /** Connections of an older generation belong to a process that was killed. */
  generation: number;
}

function createServer(options: FakePlatformOptions): Server {
  return { calls: [], shown: [], faults: [], options, host: undefined, generation: 0 };
}

function platformOf(options: FakePlatformOptions, server: Server): Platform {
  const partUnits = options.partUnits ?? 4000;
  return {
    name: 'fake',
    label: 'Fake',
    schema: z.custom<AccountConfig>(),
    env: {},
    secrets: [],
    template: '',
    enabled: () => true,
    limits: { uploadBytes: 1024 * 1024, downloadBytes: 1024 * 1024, ...options.limits },
    progress: { quietMs: 3000, editIntervalMs: 1000, previewIntervalMs: 500, ...options.progress },
    split: (markdown) => markdown.match(new RegExp(`[^]{1,${partUnits}}`, 'g')) ?? [markdown],
    load: async () => ({ create: (_config, host) => connect(server, host) }),
  };
}

/** A new connection takes the place of the one before. */
function connect(server: Server, host: Host): Adapter {
  server.host = host;
  server.generation += 1;
  const { generation } = server;
  const alive = (): boolean => server.generation === generation;
  const capabilities = new Set(server.options.capabilities ?? allCapabilities);
  const adapter: Adapter & { idempotent?: true; buttons?: true } = {
    run: async (signal) => {
      host.state('connected');
      host.alive();
      const poll = setInterval(() => host.alive(), 10_000);
      await untilAborted(signal);
      clearInterval(poll);
    },
    send: (message, key, signal) => send({ server, alive }, { message, key }, signal),
    ...(capabilities.has('idempotent') ? { idempotent: true } : {}),
  };
  const call = (facts: Omit<PlatformCall, 'at'>, signal: AbortSignal, effect: () => void): Promise<void> =>
    perform({ server, alive }, { facts, effect }, signal);
  if (capabilities.has('edit'))
    adapter.edit = (ref, message, signal) =>
      call({ kind: 'edit', chat: ref.chat.chat, ref: ref.id, message }, signal, () => void Object.assign(find(server, ref), { message }));
  if (capabilities.has('delete'))
    adapter.delete = (ref, signal) =>
      call({ kind: 'delete', chat: ref.chat.chat, ref: ref.id }, signal, () => void Object.assign(find(server, ref), { deleted: true }));
  if (capabilities.has('private-previews')) adapter.previews = ({ chat }) => !chat.startsWith('g');
  if (capabilities.has('preview') || capabilities.has('private-previews'))
    adapter.preview = (chat, key, text, signal) => call({ kind: 'preview', chat: chat.chat, key, text }, signal, () => undefined);
  if (capabilities.has('buttons')) {
    adapter.buttons = true;
    adapter.respond = (_interaction, text, signal) => call({ kind: 'respond', chat: '', text }, signal, () => undefined);
  }
  if (capabilities.has('typing')) adapter.typing = (chat, signal) => call({ kind: 'typing', chat: chat.chat }, signal, () => undefined);
  if (capabilities.has('react'))
    adapter.react = ({ chat, id }, receipt, signal) =>
      call({ kind: 'react', chat: chat.chat, ref: id, text: receipt }, signal, () => undefined);
  if (capabilities.has('fetch')) adapter.fetch = (attachment, signal) => fetch({ server, alive }, attachment, signal);
  return adapter;
}

interface Line {
  readonly server: Server;
  readonly alive: () => boolean;
}

async function send(
  line: Line,
  { message, key }: { readonly message: Outbound; readonly key: string },
  signal: AbortSignal,
): Promise<SentRef> {
  const { server } = line;
  const { chat } = message;
  const known = server.options.capabilities?.includes('idempotent') ? server.shown.find((shown) => shown.key === key) : undefined;
  const id = known?.id ?? `${server.shown.length + 1}`;
  const content = message.type === 'file' ? { content: readFileSync(message.path) } : {};
  const effect = (): void => {
    if (known === undefined) server.shown.push({ id, chat, key, message, ...content, deleted: false });
  };
  await perform(line, { facts: { kind: 'send', chat: chat.chat, key, message }, effect }, signal);
  return { chat, id };
}

async function fetch(line: Line, attachment: Attachment, signal: AbortSignal): Promise<Readable> {
  const name = String(attachment.handle);
  await perform(line, { facts: { kind: 'fetch', chat: '', text: name }, effect: () => undefined }, signal);
  return line.server.options.files?.[name]?.() ?? Readable.from([Buffer.from(`bytes of ${name}`)]);
}

interface Attempt {
  readonly facts: Omit<PlatformCall, 'at'>;
  readonly effect: () => void;
}

async function perform({ server, alive }: Line, { facts, effect }: Attempt, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (!alive()) return untilAborted(signal, true);
  server.calls.push({ ...facts, at: (server.options.now ?? Date.now)() });
  const fault = takeFault(server, facts);
  if (fault === undefined || fault.arrived === true) effect();
  await Promise.resolve();
  fault?.after?.();
  if (!alive()) return untilAborted(signal, true);
  if (fault?.throws !== undefined) throw fault.throws;
  if (fault?.hang === true) return untilAborted(signal, true);
}

function takeFault({ faults }: Server, { kind, chat }: Omit<PlatformCall, 'at'>): Fault | undefined {
  const found = faults.find(({ fault, left }) => left > 0 && (fault.on ?? 'send') === kind && (fault.chat ?? chat) === chat);
  if (found !== undefined) found.left -= 1;
  return found?.fault;
}

function find({ shown }: Server, ref: SentRef): Shown {
  const message = shown.find(({ id }) => id === ref.id);
  if (message === undefined || message.deleted) throw new DeliveryError('message to edit not found', { kind: 'rejected', certain: true });
  return message;
}

/** Resolves (or rejects with the signal's reason) when the signal fires. */
function untilAborted(signal: AbortSignal, rejects = false): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => (rejects ? reject(signal.reason) : resolve());
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
