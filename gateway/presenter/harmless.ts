import type { Log } from '../log.ts';

/** For what is shown only: no failure of the gateway's own (a store that cannot be read) ends a turn, or the process. */
export function harmless<T>(log: Log, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    failed(log, error);
    return undefined;
  }
}

/** As `harmless`, for what takes a while. Never rejects. */
export async function harmlessly(log: Log, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    failed(log, error);
  }
}

export function failed(log: Log, error: unknown): void {
  log.warn({ err: error }, 'showing what a turn does failed in the gateway itself');
}
