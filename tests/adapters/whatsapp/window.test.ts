import { afterEach, describe, expect, it, vi } from 'vitest';
import { ANN } from '../../fakes/whatsapp-line.ts';
import { type RigOptions, startRig, until, type WhatsAppRig } from './rig.ts';

const rigs: WhatsAppRig[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const rig of rigs.splice(0)) await rig.stop();
});

async function connected(options: RigOptions = {}) {
  const rig = startRig(options);
  rigs.push(rig);
  await until(() => rig.host.states.at(-1)?.state === 'connected');
  return rig;
}

const window = ({ kept }: WhatsAppRig) => [...kept.keys()].filter((key) => key.startsWith('window:'));
const asked = ({ fake }: WhatsAppRig) => fake.resends.map(({ key }) => key.id);

describe('what WhatsApp was told to be received and did not arrive', () => {
  it('is asked for as soon as there is a connection again, not only after a restart', async () => {
    const rig = await connected();
    rig.fake.arrive({ id: 'LOST1' });
    rig.fake.line?.close(428);
    await until(() => rig.fake.resends.length > 0);
    expect(asked(rig)).toEqual(['LOST1']);
    await until(() => window(rig).length === 0);
  });

  it('is asked for again on the next connection when the question did not go out', async () => {
    const rig = await connected();
    rig.fake.arrive({ id: 'LOST1' });
    rig.fake.failResend = true;
    rig.fake.line?.close(428);
    await until(() => rig.fake.opened === 2 && !rig.fake.failResend);
    expect(window(rig)).toHaveLength(1);
    rig.fake.line?.close(428);
    await until(() => rig.fake.resends.length > 0);
    expect(asked(rig)).toEqual(['LOST1']);
  });

  it('is written down however often something else was offered in vain', async () => {
    const rig = await connected();
    for (let count = 0; count < 1100; count += 1) rig.fake.arrive({ id: 'AGAIN' });
    rig.fake.arrive({ id: 'LOST1' });
    expect(window(rig)).toHaveLength(2);
  });

  it('does not count what is on disk already: offered a second time it cannot be decrypted', async () => {
    const rig = await connected();
    const id = rig.fake.say('hello');
    rig.fake.arrive({ id });
    expect(window(rig)).toEqual([]);
    // Another person's message may have the same id.
    rig.fake.arrive({ id, chat: '49170999@s.whatsapp.net' });
    expect(window(rig)).toHaveLength(1);
  });
});

describe('messages that cannot be stored', () => {
  it('are stored later although the connection broke meanwhile and nobody wrote again', async () => {
    const rig = await connected();
    rig.host.refusal = new Error('the disk is full');
    rig.fake.say('one');
    rig.fake.line?.close(428);
    await until(() => rig.fake.opened === 2);
    rig.host.refusal = undefined;
    await until(() => rig.host.received.length === 1);
    await until(() => rig.host.states.at(-1)?.state === 'connected');
  });

  it('are tried together, however many they are', async () => {
    const rig = await connected({ timing: { storeAgainMs: 1000 } });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    rig.host.refusal = new Error('the disk is full');
    for (let count = 0; count < 50; count += 1) rig.fake.say(`message ${count}`);
    expect(rig.host.offers).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(3000);
    expect(rig.host.offers).toHaveLength(4);
    rig.host.refusal = undefined;
    await vi.advanceTimersByTimeAsync(1000);
    expect(rig.host.received).toHaveLength(50);
    expect(window(rig)).toEqual([]);
  });

  it('and that are too many even for the memory stay written down, to be asked for', async () => {
    const rig = await connected({ timing: { storeAgainMs: 1000 } });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    rig.host.refusal = new Error('something in them cannot be stored');
    // As many as may be written down come again and again, so that the memory is full before the book is.
    for (let count = 0; count < 2000; count += 1) rig.fake.say('filler', { id: `FILL${count % 900}` });
    rig.fake.say('one too many', { id: 'LAST' });
    rig.host.refusal = undefined;
    await vi.advanceTimersByTimeAsync(1000);
    expect(rig.host.received).toHaveLength(2000);
    expect(window(rig)).toEqual([`window:${ANN}::LAST`]);
  });
});
