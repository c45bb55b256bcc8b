import type { ProcessTree } from '../../shared/process-tree.ts';
import { createRollingBuffer, type RollingBuffer } from './buffer.ts';
import type { ProcessEnd, ProcessRecord } from './record.ts';
import type { Watch } from './watch.ts';

/** A process that outlives the call that started it. */
export interface Background {
  /** Replaced, never changed. */
  record: ProcessRecord;
  /** Undefined: it is only remembered. */
  readonly tree?: ProcessTree;
  readonly onTerminal: boolean;
  readonly output: Pick<RollingBuffer, 'text' | 'tail' | 'news'>;
  watch?: Watch | undefined;
  killedBy?: NonNullable<ProcessEnd['by']>;
  /** How many calls wait for its end: they tell. */
  waiting: number;
}

/** What was on disk is all that is known of it. */
export function remembered(record: ProcessRecord): Background {
  const output = createRollingBuffer();
  output.push(Buffer.from(record.output));
  return { record, onTerminal: false, output, waiting: 0 };
}

const SHOWN_COMMAND = 80;

export function named({ id, command }: Pick<ProcessRecord, 'id' | 'command'>): string {
  const [line = '', ...more] = command.trim().split('\n');
  const cut = line.length > SHOWN_COMMAND || more.length > 0;
  return `${id} (${line.slice(0, SHOWN_COMMAND).toWellFormed()}${cut ? ' …' : ''})`;
}

/** Behind its name: "is running for 12 s", "has ended with exit code 1 after 12 s". */
export function stateOf({ startedAtMs, end }: ProcessRecord, now: number): string {
  const seconds = `${Math.max(0, Math.round(((end?.atMs ?? now) - startedAtMs) / 1_000))} s`;
  if (end === undefined) return `is running for ${seconds}`;
  switch (end.reason) {
    case 'exited':
      return `has ended with exit code ${end.code ?? 0} after ${seconds}`;
    case 'killed':
      return `was ended by ${end.by ?? 'somebody'} after ${seconds}`;
    case 'lost':
      return 'was lost: it ended when the gateway was restarted';
    default:
      return end.reason satisfies never;
  }
}
