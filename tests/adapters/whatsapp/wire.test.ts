import { afterEach, describe, expect, it, vi } from 'vitest';
import { ANN_LID, ANN_PHONE, type Behaviour, GROUP, startFakeWhatsApp } from '../../fakes/whatsapp.ts';
import { until } from './rig.ts';
import { startWire, type WireOptions } from './wire-rig.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function wire(options: WireOptions = {}) {
  const rig = await startWire(options);
  open.push(rig.close);
  return rig;
}

async function server() {
  const fake = await startFakeWhatsApp();
  open.push(fake.close);
  return fake;
}

const patience = () => AbortSignal.timeout(5000);
const ann = { platform: 'whatsapp', account: 'main', chat: ANN_PHONE };
const text = (markdown: string, chat = ann) => ({ type: 'text', chat, markdown }) as const;

describe('the real client library', { timeout: 40_000 }, () => {
  it('is linked by a phone that scans a code, comes back at once as WhatsApp asks, and stays linked', async () => {
    const rig = await wire({ fresh: true });
    await until(() => rig.adapter.linking?.offer()?.type === 'qr');
    const offer = rig.adapter.linking?.offer();
    rig.fake.scan(offer?.type === 'qr' ? offer.qr : '');
    await rig.connected();
    expect(rig.adapter.linking?.offer()).toBeUndefined();
    const ref = await rig.adapter.send(text('hello'), 'k', patience());
    expect(rig.fake.messages(ANN_PHONE)).toMatchObject([{ id: ref.id, text: 'hello' }]);
    await rig.stop();
    const again = await wire({ on: rig.fake, kept: rig.kept, fresh: true });
    await again.connected();
    expect(rig.fake.connections).toBe(3);
  });

  it('gives a code for a phone with a number', async () => {
    const rig = await wire({ fresh: true });
    const code = await rig.adapter.linking?.code('+49 151 2345678', patience());
    expect(code).toMatch(/^[1-9A-HJ-NP-TV-Z]{4}-[1-9A-HJ-NP-TV-Z]{4}$/);
    expect(rig.adapter.linking?.offer()).toMatchObject({ type: 'code', code });
    // An attempt that came to nothing leaves nothing behind that would be taken for a link.
    await rig.stop();
    expect(rig.kept.get('auth:creds')).toBeDefined();
    const again = await wire({ on: rig.fake, kept: rig.kept, fresh: true });
    await until(() => again.adapter.linking?.offer()?.type === 'qr');
  });

  it('hands over once what waited while we were away, with both addresses of who wrote it', async () => {
    const fake = await server();
    fake.say('while you were out');
    const rig = await wire({ on: fake });
    await until(() => rig.host.received.length === 1);
    expect(rig.host.received[0]).toMatchObject({
      type: 'message',
      text: 'while you were out',
      sender: { id: '49151222', aliases: [ANN_LID], name: 'Ann' },
    });
    await until(() => fake.waiting() === 0);
    await rig.stop();
    const again = await wire({ on: fake, kept: rig.kept });
    fake.say('now', { chat: ANN_LID });
    await until(() => again.host.received.length === 1);
    expect(again.host.received[0]).toMatchObject({ text: 'now', chat: { chat: ANN_PHONE }, sender: { id: '49151222' } });
  });

  it('talks in groups', async () => {
    const rig = await wire();
    await rig.connected();
    const chat = { ...ann, chat: GROUP };
    rig.fake.say('nobody asked you', { chat: GROUP });
    const mention = { extendedTextMessage: { text: '@4930111 what is up?', contextInfo: { mentionedJid: ['4930111@s.whatsapp.net'] } } };
    const message = rig.fake.say('', { chat: GROUP, message: mention });
    await until(() => rig.host.received.length === 1);
    expect(rig.host.received[0]).toMatchObject({ text: 'what is up?', mentioned: true, chatType: 'group', chat: { chat: GROUP } });
    await rig.adapter.send({ ...text('All well.', chat), replyTo: message }, 'one', patience());
    await rig.adapter.send(text('And you?', chat), 'two', patience());
    expect(rig.fake.messages(GROUP)).toMatchObject([{ text: 'All well.', quotes: message }, { text: 'And you?' }]);
  });

  it('talks with several people', async () => {
    const rig = await wire();
    await rig.connected();
    const others = ['491700000001', '491700000002'].map((digits) => `${digits}@s.whatsapp.net`);
    for (const chat of others) rig.fake.say('hello', { chat });
    await until(() => rig.host.received.length === 2);
    await Promise.all(others.map((chat) => rig.adapter.send(text(`to ${chat}`, { ...ann, chat }), 'k', patience())));
    for (const chat of others) expect(rig.fake.messages(chat)).toMatchObject([{ text: `to ${chat}` }]);
  });

  it('sends the same message again under the same id after a restart, so that people see it once', async () => {
    const rig = await wire();
    await rig.connected();
    rig.fake.dropNext();
    await expect(rig.adapter.send(text('once'), 'the key', patience())).rejects.toMatchObject({ kind: 'transient', certain: false });
    await rig.stop();
    const again = await wire({ on: rig.fake, kept: rig.kept });
    await again.connected();
    await again.adapter.send(text('once'), 'the key', patience());
    expect(rig.fake.messages(ANN_PHONE)).toMatchObject([{ text: 'once', times: 2 }]);
  });

  it('asks for a message again that it cannot decrypt, and goes on', async () => {
    const rig = await wire();
    await rig.connected();
    rig.fake.garble();
    rig.fake.say('after it');
    await until(() => rig.host.received.length === 1);
    await until(() => rig.fake.retries.length === 1);
    expect(rig.host.received[0]).toMatchObject({ text: 'after it' });
    expect([...rig.kept.keys()].filter((key) => key.startsWith('window:'))).toEqual([]);
  });

  it('asks the phone for what was acknowledged and not stored before a crash', async () => {
    const rig = await wire();
    await rig.connected();
    rig.host.refusal = new Error('the disk is full, and then the process is killed');
    rig.fake.say('lost in between');
    await until(() => rig.fake.waiting() === 0 && rig.host.offers.length > 0);
    await rig.stop();
    const again = await wire({ on: rig.fake, kept: rig.kept });
    await until(() => again.host.received.length === 1);
    expect(again.host.received[0]).toMatchObject({ text: 'lost in between', event: rig.host.offers[0]?.[0]?.event });
    expect(rig.fake.asked).toHaveLength(1);
    expect(again.host.logged.join('\n')).toContain('acknowledged before the connection ended');
    expect([...rig.kept.keys()].filter((key) => key.startsWith('window:'))).toEqual([]);
  });
});

