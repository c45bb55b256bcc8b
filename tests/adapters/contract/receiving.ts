import { expect, it } from 'vitest';
import type { Bench } from './bench.ts';

export function receiving(bench: Bench): void {
  const { redelivers } = bench.contract;

  it('hands over what a person wrote, as plain data that is fit for a table', async () => {
    const { rig } = bench;
    rig.say('hello there');
    await rig.until(() => rig.host.received.length === 1);
    const [event] = rig.host.received;
    expect(event).toMatchObject({
      type: 'message',
      text: 'hello there',
      chat: rig.chat,
      chatType: 'dm',
      mentioned: true,
      attachments: [],
    });
    expect(JSON.parse(JSON.stringify(event))).toEqual(event);
    expect(event?.event).not.toBe('');
    expect(event?.sender.isBot).toBe(false);
  });

  it('acknowledges only after the events are stored', async () => {
    const { rig } = bench;
    rig.say('first');
    await rig.until(() => rig.host.received.length === 1);
    await rig.until(() => rig.unacknowledged() === 0);
  });

  it.runIf(redelivers)('does not acknowledge what could not be stored, and hands it over again under the same id', async () => {
    const { rig } = bench;
    rig.host.refusal = new Error('disk full');
    rig.say('keep me');
    await rig.until(() => rig.host.offers.length >= 1);
    expect(rig.unacknowledged()).toBe(1);
    rig.host.refusal = undefined;
    await rig.until(() => rig.host.received.length === 1);
    const ids = rig.host.offers.flat().map(({ event }) => event);
    expect(ids.length).toBeGreaterThan(1);
    expect(new Set(ids).size).toBe(1);
    await rig.until(() => rig.unacknowledged() === 0);
  });

  it('keeps the order in which a person wrote', async () => {
    for (let index = 0; index < 10; index += 1) bench.rig.say(`message ${index}`);
    expect(await bench.heard(10)).toEqual(Array.from({ length: 10 }, (_unused, index) => `message ${index}`));
  });

  it('shows evidence of progress and says that it is connected', async () => {
    const { rig } = bench;
    await rig.until(() => rig.host.alives > 0);
    expect(rig.host.states.map(({ state }) => state)).toContain('connected');
  });

  it('stops when it is told to and receives nothing after that', async () => {
    const { rig } = bench;
    await rig.until(() => rig.host.alives > 0);
    await rig.stop();
    const before = rig.host.offers.length;
    rig.say('too late');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(rig.host.offers.length).toBe(before);
  });
}
