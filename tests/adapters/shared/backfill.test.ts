import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Json } from '../../../adapters/adapter.ts';
import { type CatchUp, createCatchUp } from '../../../adapters/shared/backfill.ts';
import { createTestHost } from '../host.ts';

interface Item {
  readonly channel: string;
  readonly at: number;
}

/** A platform with a history, and a gateway that may be started anew on what it stored. */
function rig() {
  const kept = new Map<string, Json>();
  const history: Item[] = [];
  const handed: (Item & { readonly late: boolean })[] = [];
  const fetches: string[] = [];
  const faults = { fetch: 0, hand: 0 };
  let clock = 0;
  const start = (): CatchUp<Item> =>
    createCatchUp<Item>({
      ...createTestHost(kept),
      compare: (one, other) => Number(one) - Number(other),
      positionOf: ({ at }) => String(at),
      fetch: async (channel, after) => {
        fetches.push(`${channel} after ${after}`);
        if (faults.fetch > 0) {
          faults.fetch -= 1;
          throw new Error('history is not to be had');
        }
        return history.filter((item) => item.channel === channel && item.at > Number(after)).slice(0, 3);
      },
      hand: (items, keep, late) => {
        if (faults.hand > 0) {
          faults.hand -= 1;
          throw new Error('disk full');
        }
        handed.push(...items.map((item) => ({ ...item, late })));
        for (const [key, value] of Object.entries(keep)) kept.set(key, value);
      },
    });
  return {
    start,
    handed,
    fetches,
    faults,
    history,
    write(channel: string): Item {
      clock += 1;
      const item = { channel, at: clock };
      history.push(item);
      return item;
    },
    of: (channel: string) => handed.filter((item) => item.channel === channel).map(({ at, late }) => `${at}${late ? ' late' : ''}`),
  };
}

const never = (): AbortSignal => new AbortController().signal;

