/** What all calls of the Web API have in common. */
import { DeliveryError } from '../adapter.ts';
import type { Answer } from './client.ts';
import { deliveryError, slackCode } from './errors.ts';

export function rejected(sentence: string): DeliveryError {
  return new DeliveryError(`Slack: ${sentence}.`, { kind: 'rejected', certain: true });
}

/** What already is as it should be is no failure. */
export function unless(...codes: readonly string[]): (error: unknown) => void {
  return (error) => {
    if (!codes.includes(slackCode(error) ?? '')) throw error;
  };
}

/** All failures leave as DeliveryError, a cancel as the signal's reason. */
export async function guarded<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  try {
    return await call();
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw deliveryError(error);
  }
}

export function tsOf({ ts }: Answer): string {
  if (typeof ts === 'string') return ts;
  throw new DeliveryError('Slack: the answer does not say which message it is about.', { kind: 'transient', certain: false });
}
