import type { Log } from './log.ts';
import type { Store } from './store/index.ts';

const restMs = 30_000;
/** Between two portions of a long way, so that whoever writes meanwhile waits for a few milliseconds and no longer. */
const breathMs = 50;
const portion = 100;

export interface Indexer {
  close(): void;
}

/** Keeps the search index close behind the transcripts. */
export function startIndexer({ store, log }: { readonly store: Pick<Store, 'search'>; readonly log: Log }): Indexer {
  const state = { timer: setTimeout(() => undefined, 0) };
  const next = (ms: number): void => {
    clearTimeout(state.timer);
    state.timer = setTimeout(work, ms).unref();
  };
  const work = (): void => {
    try {
      next(store.search.catchUp(portion) === portion ? breathMs : restMs);
    } catch (error) {
      log.error({ err: error }, 'messages could not be taken into the search index (is the disk full?)');
      next(restMs);
    }
  };
  next(restMs);
  return { close: () => clearTimeout(state.timer) };
}
