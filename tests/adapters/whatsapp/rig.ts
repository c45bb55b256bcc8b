/** One WhatsApp account of ours with WhatsApp behind it, in memory. */
import type { Adapter, Json } from '../../../adapters/adapter.ts';
import type { MenuCommand } from '../../../adapters/platform.ts';
import { TIMING, type Timing } from '../../../adapters/whatsapp/connection.ts';
import { connectWhatsApp } from '../../../adapters/whatsapp/index.ts';
import { type WhatsAppConfig, whatsappPlatform } from '../../../adapters/whatsapp/platform.ts';
import { BOT, createFakeWhatsApp, type FakeWhatsApp } from '../../fakes/whatsapp-line.ts';
import { createTestHost, type TestHost } from '../host.ts';

export const QUICK: Timing = {
  ...TIMING,
  openMs: 500,
  backoffFirstMs: 10,
  backoffMaxMs: 50,
  slowFirstMs: 60,
  slowMaxMs: 200,
  settleMs: 5,
  askMs: 1,
  storeAgainMs: 20,
};

export interface WhatsAppRig {
  readonly fake: FakeWhatsApp;
  readonly host: TestHost;
  readonly adapter: Adapter;
  readonly config: WhatsAppConfig;
  readonly kept: Map<string, Json>;
  /** Rejects when the account is stopped. */
  readonly running: Promise<void>;
  stop(): Promise<void>;
  until(predicate: () => unknown): Promise<void>;
}

export interface RigOptions {
  readonly config?: Readonly<Record<string, unknown>>;
  readonly timing?: Partial<Timing>;
  readonly menu?: readonly MenuCommand[];
  /** What an earlier run kept. */
  readonly kept?: Map<string, Json>;
  readonly on?: FakeWhatsApp;
  /** Nobody has agreed and no phone is linked. */
  readonly fresh?: boolean;
  readonly random?: () => number;
  before?(fake: FakeWhatsApp): void;
}

export function startRig(options: RigOptions = {}): WhatsAppRig {
  const fake = options.on ?? createFakeWhatsApp();
  options.before?.(fake);
  const kept = options.kept ?? new Map<string, Json>();
  if (options.fresh !== true) linkedDevice(kept);
  const host = createTestHost(kept);
  const config = whatsappPlatform.schema.parse({ enabled: true, jitter_ms: [0, 0], ...options.config });
  const adapter = connectWhatsApp({
    config,
    host,
    menu: options.menu ?? [],
    timing: { ...QUICK, ...options.timing },
    client: async () => fake.open,
    now: () => Date.now(),
    random: options.random ?? Math.random,
  });
  const end = new AbortController();
  const running = adapter.run(end.signal);
  running.catch(() => undefined);
  const stop = async (): Promise<void> => {
    end.abort(new Error('the test is over'));
    await running.catch(() => undefined);
  };
  return { fake, host, adapter, config, kept, running, stop, until };
}

/** As after the linking: the owner has agreed, the phone has confirmed. */
function linkedDevice(kept: Map<string, Json>): void {
  kept.set('link:accepted', true);
  if (!kept.has('auth:creds')) kept.set('auth:creds', { account: {}, me: { id: BOT.phone.replace('@', ':5@'), lid: BOT.lid } });
}

export async function until(predicate: () => unknown): Promise<void> {
  const end = performance.now() + 15_000;
  while (!predicate()) {
    if (performance.now() > end) throw new Error('what was waited for did not come');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
