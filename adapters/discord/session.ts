/** One discord.js client from login to its end. It resumes by itself; when that leads nowhere it is taken down, and the next one starts over. */
import {
  Client,
  CloseCodes,
  Events,
  GatewayIntentBits,
  GatewayOpcodes,
  Options,
  type RESTOptions,
  SimpleShardingStrategy,
} from 'discord.js';
import type { Host } from '../adapter.ts';
import { sleep } from '../shared/backoff.ts';
import { type Budget, badToken } from './budget.ts';
import { closeError } from './close-codes.ts';
import { deliveryError } from './errors.ts';
import type { Reconnects } from './reconnects.ts';
import type { Timing } from './rest.ts';
import { createWatch, type Watch } from './watch.ts';

/** Closings in a row, none of them after a useful time. */
const MOST_USELESS = 3;

export interface SessionParts {
  readonly token: string;
  readonly rest: Partial<RESTOptions>;
  readonly timing: Timing;
  readonly host: Host;
  readonly reconnects: Reconnects;
  readonly budget: Budget;
  /** An event of the gateway, in order. What it throws ends the connection. */
  packet(type: string, data: unknown): void;
  /** A server and ourselves, to ask for an event with. */
  probeWith(): { readonly guild: string; readonly me: string } | undefined;
}

type Manager = Parameters<NonNullable<NonNullable<ConstructorParameters<typeof Client>[0]['ws']>['buildStrategy']>>[0];

/** Rejects with the reason why it ended: FatalAdapterError, BudgetSpentError, the signal's reason, or an error worth another try. */
export async function holdSession(parts: SessionParts, signal: AbortSignal): Promise<never> {
  const end = Promise.withResolvers<never>();
  const abort = (): void => end.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  const over = new AbortController();
  const link = createLink({ ...parts, fail: end.reject }, over.signal);
  try {
    if (signal.aborted) abort();
    link.watch.connecting();
    link.client.login(parts.token).catch((error: unknown) => end.reject(loginError(error)));
    return await end.promise;
  } finally {
    over.abort();
    signal.removeEventListener('abort', abort);
    link.watch.stop();
    await farewell(link, parts.timing);
  }
}

function loginError(error: unknown): Error {
  if (error instanceof Error && 'code' in error && error.code === 'TokenInvalid') return badToken();
  return error instanceof Error && error.name === 'Error' ? error : deliveryError(error);
}

interface LinkParts extends SessionParts {
  fail(error: Error): void;
}

interface Link {
  readonly client: Client;
  readonly watch: Watch;
  manager: Manager | undefined;
  /** Discord has greeted on a socket that is still there. */
  open: boolean;
}

function createLink(parts: LinkParts, over: AbortSignal): Link {
  const { host, timing } = parts;
  const count = { useless: 0 };
  const useful = (): void => {
    count.useless = 0;
    parts.reconnects.useful();
  };
  const watch = createWatch({ timing, useful, fail: (sentence) => parts.fail(new Error(sentence)), probe: () => probe(parts, link) });
  const client = createClient(parts.rest, {
    buildStrategy: (manager) => {
      link.manager = manager;
      attend(manager, attendant(parts, link, count), over);
      return new SimpleShardingStrategy(manager);
    },
    buildIdentifyThrottler: async () => ({ waitForIdentify: (_shard, abort) => mayIdentify(parts, watch, abort) }),
  });
  client.on(Events.Raw, (packet: { readonly t: string; readonly d: unknown }) => {
    if (over.aborted) return;
    watch.event();
    host.alive();
    try {
      parts.packet(packet.t, packet.d);
    } catch (error) {
      // discord.js would turn it into an end of the process.
      parts.fail(error instanceof Error ? error : new Error(String(error)));
    }
  });
  // Both are told by what follows them: a closing, or a rejected login.
  client.on(Events.ShardError, () => undefined);
  client.on(Events.Error, () => undefined);
  const link: Link = { client, watch, manager: undefined, open: false };
  return link;
}

function attendant({ host, fail }: LinkParts, link: Link, count: { useless: number }): Attendant {
  const { watch } = link;
  return {
    hello: () => {
      link.open = true;
    },
    closed: (code) => {
      link.open = false;
      count.useless += 1;
      const again = count.useless < MOST_USELESS;
      const error =
        closeError(code) ??
        (again ? undefined : new Error(`Discord has closed the connection ${count.useless} times in a row (code ${code}).`));
      if (error !== undefined) fail(error);
      host.state('degraded', 'The connection to Discord was lost; it is being taken up again.');
      watch.connecting();
    },
    ready: () => {
      watch.ready();
      host.alive();
      host.state('connected');
    },
    heartbeat: () => {
      watch.alive();
      host.alive();
    },
  };
}

