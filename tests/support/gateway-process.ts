/** The real daemon as a child process, on a home of its own, with the fakes for Telegram and the model. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface GatewaySettings {
  readonly home: string;
  readonly telegram?: { readonly root: string; readonly token: string };
  readonly model?: string;
  /** Merged over the harness's config.yaml. */
  readonly config?: Readonly<Record<string, object>>;
  readonly env?: Readonly<Record<string, string>>;
}

export interface GatewayProcess {
  readonly pid: number;
  /** Resolves with the exit code or the signal's name. */
  readonly exited: Promise<number | string>;
  readonly alive: () => boolean;
  kill(signal: NodeJS.Signals): void;
  /** SIGTERM, then the exit. */
  stop(): Promise<number | string>;
  output(): string;
}

/** Pacing lifted: the software is measured, not Telegram's rules. */
export const noPacing = { chat_interval_ms: 0, chat_burst: 1, group_per_minute: 0, per_second: 0 };

export function startGateway(settings: GatewaySettings): GatewayProcess {
  mkdirSync(settings.home, { recursive: true });
  const { telegram, model, config = {} } = settings;
  writeFileSync(path.join(settings.home, 'config.yaml'), stringify({ web: { port: 0 }, ...telegramConfig(telegram), ...config }));
  const log = path.join(settings.home, 'output.log');
  const out = openSync(log, 'a');
  const child = spawn(process.execPath, [path.join(root, 'gateway/cli/hermes.js'), 'gateway', 'run'], {
    cwd: settings.home,
    stdio: ['ignore', out, out],
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: settings.home,
      HERMES_HOME: settings.home,
      ...(telegram === undefined ? {} : { TELEGRAM_BOT_TOKEN: telegram.token }),
      ...(model === undefined ? {} : { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: model }),
      ...settings.env,
    },
  });
  return handle(child, log);
}

function telegramConfig(telegram: GatewaySettings['telegram']): Record<string, object> {
  return telegram === undefined ? {} : { telegram: { base_url: telegram.root, allowed_users: ['*'], pacing: noPacing } };
}

function handle(child: ChildProcess, log: string): GatewayProcess {
  const exited = new Promise<number | string>((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown')));
  return {
    pid: child.pid ?? -1,
    exited,
    alive: () => child.exitCode === null && child.signalCode === null,
    kill: (signal) => void child.kill(signal),
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
    output: () => readFileSync(log, 'utf8'),
  };
}
