/** A Slack account over the fake Slack, with times short enough for tests. */
import type { Adapter, ChatRef, Json } from '../../../adapters/adapter.ts';
import type { MenuCommand } from '../../../adapters/platform.ts';
import { TIMING, type Timing } from '../../../adapters/slack/client.ts';
import { connectSlack } from '../../../adapters/slack/index.ts';
import { type SlackConfig, slackPlatform } from '../../../adapters/slack/platform.ts';
import { APP_TOKEN, BOT_TOKEN, type FakeSlack, type FakeSlackOptions, startFakeSlack } from '../../fakes/slack.ts';
import { createTestHost, type TestHost } from '../host.ts';

export const DIRECT = 'D0DIRECT1';
export const CHANNEL = 'C0GENERAL';

export const QUICK: Timing = {
  ...TIMING,
  callMs: 400,
  probeMs: 400,
  fileMs: 3000,
  helloMs: 500,
  pingMs: 600,
  backoffFirstMs: 20,
  backoffMaxMs: 150,
  flappingMaxMs: 150,
  usefulMs: 300,
  auditMs: 60_000,
  nameMs: 200,
  storeRetryMs: 20,
};

export const chatOf = (chat: string, thread?: string): ChatRef => ({
  platform: 'slack',
  account: 'main',
  chat,
  ...(thread === undefined ? {} : { thread }),
});

export interface SlackRig {
  readonly fake: FakeSlack;
  readonly host: TestHost;
  readonly adapter: Adapter;
  readonly config: SlackConfig;
  /** Rejects when the connection does. */
  readonly running: Promise<void>;
  /** Events come from now on. */
  connected(): Promise<void>;
  stop(): Promise<void>;
  close(): Promise<void>;
}

export interface RigOptions {
  readonly fake?: FakeSlackOptions;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly timing?: Partial<Timing>;
  readonly menu?: readonly MenuCommand[];
  /** What an earlier run kept. */
  readonly kept?: Map<string, Json>;
  /** Another account, or a later run, on the same fake. */
  readonly on?: FakeSlack;
  readonly now?: () => number;
  /** Before the connection starts. */
  before?(fake: FakeSlack): void;
}

export async function startRig(options: RigOptions = {}): Promise<SlackRig> {
  const fake = options.on ?? (await startFakeSlack(options.fake));
  options.before?.(fake);
  const host = createTestHost(options.kept);
  const config = slackPlatform.schema.parse({ bot_token: BOT_TOKEN, app_token: APP_TOKEN, base_url: fake.root, ...options.config });
  const adapter = connectSlack({
    config,
    host,
    menu: options.menu ?? [],
    timing: { ...QUICK, ...options.timing },
    now: options.now ?? Date.now,
  });
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
  return {
    fake,
    host,
    adapter,
    config,
    running,
    connected: () => fake.waitFor(() => host.states.some(({ state }) => state === 'connected')),
    stop,
    close,
  };
}
