/** Runs a gateway and keeps, for each of its commits, the home as a kill right after that commit would leave it. */
import type { Store } from '../../../gateway/store/index.ts';
import { killedCopy } from './home.ts';

export interface KillPoint<Facts> {
  readonly label: string;
  readonly home: string;
  /** What the world outside had seen by then. */
  readonly facts: Facts;
}

export interface KillPoints<Facts> {
  readonly points: readonly KillPoint<Facts>[];
  wrap(store: Store): Store;
  /** A kill here, between two commits. */
  here(label: string): void;
}

const writes = {
  inbox: ['add', 'claim', 'settle', 'settleTurn'],
  turns: ['create', 'setStarts', 'setBubble', 'stop', 'end', 'callStarted', 'callFinished'],
  transcript: ['append'],
  outbox: ['add', 'sending', 'sent', 'retry', 'giveUp'],
  sessions: ['create', 'touch', 'end', 'setUndelivered', 'setUndeliveredOfTurn'],
} as const;

export function killPoints<Facts>(home: string, facts: () => Facts): KillPoints<Facts> {
  const points: KillPoint<Facts>[] = [];
  let depth = 0;
  const here = (label: string): void => {
    if (depth === 0) points.push({ label, home: killedCopy(home), facts: facts() });
  };
  const inside = <T>(work: () => T): T => {
    depth += 1;
    try {
      return work();
    } finally {
      depth -= 1;
    }
  };
  const transaction = <T>(label: string, run: (work: () => T) => T, work: () => T): T => {
    const result = run(() => inside(work));
    here(label);
    return result;
  };
  const watch = <R>(name: keyof typeof writes, repository: R): R => {
    const watched = { ...repository } as Record<string, unknown>; // each method is looked up by a name from the table above
    for (const method of writes[name]) {
      const original = watched[method] as (...args: unknown[]) => unknown;
      watched[method] = (...args: unknown[]) => {
        const result = original(...args);
        here(`${name}.${method}`);
        return result;
      };
    }
    return watched as R;
  };
  return {
    points,
    here,
    wrap: (store) => ({
      ...store,
      durable: (work) => transaction('durable', store.durable, work),
      quick: (work) => transaction('quick', store.quick, work),
      durableTogether: async (work) => {
        await store.durableTogether(() => inside(work));
        here('durableTogether');
      },
      inbox: watch('inbox', store.inbox),
      turns: watch('turns', store.turns),
      transcript: watch('transcript', store.transcript),
      outbox: watch('outbox', store.outbox),
      sessions: watch('sessions', store.sessions),
    }),
  };
}
