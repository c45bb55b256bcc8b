import type { Log } from '../log.ts';

/** For what is shown only: no failure of the gateway's own (a store that cannot be read) ends a turn, or the process. */
export function harmless<T>(log: Log, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    log.warn({ err: error }, 'showing what a turn does failed in the gateway itself');
    return undefined;
  }
}
