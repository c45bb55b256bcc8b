import { fileURLToPath } from 'node:url';
import { openStore } from '../../gateway/store/index.ts';
import { linkedCredentials } from '../adapters/whatsapp/wire-rig.ts';
import { ANN_PHONE, startFakeWhatsApp } from '../fakes/whatsapp.ts';
import { noPacing } from '../support/gateway-process.ts';
import type { StartCrashPlatform } from './platform.ts';

const trust = new URL('../fakes/whatsapp-trust.mjs', import.meta.url).href;
const migrations = fileURLToPath(new URL('../../migrations', import.meta.url));

export const startWhatsApp: StartCrashPlatform = async () => {
  const whatsapp = await startFakeWhatsApp();
  return {
    config: {
      whatsapp: { enabled: true, socket_url: whatsapp.url, allowed_users: ['*'], jitter_ms: [0, 0], reactions: false, pacing: noPacing },
    },
    // The client believes the fake's certificate in the daemon's own process.
    env: { NODE_OPTIONS: `--import=${trust}` },
    mostChats: 1,
    comesLate: true,
    prepare: (home) => {
      const store = openStore({ home, migrations, now: Date.now });
      store.accounts.open('whatsapp/main').put({ 'link:accepted': true, 'auth:creds': linkedCredentials() });
      store.close();
    },
    say: (text) => void whatsapp.say(text),
    sends: () => whatsapp.messages(ANN_PHONE).map(({ text, t }) => ({ text, chat: 0, t })),
    contacts: () => whatsapp.connections,
    close: () => whatsapp.close(),
  };
};
