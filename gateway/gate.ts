/** Lets only so many through at a time, in the order of coming; one that takes long gives its place up, so that it holds nobody back. */
export interface Gate {
  /** Resolves with what gives the place back; may be called more than once. */
  enter(): Promise<() => void>;
}

export function createGate(places: number, patienceMs: number): Gate {
  let free = places;
  const waiting: (() => void)[] = [];
  const giveBack = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  const take = (): (() => void) => {
    let held = true;
    const leave = (): void => {
      clearTimeout(timer);
      if (held) giveBack();
      held = false;
    };
    const timer = setTimeout(leave, patienceMs);
    return leave;
  };
  return {
    enter: () => {
      if (free === 0) return new Promise((resolve) => waiting.push(() => resolve(take())));
      free -= 1;
      return Promise.resolve(take());
    },
  };
}
