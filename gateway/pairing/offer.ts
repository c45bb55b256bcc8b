/** The owner is asked about a stranger where the owner is: in the direct chat with us, else on the page. */
import type { AccountLabels } from '../account-label.ts';
import { addWithCard } from '../asks/add.ts';
import { escaped } from '../asks/call-text.ts';
import type { AskRow } from '../store/asks.ts';
import type { Store } from '../store/index.ts';
import type { PairingRequest } from '../store/pairing.ts';
import type { Requester } from '../store/schema.ts';
import type { TurnTarget } from '../target.ts';

/** Where an owner reads, and who answers there. */
export interface OwnerPlace {
  readonly target: TurnTarget;
  readonly requester: Requester;
}

export interface OwnerFacts {
  readonly store: Pick<Store, 'people'>;
  readonly labels: Pick<AccountLabels, 'isOn'>;
  /** Undefined: it is off. */
  readonly page: OwnerPlace | undefined;
}

/** On the stranger's own account rather than on another, never on one that is switched off, and on the page where there is no other place. */
export function ownerPlace({ store, labels, page }: OwnerFacts, account: string): OwnerPlace | undefined {
  const owners = store.people.all().filter(({ role, account: where }) => role === 'owner' && labels.isOn(where));
  const owner = owners.find((each) => each.account === account) ?? owners[0];
  if (owner === undefined) return page;
  const { chat, person: id, name, aliases } = owner;
  return { target: { chat, chatType: 'dm' }, requester: { id, name, aliases } };
}

export interface OfferPorts {
  readonly store: Store;
  readonly labels: AccountLabels;
}

/** Part of the caller's transaction. Name and id are the stranger's own words: they are shown as such. */
export function offerPairing({ store, labels }: OfferPorts, request: PairingRequest, place: OwnerPlace): AskRow {
  const { id, account, person, name, chat, expiresAt } = request;
  const who = `${escaped(plain(name)).trim() || 'Somebody'} (id ${escaped(plain(person))})`;
  const markdown = `🚪 ${who} on ${labels.of(account)} wants to talk to me. Whoever I let in may have me run commands on this machine.`;
  const body = { kind: 'pairing', markdown, request: id, chat } as const;
  return addWithCard(store, { ...place, turnId: 0, callId: `pairing:${id}`, n: 0, lane: '', body, deadline: expiresAt });
}

/** Without what nobody sees, or what turns the reading direction of all that follows. */
function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ');
}

export function pairingAsk({ asks }: Pick<Store, 'asks'>, request: string): AskRow | undefined {
  return asks.find({ turnId: 0, callId: `pairing:${request}`, n: 0 });
}
