/** What was written waits for the end of what is at work, and need not. */
import type { Sender } from '../../adapters/adapter.ts';
import type { Store } from '../store/index.ts';
import type { TurnTarget } from '../target.ts';
import type { Clock } from '../time.ts';
import { addWithCard } from './add.ts';

export interface InterruptOffer {
  readonly target: TurnTarget;
  readonly by: Pick<Sender, 'id' | 'name'>;
  readonly markdown: string;
}

/** Its card is closed with the turn. */
const offerMs = 7 * 86_400_000;

/** Part of the caller's transaction: a card with which the person ends the lane's turn after all. One at a time. */
export function offerInterrupt(
  { store, now }: { readonly store: Store; readonly now: Clock },
  lane: string,
  { target, by, markdown }: InterruptOffer,
): void {
  const turnId = store.turns.running(lane)?.id;
  if (turnId === undefined || store.asks.ofTurn(turnId).some(({ body, state }) => body.kind === 'interrupt' && state === 'open')) return;
  const n = store.asks.ofTurn(turnId).length; // beside earlier offers, which only a lost card can have closed
  const requester = { id: by.id, name: by.name };
  addWithCard(store, {
    turnId,
    callId: 'busy',
    n,
    lane,
    target,
    requester,
    body: { kind: 'interrupt', markdown },
    deadline: now() + offerMs,
  });
}
