/** Somebody is not let in any more: what is theirs ends with it. */
import type { AskDesk } from '../asks/asks.ts';
import type { Audit } from '../audit.ts';
import type { Lanes } from '../lanes.ts';
import { isPersonsKey, type Sessions } from '../sessions.ts';
import type { Store } from '../store/index.ts';
import type { PersonRow } from '../store/people.ts';
import type { TurnRow } from '../store/turns.ts';
import { accountKey, accountName } from '../target.ts';
import type { PairingResult } from './pairing.ts';

export interface RevokeOptions {
  readonly store: Store;
  readonly sessions: Sessions;
  readonly lanes: Pick<Lanes, 'cut'>;
  readonly desk: Pick<AskDesk, 'settled'>;
  readonly audit: Pick<Audit, 'person'>;
}

/** Part of the caller's transaction. */
export function revoke(options: RevokeOptions, account: string, person: string): PairingResult {
  const { store, sessions, lanes, desk, audit } = options;
  const known = store.people.find(account, { id: person, aliases: [] });
  if (known === undefined)
    return { done: false, text: `Nobody with the id ${person} was let in on ${accountName(account)}.`, after: () => undefined };
  store.people.remove(account, known.person);
  audit.person('pairing.revoked', { account, person: known.person, name: known.name, by: 'owner' });
  const running = endTurns(store, known);
  for (const key of store.sessions.openKeys()) if (isPersonsKey(key, known)) sessions.end(key, 'revoked');
  const asked = closeAsks(store, known);
  return {
    done: true,
    text: `${known.name === '' ? known.person : known.name} may not talk to me on ${accountName(account)} any more, unless the configuration still lets them in.`,
    after: () => {
      for (const lane of running) lanes.cut(lane, 'stop');
      for (const ask of asked) desk.settled(ask);
    },
  };
}

/** What they have said and nobody has read yet is not read any more. */
function endTurns({ turns, inbox }: Store, person: PersonRow): readonly string[] {
  const lanes = inbox.lanes().filter((lane) => isPersonsKey(lane, person));
  for (const lane of lanes) for (const { id } of inbox.pending(lane)) inbox.settle(id, 'silent');
  const running = turns.runningLanes().filter((lane) => isPersonsKey(lane, person) || isRequester(turns.running(lane), person));
  for (const lane of running) turns.cut(lane, 'stop');
  return running;
}

/** On the account they were let in on: the same id elsewhere is somebody else. */
function isRequester(turn: TurnRow | undefined, { account, person }: PersonRow): boolean {
  return turn !== undefined && accountKey(turn.target.chat) === account && turn.requester.id === person;
}

function closeAsks({ asks }: Store, { account, person }: PersonRow): readonly number[] {
  const theirs = asks.open().filter(({ chat, requester }) => chat.startsWith(`${account}/`) && requester.id === person);
  for (const { id } of theirs) asks.close(id, { state: 'closed' });
  return theirs.map(({ id }) => id);
}
