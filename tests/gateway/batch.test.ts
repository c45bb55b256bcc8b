import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MessageEntry, nextBatch } from '../../gateway/batch.ts';
import { message } from './support/inbound.ts';

interface Waiting {
  readonly from?: string;
  readonly units?: number;
  readonly album?: string;
  readonly file?: boolean;
  readonly at?: number;
}

const image = { kind: 'image', handle: 'x' } as const;

function entry({ from = 'ann', units = 5, album, file, at = 0 }: Waiting, index: number): MessageEntry {
  const said = {
    from: { id: from },
    attachments: file === true || album !== undefined ? [image] : [],
    ...(album === undefined ? {} : { album }),
  };
  return { id: index + 1, lane: 'lane', payload: message('x'.repeat(units), said), mode: null, receivedAt: at };
}

/** Ids of the first batch, or how long to wait. */
function batch(waiting: readonly Waiting[], now: number): readonly number[] | number {
  const [first, ...rest] = waiting.map(entry);
  if (first === undefined) throw new Error('nothing waits');
  const found = nextBatch([first, ...rest], now);
  return found.type === 'take' ? found.entries.map(({ id }) => id) : found.ms;
}

describe('a batch', () => {
  it('takes nothing for the rest of a long text that came before the clock was set back', () => {
    expect(batch([{ units: 4000, at: 3_600_000 }, { at: 0 }], 0)).toEqual([1]);
  });

  it('a short text never waits and is a turn of its own', () => {
    expect(batch([{}], 0)).toEqual([1]);
    expect(batch([{}, {}], 0)).toEqual([1]);
  });

  it('a text of 4,000 units waits one second for its continuation', () => {
    expect(batch([{ units: 3999 }], 0)).toEqual([1]);
    expect(batch([{ units: 4000 }], 0)).toBe(1000);
    expect(batch([{ units: 4000 }], 400)).toBe(600);
    expect(batch([{ units: 4000 }], 1000)).toEqual([1]);
  });

  it('the continuation ends the wait, and a third message is the next turn’s', () => {
    expect(batch([{ units: 4096 }, { units: 100, at: 300 }], 300)).toEqual([1, 2]);
    expect(batch([{ units: 4096 }, { units: 4096, at: 300 }], 300)).toBe(1000);
    expect(batch([{ units: 4096 }, { units: 100, at: 300 }, { at: 310 }], 310)).toEqual([1, 2]);
  });

  it('what comes later than a second is no continuation', () => {
    expect(batch([{ units: 4096 }, { at: 1001 }], 1001)).toEqual([1]);
  });

  it('somebody else’s message ends the wait and is not merged', () => {
    expect(batch([{ units: 4096 }, { from: 'bob', at: 100 }], 100)).toEqual([1]);
    expect(batch([{ album: 'a' }, { from: 'bob', album: 'a', at: 100 }], 100)).toEqual([1]);
  });

  it('an album waits 0.8 s after its latest item and stays together', () => {
    expect(batch([{ album: 'a' }], 0)).toBe(800);
    expect(batch([{ album: 'a' }, { album: 'a', at: 500 }], 500)).toBe(800);
    expect(batch([{ album: 'a' }, { album: 'a', at: 500 }], 1300)).toEqual([1, 2]);
    expect(batch([{ album: 'a' }, { album: 'b', at: 100 }], 100)).toEqual([1]);
    expect(batch([{ album: 'a' }, { at: 100 }], 100)).toEqual([1]);
  });

  it('after a restart what came long ago waits no more', () => {
    expect(batch([{ units: 4096 }, { units: 4096, at: 900 }], 3_600_000)).toEqual([1, 2]);
  });

  it('a clock that was set back holds nothing up for longer than the wait itself', () => {
    expect(batch([{ units: 4096, at: 3_600_000 }], 0)).toBe(1000);
    expect(batch([{ album: 'a', at: 3_600_000 }], 0)).toBe(800);
    expect(batch([{ at: 3_600_000 }], 0)).toEqual([1]);
  });

  it('is always a beginning of what waits, of one sender, and waits at most a second', () => {
    const waiting = fc.record({
      from: fc.constantFrom('ann', 'bob'),
      units: fc.constantFrom(0, 10, 3999, 4000, 4096),
      album: fc.constantFrom(undefined, undefined, 'a', 'b'),
      file: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(waiting, fc.nat(1500)), { minLength: 1, maxLength: 12 }), fc.nat(3000), (items, later) => {
        let at = 0;
        const entries = items.map(([{ album, ...facts }, gap], index) => {
          at += gap;
          return entry({ ...facts, at, ...(album === undefined ? {} : { album }) }, index);
        });
        const [first, ...rest] = entries;
        if (first === undefined) return;
        const found = nextBatch([first, ...rest], at + later);
        if (found.type === 'wait') {
          expect(found.ms).toBeLessThanOrEqual(1000);
          return;
        }
        expect(found.entries).toEqual(entries.slice(0, found.entries.length));
        expect(new Set(found.entries.map(({ payload }) => payload.sender.id)).size).toBe(1);
      }),
    );
  });
});
