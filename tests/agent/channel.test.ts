import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createChannel } from '../../agent/channel.ts';

describe('a channel', () => {
  it('delivers everything in order and then ends, however producer and consumer take turns', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean()), async (pauses) => {
        const channel = createChannel<number>();
        const produce = async () => {
          for (const [index, pause] of pauses.entries()) {
            channel.push(index);
            if (pause) await Promise.resolve();
          }
          channel.close();
        };
        const producing = produce();
        const seen: number[] = [];
        for await (const value of channel) seen.push(value);
        await producing;
        expect(seen).toEqual(pauses.map((_, index) => index));
      }),
    );
  });

  it('takes nothing after it was closed', async () => {
    const channel = createChannel<number>();
    channel.push(1);
    channel.close();
    channel.push(2);
    const seen: number[] = [];
    for await (const value of channel) seen.push(value);
    expect(seen).toEqual([1]);
  });
});
