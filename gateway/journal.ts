/** Where a run is persisted, step by step: the transcript and the intent rows, each before its effect. */
import type { Journal } from '../agent/journal.ts';
import type { Store } from './store/index.ts';
import type { TurnRow } from './store/turns.ts';

export function createJournal(store: Store, turn: TurnRow): Journal {
  let starts = turn.starts;
  /** A step that reached the disk shows that this turn does not kill the process: its count of starts begins anew. */
  const step = (write: () => void): void => {
    store.quick(() => {
      write();
      if (starts > 1) store.turns.setStarts(turn.id, 1);
    });
    starts = 1;
  };
  return {
    message: (message) => step(() => store.transcript.append(turn.sessionId, turn.id, message)),
    started: (call) => store.quick(() => store.turns.callStarted(turn.id, call)),
    finished: (call, result) =>
      step(() => {
        store.turns.callFinished(turn.id, call.id, result.status);
        store.transcript.append(turn.sessionId, turn.id, result);
      }),
  };
}
