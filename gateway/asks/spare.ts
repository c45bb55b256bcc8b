/** A turn that waits for a person is not interrupted by what cannot be meant to take its question back. */
import type { InboundMessage } from '../../adapters/adapter.ts';
import type { BusyMode } from '../settings.ts';
import type { Store } from '../store/index.ts';
import { outboxLane } from '../target.ts';
import { isRequester } from './answers.ts';

/** The run itself waits for the answer. */
const waitsForIt: readonly string[] = ['approval', 'question'];

/**
 * What becomes of a message that would interrupt the lane's turn: others wait for its end, and a file of whoever was asked is no answer but
 * goes with it. Undefined: it may interrupt.
 */
export function insteadOfInterrupt(store: Store, lane: string, event: InboundMessage): Exclude<BusyMode, 'interrupt'> | undefined {
  const asked = store.asks.open(outboxLane(event.chat)).filter((ask) => ask.lane === lane && waitsForIt.includes(ask.body.kind));
  if (asked.length === 0) return undefined;
  if (!asked.some((ask) => isRequester(ask, event.sender))) return 'queue';
  return event.attachments.length > 0 ? 'steer' : undefined;
}
