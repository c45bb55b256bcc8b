/** The real daemon on a real store, between a scripted model and the fake platform. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished, vi } from 'vitest';
import type { Inbound } from '../../../adapters/adapter.ts';
import type { Model } from '../../../agent/model.ts';
import type { Tool } from '../../../agent/tool.ts';
import type { GlobalAccess } from '../../../gateway/access.ts';
import { type Daemon, startDaemon } from '../../../gateway/daemon.ts';
import type { DaemonOptions, DaemonRules } from '../../../gateway/parts.ts';
import { openStore, type Store } from '../../../gateway/store/index.ts';
import { writeContained } from '../../../tools/shared/contained-file.ts';
import { createFakePlatform, type FakePlatform } from '../../fakes/platform.ts';
import { killedCopy, migrations, temporaryHome } from './home.ts';
import { message, type Said } from './inbound.ts';
import { type MemoryLog, memoryLog } from './log.ts';
import { type SettingsChange, testSettings } from './settings.ts';

export interface GatewayOptions {
  readonly model?: Model;
  readonly platform?: FakePlatform;
  readonly tools?: readonly Tool[] | DaemonOptions['tools'];
  readonly rules?: Partial<DaemonRules>;
  readonly home?: string;
  readonly now?: () => number;
  readonly maxSteps?: number;
  /** Read anew at each message and turn: a test may change it. */
  readonly change?: SettingsChange;
  readonly access?: Partial<GlobalAccess>;
  readonly secrets?: readonly string[];
  /** Before the daemon starts: prepares rows as an earlier process left them. */
  readonly before?: (store: Store) => void;
  /** What the daemon uses instead of the store itself. */
  readonly wrap?: (store: Store) => Store;
  readonly restart?: () => void;
  readonly terminal?: DaemonOptions['terminal'];
  /** What of files becomes part of prompts; nothing unless it is given. */
  readonly prompts?: DaemonOptions['prompts'];
}

export interface Gateway {
  readonly home: string;
  readonly store: Store;
  readonly platform: FakePlatform;
  readonly log: MemoryLog;
  readonly daemon: Daemon;
  /** A message arrives. */
  say(chat: string, text: string, said?: Said): void;
  receive(events: readonly Inbound[]): void;
  answers(chat: string): readonly string[];
  /** Resolves when the chat shows this many texts, and returns them. */
  answered(chat: string, count: number): Promise<readonly string[]>;
  /** Resolves when nothing is pending, running or waiting to be sent. */
  idle(): Promise<void>;
  stop(): Promise<void>;
  /** As SIGKILL at this instant: nothing that this gateway still does has any effect. Returns the home that it leaves. */
  kill(): string;
}

/** What hangs on purpose may go on hanging behind the next test: it has a home and a platform of its own. */
const stopPatienceMs = 300;

export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const home = options.home ?? temporaryHome();
  const platform = options.platform ?? createFakePlatform();
  const now = options.now ?? Date.now;
  const log = memoryLog();
  const store = openStore({ home, migrations, now });
  options.before?.(store);
  const daemon = await startDaemon(daemonOptions(options, { home, platform, store: options.wrap?.(store) ?? store, log, now }));
  const state = { stopped: false };
  const stop = async (): Promise<void> => {
    if (state.stopped) return;
    state.stopped = true;
    await daemon.stop();
  };
  onTestFinished(async () => {
    vi.useRealTimers();
    await Promise.race([stop().catch(() => undefined), new Promise((resolve) => setTimeout(resolve, stopPatienceMs))]);
  });
  const say = (chat: string, text: string, said: Said = {}): void =>
    platform.receive([message(text, { chat, from: { id: chat }, ...said })]);
  return {
    home,
    store,
    platform,
    log,
    daemon,
    say,
    receive: (events) => platform.receive(events),
    answers: (chat) => platform.texts(chat),
    answered: async (chat, count) => {
      await until(
        () => platform.texts(chat).length >= count,
        () => `${chat} shows ${JSON.stringify(platform.texts(chat))}`,
      );
      return platform.texts(chat);
    },
    idle: () =>
      until(
        () => isIdle(store),
        () => describeWork(store),
      ),
    stop,
    kill: () => {
      platform.sever();
      state.stopped = true;
      const left = killedCopy(home);
      onTestFinished(() => void daemon.stop().catch(() => undefined));
      return left;
    },
  };
}

interface Parts {
  readonly home: string;
  readonly platform: FakePlatform;
  readonly store: Store;
  readonly log: MemoryLog;
  readonly now: () => number;
}

function daemonOptions(options: GatewayOptions, { home, platform, store, log, now }: Parts): DaemonOptions {
  const socket = path.join(home, 'run', 'control.sock');
  mkdirSync(path.dirname(socket), { recursive: true, mode: 0o700 });
  return {
    version: '0.0.0-test',
    home,
    store,
    tools: (ports) => (typeof options.tools === 'function' ? options.tools(ports) : (options.tools ?? [])),
    writeFile: writeContained,
    ...(options.prompts === undefined ? {} : { prompts: options.prompts }),
    settings: () =>
      testSettings({ ...options, account: (key) => (key === `${platform.platform.name}/main` ? platform.config : undefined) }),
    platforms: [{ platform: platform.platform, config: platform.config }],
    rules: { ...defaultRules, ...options.rules },
    http: undefined,
    notes: [],
    controlSocket: socket,
    ...(options.restart === undefined ? {} : { restart: options.restart }),
    ...(options.terminal === undefined ? {} : { terminal: options.terminal }),
    secrets: () => options.secrets ?? [],
    log,
    now,
  };
}

const defaultRules: DaemonRules = {
  keys: { group_sessions_per_user: true, thread_sessions_per_user: false },
  reset: { mode: 'none', at_hour: 4, idle_minutes: 1440, notify: true },
  drainMs: 0,
};

function isIdle(store: Store): boolean {
  return store.inbox.countOpen() === 0 && store.turns.runningLanes().length === 0 && store.outbox.count().pending === 0;
}

function describeWork(store: Store): string {
  return `inbox ${store.inbox.countOpen()}, turns ${store.turns.runningLanes().join(' ')}, outbox ${store.outbox.count().pending}`;
}

/** Fake clocks stand still meanwhile: what needs only turns of the event loop gets them. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Looks again and again, in real time or (with fake timers) in the fake one. */
export async function until(condition: () => boolean, what: () => string, ms = 15_000): Promise<void> {
  const deadline = performance.now() + ms;
  for (;;) {
    if (condition()) return;
    if (performance.now() > deadline) throw new Error(`waited ${ms} ms in vain: ${what()}`);
    if (vi.isFakeTimers()) await vi.advanceTimersByTimeAsync(5).then(settled);
    else await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
