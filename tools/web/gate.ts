type Leave = () => void;

/** So many at a time. First come, first served. Whoever does not want to wait any longer leaves the line. */
export function createGate(places: number): (signal: AbortSignal) => Promise<Leave> {
  const waiting: (() => void)[] = [];
  let inside = 0;
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) inside -= 1;
    else next();
  };
  return async (signal) => {
    signal.throwIfAborted();
    if (inside < places) {
      inside += 1;
      return leave;
    }
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const enter = (): void => resolve(undefined);
    waiting.push(enter);
    const give = (): void => {
      const place = waiting.indexOf(enter);
      if (place === -1) return; // it is in already
      waiting.splice(place, 1);
      reject(signal.reason);
    };
    signal.addEventListener('abort', give, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', give));
    return leave;
  };
}
