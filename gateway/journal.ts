/** Where a run is persisted, step by step: the transcript and the intent rows, each before its effect. */
import type { Journal } from '../agent/journal.ts';
import type { Message, ToolCall, ToolMessage } from '../agent/message.ts';
import { closeAsksOf } from './asks/over.ts';
import type { TurnAudit } from './audit-turn.ts';
import { isStoreFailure } from './store/failure.ts';
import type { Store } from './store/index.ts';
import type { TurnRow } from './store/turns.ts';

export interface TurnJournal extends Journal {
  /** What kept a step from reaching the disk (it is full, say): the run failed for no reason of its own, and the turn is to be taken up again. */
  failure(): unknown;
  /** Work beside the steps that stores something, too. Rejects as it does. */
  guard<T>(work: () => Promise<T>): Promise<T>;
}

export interface Resumption {
  /** The process ends: the turn is cut and goes on at the next start. */
  isCut(): boolean;
  /** A started call of this tool runs again then. */
  runsAgain(tool: string): boolean;
}

export interface JournalPorts {
  readonly resumption: Resumption;
  readonly said: Said;
  readonly audit: Pick<TurnAudit, 'started' | 'finished'>;
  /** What was asked about a call is closed with its result. */
  settled(askId: number): void;
}

/** Who delivers what a message says. */
export interface Said {
  /** Within the transaction that stores the message. */
  storing(message: Message): void;
  stored(): void;
}

export function createJournal(store: Store, turn: TurnRow, { resumption, said, audit, settled }: JournalPorts): TurnJournal {
  let starts = turn.starts;
  let isLeft = false;
  let failure: unknown;
  const failed = (error: unknown): never => {
    failure = error;
    throw error;
  };
  const write = (work: () => void): void => {
    try {
      store.quick(work);
    } catch (error) {
      failed(error);
    }
  };
  /** A step that reached the disk shows that this turn does not kill the process: its count of starts begins anew. */
  const step = (work: () => void): void => {
    write(() => {
      work();
      if (starts > 1) store.turns.setStarts(turn.id, 1);
    });
    starts = 1;
  };
  return {
    message: (message) => {
      step(() => {
        store.transcript.append(turn.sessionId, turn.id, message);
        said.storing(message);
      });
      said.stored();
    },
    started: (call) => write(() => keepStart({ store, turn, audit }, call)),
    finished: (call, result) => {
      isLeft ||= isForLater(resumption, result); // results come in call order: once one is left out all that follow are
      if (isLeft) return;
      let asked: readonly number[] = [];
      step(() => {
        asked = keepResult({ store, turn, audit }, call, result);
      });
      for (const ask of asked) settled(ask);
    },
    failure: () => failure,
    guard: (work) => guarded(work, failed),
  };
}

interface Parts extends Pick<JournalPorts, 'audit'> {
  readonly store: Store;
  readonly turn: TurnRow;
}

function keepStart({ store, turn, audit }: Parts, call: ToolCall): void {
  store.turns.callStarted(turn.id, call);
  audit.started(call);
}

/** Returns the questions about the call, which nobody waits for any more. */
function keepResult({ store, turn, audit }: Parts, call: ToolCall, result: ToolMessage): readonly number[] {
  audit.finished(call, result, store.turns.callFinished(turn.id, result.callId, result.status));
  store.transcript.append(turn.sessionId, turn.id, result);
  return closeAsksOf(store, turn.id, result.callId);
}

/** What the end of the process kept from running is run or asked by the next one; a result now would be the last word on it. */
function isForLater({ isCut, runsAgain }: Resumption, { status, name }: ToolMessage): boolean {
  return isCut() && (status === 'skipped' || (status === 'interrupted' && runsAgain(name)));
}

async function guarded<T>(work: () => Promise<T>, failed: (error: unknown) => never): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isStoreFailure(error)) failed(error);
    throw error;
  }
}
