export type Settled<T> =
  | { readonly state: 'done'; readonly value: T }
  | { readonly state: 'failed'; readonly error: unknown }
  /** Aborted, and the work did not end within its grace. Whatever it still does is ignored. */
  | { readonly state: 'abandoned' };

/** Waits for `work`, after an abort no longer than `graceMs`. Never rejects. */
export function withinGrace<T>(work: Promise<T>, graceMs: number, signal: AbortSignal): Promise<Settled<T>> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const startTimer = () => {
      timer = setTimeout(settle, graceMs, { state: 'abandoned' });
    };
    const settle = (settled: Settled<T>) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', startTimer);
      resolve(settled);
    };
    work.then(
      (value) => settle({ state: 'done', value }),
      (error: unknown) => settle({ state: 'failed', error }),
    );
    if (signal.aborted) startTimer();
    else signal.addEventListener('abort', startTimer, { once: true });
  });
}
