/** Messages that cannot be decrypted come one at a time or by the ten thousand. Counted, told once a minute, kept nowhere. */
import type { AdapterLog } from '../adapter.ts';

const MINUTE_MS = 60_000;
/** A minute with more than this is no hiccup of one session. */
const STORM = 20;

export interface StormWatch {
  undecryptable(): void;
  /** A sentence for the health page while it goes on. */
  warning(): string | undefined;
}

export function createStormWatch({ log, now }: { readonly log: AdapterLog; readonly now: () => number }): StormWatch {
  let since = Number.NEGATIVE_INFINITY;
  let count = 0;
  let before = 0;
  let total = 0;
  const roll = (): void => {
    const pastMs = now() - since;
    if (pastMs < MINUTE_MS) return;
    if (count > 0) tell();
    before = pastMs < 2 * MINUTE_MS ? count : 0;
    count = 0;
    since = now();
  };
  const tell = (): void =>
    log.warn(
      { count, total },
      `WhatsApp: ${count} messages could not be decrypted within a minute; their senders were asked to send them again.`,
    );
  return {
    undecryptable() {
      roll();
      count += 1;
      total += 1;
    },
    warning() {
      roll();
      const worst = Math.max(count, before);
      if (worst <= STORM) return undefined;
      return `${worst} messages a minute cannot be decrypted. If it goes on, remove the device on the phone and link it again.`;
    },
  };
}
