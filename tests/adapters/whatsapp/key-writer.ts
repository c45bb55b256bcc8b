/** A process of its own that writes keys as fast as it can, until it is killed: `key-writer.ts HOME FROM TO`. Tells each round that is done. */

import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createKeyRing } from '../../../adapters/whatsapp/keys.ts';
import { openStore } from '../../../gateway/store/index.ts';

const [home = '', from = '0', to = '0'] = process.argv.slice(2);
const migrations = fileURLToPath(new URL('../../../migrations', import.meta.url));
const store = openStore({ home, migrations, now: Date.now });
const keys = createKeyRing(store.accounts.open('whatsapp/main'));
for (let round = Number(from); round < Number(to); round += 1) {
  // As after a message: the session of each device, a pre-key that is used up, a new one.
  const session = { round, record: randomBytes(400) };
  keys.set({
    session: { 'ann.0': session, 'ann.1': session },
    'pre-key': { [String(round)]: { public: randomBytes(32), private: randomBytes(32) }, [String(round - 5)]: null },
  });
  keys.saveCredentials({ account: { details: randomBytes(16) }, me: { id: '4930111:5@s.whatsapp.net' }, nextPreKeyId: round });
  writeSync(1, `${round}\n`);
}
writeSync(1, 'done\n');
