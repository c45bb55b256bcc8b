import { plainText } from '../../shared/output.ts';

/** The last that a process has printed. */
export interface RollingBuffer {
  push(chunk: Buffer): void;
  /** As people read it: without what steers a terminal. */
  text(): string;
  /** The last `units` of it. */
  tail(units: number): string;
  /** What came since the last call. */
  news(): string;
}

const LIMIT = 200_000;

export function createRollingBuffer(): RollingBuffer {
  const decoder = new TextDecoder();
  let kept = '';
  let total = 0;
  let heard = 0;
  return {
    push: (chunk) => {
      const text = decoder.decode(chunk, { stream: true });
      total += text.length;
      kept += text;
      if (kept.length > 2 * LIMIT) kept = kept.slice(-LIMIT);
    },
    text: () => plainText(kept.slice(-LIMIT)),
    tail: (units) =>
      plainText(kept.slice(-Math.min(4 * units, LIMIT)))
        .trimEnd()
        .slice(-units)
        .toWellFormed(),
    news: () => {
      const since = Math.min(total - heard, LIMIT, kept.length);
      heard = total;
      return since === 0 ? '' : plainText(kept.slice(-since));
    },
  };
}