describe('catching up on what was missed', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    return () => vi.useRealTimers();
  });

  it('hands over what a known channel missed, once and in order, page after page', async () => {
    const { start, write, of } = rig();
    await start().live('a', write('a'));
    for (let count = 0; count < 7; count += 1) write('a');
    for (let restart = 0; restart < 2; restart += 1) {
      const again = start();
      again.begin(again.channels());
      await again.run(never());
    }
    expect(of('a')).toEqual(['1', '2 late', '3 late', '4 late', '5 late', '6 late', '7 late', '8 late']);
  });

  it('replays nothing on a fresh install', async () => {
    const { start, write, fetches, of } = rig();
    write('a');
    const first = start();
    first.begin(['a', ...first.channels()]);
    await first.run(never());
    expect([of('a'), fetches]).toEqual([[], []]);
  });

  it('reads a channel that is new since then from where the account was', async () => {
    const { start, write, of } = rig();
    const since = String(write('other').at);
    write('a');
    const again = start();
    again.begin(['a'], since);
    await again.run(never());
    expect(of('a')).toEqual(['2 late']);
  });

  it('keeps what comes meanwhile behind what was missed, and does not let it jump over the gap', async () => {
    const { start, write, of } = rig();
    await start().live('a', write('a'));
    write('a');
    const again = start();
    again.begin(again.channels());
    const waiting = again.live('a', write('a'));
    const elsewhere = again.live('b', write('b'));
    expect(of('b')).toEqual(['4']);
    await elsewhere;
    expect(of('a')).toEqual(['1']);
    await again.run(never());
    await waiting;
    // The history holds the live one, too; the inbox knows both by the same id.
    expect(of('a')).toEqual(['1', '2 late', '3 late', '3']);
  });

  it('tries again when history cannot be read, and lets live messages through in the end without losing the gap', async () => {
    const { start, write, of, faults } = rig();
    await start().live('a', write('a'));
    write('a');
    faults.fetch = 4;
    const again = start();
    again.begin(['a']);
    const live = again.live('a', write('a'));
    const ran = again.run(never());
    await vi.advanceTimersByTimeAsync(60_000);
    await ran;
    await live;
    expect(of('a')).toEqual(['1', '3']);
    again.begin(['a']);
    await again.run(never());
    expect(of('a')).toEqual(['1', '3', '2 late', '3 late']);
  });

  it('does not move on past what the store refused when later messages are stored, and fetches it at the next gap of any channel', async () => {
    const { start, write, of, faults } = rig();
    const first = start();
    await first.live('a', write('a'));
    faults.hand = 1;
    await expect(first.live('a', write('a'))).rejects.toThrow('disk full');
    await first.live('a', write('a'));
    expect(first.markOf('a')).toBe('1');
    first.begin([]);
    await first.run(never());
    expect(of('a')).toEqual(['1', '3', '2 late', '3 late']);
  });

  it('knows only so much of what is not for us until something is stored', async () => {
    const { start, write } = rig();
    const first = start();
    for (let index = 0; index < 1500; index += 1) first.skip(`thread${index}`, '1');
    await first.live('a', write('a'));
    expect(first.channels()).toHaveLength(1001);
    expect([first.markOf('thread1499'), first.markOf('thread0')]).toEqual(['1', undefined]);
  });

  it('does not move on past what the store refused', async () => {
    const { start, write, of, faults } = rig();
    const first = start();
    await first.live('a', write('a'));
    faults.hand = 1;
    await expect(first.live('a', write('a'))).rejects.toThrow('disk full');
    const again = start();
    again.begin(again.channels());
    await again.run(never());
    expect(of('a')).toEqual(['1', '2 late']);
  });

  it('does not fetch again what was not for us, once something that was is stored', async () => {
    const { start, write, fetches } = rig();
    const first = start();
    await first.live('a', write('a'));
    first.skip('a', String(write('a').at));
    await first.live('b', write('b'));
    const again = start();
    again.begin(again.channels());
    await again.run(never());
    expect(fetches).toEqual(['a after 2', 'b after 3']);
  });

  it('does not hand over again what came behind something that was not for us', async () => {
    const { start, write, of } = rig();
    const first = start();
    await first.live('a', write('a'));
    first.skip('a', String(write('a').at));
    await first.live('a', write('a'));
    const again = start();
    again.begin(again.channels());
    await again.run(never());
    expect(of('a')).toEqual(['1', '3']);
  });

  it('gives up at a stop, and what waited is not taken as handed over', async () => {
    const { start, write, of, faults } = rig();
    await start().live('a', write('a'));
    write('a');
    faults.fetch = 100;
    const again = start();
    again.begin(['a']);
    const live = again.live('a', write('a'));
    const stop = new AbortController();
    const ran = again.run(stop.signal);
    await vi.advanceTimersByTimeAsync(100);
    stop.abort(new Error('the gateway stops'));
    await expect(ran).rejects.toThrow('the gateway stops');
    await expect(live).rejects.toThrow('the gateway stops');
    expect(of('a')).toEqual(['1']);
  });

  it('loses nothing whatever the order of messages, gaps, refusals and restarts', async () => {
    const step = fc.oneof(fc.constantFrom('write a', 'write b', 'miss a', 'miss b', 'refuse', 'restart', 'unreadable'));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const world = rig();
        let catchUp = world.start();
        for (const first of ['a', 'b']) await catchUp.live(first, world.write(first));
        const restart = async (): Promise<void> => {
          catchUp = world.start();
          catchUp.begin(catchUp.channels());
          const ran = catchUp.run(never());
          await vi.advanceTimersByTimeAsync(100_000);
          await ran;
        };
        for (const what of steps) {
          if (what.startsWith('miss')) world.write(what.slice(-1));
          else if (what.startsWith('write')) await catchUp.live(what.slice(-1), world.write(what.slice(-1))).catch(() => restart());
          else if (what === 'refuse') world.faults.hand = 1;
          else if (what === 'unreadable') world.faults.fetch = 5;
          else await restart();
          // What was missed while connected is a gap that the adapter knows of.
          if (what.startsWith('miss')) await restart();
        }
        Object.assign(world.faults, { fetch: 0, hand: 0 });
        await restart();
        for (const channel of ['a', 'b']) {
          const seen = new Set(world.handed.filter((item) => item.channel === channel).map(({ at }) => at));
          const all = world.history.filter((item) => item.channel === channel).map(({ at }) => at);
          expect(all.filter((at) => !seen.has(at))).toEqual([]);
        }
      }),
      { numRuns: 200 },
    );
  });
});
