/** The whole daemon inside the test's own process: real adapters, a real store; the model and the settings are the test's. */
import path from 'node:path';
import { type TelegramConfig, telegramPlatform } from '../../adapters/telegram/platform.ts';
import type { Tool } from '../../agent/tool.ts';
import { type Daemon, startDaemon } from '../../gateway/daemon.ts';
import type { DaemonOptions } from '../../gateway/parts.ts';
import type { Settings } from '../../gateway/settings.ts';
import { openStore, type Store } from '../../gateway/store/index.ts';
import { createTools } from '../../tools/index.ts';
import { writeContained } from '../../tools/shared/contained-file.ts';
import type { FakeTelegram } from '../fakes/telegram.ts';
import { migrations } from '../gateway/support/home.ts';
import { type MemoryLog, memoryLog } from '../gateway/support/log.ts';
import { noPacing } from './gateway-process.ts';

export interface TestDaemonOptions {
  readonly home: string;
  readonly platforms: DaemonOptions['platforms'];
  /** Read anew for each message and turn. */
  readonly settings: () => Settings;
  readonly tools?: readonly Tool[];
  readonly http?: DaemonOptions['http'];
  readonly drainMs?: number;
  readonly now?: () => number;
  readonly restart?: () => void;
}

export interface TestDaemon {
  readonly daemon: Daemon;
  readonly store: Store;
  readonly log: MemoryLog;
}

export async function startTestDaemon({ home, platforms, settings, ...options }: TestDaemonOptions): Promise<TestDaemon> {
  const { tools = [], http, drainMs = 0, now = Date.now, restart } = options;
  const store = openStore({ home, migrations, now });
  const log = memoryLog();
  const daemon = await startDaemon({
    version: '0.0.0-test',
    home,
    store,
    tools: () => tools,
    writeFile: writeContained,
    settings,
    platforms,
    rules: {
      keys: { group_sessions_per_user: true, thread_sessions_per_user: false },
      reset: { mode: 'none', at_hour: 4, idle_minutes: 1440, notify: true },
      drainMs,
    },
    http,
    notes: [],
    secrets: () => [],
    controlSocket: path.join(home, 'control.sock'),
    ...(restart === undefined ? {} : { restart }),
    log,
    now,
  });
  return { daemon, store, log };
}

/** An account on the fake that everybody may talk to, and whose pacing is lifted: the software is tested, not Telegram's rules. */
export function telegramAccount(telegram: FakeTelegram, changes: Readonly<Record<string, unknown>> = {}): TelegramConfig {
  return telegramPlatform.schema.parse({
    bot_token: telegram.token,
    base_url: telegram.root,
    allowed_users: ['*'],
    poll_timeout_seconds: 1,
    pacing: noPacing,
    ...changes,
  });
}

/** The real tools. Commands that they start carry the name of the home: `marked(path.basename(home))` finds them. */
export function realTools(home: string): readonly Tool[] {
  return createTools({
    terminal: {
      timeout: 60,
      max_timeout: 600,
      env_passthrough: [],
      process_namespace: 'auto',
      isolation: 'none',
      writable_paths: [],
      sudo_password: '',
    },
    environment: { PATH: process.env['PATH'], HOME: home, LANG: 'C.UTF-8' },
    home,
    protectedPaths: ['.env', 'config.yaml', 'state.db*'].map((name) => path.join(home, name)),
    marker: path.basename(home),
  });
}
