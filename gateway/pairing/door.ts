/** What happens at the door when somebody writes who was not let in. */
import type { InboundMessage } from '../../adapters/adapter.ts';
import type { AskDesk } from '../asks/asks.ts';
import type { Outbox } from '../outbox.ts';
import type { Store } from '../store/index.ts';
import { accountKey, outboxLane } from '../target.ts';
import type { Clock } from '../time.ts';
import type { Claim } from './claim.ts';
import { type OwnerPlace, offerPairing, ownerPlace, pairingAsk } from './offer.ts';
import type { Pairing } from './pairing.ts';

const codesMs = 3_600_000;

/** Once the caller's transaction is committed. */
type After = () => void;

export interface Door {
  /** Part of the caller's transaction: a stranger in a direct chat. */
  knock(event: InboundMessage): After;
  /** Part of the caller's transaction: the one who claims the gateway. Undefined: this is something else. */
  claim(event: InboundMessage, stranger: boolean): After | undefined;
  /** Part of the caller's transaction: the owner need not be asked any more. */
  withdraw(requests: readonly string[]): After;
  /** At start, and when requests run out. */
  sweep(): void;
}

export interface DoorOptions {
  readonly store: Store;
  readonly outbox: Outbox;
  readonly pairing: Pairing;
  readonly claim: Claim;
  readonly desk: Pick<AskDesk, 'settled'>;
  readonly now: Clock;
  /** Where the owner reads who has no chat with us; undefined: the page is off. */
  readonly page: OwnerPlace | undefined;
}

export function createDoor(options: DoorOptions): Door {
  const { store, outbox, claim, desk } = options;
  const sweep = (): void => {
    for (const ask of expire(options)) desk.settled(ask);
  };
  return {
    sweep,
    knock: (event) => knock(options, event, sweep),
    claim: (event, stranger) => {
      const part = claim.attempt(event, stranger);
      if (part === undefined || part === 'wrong') return undefined;
      outbox.add([part]);
      return () => outbox.kick(outboxLane(event.chat));
    },
    withdraw: (requests) => {
      const asks = requests.flatMap((request) => pairingAsk(store, request)?.id ?? []);
      for (const id of asks) store.asks.close(id, { state: 'closed' });
      return () => {
        for (const id of asks) desk.settled(id);
      };
    },
  };
}

function knock({ store, outbox, pairing, page }: DoorOptions, event: InboundMessage, sweep: () => void): After {
  const known = pairing.knock(event);
  if (known === undefined) return () => undefined;
  outbox.add([known.part]);
  const lanes = [outboxLane(event.chat)];
  const place = known.request === undefined ? undefined : ownerPlace(store, accountKey(event.chat), page);
  if (known.request !== undefined && place !== undefined) lanes.push(offerPairing(store, known.request, place).chat);
  return () => {
    for (const lane of lanes) outbox.kick(lane);
    setTimeout(sweep, codesMs + 1000).unref();
  };
}

/** Returns the questions about requests that nobody has decided in time. */
function expire({ store, now }: DoorOptions): readonly number[] {
  store.pairing.prune(now());
  store.outbox.expireCodes(now() - codesMs);
  const late = store.asks.open().filter(({ body, deadline }) => body.kind === 'pairing' && deadline <= now());
  for (const { id } of late) store.asks.close(id, { state: 'expired' });
  return late.map(({ id }) => id);
}
