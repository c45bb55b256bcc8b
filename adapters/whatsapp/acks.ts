/** WhatsApp's word that it took a message. The client library does not wait for it: what it wrote into a dead connection counts as sent. */
import { LineError } from './line.ts';

export interface Expected {
  /** Resolves when WhatsApp has taken the message. Rejects with LineError. */
  taken(): Promise<void>;
  forget(): void;
}

export function createAcks(takenMs: number): {
  expect(id: string): Expected;
  /** `error`: why it was not taken. */
  answer(id: string, error: string | undefined): void;
  close(): void;
} {
  const open = new Map<string, PromiseWithResolvers<void>>();
  const forget = (id: string): void => void open.delete(id);
  return {
    expect(id) {
      const answer = open.get(id) ?? Promise.withResolvers<void>();
      // It may come before anybody waits for it, or never be waited for.
      answer.promise.catch(() => undefined);
      open.set(id, answer);
      return {
        forget: () => forget(id),
        async taken() {
          const late = new LineError('WhatsApp did not answer', { kind: 'silent' });
          const timer = setTimeout(() => answer.reject(late), takenMs);
          try {
            await answer.promise;
          } finally {
            clearTimeout(timer);
            forget(id);
          }
        },
      };
    },
    answer(id, error) {
      const waiting = open.get(id);
      if (error === undefined) waiting?.resolve();
      else waiting?.reject(new LineError(`WhatsApp refused the message (${error})`, { kind: 'refused', code: Number(error) || 0 }));
    },
    close() {
      for (const waiting of open.values()) waiting.reject(new LineError('the connection ended', { kind: 'closed' }));
      open.clear();
    },
  };
}
