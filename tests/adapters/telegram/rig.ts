/** A Telegram account over the fake Bot API, with times short enough for tests. */
import type { Adapter, Json } from '../../../adapters/adapter.ts';
import type { MenuCommand } from '../../../adapters/platform.ts';
import { TIMING, type Timing } from '../../../adapters/telegram/client.ts';
import { connectTelegram } from '../../../adapters/telegram/index.ts';
import { type TelegramConfig, telegramPlatform } from '../../../adapters/telegram/platform.ts';
import { type FakeOptions, type FakeTelegram, startFakeTelegram } from '../../fakes/telegram.ts';
import { createTestHost, type TestHost } from '../host.ts';

export const QUICK: Timing = {
  ...TIMING,
  connectMs: 300,
  callMs: 400,
  probeMs: 300,
  pollGraceMs: 200,
  fileMs: 3000,
  backoffFirstMs: 20,
  backoffMaxMs: 150,
  webhookCheckMs: 60,
  farewellMs: 300,
};

export interface TelegramRig {
  readonly fake: FakeTelegram;
  readonly host: TestHost;
  readonly adapter: Adapter;
  readonly config: TelegramConfig;
  /** Rejects when the connection does. */
  readonly running: Promise<void>;
  stop(): Promise<void>;
  close(): Promise<void>;
}

export interface RigOptions {
  readonly fake?: FakeOptions;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly timing?: Partial<Timing>;
  readonly menu?: readonly MenuCommand[];
  /** What an earlier run kept. */
  readonly kept?: Map<string, Json>;
  /** Another account on the same fake. */
  readonly on?: FakeTelegram;
  /** Before the connection starts. */
  before?(fake: FakeTelegram): void;
}

export async function startRig(options: RigOptions = {}): Promise<TelegramRig> {
  const fake = options.on ?? (await startFakeTelegram(options.fake));
  options.before?.(fake);
  const host = createTestHost(options.kept);
  const config = telegramPlatform.schema.parse({ bot_token: fake.token, base_url: fake.root, poll_timeout_seconds: 1, ...options.config });
  const adapter = connectTelegram({ config, host, menu: options.menu ?? [], timing: { ...QUICK, ...options.timing } });
  const end = new AbortController();
  const running = adapter.run(end.signal);
  running.catch(() => undefined);
  const stop = async (): Promise<void> => {
    end.abort(new Error('the test is over'));
    await running.catch(() => undefined);
  };
  const close = async (): Promise<void> => {
    await stop();
    if (options.on === undefined) await fake.close();
  };
  return { fake, host, adapter, config, running, stop, close };
}
