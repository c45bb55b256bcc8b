/** The owner is asked about a stranger where the owner is: in the direct chat with us, else on the page. */
import { addWithCard } from '../asks/add.ts';
import { escaped } from '../asks/call-text.ts';
import type { AskRow } from '../store/asks.ts';
import type { Store } from '../store/index.ts';
import type { PairingRequest } from '../store/pairing.ts';
import type { Requester } from '../store/schema.ts';
import { accountName, type TurnTarget } from '../target.ts';

/** Where an owner reads, and who answers there. */
export interface OwnerPlace {
  readonly target: TurnTarget;
  readonly requester: Requester;
}

/** On the stranger's own account rather than on another, and on the page where there is no other place. */
export function ownerPlace({ people }: Pick<Store, 'people'>, account: string, page: OwnerPlace | undefined): OwnerPlace | undefined {
  const owners = people.all().filter(({ role }) => role === 'owner');
  const owner = owners.find((each) => each.account === account) ?? owners[0];
  if (owner === undefined) return page;
  return { target: { chat: owner.chat, chatType: 'dm' }, requester: { id: owner.person, name: owner.name } };
}

/** Part of the caller's transaction. Name and id are the stranger's own words: they are shown as such. */
export function offerPairing(store: Store, { id, account, person, name, chat, expiresAt }: PairingRequest, place: OwnerPlace): AskRow {
  const markdown = `🚪 ${escaped(name === '' ? 'Somebody' : name)} (id ${escaped(person)}) on ${accountName(account)} wants to talk to me. Whoever I let in may have me run commands on this machine.`;
  const body = { kind: 'pairing', markdown, request: id, chat } as const;
  return addWithCard(store, { ...place, turnId: 0, callId: `pairing:${id}`, n: 0, lane: '', body, deadline: expiresAt });
}

export function pairingAsk({ asks }: Pick<Store, 'asks'>, request: string): AskRow | undefined {
  return asks.find({ turnId: 0, callId: `pairing:${request}`, n: 0 });
}
