/** An unbounded queue between one producer and one consumer. */
export interface Channel<T> extends AsyncIterable<T> {
  /** Ignored after `close`. */
  push(value: T): void;
  /** The consumer gets what is queued and then the end. */
  close(): void;
}

export function createChannel<T>(): Channel<T> {
  let queue: T[] = [];
  let closed = false;
  let wake: (() => void) | undefined;
  const signalConsumer = () => {
    wake?.();
    wake = undefined;
  };
  async function* consume(): AsyncGenerator<T, void, undefined> {
    for (;;) {
      const batch = queue;
      queue = [];
      yield* batch;
      if (queue.length > 0) continue;
      if (closed) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  return {
    push(value) {
      if (closed) return;
      queue.push(value);
      signalConsumer();
    },
    close() {
      closed = true;
      signalConsumer();
    },
    [Symbol.asyncIterator]: consume,
  };
}
