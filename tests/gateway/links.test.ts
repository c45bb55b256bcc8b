import { describe, expect, it, vi } from 'vitest';
import type { Adapter } from '../../adapters/adapter.ts';
import type { Linking, LinkOffer } from '../../adapters/linking.ts';
import type { Account, Accounts } from '../../gateway/accounts.ts';
import { createLinks } from '../../gateway/links.ts';
import { memoryLog } from './support/log.ts';

function linksOf(linking: Linking | undefined) {
  const done: string[] = [];
  const adapter = { ...(linking === undefined ? {} : { linking }) } as Adapter;
  // Only what createLinks looks at.
  const account = { key: 'whatsapp/main', platform: { name: 'whatsapp', label: 'WhatsApp' }, adapter } as Account;
  const accounts: Pick<Accounts, 'all' | 'get' | 'statuses' | 'revive'> = {
    all: () => [account],
    get: (key) => (key === account.key ? account : undefined),
    statuses: () => [{ platform: 'whatsapp', account: 'main', state: 'stopped', detail: 'Logged out.', restarts: 0 }],
    revive: (key) => void done.push(`revive ${key}`),
  };
  return { done, links: createLinks(accounts, (key) => void done.push(`woken ${key}`), memoryLog()) };
}

const linking = (changes: Partial<Linking>): Linking => ({
  offer: () => undefined,
  accept: () => undefined,
  code: async () => 'ABCD-EFGH',
  ...changes,
});

const place = { platform: 'whatsapp', account: 'main' };

describe('the accounts that need linking', () => {
  it('are told with their state and what there is to do', () => {
    const offer: LinkOffer = { type: 'warning', text: 'Careful.' };
    const { links } = linksOf(linking({ offer: () => offer }));
    expect(links.all()).toEqual([{ ...place, label: 'WhatsApp', state: 'stopped', detail: 'Logged out.', offer }]);
    expect(linksOf(undefined).links.all()).toEqual([]);
  });

  it('run again once the owner has agreed, and what waited for them goes out', () => {
    const accept = vi.fn();
    const { links, done } = linksOf(linking({ accept }));
    expect(links.accept(place)).toBe(true);
    expect(accept).toHaveBeenCalledOnce();
    expect(done).toEqual(['revive whatsapp/main', 'woken whatsapp/main']);
    expect(links.accept({ platform: 'whatsapp', account: 'other' })).toBe(false);
    expect(linksOf(undefined).links.accept(place)).toBe(false);
  });

  it('tell why there is no pairing code until another is asked for', async () => {
    let sentence: string | undefined = 'That is no number.';
    const { links } = linksOf(
      linking({ code: () => (sentence === undefined ? Promise.resolve('x') : Promise.reject(new Error(sentence))) }),
    );
    expect(links.code(place, '1')).toBe(true);
    await vi.waitFor(() => expect(links.all()[0]?.problem).toBe('That is no number.'));
    sentence = undefined;
    links.code(place, '4915123456789');
    expect(links.all()[0]?.problem).toBeUndefined();
  });
});
