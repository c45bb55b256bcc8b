import { describe, expect, it } from 'vitest';
import { DeliveryError } from '../../adapters/adapter.ts';
import { ModelError } from '../../agent/model.ts';
import { createFakePlatform } from '../fakes/platform.ts';
import { startGateway } from './support/gateway.ts';
import { command, message } from './support/inbound.ts';
import { echo, type Script, scriptedModel } from './support/model.ts';

const marking = () => createFakePlatform({ capabilities: ['react', 'edit', 'buttons'] });

async function marks(script: Script, text: string) {
  const platform = marking();
  const gateway = await startGateway({ platform, model: scriptedModel(script) });
  const event = message(text);
  gateway.receive([event]);
  await gateway.idle();
  return platform.calls.filter(({ kind }) => kind === 'react').map((call) => [call.ref === event.message, call.text]);
}

describe("a person's message", () => {
  it('is marked as seen, and as done when it has its answer', async () => {
    expect(await marks(echo, 'hello')).toEqual([
      [true, 'seen'],
      [true, 'done'],
    ]);
  });

  it('is marked as failed when it could not be answered', async () => {
    const broken = () => new ModelError('auth', 'no such key');
    expect((await marks(broken, 'hello')).at(-1)).toEqual([true, 'failed']);
  });

  it('has no mark when it is a command, which has its reply at once', async () => {
    expect(await marks(echo, '/status')).toEqual([]);
  });

  it('is answered although the platform refuses the marks', async () => {
    const platform = marking();
    platform.fail({ on: 'react', times: 9, throws: new DeliveryError('no permission', { kind: 'rejected', certain: true }) });
    const gateway = await startGateway({ platform, model: scriptedModel(echo) });
    gateway.say('ann', 'hello');
    expect(await gateway.answered('ann', 1)).toEqual(['echo: hello']);
  });

  it('is left alone while the platform asks for silence', async () => {
    const platform = marking();
    platform.fail({ on: 'react', throws: new DeliveryError('slow down', { kind: 'rate_limited', certain: true, retryAfterMs: 60_000 }) });
    const gateway = await startGateway({ platform, model: scriptedModel(echo) });
    gateway.say('ann', 'hello');
    await expect.poll(() => gateway.store.inbox.countOpen()).toBe(0);
    expect(platform.calls.filter(({ kind }) => kind === 'react')).toHaveLength(1);
  });
});

describe('a native command', () => {
  it('has each part of its reply as the reply that the platform waits for', async () => {
    const gateway = await startGateway({ platform: createFakePlatform({ partUnits: 40 }), model: scriptedModel(echo) });
    gateway.receive([{ ...command('status'), interaction: { token: 't1' } }]);
    await gateway.idle();
    const sent = gateway.platform.shown.map(({ message: shown }) => (shown.type === 'text' ? shown.interaction : undefined));
    expect(sent.length).toBeGreaterThan(1);
    expect(new Set(sent.map((interaction) => JSON.stringify(interaction)))).toEqual(new Set(['{"token":"t1"}']));
  });

  it('that becomes a message is acknowledged, and answered as any message', async () => {
    const gateway = await startGateway({ model: scriptedModel(echo) });
    gateway.receive([{ ...command('queue', 'do this'), interaction: { token: 't1' } }]);
    await gateway.idle();
    expect(gateway.answers('ann')).toEqual(['echo: do this']);
    expect(gateway.platform.responses).toEqual(['✓']);
  });

  it('of a stranger is told so, to him alone, and runs nothing', async () => {
    const platform = createFakePlatform({ config: { allowed_users: ['ann'] } });
    const gateway = await startGateway({ platform });
    gateway.receive([command('new', '', { chat: 'room', chatType: 'group', from: { id: 'mallory' } })]);
    await gateway.idle();
    expect(platform.responses).toEqual(['Sorry, I only talk to people whom my owner has let in.']);
    expect(platform.shown).toEqual([]);
  });
});

describe('a message that was written while the gateway was away', () => {
  it('comes with the time at which it was written', async () => {
    const model = scriptedModel(echo);
    const gateway = await startGateway({ model });
    gateway.receive([{ ...message('are you there?'), sentAtMs: Date.UTC(2026, 0, 2, 3, 4, 5), late: true }]);
    expect((await gateway.answered('ann', 1))[0]).toBe(
      'echo: [note: this was written at 2026-01-02T03:04:05.000Z, while you could not be reached]\nare you there?',
    );
  });
});

describe('what a connection keeps', () => {
  it('is stored with the messages, or not at all', async () => {
    const gateway = await startGateway({ model: scriptedModel(echo) });
    const store = gateway.store.accounts.open('fake/main');
    gateway.platform.receive([message('hello')], { 'mark:room': '17' });
    expect(store.get('mark:room')).toBe('17');
    const { add } = gateway.store.inbox;
    Object.assign(gateway.store.inbox, {
      add: () => {
        throw new Error('disk full');
      },
    });
    expect(() => gateway.platform.receive([message('again')], { 'mark:room': '18' })).toThrow('disk full');
    Object.assign(gateway.store.inbox, { add });
    expect(store.get('mark:room')).toBe('17');
  });

  it('can be asked for again by what it was sent as', async () => {
    const gateway = await startGateway({ model: scriptedModel(echo) });
    gateway.say('ann', 'hello');
    await gateway.idle();
    const [shown] = gateway.platform.shown;
    if (shown === undefined) throw new Error('nothing was sent');
    expect(gateway.platform.host?.sent(shown)).toMatchObject({ type: 'text', markdown: 'echo: hello' });
    expect(gateway.platform.host?.sent({ ...shown, id: 'nobody knows' })).toBeUndefined();
    expect(gateway.platform.host?.sent({ ...shown, chat: { ...shown.chat, chat: 'bob' } })).toBeUndefined();
  });
});
