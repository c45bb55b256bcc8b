/** The real daemon with every platform on, and every route that its Fastify instances were given, as they tell themselves. */
import { randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { platforms, webPlatform } from '../../adapters/index.ts';
import type { AccountConfig } from '../../adapters/platform.ts';
import { callControl } from '../../gateway/http/control-client.ts';
import { runner } from '../conversation/support/runner.ts';
import { FAKE_DISCORD_TOKEN, startFakeDiscord } from '../fakes/discord.ts';
import { BOT_TOKEN, startFakeSlack } from '../fakes/slack.ts';
import { FAKE_TOKEN, type FakeTelegram, startFakeTelegram } from '../fakes/telegram.ts';
import { pageDirectory } from '../gateway/http/fixture.ts';
import { until } from '../gateway/support/gateway.ts';
import { testSettings } from '../gateway/support/settings.ts';
import { cookieFor, PageClient } from '../page/page-client.ts';
import { realTools, startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type State, stateOf } from './state.ts';

export const TELEGRAM_SECRET = 'a-secret-of-the-webhook';
export const SLACK_SECRET = '8f742231b10e8888abcd99yyyzzz85a5';
export interface Route {
  readonly method: string;
  readonly url: string;
  readonly access: unknown;
  readonly websocket: boolean;
  readonly app: FastifyInstance;
}

export interface HttpWorld {
  readonly home: string;
  readonly url: URL;
  readonly controlSocket: string;
  /** Every one, those that Fastify adds by itself (HEAD) as well. */
  readonly routes: readonly Route[];
  readonly daemon: TestDaemon;
  /** A stranger writes on Telegram; resolves with the code that they are given. */
  knock(id: number): Promise<string>;
  /** Somebody asks the agent for something dangerous; resolves with the id of the question that waits for the owner. */
  ask(): Promise<number>;
  /** What somebody may have changed, once nothing changes by itself any more. */
  state(): Promise<object>;
  link(): Promise<string>;
  /** Signs in as a page does. The Cookie header. */
  signIn(): Promise<string>;
  close(): Promise<void>;
}

interface Fakes {
  readonly telegram: string;
  readonly slack: string;
  readonly discord: string;
}

/** What each platform is configured with, so that it has every route that it can have. A new platform needs a line here. */
function configurations({ telegram, slack, discord }: Fakes): Readonly<Record<string, object>> {
  return {
    telegram: {
      bot_token: FAKE_TOKEN,
      base_url: telegram,
      allowed_users: ['1'],
      webhook: { url: 'https://bot.example.org', secret: TELEGRAM_SECRET },
    },
    discord: { bot_token: FAKE_DISCORD_TOKEN, base_url: discord, cdn_url: discord, allowed_users: ['200000000000000001'] },
    slack: { bot_token: BOT_TOKEN, mode: 'http', signing_secret: SLACK_SECRET, base_url: slack, allowed_users: ['U1'] },
    whatsapp: { enabled: true, socket_url: 'ws://127.0.0.1:9/', allowed_users: ['4915112345'] },
    web: { port: 0 },
  };
}

export async function openHttpWorld(): Promise<HttpWorld> {
  const home = mkdtempSync(path.join(tmpdir(), 'hermes-routes-'));
  const [telegram, slack, discord] = await Promise.all([startFakeTelegram(), startFakeSlack(), startFakeDiscord()]);
  const started = await startWithRoutes(home, { telegram: telegram.root, slack: slack.root, discord: discord.root });
  const { daemon, url, controlSocket } = started;
  await connected(daemon);
  const link = async (): Promise<string> => {
    const question = { method: 'POST', route: '/api/sign-in-links', body: {} } as const;
    const answer = await callControl(controlSocket, question, AbortSignal.timeout(5000));
    return (answer as { readonly link: string }).link;
  };
  const signIn = async (): Promise<string> => {
    const now = await link();
    return cookieFor({ url: url.href, link: () => now });
  };
  return {
    ...started,
    home,
    link,
    signIn,
    knock: (id) => knock(id, telegram, started.routes),
    ask: async () => ask({ url: url.href, cookie: await signIn() }, daemon),
    state: () => settledState(() => ({ ...changeable(stateOf(home)), restarts: started.restarts() })),
    close: async () => {
      await daemon.daemon.stop();
      await Promise.all([telegram.close(), slack.close(), discord.close()]);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function startWithRoutes(home: string, fakes: Fakes) {
  const given = configurations(fakes);
  const configs = new Map(platforms.map(({ name, schema }) => [name, schema.parse(given[name])]));
  let restarts = 0;
  const { routes, result: daemon } = await withRoutes(() =>
    startTestDaemon({
      home,
      platforms: platforms.map((platform) => ({ platform, config: configs.get(platform.name) as AccountConfig })),
      settings: () =>
        testSettings({
          model: runner(),
          access: { unauthorized_dm_behavior: 'pair' },
          account: (key) => configs.get(key.split('/')[0] ?? ''),
        }),
      tools: realTools(home),
      http: { config: { ...webPlatform.schema.parse({}), port: 0 }, pageDirectory: pageDirectory() },
      restart: () => {
        restarts += 1;
      },
    }),
  );
  const url = new URL('/', daemon.daemon.link);
  return { daemon, routes, url, controlSocket: path.join(home, 'control.sock'), restarts: () => restarts };
}

/** All but WhatsApp, to whose risk nobody has agreed. */
function connected({ log }: TestDaemon): Promise<void> {
  const states = (): readonly object[] => log.lines.flatMap(({ facts, message }) => (message === 'connection' ? [facts] : []));
  const isUp = (name: string): boolean =>
    name === 'whatsapp' || states().some((facts) => JSON.stringify(facts).includes(`"${name}/main","state":"connected"`));
  return until(
    () => platforms.every(({ name }) => isUp(name)),
    () => JSON.stringify(states()),
    15_000,
  );
}

/** Every Fastify instance of the process tells when it is made (https://fastify.dev/docs/latest/Reference/Hooks/#diagnostics-channel-hooks), and then of each of its routes. */
async function withRoutes<T>(start: () => Promise<T>): Promise<{ readonly routes: readonly Route[]; readonly result: T }> {
  const routes: Route[] = [];
  const watch = (message: unknown): void => {
    const { fastify: app } = message as { readonly fastify: FastifyInstance };
    app.addHook('onRoute', (options) => void routes.push(...routesOf(options).map((route) => ({ ...route, app }))));
  };
  subscribe('fastify.initialization', watch);
  try {
    return { result: await start(), routes };
  } finally {
    unsubscribe('fastify.initialization', watch);
  }
}

function routesOf({ method, url, config, websocket }: RouteOptions & { readonly websocket?: boolean }): readonly Omit<Route, 'app'>[] {
  const facts: object = config ?? {};
  const access: unknown = 'access' in facts ? facts.access : undefined;
  return [method].flat().map((each) => ({ method: each, url, access, websocket: websocket === true }));
}

async function ask(page: { readonly url: string; readonly cookie: string }, { store }: TestDaemon): Promise<number> {
  const before = store.asks.open().length;
  const client = await PageClient.open({ url: page.url, link: () => '' }, page.cookie);
  client.message(crypto.randomUUID(), 'run rm -r build', `c${randomBytes(8).toString('hex')}`); // a chat of its own: nothing waits behind another
  const opened = () => store.asks.open()[before];
  await until(
    () => opened() !== undefined,
    () => 'nothing is asked',
  );
  await client.close();
  return opened()?.id ?? 0;
}

async function knock(id: number, telegram: FakeTelegram, routes: readonly Route[]): Promise<string> {
  const app = routes.find(({ url }) => url === '/telegram/webhook')?.app;
  const from = { id, is_bot: false, first_name: `Stranger ${id}` };
  const message = { message_id: id, date: 1, chat: { id, type: 'private', first_name: from.first_name }, from, text: 'let me in' };
  const headers = { 'x-telegram-bot-api-secret-token': TELEGRAM_SECRET };
  await app?.inject({ method: 'POST', url: '/telegram/webhook', headers, payload: { update_id: id, message } });
  const code = () => /\b[A-HJ-NP-Z2-9]{8}\b/.exec(telegram.messages(id)[0]?.text ?? '')?.[0];
  await telegram.waitFor(() => code() !== undefined);
  return code() ?? '';
}

/** Connections note what they have seen and when; of what adapters keep, that of the page and of its sign-ins is what people change. */
function changeable({ account_data: kept = [], ...tables }: State): State {
  const ours = ['gateway/http', 'web/main'];
  return { ...tables, account_data: kept.filter((row) => ours.includes((row as { readonly account: string }).account)) };
}

const quietMs = 60;

async function settledState(read: () => object): Promise<object> {
  for (;;) {
    const before = read();
    await sleep(quietMs);
    const after = read();
    if (isDeepStrictEqual(before, after)) return after;
  }
}
