/** The WhatsApp account: one linked device. Loaded only when WhatsApp is switched on; the client library only once somebody has agreed to it. */
import { type Adapter, FatalAdapterError, type Host } from '../adapter.ts';
import type { MenuCommand } from '../platform.ts';
import { createChats } from './chats.ts';
import type { Me } from './codec.ts';
import { keepConnected, TIMING, type Timing } from './connection.ts';
import { createDeliverer } from './delivery.ts';
import { fetchFile } from './download.ts';
import { createMessageIds } from './ids.ts';
import { createIntake } from './intake.ts';
import { bareJid, isGroup } from './jid.ts';
import { createKeyRing, type KeyRing } from './keys.ts';
import type { Line, OpenLine } from './line.ts';
import { createLinkDesk } from './linking.ts';
import { createPeople } from './people.ts';
import { DOWNLOAD_LIMIT_BYTES, type WhatsAppConfig } from './platform.ts';
import { createStormWatch } from './storm.ts';
import { createReceiptWindow } from './window.ts';

const FILE_MS = 300_000;
/** In the chat with oneself nothing else tells the answer from the question. */
const SELF_PREFIX = '*Hermes*\n';

export function createWhatsAppAdapter(config: WhatsAppConfig, host: Host, menu: readonly MenuCommand[]): Adapter {
  return connectWhatsApp({ config, host, menu, timing: TIMING, client: loadClient, now: Date.now, random: Math.random });
}

/** An optional dependency: it may not be there. */
async function loadClient(): Promise<OpenLine> {
  try {
    const { openBaileysLine } = await import('./baileys.ts');
    return openBaileysLine;
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new FatalAdapterError(
      'The WhatsApp client (@whiskeysockets/baileys) is not installed. Run "npm install --include=optional" where the gateway is installed, and restart.',
      { cause: error },
    );
  }
}

export interface WhatsAppParts {
  readonly config: WhatsAppConfig;
  readonly host: Host;
  readonly menu: readonly MenuCommand[];
  readonly timing: Timing;
  readonly client: () => Promise<OpenLine>;
  readonly now: () => number;
  readonly random: () => number;
}

export function connectWhatsApp({ config, host, menu, timing, client, now, random }: WhatsAppParts): Adapter {
  const { store } = host;
  const keys = createKeyRing(store);
  const ids = createMessageIds(store);
  const desk = createLinkDesk({ store, now });
  const prefix = config.reply_prefix ?? (config.mode === 'self-chat' ? SELF_PREFIX : '');
  const prefixes = [SELF_PREFIX, prefix].filter((text) => text !== '');
  const chats = createChats({ host, prefix, now });
  const window = createReceiptWindow({ store, now, pauseMs: timing.askMs });
  const storm = createStormWatch({ log: host.log, now });
  const present: { line: Line | undefined } = { line: undefined };
  const line = (): Line | undefined => present.line;
  const people = createPeople(store);
  const intake = createIntake({ config, host, menu, people, chats, ids, window, storm, prefixes, me: () => meOf(keys), now });
  const usable = (fresh: Line | undefined): void => {
    present.line = fresh;
  };
  return {
    run(signal) {
      chats.prune();
      // Whoever could not decrypt it may name the chat by its other address.
      const sent = (jid: string, id: string) => chats.ours.contentOf(isGroup(jid) ? jid : people.addressOf(jid), id);
      return keepConnected({ config, host, timing, keys, desk, intake, window, storm, now, random, client, sent, usable }, signal);
    },
    ...createDeliverer({ config, ids, chats, line, now, random }),
    idempotent: true,
    linking: desk,
    fetch: (attachment, signal) =>
      fetchFile({ root: config.media_url, limitBytes: DOWNLOAD_LIMIT_BYTES, timeoutMs: FILE_MS, line }, attachment, signal),
  };
}

/** Our own addresses are a part of the credentials. */
function meOf(keys: KeyRing): Me | undefined {
  const me = keys.credentials()?.['me'];
  if (typeof me !== 'object' || me === null || !('id' in me) || typeof me.id !== 'string') return undefined;
  const lid = 'lid' in me && typeof me.lid === 'string' ? bareJid(me.lid) : '';
  return { phone: bareJid(me.id), ...(lid === '' ? {} : { lid }) };
}
