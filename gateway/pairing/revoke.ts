/** Somebody is not let in any more: what is theirs ends with it. */
import type { AccountLabels } from '../account-label.ts';
import type { AskDesk } from '../asks/asks.ts';
import type { Audit } from '../audit.ts';
import type { Lanes } from '../lanes.ts';
import { isPersonsKey, type Sessions } from '../sessions.ts';
import type { Store } from '../store/index.ts';
import type { PersonRow } from '../store/people.ts';
import type { Requester } from '../store/schema.ts';
import type { TurnRow } from '../store/turns.ts';
import { accountKey } from '../target.ts';
import type { PairingResult } from './pairing.ts';

export interface RevokeOptions {
  readonly store: Store;
  readonly sessions: Sessions;
  readonly lanes: Pick<Lanes, 'cut'>;
  readonly desk: Pick<AskDesk, 'settled'>;
  readonly audit: Pick<Audit, 'person'>;
  readonly labels: AccountLabels;
}

/** Part of the caller's transaction. */
export function revoke(options: RevokeOptions, account: string, written: string): PairingResult {
  const { store, sessions, lanes, desk, audit, labels } = options;
  const known = personOf(options, account, written);
  if (known === undefined)
    return { done: false, text: `Nobody with the id ${written} was let in on ${labels.of(account)}.`, after: () => undefined };
  store.people.remove(account, known.person);
  audit.person('pairing.revoked', { account, person: known.person, name: known.name, by: 'owner' });
  const running = endTurns(store, known);
  for (const key of store.sessions.openKeys()) if (isPersonsKey(key, known)) sessions.end(key, 'revoked');
  const asked = closeAsks(store, known);
  return {
    done: true,
    text: `${known.name === '' ? known.person : known.name} may not talk to me on ${labels.of(account)} any more, unless the configuration still lets them in.`,
    after: () => {
      for (const lane of running) lanes.cut(lane, 'stop');
      for (const ask of asked) desk.settled(ask);
    },
  };
}

/** By the very id first: what looks like another spelling may be one. */
function personOf({ store: { people }, labels }: RevokeOptions, account: string, written: string): PersonRow | undefined {
  const find = (id: string): PersonRow | undefined => people.find(account, { id, aliases: [] });
  return find(written) ?? find(labels.person(account, written));
}

/** What they have said and nobody has read yet is not read any more, also where others talk, too. */
function endTurns({ turns, inbox }: Store, known: PersonRow): readonly string[] {
  for (const id of inbox.waitingFrom(known.account, [known.person, ...known.aliases])) inbox.settle(id, 'silent');
  const running = turns.runningLanes().filter((lane) => isPersonsKey(lane, known) || isTheirTurn(turns.running(lane), known));
  for (const lane of running) turns.cut(lane, 'stop');
  return running;
}

/** On the account they were let in on: the same id elsewhere is somebody else. */
function isTheirTurn(turn: TurnRow | undefined, known: PersonRow): boolean {
  return turn !== undefined && accountKey(turn.target.chat) === known.account && isThem(turn.requester, known);
}

function closeAsks({ asks }: Store, known: PersonRow): readonly number[] {
  const theirs = asks.open().filter(({ chat, requester }) => chat.startsWith(`${known.account}/`) && isThem(requester, known));
  for (const { id } of theirs) asks.close(id, { state: 'closed' });
  return theirs.map(({ id }) => id);
}

/** By any id of theirs. */
function isThem({ id, aliases = [] }: Requester, known: PersonRow): boolean {
  const ids = [known.person, ...known.aliases];
  return [id, ...aliases].some((each) => ids.includes(each));
}
