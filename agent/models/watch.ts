import { ModelError } from '../model.ts';

/** Aborts when the caller aborts or when nothing was heard for too long. */
export interface Watch {
  /** Its reason is the caller's, or a ModelError `timeout`. */
  readonly signal: AbortSignal;
  /** Something was heard; the next silence may last `idleMs`. */
  touch(idleMs: number): void;
  stop(): void;
}

export function createWatch(idleMs: number, outer: AbortSignal): Watch {
  const controller = new AbortController();
  const timeOut = () =>
    controller.abort(new ModelError('timeout', `The model provider was silent for ${Math.round(currentMs / 1_000)} s.`));
  const forward = () => controller.abort(outer.reason);
  let currentMs = idleMs;
  let timer = setTimeout(timeOut, idleMs);
  if (outer.aborted) forward();
  else outer.addEventListener('abort', forward, { once: true });
  return {
    signal: controller.signal,
    touch(nextMs) {
      if (nextMs === currentMs) {
        timer.refresh();
        return;
      }
      clearTimeout(timer);
      currentMs = nextMs;
      timer = setTimeout(timeOut, nextMs);
    },
    stop() {
      clearTimeout(timer);
      outer.removeEventListener('abort', forward);
    },
  };
}
