import { expect, it } from 'vitest';
import type { Inbound, SentRef } from '../../../adapters/adapter.ts';
import { type Bench, patience } from './bench.ts';

const textOf = (event: Inbound): string => (event.type === 'message' ? event.text : '');
const idsOf = (events: readonly Inbound[], text: string): readonly string[] =>
  events.filter((event) => textOf(event) === text).map(({ event }) => event);

export function restarting(bench: Bench): void {
  /** Said, taken and acknowledged. */
  const settled = async (...texts: readonly string[]): Promise<void> => {
    const { rig } = bench;
    for (const text of texts) rig.say(text);
    expect(await bench.heard(texts.length)).toEqual(texts);
    await rig.until(() => rig.unacknowledged() === 0);
  };

  it('hands over after a restart what was written meanwhile, and nothing of what was handed over before', async () => {
    await settled('one', 'two');
    await bench.rig.stop();
    bench.rig.say('meanwhile');
    await bench.restart();
    expect(await bench.heard(1)).toEqual(['meanwhile']);
    bench.rig.say('after');
    expect(await bench.heard(2)).toEqual(['meanwhile', 'after']);
  });

  it('gives a message that is delivered again after a restart the id that it had before', async () => {
    await settled('one', 'two');
    const before = bench.rig.host.received;
    await bench.restart();
    bench.rig.redeliver();
    bench.rig.say('after');
    const { host, until } = bench.rig;
    await until(() => idsOf(host.received, 'after').length > 0);
    for (const text of ['one', 'two']) {
      const ids = new Set([...idsOf(before, text), ...idsOf(host.received, text)]);
      expect([...ids]).toHaveLength(1);
    }
  });

  it('hands over after a restart, under the same id, what could not be stored before it', async () => {
    await settled('before');
    const { host, say, until } = bench.rig;
    host.refusal = new Error('disk full');
    say('keep me');
    const offered = (): readonly string[] => idsOf(host.offers.flat(), 'keep me');
    await until(() => offered().length > 0);
    await bench.restart();
    expect(await bench.heard(1)).toEqual(['keep me']);
    expect(idsOf(bench.rig.host.received, 'keep me')[0]).toBe(offered()[0]);
  });

  it('hands over nothing of what it wrote itself, whether it is told of it or reads it after a restart', async () => {
    await settled('before');
    await writeAllSorts();
    bench.rig.echo?.();
    bench.rig.say('after');
    expect(await bench.heard(2)).toEqual(['before', 'after']);
    await bench.rig.stop();
    // Where sending needs no connection, nobody hears of this one before the restart.
    await bench.send('written unheard', 'unheard').catch(() => undefined);
    bench.rig.say('meanwhile');
    await bench.restart();
    bench.rig.echo?.();
    bench.rig.say('last');
    expect(await bench.heard(2)).toEqual(['meanwhile', 'last']);
  });

  async function writeAllSorts(): Promise<void> {
    const { adapter, chat } = bench.rig;
    const text = await bench.send('of ours', 'text');
    await adapter.send({ type: 'progress', chat, steps: [], elapsedMs: 1000, done: false }, 'progress', patience());
    await bench.sendAsk();
    await adapter.edit?.(text, bench.text('of ours, edited'), patience());
  }

  it('edits and deletes after a restart what it sent before', async () => {
    const first = await bench.send('first', 'one');
    const second = await bench.send('second', 'two');
    await bench.restart();
    const { adapter, visible } = bench.rig;
    const stored = (ref: SentRef): SentRef => JSON.parse(JSON.stringify(ref));
    await adapter.edit?.(stored(first), bench.text('changed'), patience());
    if (adapter.edit !== undefined) expect(visible()).toEqual(['changed', 'second']);
    await adapter.delete?.(stored(first), patience());
    if (adapter.delete !== undefined) expect(visible()).toEqual(['second']);
    await adapter.edit?.(stored(second), bench.ask(), patience());
    if (adapter.edit !== undefined) expect(visible().at(-1)).toContain('May I look around?');
  });
}