interface Attendant {
  hello(): void;
  closed(code: number): void;
  ready(): void;
  heartbeat(): void;
}

function attend(manager: Manager, to: Attendant, over: AbortSignal): void {
  const unlessOver = (then: () => void): void => {
    if (!over.aborted) then();
  };
  type Names = Parameters<Manager['on']>[0];
  manager.on('closed' as Names & 'closed', ({ code }: { code: number }) => unlessOver(() => to.closed(code)));
  manager.on('hello' as Names & 'hello', () => unlessOver(to.hello));
  manager.on('ready' as Names & 'ready', () => unlessOver(to.ready));
  manager.on('resumed' as Names & 'resumed', () => unlessOver(to.ready));
  manager.on('heartbeat' as Names & 'heartbeat', () => unlessOver(to.heartbeat));
}

type Gateway = NonNullable<ConstructorParameters<typeof Client>[0]['ws']>;

function createClient(rest: Partial<RESTOptions>, ws: Gateway): Client {
  const { Guilds, GuildMessages, DirectMessages, MessageContent } = GatewayIntentBits;
  return new Client({
    intents: [Guilds, GuildMessages, DirectMessages, MessageContent],
    rest,
    ws,
    // We keep what we need ourselves.
    makeCache: Options.cacheWithLimits({
      ...Options.DefaultMakeCacheSettings,
      MessageManager: 0,
      DMMessageManager: 0,
      GuildMessageManager: 0,
      GuildMemberManager: { maxSize: 1, keepOverLimit: (member) => member.id === member.client.user.id },
      UserManager: { maxSize: 1, keepOverLimit: (user) => user.id === user.client.user.id },
      ThreadMemberManager: 0,
      ReactionManager: 0,
      PresenceManager: 0,
      VoiceStateManager: 0,
      GuildEmojiManager: 0,
      GuildStickerManager: 0,
      GuildScheduledEventManager: 0,
      StageInstanceManager: 0,
    }),
  });
}

/**
 * An IDENTIFY is spent only when it may be. Where it may not soon, this connection is given up: it would stand open to no purpose. A promise
 * that rejects makes discord.js resume a session that there is not, so that then this one waits for the connection's end.
 */
async function mayIdentify({ reconnects, budget, timing, fail }: LinkParts, watch: Watch, abort: AbortSignal): Promise<void> {
  try {
    const pauseMs = reconnects.identifyPauseMs();
    if (pauseMs > timing.identifyGapMs * 2) throw new Error('Discord ended session after session.');
    await sleep(pauseMs, abort);
    watch.connecting();
    await budget.check(abort);
    reconnects.identified();
    budget.spend();
  } catch (error) {
    abort.throwIfAborted();
    fail(error instanceof Error ? error : deliveryError(error));
    await new Promise((_resolve, reject) => abort.addEventListener('abort', () => reject(abort.reason), { once: true }));
  }
}

/** The answer is an event: that of a heartbeat is none. https://docs.discord.com/developers/events/gateway-events#request-guild-members */
function probe({ probeWith }: LinkParts, { manager }: Link): boolean {
  const target = probeWith();
  if (manager === undefined || target === undefined) return false;
  const payload = { op: GatewayOpcodes.RequestGuildMembers as const, d: { guild_id: target.guild, user_ids: [target.me], limit: 1 } };
  void Promise.resolve(manager.send(0, payload)).catch(() => undefined);
  return true;
}

/**
 * discord.js opens the next socket half a second after it closed one, even if the client was destroyed in between: a session that is never told
 * keeps it from doing so. And it lets go of a socket that is being opened in a way that ends the process when the opening fails: such a one is
 * left alone until it is open. A peer that does not answer the closing is not waited for.
 */
async function farewell({ client, manager, open }: Link, timing: Timing): Promise<void> {
  if (manager !== undefined) manager.options.retrieveSessionInfo = () => new Promise(() => undefined);
  if (manager !== undefined && !open) leaveToItself(manager);
  const gone = client.destroy().catch(() => undefined);
  await Promise.race([gone, sleep(timing.farewellMs, new AbortController().signal)]);
}

function leaveToItself(manager: Manager): void {
  const destroy = manager.destroy.bind(manager);
  manager.destroy = () => undefined;
  const goodbye = { code: CloseCodes.Normal, reason: 'It took too long' };
  manager.once('hello' as Parameters<Manager['on']>[0] & 'hello', () => void Promise.resolve(destroy(goodbye)).catch(() => undefined));
}
