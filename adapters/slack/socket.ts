/**
 * One Socket Mode connection of Bolt's receiver, from its first call to its end. Its own reconnecting is off: it has neither jitter nor a
 * growing pause. So is Bolt's event loop (`App.processEvent`), which acknowledges before anything is stored.
 */
import { channel } from 'node:diagnostics_channel';
import { SocketModeReceiver } from '@slack/bolt';
import { boundedFetch, silentLogger, type Timing, webOptions } from './client.ts';
import { TransportError } from './errors.ts';

/** Frames of all sockets of the process pass here. https://nodejs.org/api/diagnostics_channel.html */
const PONGS = 'undici:websocket:pong';

export interface SocketLink {
  readonly appToken: string;
  readonly root: string;
  readonly timing: Timing;
  /** Slack's hello: from now on events come. */
  hello(): void;
  /** Something came from Slack. */
  alive(): void;
  /** Resolves when it is stored. When it rejects, it is not acknowledged and the connection ends with that error. */
  take(payload: unknown, signal: AbortSignal): Promise<void>;
}

/** `refresh`: Slack moves the connection elsewhere, which it does every few hours. */
export type Ending = 'refresh' | 'lost';

/** Resolves when it has ended; rejects when it could not be opened, or when something could not be stored, or with the signal's reason. */
export async function runSocket(link: SocketLink, signal: AbortSignal): Promise<Ending> {
  signal.throwIfAborted();
  const over = new AbortController();
  const within = AbortSignal.any([signal, over.signal]);
  const { client } = createReceiver(link, within);
  const ended = Promise.withResolvers<Ending>();
  const watch = watchSilence(link, () => ended.resolve('lost'));
  let ending: Ending = 'lost';
  let opened = false;
  client.on('ws_message', (data: unknown) => {
    watch.heard();
    if (isRefresh(data)) ending = 'refresh';
  });
  client.on('slack_event', (event: SocketEvent) => void answer(event, link, within).catch((error: unknown) => ended.reject(error)));
  client.on('authenticated', ({ url }: { readonly url?: string }) => watch.address(url));
  client.on('connected', () => {
    opened = true;
    watch.settled();
    link.hello();
  });
  client.on('disconnected', () => ended.resolve(ending));
  const stop = (): void => ended.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  client.start().catch((error: unknown) => (error === undefined ? ended.resolve(ending) : ended.reject(error)));
  try {
    const how = await ended.promise;
    if (!opened) throw new TransportError('the connection for events did not come about', { certain: true });
    return how;
  } finally {
    signal.removeEventListener('abort', stop);
    watch.stop();
    over.abort(new Error('the connection has ended'));
    await close(client);
  }
}

function createReceiver({ appToken, root, timing }: SocketLink, signal: AbortSignal): SocketModeReceiver {
  return new SocketModeReceiver({
    appToken,
    autoReconnectEnabled: false,
    clientPingTimeout: timing.pingMs,
    serverPingTimeout: timing.pingMs * 2,
    logger: silentLogger,
    installerOptions: {
      clientOptions: webOptions(
        root,
        boundedFetch(timing.probeMs, () => signal),
      ),
    },
  });
}

interface SocketEvent {
  readonly body: unknown;
  ack(): Promise<void>;
}

async function answer({ body, ack }: SocketEvent, link: SocketLink, signal: AbortSignal): Promise<void> {
  link.alive();
  try {
    await link.take(body, signal);
  } catch (error) {
    if (signal.aborted) return;
    throw error;
  }
  // On a socket that has ended meanwhile it cannot be sent. Then Slack sends the event again, and it is known.
  await ack().catch(() => undefined);
}

function isRefresh(data: unknown): boolean {
  if (typeof data !== 'string' || !data.includes('"disconnect"')) return false;
  try {
    const message: unknown = JSON.parse(data);
    if (typeof message !== 'object' || message === null || !('type' in message) || message.type !== 'disconnect') return false;
    // "link_disabled": Socket Mode was switched off.
    return !('reason' in message) || message.reason !== 'link_disabled';
  } catch {
    return false;
  }
}

interface Watch {
  heard(): void;
  /** Whose pongs are ours. */
  address(url: string | undefined): void;
  /** The hello came: from here on silence is measured. */
  settled(): void;
  stop(): void;
}

/** The library gives a peer that fell silent another 30 s to say goodbye; we do not. */
function watchSilence({ timing, alive }: SocketLink, silent: () => void): Watch {
  let own = '';
  let lastMs = performance.now();
  let patienceMs = timing.helloMs;
  const heard = (): void => {
    lastMs = performance.now();
  };
  const pong = (frame: unknown): void => {
    if (addressOf(frame) !== own) return;
    heard();
    alive();
  };
  channel(PONGS).subscribe(pong);
  const timer = setInterval(() => performance.now() - lastMs > patienceMs && silent(), Math.min(timing.helloMs, timing.pingMs) / 6);
  return {
    heard,
    address(url) {
      own = url === undefined || !URL.canParse(url) ? '' : new URL(url).href;
    },
    settled() {
      heard();
      patienceMs = timing.pingMs * 1.5;
    },
    stop() {
      clearInterval(timer);
      channel(PONGS).unsubscribe(pong);
    },
  };
}

function addressOf(frame: unknown): string | undefined {
  if (typeof frame !== 'object' || frame === null || !('websocket' in frame)) return undefined;
  const { websocket } = frame;
  const url = typeof websocket === 'object' && websocket !== null && 'url' in websocket ? websocket.url : undefined;
  return typeof url === 'string' && url !== '' ? url : undefined;
}

/** The first call says goodbye, the second waits for no answer. */
async function close(client: SocketModeReceiver['client']): Promise<void> {
  void client.disconnect();
  await new Promise((resolve) => setImmediate(resolve));
  if (client.websocket?.readyState !== undefined) client.websocket.disconnect();
}
