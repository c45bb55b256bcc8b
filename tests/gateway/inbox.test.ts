import { spawnSync } from 'node:child_process';
import { describe, expect, it, vi } from 'vitest';
import type { Inbound } from '../../adapters/adapter.ts';
import { createFakePlatform } from '../fakes/platform.ts';
import { startGateway } from './support/gateway.ts';
import { click, command, message, type Said } from './support/inbound.ts';
import { echo, never, scriptedModel } from './support/model.ts';

const hourMs = 3_600_000;

/** A platform on which only Ann is known. */
function annsPlatform() {
  return createFakePlatform({ config: { allowed_users: ['ann'] } });
}

describe('an event', () => {
  it('that is delivered again becomes one turn, however often it comes', async () => {
    for (const times of [1, 2, 3, 4, 5]) {
      const model = scriptedModel(echo);
      const gateway = await startGateway({ model });
      const event = message('hello', { event: 'the-same' });
      gateway.receive(Array.from({ length: times }, () => event));
      for (let time = 0; time < times; time += 1) gateway.receive([event]);
      await gateway.idle();
      gateway.receive([event]);
      await gateway.idle();
      expect(gateway.answers('ann')).toEqual(['echo: hello']);
      expect(model.requests).toHaveLength(1);
    }
  });

  it('is known again after a restart and 24 hours later', async () => {
    const clock = { now: Date.now() };
    const now = () => clock.now;
    const first = await startGateway({ now });
    const event = message('hello', { event: 'the-same' });
    first.receive([event]);
    await first.idle();
    await first.stop();
    clock.now += 24 * hourMs;
    const second = await startGateway({ home: first.home, platform: first.platform, now });
    second.receive([event]);
    await second.idle();
    expect(second.answers('ann')).toEqual(['echo: hello']);
  });

  it('of the same id is another event on another account', async () => {
    const gateway = await startGateway();
    gateway.receive([message('one', { event: '1' })]);
    await gateway.idle();
    const other = { ...message('two', { event: '1' }), chat: { platform: 'fake', account: 'other', chat: 'ann' } };
    gateway.receive([other]); // an account that is not configured: nobody may answer there
    await gateway.idle();
    expect(gateway.answers('ann')).toEqual(['echo: one']);
    expect(gateway.store.inbox.countOpen()).toBe(0);
  });

  it('that comes while the gateway stops is kept for the next start', async () => {
    const gateway = await startGateway({ model: scriptedModel((_request, signal) => never(signal)), rules: { drainMs: 50 } });
    gateway.say('ann', 'first');
    await vi.waitFor(() => expect(gateway.store.turns.runningLanes()).toHaveLength(1));
    const stopping = gateway.stop();
    gateway.say('bob', 'second');
    await stopping;
    const next = await startGateway({ home: gateway.home, platform: gateway.platform });
    await next.idle();
    expect([next.answers('ann'), next.answers('bob')]).toEqual([['echo: first'], ['echo: second']]);
  });
});

describe('a batch', () => {
  it('is stored as a whole or, when it throws, not at all', async () => {
    const gateway = await startGateway({
      wrap: (store) => ({
        ...store,
        inbox: {
          ...store.inbox,
          add: (inbound) => {
            if (inbound.event.event === 'bad') throw new Error('database or disk is full');
            return store.inbox.add(inbound);
          },
        },
      }),
    });
    expect(() => gateway.receive([message('one', { event: 'good' }), message('two', { event: 'bad' })])).toThrow('disk is full');
    expect(gateway.store.inbox.countOpen()).toBe(0);
    gateway.receive([message('one', { event: 'good' })]);
    await gateway.idle();
    expect(gateway.answers('ann')).toEqual(['echo: one']);
  });

  it('a command whose effect cannot be recorded does not lose the messages beside it, and the platform is not told that they failed', async () => {
    const gateway = await startGateway({
      wrap: (store) => ({
        ...store,
        inbox: {
          ...store.inbox,
          settle: () => {
            throw new Error('database or disk is full');
          },
        },
      }),
    });
    expect(() => gateway.receive([message('/help', { event: 'command' }), message('hello', { event: 'text', chat: 'bob' })])).not.toThrow();
    await gateway.answered('bob', 1);
    expect(gateway.answers('bob')).toEqual(['echo: hello']);
    expect(gateway.answers('ann')).toEqual([]);
    await gateway.stop();
    const next = await startGateway({ home: gateway.home, platform: gateway.platform });
    expect(await next.answered('ann', 1)).toHaveLength(1);
  });
});

