/** Everything about who is let in, put together: the door, the owner's decisions, and what the control API offers. */
import type { AccountLabels } from '../account-label.ts';
import type { AskDesk } from '../asks/asks.ts';
import type { Audit } from '../audit.ts';
import type { Lanes } from '../lanes.ts';
import type { Log } from '../log.ts';
import type { Outbox } from '../outbox.ts';
import type { Sessions } from '../sessions.ts';
import type { PeopleControl } from '../status.ts';
import type { Store } from '../store/index.ts';
import type { Requester } from '../store/schema.ts';
import type { Clock } from '../time.ts';
import { createClaim } from './claim.ts';
import { createPeopleControl } from './control.ts';
import { createDoor, type Door } from './door.ts';
import type { OwnerPlace } from './offer.ts';
import { createPairing } from './pairing.ts';

export interface Reception {
  readonly door: Door;
  readonly people: PeopleControl;
  /** Part of the caller's transaction: the owner has decided on a card. */
  decide(request: string, letIn: boolean, by: Requester): void;
}

export interface ReceptionOptions {
  readonly store: Store;
  readonly outbox: Outbox;
  readonly sessions: Sessions;
  readonly lanes: Pick<Lanes, 'cut'>;
  readonly desk: Pick<AskDesk, 'settled'>;
  readonly audit: Pick<Audit, 'person' | 'guess'>;
  readonly labels: AccountLabels;
  readonly log: Log;
  readonly now: Clock;
  /** Undefined: the page is off. */
  readonly page: OwnerPlace | undefined;
}

export function createReception(options: ReceptionOptions): Reception {
  const pairing = createPairing(options);
  const claim = createClaim(options);
  const door = createDoor({ ...options, pairing, claim });
  return {
    door,
    people: createPeopleControl({ ...options, pairing, claim, door }),
    decide: (request, letIn, { id }) => void pairing.decide(request, letIn, { id }),
  };
}
