/** A Discord account over the fake, with times short enough for tests. */
import type { Adapter, Json } from '../../../adapters/adapter.ts';
import { connectDiscord } from '../../../adapters/discord/index.ts';
import { type DiscordConfig, discordPlatform } from '../../../adapters/discord/platform.ts';
import { TIMING, type Timing } from '../../../adapters/discord/rest.ts';
import type { MenuCommand } from '../../../adapters/platform.ts';
import { type DiscordOptions, type FakeDiscord, startFakeDiscord } from '../../fakes/discord.ts';
import { createTestHost, type TestHost } from '../host.ts';

export const QUICK: Timing = {
  ...TIMING,
  callMs: 2000,
  fileMs: 3000,
  readyMs: 1500,
  silenceMs: 900,
  probeAfterMs: 600,
  probeMs: 300,
  usefulMs: 700,
  backoffFirstMs: 20,
  backoffMaxMs: 150,
  identifyGapMs: 10,
  identifyMaxMs: 150,
  deferralMs: 300,
  farewellMs: 300,
};

export const PERSON = '200000000000000007';

export interface DiscordRig {
  readonly fake: FakeDiscord;
  readonly host: TestHost;
  readonly adapter: Adapter;
  readonly config: DiscordConfig;
  /** Rejects when the connection does. */
  readonly running: Promise<void>;
  stop(): Promise<void>;
  close(): Promise<void>;
}

export interface RigOptions {
  readonly fake?: DiscordOptions;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly timing?: Partial<Timing>;
  readonly menu?: readonly MenuCommand[];
  /** What an earlier run kept. */
  readonly kept?: Map<string, Json>;
  /** Another account, or a later run, on the same fake. */
  readonly on?: FakeDiscord;
  /** Before the connection starts. */
  before?(fake: FakeDiscord): void;
  /** Returns without waiting for the connection. */
  readonly early?: true;
}

export async function startRig(options: RigOptions = {}): Promise<DiscordRig> {
  const fake = options.on ?? (await startFakeDiscord(options.fake));
  options.before?.(fake);
  const host = createTestHost(options.kept);
  const config = discordPlatform.schema.parse({ bot_token: fake.token, base_url: fake.root, cdn_url: fake.root, ...options.config });
  const adapter = connectDiscord({ config, host, menu: options.menu ?? [], timing: { ...QUICK, ...options.timing }, now: Date.now });
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
  if (options.early !== true) await fake.waitFor(() => host.states.some(({ state }) => state === 'connected'));
  return { fake, host, adapter, config, running, stop, close };
}
