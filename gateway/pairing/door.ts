/** What happens at the door when somebody writes who was not let in. */
import type { InboundMessage } from '../../adapters/adapter.ts';
import type { AccountLabels } from '../account-label.ts';
import type { AskDesk } from '../asks/asks.ts';
import type { Log } from '../log.ts';
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
  readonly labels: AccountLabels;
  readonly log: Log;
  readonly now: Clock;
  /** Where the owner reads who has no chat with us; undefined: the page is off. */
  readonly page: OwnerPlace | undefined;
}

export function createDoor(options: DoorOptions): Door {
  const { store, now } = options;
  const sweep = (): void => {
    for (const ask of expire(options)) options.desk.settled(ask);
  };
  const sweepLater = (ms: number): void => {
    setTimeout(() => attempt(options, sweep), ms + 1000).unref();
  };
  return {
    sweep: () => {
      sweep();
      for (const { expiresAt } of store.pairing.pending(now())) sweepLater(expiresAt - now());
    },
    knock: (event) => knock(options, event, sweepLater),
    claim: (event, stranger) => claim(options, event, stranger),
    withdraw: (requests) => withdraw(options, requests),
  };
}

/** What has run out is worth nothing already: that it is taken away may wait for the next time. */
function attempt({ log }: DoorOptions, sweep: () => void): void {
  try {
    sweep();
  } catch (error) {
    log.error({ err: error }, 'requests that have run out could not be removed (is the disk full?); the next start tries again');
  }
}

function knock({ store, outbox, pairing, labels, page }: DoorOptions, event: InboundMessage, sweepLater: (ms: number) => void): After {
  const known = pairing.knock(event);
  if (known === undefined) return () => undefined;
  outbox.add([known.part]);
  const lanes = [outboxLane(event.chat)];
  const { request } = known;
  const place = request === undefined ? undefined : ownerPlace({ store, labels, page }, accountKey(event.chat));
  if (request !== undefined && place !== undefined) lanes.push(offerPairing({ store, labels }, request, place).chat);
  return () => {
    for (const lane of lanes) outbox.kick(lane);
    if (request !== undefined) sweepLater(codesMs);
  };
}

/** Who has just become the owner waits for nobody's word any more. */
function claim(options: DoorOptions, event: InboundMessage, stranger: boolean): After | undefined {
  const { outbox, pairing } = options;
  const part = options.claim.attempt(event, stranger);
  if (part === undefined) return undefined;
  outbox.add([part]);
  const withdrawn = withdraw(
    options,
    pairing.clear(accountKey(event.chat), event.sender).map(({ id }) => id),
  );
  return () => {
    outbox.kick(outboxLane(event.chat));
    withdrawn();
  };
}

function withdraw({ store, desk }: DoorOptions, requests: readonly string[]): After {
  const asks = requests.flatMap((request) => pairingAsk(store, request)?.id ?? []);
  for (const id of asks) store.asks.close(id, { state: 'closed' });
  return () => {
    for (const id of asks) desk.settled(id);
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
