/** What the owner does about people on the page and with `hermes pairing`. */
import type { PeopleControl } from '../status.ts';
import type { Role } from '../store/people-schema.ts';
import type { Claim } from './claim.ts';
import type { Door } from './door.ts';
import type { Pairing, PairingResult } from './pairing.ts';
import { type RevokeOptions, revoke } from './revoke.ts';

export interface PeopleControlOptions extends RevokeOptions {
  readonly pairing: Pairing;
  readonly claim: Claim;
  readonly door: Door;
}

export function createPeopleControl(options: PeopleControlOptions): PeopleControl {
  const { store, audit, pairing, claim, door } = options;
  return {
    all: () => {
      const claimCode = claim.code();
      return {
        people: store.people.all().map(({ account, person, name, role, groupRole, approvedAt }) => ({
          account,
          person,
          name,
          role,
          groupRole,
          approvedAtMs: approvedAt,
        })),
        requests: pairing
          .pending()
          .map(({ id, account, person, name, expiresAt }) => ({ id, account, person, name, expiresAtMs: expiresAt })),
        ...(claimCode === undefined ? {} : { claimCode }),
      };
    },
    approve: (account, code, role) =>
      finish(options, () => withRequestsGone(options, () => pairing.approve(account, code, approver(role)))),
    revoke: (account, person) => finish(options, () => revoke(options, account, person)),
    clear: (account) =>
      finish(options, () => {
        const gone = pairing.clear(account);
        for (const { account: on, person, name } of gone) audit.person('pairing.forgotten', { account: on, person, name, by: 'owner' });
        const count = gone.length === 1 ? '1 request is' : `${gone.length} requests are`;
        return { done: true, text: `${count} forgotten.`, after: door.withdraw(gone.map(({ id }) => id)) };
      }),
  };
}

function approver(role: Role | undefined) {
  return { id: 'owner', ...(role === undefined ? {} : { role }) };
}

/** What was decided elsewhere is not asked on a card any more. */
function withRequestsGone({ pairing, door }: PeopleControlOptions, work: () => PairingResult): PairingResult {
  const before = pairing.pending().map(({ id }) => id);
  const result = work();
  const left = new Set(pairing.pending().map(({ id }) => id));
  const withdrawn = door.withdraw(before.filter((id) => !left.has(id)));
  return {
    ...result,
    after: () => {
      result.after();
      withdrawn();
    },
  };
}

function finish({ store }: PeopleControlOptions, work: () => PairingResult): { readonly done: boolean; readonly text: string } {
  const { done, text, after } = store.durable(work);
  after();
  return { done, text };
}
