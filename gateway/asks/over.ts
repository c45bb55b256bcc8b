import type { Store } from '../store/index.ts';

/**
 * Part of the caller's transaction: a call has its result, so nobody waits for what was asked about it (after a restart it may have run
 * without asking, or be lost). Returns what to pass to `AskDesk.settled`.
 */
export function closeAsksOf({ asks }: Store, turnId: number, callId: string): readonly number[] {
  const open = asks.ofTurn(turnId).filter((ask) => ask.callId === callId && ask.state === 'open');
  for (const { id } of open) asks.close(id, { state: 'closed' });
  return open.map(({ id }) => id);
}
