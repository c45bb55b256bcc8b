/** The Slack account: one connection in, calls out. Loaded only when Slack is switched on. */
import type { Adapter, Host } from '../adapter.ts';
import type { MenuCommand } from '../platform.ts';
import { sleep } from '../shared/backoff.ts';
import { audit } from './audit.ts';
import { type Client, createClient, TIMING, type Timing } from './client.ts';
import { isDirect } from './codec.ts';
import { createDeliverer } from './delivery.ts';
import { fetchFile } from './download.ts';
import { fatalError } from './errors.ts';
import { createGap, type Gap } from './gap.ts';
import { createHistory, type History } from './history.ts';
import { createHttpDoor, type HttpDoor } from './http-door.ts';
import { createIdentity, type Identity } from './identity.ts';
import { createIntake, type Intake } from './intake.ts';
import { createHealth, type Health, keepConnected } from './loop.ts';
import { createNames } from './names.ts';
import { DOWNLOAD_LIMIT_BYTES, type SlackConfig } from './platform.ts';
import { createReact } from './receipts.ts';
import { createRespond } from './respond.ts';
import { type Ending, runSocket } from './socket.ts';
import { createStreams, type Streams } from './stream.ts';
import { createThreads, type Threads } from './threads.ts';

export function createSlackAdapter(config: SlackConfig, host: Host, menu: readonly MenuCommand[]): Adapter {
  return connectSlack({ config, host, menu, timing: TIMING, now: Date.now });
}

export interface SlackParts {
  readonly config: SlackConfig;
  readonly host: Host;
  readonly menu: readonly MenuCommand[];
  readonly timing: Timing;
  readonly now: () => number;
}

interface Account extends SlackParts {
  readonly client: Client;
  readonly identity: Identity;
  readonly threads: Threads;
  readonly history: History;
  readonly intake: Intake;
  readonly gap: Gap;
  readonly health: Health;
  readonly streams: Streams;
}

export function connectSlack(parts: SlackParts): Adapter {
  const { config, host, timing } = parts;
  const account = createAccount(parts);
  const door = createDoor(account);
  const { client, threads, streams } = account;
  const token = config.bot_token ?? '';
  const link = { client, timing, root: config.base_url };
  const joined = (channel: string, thread: string): void => void (isDirect(channel) || threads.join(channel, thread));
  const deliverer = createDeliverer({ ...link, unfurlLinks: config.unfurl_links, streams, joined });
  return {
    async run(signal) {
      host.state('connecting');
      threads.prune();
      const connect = (stop: AbortSignal): Promise<Ending> => (door === undefined ? connectSocket(account, stop) : door.serve(stop));
      await keepConnected({ timing, report: host, health: account.health }, connect, signal);
    },
    ...deliverer,
    preview: streams.preview,
    previews: streams.previews,
    ...(config.reactions ? { react: createReact(client) } : {}),
    buttons: true,
    respond: createRespond(link),
    fetch: (attachment, signal) => fetchFile({ ...link, token, limitBytes: DOWNLOAD_LIMIT_BYTES }, attachment, signal),
    ...(door === undefined ? {} : { routes: door.routes }),
  };
}

function createDoor(account: Account): HttpDoor | undefined {
  if (account.config.mode !== 'http') return undefined;
  return createHttpDoor({ ...account, settle: (signal) => settle(account, signal) });
}

function createAccount(parts: SlackParts): Account {
  const { config, host, timing, now } = parts;
  const client = createClient({ token: config.bot_token ?? '', root: config.base_url }, timing);
  const threads = createThreads(host.store, now);
  const history = createHistory(client);
  const identity = createIdentity({ client, log: host.log });
  const names = createNames({ client, store: host.store, patienceMs: timing.nameMs, now });
  const intake = createIntake({ ...parts, identity, names, threads, history });
  const gap = createGap({ store: host.store, catchUp: intake.catchUp, history, threads, now });
  const streams = createStreams({ client, store: host.store, log: host.log, assistant: threads.assistant, enabled: config.streaming });
  return { ...parts, client, identity, threads, history, intake, gap, health: createHealth(host), streams };
}

const DEAF = 'Slack holds the connection but does not send what is written; it is opened anew.';

/** One socket from who we are to its end; what was missed is caught up on beside it. */
async function connectSocket(account: Account, signal: AbortSignal): Promise<Ending> {
  const { config, timing, identity, gap, intake, health, history, now } = account;
  await identity.learn(signal);
  await gap.open(signal);
  const over = new AbortController();
  const within = AbortSignal.any([signal, over.signal]);
  const ready = Promise.withResolvers<void>();
  let events = 0;
  const socket = runSocket(
    {
      appToken: config.app_token ?? '',
      root: config.base_url,
      timing,
      hello() {
        intake.listening();
        health.opened();
        ready.resolve();
      },
      alive: () => health.ok(),
      take(payload, stop) {
        events += 1;
        return intake.take(payload, stop);
      },
    },
    within,
  );
  const deaf = ready.promise.then(() =>
    audit({ history, heard: intake.heard, intervalMs: timing.auditMs, now, events: () => events, sentence: DEAF }, within),
  );
  const beside = ready.promise.then(() => settle(account, within)).catch(() => undefined);
  try {
    return await Promise.race([socket, deaf]);
  } catch (error) {
    throw fatalError(error, 'SLACK_APP_TOKEN') ?? error;
  } finally {
    over.abort(new Error('the connection has ended'));
    ready.resolve();
    await Promise.allSettled([socket, deaf, beside]);
  }
}

/** What is due once messages come, and for as long as they do. Rejects with the signal's reason only. */
async function settle({ intake, streams, gap, timing }: Account, signal: AbortSignal): Promise<void> {
  await Promise.all([intake.catchUp.run(signal), streams.sweep(signal)]);
  for (;;) {
    gap.listening();
    await sleep(timing.auditMs, signal);
    await streams.sweep(signal);
  }
}
