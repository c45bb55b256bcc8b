/** One person, one gateway, one platform between them: everything is real but the network's other side and the model. */
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { AccountConfig, Platform } from '../../../adapters/platform.ts';
import { webPlatform } from '../../../adapters/web/platform.ts';
import type { Message } from '../../../agent/message.ts';
import type { Model } from '../../../agent/model.ts';
import type { Tool } from '../../../agent/tool.ts';
import type { DaemonOptions } from '../../../gateway/parts.ts';
import type { Store } from '../../../gateway/store/index.ts';
import { marked } from '../../../tools/shared/process/table.ts';
import { type FakeTelegram, startFakeTelegram } from '../../fakes/telegram.ts';
import { pageDirectory } from '../../gateway/http/fixture.ts';
import { until } from '../../gateway/support/gateway.ts';
import { temporaryHome } from '../../gateway/support/home.ts';
import { type SettingsChange, testSettings } from '../../gateway/support/settings.ts';
import { expectValid } from '../../gateway/support/transcript.ts';
import { realTools, startTestDaemon, type TestDaemon, telegramAccount } from '../../support/daemon.ts';
import { type OwnersPage, ownersPage } from './page.ts';
import type { Person } from './person.ts';
import { CHAT, personOnTelegram, quickTelegram } from './telegram.ts';

export interface WorldOptions {
  readonly model: Model;
  /** Beside the real ones. */
  readonly tools?: readonly Tool[];
  /** Read anew at each message and turn: a test may change it. */
  readonly change?: SettingsChange;
  readonly now?: () => number;
  /** Nobody else may talk to the bot. */
  readonly alone?: boolean;
  /** Who may talk to the bot, read anew at each message. */
  readonly allowed?: readonly string[];
  readonly maxSteps?: number;
  /** Instead of times that are short enough for tests. */
  readonly progress?: Partial<Platform['progress']>;
}

export interface World {
  readonly person: Person;
  /** Of the daemon that runs now. */
  store(): Store;
  readonly home: string;
  /** Where the conversation's commands run. */
  workspace(): string;
  transcript(): readonly Message[];
  isWorking(): boolean;
  /** Processes that belong to commands of this gateway. */
  alive(): number;
  /** Resolves when nothing is pending, running or waiting to be sent; the transcript is valid then. */
  idle(): Promise<void>;
  /** Stops, by default without waiting for what is at work, and starts again on the same home; the person stays where they are. */
  restart(drainMs?: number): Promise<void>;
}

export interface Place {
  readonly name: 'Telegram' | 'the page';
  open(options: WorldOptions): Promise<World>;
}

/** Everywhere that a scenario takes place. */
export const places: readonly Place[] = [
  { name: 'Telegram', open: (options) => openTelegram(options) },
  { name: 'the page', open: (options) => openPage(options) },
];

const quick: Platform['progress'] = { quietMs: 0, editIntervalMs: 30, previewIntervalMs: 20 };
const lane = { Telegram: `agent:main:telegram:dm:${CHAT}`, 'the page': 'agent:main:web:dm:main' } as const;

export interface TelegramWorld extends World {
  readonly telegram: FakeTelegram;
}

export async function openTelegram(options: WorldOptions): Promise<TelegramWorld> {
  const telegram = await startFakeTelegram();
  const { alone = false, allowed = alone ? [String(CHAT)] : ['*'] } = options;
  const config = { ...telegramAccount(telegram), allowed_users: allowed };
  const platform: Platform = quickTelegram({ ...quick, ...options.progress }) as Platform;
  const world = await run(options, { person: personOnTelegram(telegram), lane: lane.Telegram, platform, config });
  onTestFinished(() => telegram.close());
  return Object.assign(world, { telegram });
}

async function openPage(options: WorldOptions): Promise<World> {
  const page = ownersPage();
  const config = webPlatform.schema.parse({ port: 0 });
  const platform: Platform = { ...(webPlatform as Platform), progress: { ...quick, ...options.progress } };
  const world = await run(options, { person: page, lane: lane['the page'], platform, config, page });
  onTestFinished(() => page.close());
  return world;
}

interface Facts {
  readonly person: Person;
  readonly lane: string;
  readonly platform: Platform;
  readonly config: AccountConfig;
  readonly page?: OwnersPage;
}

async function run(options: WorldOptions, facts: Facts): Promise<World> {
  const home = temporaryHome();
  const process = await startProcess(options, { ...facts, home });
  const store = (): Store => process.now().store;
  const isWorking = (): boolean => store().turns.runningLanes().length > 0;
  const session = () => store().sessions.open(facts.lane);
  const transcript = (): readonly Message[] => store().transcript.read(session()?.id ?? '');
  return {
    person: facts.person,
    home,
    store,
    isWorking,
    transcript,
    workspace: () => session()?.workspace ?? '',
    alive: () => marked(path.basename(home)).length,
    idle: async () => {
      await until(
        () => store().inbox.countOpen() === 0 && !isWorking() && store().outbox.count().pending === 0,
        () => `work is left: inbox ${store().inbox.countOpen()}, turns ${store().turns.runningLanes()}`,
      );
      expectValid(transcript());
    },
    restart: process.restart,
  };
}

interface Process {
  now(): TestDaemon;
  restart(drainMs?: number): Promise<void>;
}

/** What the process would be: `/restart` starts it again, too. */
async function startProcess(options: WorldOptions, facts: Omit<Started, 'port' | 'restart'>): Promise<Process> {
  let port = 0;
  let restarting = Promise.resolve();
  const start = async (): Promise<TestDaemon> => {
    const started = await startTestDaemon(daemonOptions(options, { ...facts, port, restart: () => void restart() }));
    const { link } = started.daemon;
    if (link !== undefined) port = Number(new URL(link).port);
    if (link !== undefined) await facts.page?.connect(link);
    return started;
  };
  let running = await start();
  const restart = (drainMs = 0): Promise<void> => {
    restarting = running.daemon.restart(drainMs).then(async () => {
      running = await start();
    });
    return restarting;
  };
  onTestFinished(async () => {
    await restarting;
    await running.daemon.stop();
  });
  return { now: () => running, restart };
}

interface Started extends Facts {
  readonly home: string;
  readonly port: number;
  restart(): void;
}

function daemonOptions(
  options: WorldOptions,
  { home, port, platform, config, page, restart }: Started,
): Parameters<typeof startTestDaemon>[0] {
  const { model, change = {}, maxSteps = 20 } = options;
  const settings = () =>
    testSettings({ model, change, maxSteps, account: (key) => (key === `${platform.name}/main` ? config : undefined) });
  const http: DaemonOptions['http'] =
    page === undefined ? undefined : { config: { ...webPlatform.schema.parse({}), port }, pageDirectory: pageDirectory() };
  return {
    home,
    platforms: [{ platform, config }],
    settings,
    tools: [...realTools(home), ...(options.tools ?? [])],
    http,
    restart,
    ...(options.now === undefined ? {} : { now: options.now }),
  };
}
