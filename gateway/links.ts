/** Accounts that are a person's phone: what the owner has to do so that they work. */
import type { Account, Accounts } from './accounts.ts';
import type { LinkPlace, LinkState, Links } from './link-state.ts';
import type { Log } from './log.ts';
import type { AccountStatus } from './status.ts';
import { accountKey } from './target.ts';

const codeDeadlineMs = 90_000;

type Known = Pick<Accounts, 'all' | 'get' | 'statuses' | 'revive'>;

/** `woken`: a stopped account runs again, and what waited for it may go out. */
export function createLinks(accounts: Known, woken: (key: string) => void, log: Log): Links {
  const problems = new Map<string, string>();
  const linkingOf = (place: LinkPlace) => accounts.get(accountKey(place))?.adapter.linking;
  return {
    all: () => accounts.all().flatMap((account) => stateOf(account, accounts.statuses(), problems.get(account.key))),
    accept(place) {
      const linking = linkingOf(place);
      if (linking === undefined) return false;
      linking.accept();
      accounts.revive(accountKey(place));
      woken(accountKey(place));
      return true;
    },
    code(place, phone) {
      const linking = linkingOf(place);
      const key = accountKey(place);
      problems.delete(key);
      linking?.code(phone, AbortSignal.timeout(codeDeadlineMs)).catch((error: unknown) => {
        log.warn({ account: key, err: error }, 'no pairing code could be made');
        problems.set(key, problemOf(error));
      });
      return linking !== undefined;
    },
  };
}

function problemOf(error: unknown): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'There was no connection to make a code over. Try again.';
  return error instanceof Error ? error.message : String(error);
}

function stateOf({ key, platform, adapter }: Account, statuses: readonly AccountStatus[], problem: string | undefined): LinkState[] {
  const status = statuses.find((one) => accountKey(one) === key);
  if (adapter.linking === undefined || status === undefined) return [];
  const { state, detail, account } = status;
  const offer = adapter.linking.offer();
  return [
    {
      platform: platform.name,
      account,
      label: platform.label,
      state,
      ...(detail === undefined ? {} : { detail }),
      ...(offer === undefined ? {} : { offer }),
      ...(problem === undefined ? {} : { problem }),
    },
  ];
}