describe('a connection that breaks', { timeout: 40_000 }, () => {
  it('in the middle of what waited loses nothing that WhatsApp was told to be received', async () => {
    const fake = await server();
    for (const words of ['one', 'two', 'three']) fake.say(words);
    fake.behaviour = 'break-off';
    const rig = await wire({ on: fake });
    await until(() => rig.host.received.length === 3);
    await rig.connected();
    expect(rig.host.received.map((event) => event.type === 'message' && event.text)).toEqual(['one', 'two', 'three']);
    expect(fake.asked).toEqual([]);
  });
});

describe('a WhatsApp that does not work as it should', { timeout: 40_000 }, () => {
  const states = (rig: Awaited<ReturnType<typeof wire>>) => rig.host.states.map(({ state }) => state);

  it.each<[string, Behaviour]>([
    ['takes connections and says nothing', 'silent'],
    ['closes what it took', 'close'],
    ['answers no question after the login', 'deaf'],
    ['is not available', { failure: 503 }],
    ['says that the session is damaged', { failure: 500 }],
  ])('%s: it is told, tried again with patience, and works when the fault is over', async (_what, behaviour) => {
    const fake = await server();
    fake.behaviour = behaviour;
    const rig = await wire({ on: fake, timing: { openMs: 400, queryMs: 1000 } });
    await until(() => states(rig).includes('down'));
    expect(rig.host.states.at(-1)?.detail).toMatch(/WhatsApp/);
    expect(rig.host.alives).toBe(0);
    fake.behaviour = 'normal';
    await rig.connected();
  });

  it('goes silent in the middle: that is noticed by what does not come, and it is connected anew', async () => {
    // The client library gives an answer five seconds beyond the time between two questions.
    const rig = await wire({ timing: { keepAliveMs: 100 } });
    await rig.connected();
    rig.fake.behaviour = 'deaf';
    await new Promise((resolve) => setTimeout(resolve, 300));
    const { alives } = rig.host;
    await vi.waitFor(() => expect(states(rig)).toContain('degraded'), { timeout: 15_000 });
    expect(rig.host.alives).toBe(alives);
    rig.fake.behaviour = 'normal';
    await rig.connected();
    expect(rig.host.alives).toBeGreaterThan(alives);
  });

  it('has logged us out: the account stops, the dead keys go, and only the owner makes another link', async () => {
    const fake = await server();
    fake.behaviour = { failure: 401 };
    const rig = await wire({ on: fake });
    await expect(rig.running).rejects.toThrow('hermes whatsapp link');
    expect([...rig.kept.keys()].filter((key) => key.startsWith('auth:'))).toEqual([]);
    expect(rig.adapter.linking?.offer()).toMatchObject({ type: 'warning', text: expect.stringContaining('logged this device out') });
    expect(fake.connections).toBe(1);
  });

  it.each([
    [403, 'banned'],
    [411, 'too old'],
  ])('refuses the number with %i: the account stops and says why', async (failure, why) => {
    const fake = await server();
    fake.behaviour = { failure };
    const rig = await wire({ on: fake });
    await expect(rig.running).rejects.toThrow(why);
    expect(rig.kept.has('auth:creds')).toBe(true);
  });

  it.each<[Behaviour, string]>([
    [{ failure: 405 }, 'outdated'],
    [{ streamError: 440 }, 'Another program'],
  ])('%j: it is not fought, and the owner reads what to do', async (behaviour, why) => {
    const fake = await server();
    fake.behaviour = behaviour;
    const rig = await wire({ on: fake, timing: { slowFirstMs: 60_000, slowMaxMs: 60_000 } });
    await until(() => rig.host.states.at(-1)?.detail?.includes(why));
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(fake.connections).toBe(1);
    expect(rig.host.states.at(-1)?.state).toBe('down');
  });
});
