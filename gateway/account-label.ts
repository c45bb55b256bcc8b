/** How accounts, and people on them, are written. */
import type { Platform } from '../adapters/platform.ts';
import type { SwitchedOn } from './accounts.ts';
import { accountName } from './target.ts';

/** `account` is "<platform>/<account>". */
export interface AccountLabels {
  isOn(account: string): boolean;
  /** As people read of it: "Telegram", or "Telegram (work)"; one that is switched off as it is typed. */
  of(account: string): string;
  /** See `Platform.personId`; as it is written where that is no id. */
  person(account: string, written: string): string;
}

export function createAccountLabels(platforms: readonly Pick<SwitchedOn, 'platform' | 'account'>[]): AccountLabels {
  const labels = new Map(
    platforms.map(({ platform: { name, label }, account = 'main' }) => [
      `${name}/${account}`,
      account === 'main' ? label : `${label} (${account})`,
    ]),
  );
  const all = platforms.map(({ platform }) => platform);
  return {
    isOn: (account) => labels.has(account),
    of: (account) => labels.get(account) ?? accountName(account),
    person: (account, written) => personIdOf(all, account.split('/')[0] ?? '', written),
  };
}

export function personIdOf(platforms: readonly Pick<Platform, 'name' | 'personId'>[], platform: string, written: string): string {
  return platforms.find(({ name }) => name === platform)?.personId?.(written) ?? written;
}
