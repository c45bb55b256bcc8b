/** People whom Hermes Agent had let in. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { whatsappPlatform } from '../../adapters/whatsapp/platform.ts';
import { personIdOf } from '../../gateway/account-label.ts';
import { importApproved } from '../../gateway/pairing/import.ts';
import type { Store } from '../../gateway/store/index.ts';
import { temporaryHome, temporaryStore } from './support/home.ts';

const now = 5;
const personId = (platform: string, written: string): string => personIdOf([whatsappPlatform], platform, written);

function homeWith(files: Readonly<Record<string, string>>): string {
  const home = temporaryHome();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.join(home, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(home, name), text);
  }
  return home;
}

const known = ({ people }: Store) =>
  people.all().map(({ account, person, name, role, approvedAt }) => [account, person, name, role, approvedAt]);

describe.each(['pairing', path.join('platforms', 'pairing')])("Hermes Agent's approved people in %s", (directory) => {
  it('are let in once as users, with the ids that our adapters tell', () => {
    const home = homeWith({
      [path.join(directory, 'telegram-approved.json')]: '{"123": {"user_name": "Ann", "approved_at": 2.5}, "124": {"user_name": null}}',
      [path.join(directory, 'whatsapp-approved.json')]: '{"4915123456789@s.whatsapp.net": {"user_name": "Bob", "approved_at": 3}}',
      [path.join(directory, 'telegram-pending.json')]: '{"e": {"user_id": "9"}}',
    });
    const store = temporaryStore();
    expect(importApproved(store, { home, now, personId })).toEqual([]);
    const all = [
      ['telegram/main', '124', '', 'user', now],
      ['telegram/main', '123', 'Ann', 'user', 2500],
      ['whatsapp/main', '4915123456789', 'Bob', 'user', 3000],
    ];
    expect(known(store)).toEqual(all);
    for (const [account = '', person = ''] of all.map(([where, who]) => [String(where), String(who)])) store.people.remove(account, person);
    importApproved(store, { home, now, personId });
    expect(known(store)).toEqual([]);
  });
});

describe("a list of Hermes Agent's that is broken", () => {
  it('lets nobody in, says so, and is read again at the next start', () => {
    const file = path.join('pairing', 'telegram-approved.json');
    const home = homeWith({ [file]: '{"123": ' });
    const store = temporaryStore();
    expect(importApproved(store, { home, now, personId })).toEqual([expect.stringContaining('telegram-approved.json cannot be read')]);
    expect(known(store)).toEqual([]);
    writeFileSync(path.join(home, file), '{"123": {}}');
    expect(importApproved(store, { home, now, personId })).toEqual([]);
    expect(known(store)).toHaveLength(1);
  });
});
