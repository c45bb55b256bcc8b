import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '../../../gateway/store/index.ts';
import { migrations, temporaryHome } from '../support/home.ts';

test('what the store writes is readable by its owner only, whatever the umask', () => {
  const home = temporaryHome();
  const umask = process.umask(0o022);
  const store = openStore({ home, migrations, now: Date.now });
  const open = readdirSync(home).filter((name) => (statSync(path.join(home, name)).mode & 0o077) !== 0);
  store.close();
  expect(process.umask(umask)).toBe(0o022);
  expect(open).toEqual([]);
});
