/** One account of ours with the real client library, connected to a small WhatsApp of our own. */
import { initAuthCreds } from '@whiskeysockets/baileys';
import type { Json } from '../../../adapters/adapter.ts';
import { openBaileysLine } from '../../../adapters/whatsapp/baileys.ts';
import { toJson } from '../../../adapters/whatsapp/bytes.ts';
import type { Timing } from '../../../adapters/whatsapp/connection.ts';
import { connectWhatsApp } from '../../../adapters/whatsapp/index.ts';
import { whatsappPlatform } from '../../../adapters/whatsapp/platform.ts';
import { BOT_JID, BOT_LID, type FakeWhatsApp, startFakeWhatsApp } from '../../fakes/whatsapp.ts';
import { createTestHost } from '../host.ts';
import { QUICK, until } from './rig.ts';

export interface WireOptions {
  readonly on?: FakeWhatsApp;
  readonly kept?: Map<string, Json>;
  /** No phone is linked yet. */
  readonly fresh?: boolean;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly timing?: Partial<Timing>;
}

const WIRE: Partial<Timing> = { connectMs: 2500, queryMs: 2500, takenMs: 1000, openMs: 4000 };

export async function startWire(options: WireOptions = {}) {
  const fake = options.on ?? (await startFakeWhatsApp());
  const kept = options.kept ?? new Map<string, Json>();
  kept.set('link:accepted', true);
  if (options.fresh !== true && !kept.has('auth:creds')) kept.set('auth:creds', linkedCredentials());
  const host = createTestHost(kept);
  const config = whatsappPlatform.schema.parse({
    enabled: true,
    jitter_ms: [0, 0],
    reply_only: false,
    socket_url: fake.url,
    ...options.config,
  });
  const adapter = connectWhatsApp({
    config,
    host,
    menu: [],
    timing: { ...QUICK, ...WIRE, ...options.timing },
    client: async () => openBaileysLine,
    now: () => Date.now(),
    random: Math.random,
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
  const connected = () => until(() => host.states.at(-1)?.state === 'connected');
  return { fake, host, adapter, kept, running, stop, close, connected };
}

/** As after a linking: the keys of a device, and that a phone has confirmed it. */
export function linkedCredentials(): Json {
  const account = {
    details: Buffer.alloc(4),
    accountSignatureKey: Buffer.alloc(32),
    accountSignature: Buffer.alloc(64),
    deviceSignature: Buffer.alloc(64),
  };
  return toJson({
    ...initAuthCreds(),
    me: { id: BOT_JID, lid: BOT_LID, name: 'Bot' },
    account,
    accountSyncCounter: 1,
    platform: 'android',
  });
}