describe('a stranger', () => {
  it('in a direct chat is met with silence where that is configured', async () => {
    const platform = createFakePlatform({ config: { allowed_users: ['ann'], unauthorized_dm_behavior: 'ignore' } });
    const gateway = await startGateway({ platform, access: { unauthorized_dm_behavior: 'pair' } });
    gateway.say('mallory', 'let me in');
    await gateway.idle();
    expect(platform.calls).toEqual([]);
  });

  it('in a group is met with silence', async () => {
    const gateway = await startGateway({ platform: annsPlatform() });
    for (const chatType of ['group', 'channel'] as const) gateway.say('team', 'hello bot', { chatType, from: { id: 'mallory' } });
    await gateway.idle();
    expect(gateway.platform.calls).toEqual([]);
  });

  it('a bot is met with silence everywhere', async () => {
    const gateway = await startGateway();
    gateway.say('ann', 'hello', { from: { id: 'ann', isBot: true } });
    await gateway.idle();
    expect(gateway.platform.calls).toEqual([]);
  });

  it('says nothing that is kept: neither text nor name are in the files or the log', async () => {
    const gateway = await startGateway({ platform: annsPlatform() });
    const said = {
      from: { id: 'mallory', name: 'NAME-CANARY' },
      replyTo: { message: '1', author: 'x', fromBot: false, text: 'QUOTE-CANARY' },
    };
    gateway.say('mallory', 'TEXT-CANARY', said);
    gateway.say('team', 'TEXT-CANARY', { ...said, chatType: 'group' });
    gateway.say('ann', 'KNOWN-TEXT');
    await gateway.idle();
    const left = gateway.kill();
    expect(filesWith(left, 'KNOWN-TEXT')).not.toEqual([]);
    expect(filesWith(left, 'CANARY')).toEqual([]);
    expect(JSON.stringify(gateway.log.lines)).not.toContain('CANARY');
    expect(gateway.store.inbox.add({ event: message('x'), lane: 'x', state: 'pending' })).toBeDefined();
  });
});

describe('a command', () => {
  it('is answered while a turn runs, and does not wait behind it', async () => {
    const gateway = await startGateway({ model: scriptedModel((_request, signal) => never(signal)) });
    gateway.say('ann', 'work');
    await vi.waitFor(() => expect(gateway.store.turns.runningLanes()).toHaveLength(1));
    gateway.say('ann', '/status');
    const [status] = await gateway.answered('ann', 1);
    expect(status).toContain('scripted');
  });

  it('that is unknown is answered with the nearest and never reaches the model', async () => {
    const model = scriptedModel(echo);
    const gateway = await startGateway({ model });
    gateway.say('ann', '/stpo');
    gateway.say('ann', '/etc/hosts please');
    await gateway.idle();
    expect(gateway.answers('ann')).toEqual([
      'I do not know /stpo. Did you mean /stop? /help shows what there is.',
      'echo: /etc/hosts please',
    ]);
    expect(model.requests).toHaveLength(1);
  });

  it('whose effect was not recorded before a crash runs once after it', async () => {
    const gateway = await startGateway({
      before: (store) => {
        const event = message('/new', { event: 'cut' });
        store.inbox.add({ event, lane: 'agent:main:fake:dm:ann', state: 'command' });
      },
    });
    await gateway.idle();
    expect(gateway.answers('ann')).toEqual(['✨ New conversation. What can I do for you?']);
    gateway.receive([message('/new', { event: 'cut' })]);
    await gateway.idle();
    expect(gateway.answers('ann')).toHaveLength(1);
  });
});

/** Searched by another process: a file that this one closes would drop SQLite's locks on it. */
function filesWith(directory: string, text: string): string[] {
  const { stdout } = spawnSync('grep', ['-rlaF', text, directory], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line !== '');
}

describe('somebody who may not talk to us', () => {
  /** Each kind of event; a new kind does not compile without its place here. */
  const kinds: Readonly<Record<Inbound['type'], (said: Said) => Inbound>> = {
    message: (said) => message('run something', said),
    command: (said) => command('stop', '', said),
    answer: (said) => click({ token: 'aaaaaaaaaaaaaaaa', id: '1' }, 'once', said),
  };

  it.each(Object.entries(kinds))('changes nothing with a %s, in a chat of their own or in the allowed person’s', async (_kind, make) => {
    const model = scriptedModel((_request, signal) => never(signal));
    const gateway = await startGateway({ platform: annsPlatform(), model });
    gateway.say('ann', 'work');
    await vi.waitFor(() => expect(model.requests).toHaveLength(1));
    const before = gateway.store.inbox.countOpen();
    gateway.receive([make({ chat: 'eve', from: { id: 'eve' } }), make({ chat: 'ann', from: { id: 'eve' } })]);
    expect(gateway.store.inbox.countOpen()).toBe(before);
    expect(gateway.store.turns.runningLanes()).toEqual(['agent:main:fake:dm:ann']);
    expect(model.requests).toHaveLength(1);
  });
});
