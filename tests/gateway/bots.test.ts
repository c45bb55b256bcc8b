import { describe, expect, it } from 'vitest';
import { createFakePlatform } from '../fakes/platform.ts';
import { startGateway } from './support/gateway.ts';
import { message } from './support/inbound.ts';
import { echo, scriptedModel } from './support/model.ts';

const room = { chat: 'room', chatType: 'group' } as const;

/** A gateway whose bot answers everybody in the room, other bots too. */
async function bot(now: () => number = Date.now) {
  const platform = createFakePlatform({ config: { allow_bots: 'all', allowed_users: [], group_allowed_chats: ['room'] } });
  const gateway = await startGateway({ platform, model: scriptedModel(echo), now });
  let posted = 0;
  return {
    gateway,
    /** What the other one posts, and what this one says to it. */
    hears: async (text: string, isBot: boolean): Promise<readonly string[]> => {
      gateway.receive([message(text, { ...room, from: { id: isBot ? 'other-bot' : 'ann', isBot } })]);
      await gateway.idle();
      const said = gateway.answers('room').slice(posted);
      posted += said.length;
      return said;
    },
  };
}

describe('two bots in one room that answer everything', () => {
  it.each([
    ['a person', false],
    ['a bot', true],
  ])('fall silent after three messages when %s begins', async (_title, isBot) => {
    const bots = [await bot(), await bot()] as const;
    const shown: string[] = [];
    let waiting: { readonly by: number; readonly text: string }[] = [];
    if (isBot) waiting = [{ by: 0, text: 'hello room' }];
    else for (const [by, each] of bots.entries()) waiting.push(...(await each.hears('hello', false)).map((text) => ({ by, text })));
    for (let round = 0; round < 20; round += 1) {
      const next = waiting.shift();
      if (next === undefined) break;
      shown.push(next.text);
      const other = 1 - next.by;
      for (const text of (await bots[other]?.hears(next.text, true)) ?? []) waiting.push({ by: other, text });
    }
    expect(shown.length).toBeGreaterThan(1);
    expect(shown.length).toBeLessThanOrEqual(3);
    expect(waiting).toEqual([]);
  });

  it('are heard again when the room was quiet for ten minutes, and people always are', async () => {
    let now = 1_000_000;
    const { hears } = await bot(() => now);
    expect(await hears('alert 1', true)).toHaveLength(1);
    now += 599_000;
    expect(await hears('alert 2', true)).toEqual([]);
    expect(await hears('what was that', false)).toHaveLength(1);
    now += 600_000;
    expect(await hears('alert 3', true)).toHaveLength(1);
  });

  it('lose no message that the platform delivers again because it could not be stored', async () => {
    const { gateway } = await bot();
    const alert = message('alert', { ...room, from: { id: 'other-bot', isBot: true } });
    const { durable } = gateway.store;
    Object.assign(gateway.store, {
      durable: (work: () => unknown) =>
        durable(() => {
          work();
          throw new Error('disk full');
        }),
    });
    expect(() => gateway.receive([alert])).toThrow('disk full');
    Object.assign(gateway.store, { durable });
    gateway.receive([alert]);
    await gateway.answered('room', 1);
  });
});

describe('other bots', () => {
  it.each([
    [undefined, true, 0],
    ['none', true, 0],
    ['mentions', false, 0],
    ['mentions', true, 1],
    ['all', false, 1],
  ] as const)('with allow_bots %s, mentioning us: %s, are answered %i times', async (rule, mentioned, times) => {
    const platform = createFakePlatform({ config: { allow_bots: rule, allowed_users: [], group_allowed_chats: ['room'] } });
    const gateway = await startGateway({ platform, model: scriptedModel(echo) });
    gateway.receive([{ ...message('hi', { ...room, from: { id: 'other-bot', isBot: true } }), mentioned }]);
    await gateway.idle();
    expect(gateway.answers('room')).toHaveLength(times);
  });

  it('must be let in like everybody else', async () => {
    const platform = createFakePlatform({ config: { allow_bots: 'all', allowed_users: ['ann'] } });
    const gateway = await startGateway({ platform, model: scriptedModel(echo) });
    gateway.receive([message('hi', { ...room, from: { id: 'other-bot', isBot: true } })]);
    await gateway.idle();
    expect(gateway.answers('room')).toEqual([]);
  });
});
