/** Who answers an approval, how and when. */
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { until } from '../gateway/support/gateway.ts';
import { answerTo, card, closed, type Forgery, sees, told } from './support/person.ts';
import { runner, somethingToLose } from './support/runner.ts';
import { openTelegram, places } from './support/world.ts';

describe.each(places)('on $name, a message while an approval is open', ({ open }) => {
  it('interrupts the turn that asks: nothing runs, the card is closed, and the message is answered', async () => {
    const world = await open({ model: runner(), change: { display: { busyMode: 'interrupt' } } });
    const { person, store, idle } = world;
    const [build = ''] = await somethingToLose(world, 'build');
    person.says('run rm -r build');
    const asked = await card(person);
    person.says('do something else');
    await sees(person, 'echo: do something else');
    expect(await closed(person, asked)).toContain('⏹ No longer needed.');
    await idle();
    expect([existsSync(build), store().asks.open().length]).toEqual([true, 0]);
  });
});

describe.each(places)('on $name, the words that decide', ({ open }) => {
  it.each([
    ['yes', 'allowed it once'],
    ['session', 'allowed it for this session'],
    ['1', 'allowed it once'],
    ['no', 'said no'],
  ])('are "%s" as a reply to the card', async (word, outcome) => {
    const { person } = await open({ model: runner() });
    person.says('run rm -r build');
    const asked = await card(person);
    person.repliesTo(asked, word);
    expect(await closed(person, asked)).toContain(`${person.name} ${outcome}`);
    await sees(person, 'done: ');
  });

  it('are never loose: they get a sentence that tells how', async () => {
    const { person, store } = await open({ model: runner() });
    person.says('run rm -r build');
    await card(person);
    for (const word of ['yes', 'ok', 'no']) {
      expect(await answerTo(person, word)).toBe('Use the buttons on #1, reply to it, or write /approve 1 or /deny 1.');
    }
    person.says('1');
    expect(store().asks.open()).toHaveLength(1);
    await answerTo(person, '/stop');
  });

  it('are /approve and /deny, with a number where several are open: alone they list them and decide nothing', async () => {
    const world = await open({ model: runner() });
    const { person, store } = world;
    const [, dist = ''] = await somethingToLose(world, 'build', 'dist', 'other');
    person.says('run rm -r build');
    await card(person);
    person.says('/background run rm -r dist', '/background run rm -r other');
    const [second, third] = [await card(person, 2), await card(person, 3)];
    const others = [second, third].map(({ text }) => /rm -r (\w+)/.exec(text)?.[1]);
    expect(others.toSorted()).toEqual(['dist', 'other']);
    for (const bare of ['/approve', '/deny']) {
      const list = await answerTo(person, bare);
      expect(list).toMatch(/^Several are open, so I did nothing\. Open:\n• #1: .*rm -r build/);
      for (const number of [2, 3]) expect(list).toContain(`#${number}: `);
    }
    expect(store().asks.open()).toHaveLength(3);
    expect(await answerTo(person, '/approve 7')).toMatch(/^There is no open approval "7" here\. Open:/);
    expect(await answerTo(person, '/approve 1')).toBe('✅ Allowed: #1.');
    await sees(person, 'done: exit code 0');
    expect(await answerTo(person, '/deny all')).toBe('❌ No: #2, #3.');
    expect(await closed(person, third)).toContain('said no');
    expect(existsSync(dist)).toBe(true);
    await until(
      () => person.reads().filter((text) => text.includes('refused: Refused')).length === 2,
      () => person.reads().join('\n'),
    );
    expect(await answerTo(person, '/approve')).toBe('Nothing here waits for your approval.');
  });

  it('are a bare command, too, as a reply to one of several cards', async () => {
    const { person, store } = await open({ model: runner() });
    person.says('run rm -r build');
    await card(person);
    person.says('/background run rm -r dist');
    const second = await card(person, 2);
    person.repliesTo(second, '/deny');
    await sees(person, '❌ No: #2.');
    expect(await closed(person, second)).toContain('said no');
    expect(
      store()
        .asks.open()
        .map(({ number }) => number),
    ).toEqual([1]);
    expect(await answerTo(person, '/approve #1')).toBe('✅ Allowed: #1.');
    await sees(person, /^done: exit code/);
  });

  it.each([
    ['/approve all session', 'allowed it for this session'],
    ['/approve always', 'allowed it from now on'],
  ])('are %s', async (command, outcome) => {
    const { person } = await open({ model: runner() });
    person.says('run git clean -fd');
    const asked = await card(person);
    expect(await answerTo(person, command)).toBe('✅ Allowed: #1.');
    expect(await closed(person, asked)).toContain(outcome);
    await sees(person, 'done: ');
  });
});

describe.each(places)('on $name, a click', ({ open, name }) => {
  const refusals: Readonly<Record<Forgery, string>> =
    name === 'Telegram'
      ? {
          token: 'I do not know this question any more.',
          choice: 'That is none of the choices.',
          copy: 'This is a copy of the card. Please use the card itself.',
          chat: 'This card belongs to another chat.',
        }
      : {
          token: 'This question is not in this chat.',
          choice: 'This question does not offer that choice.',
          copy: 'This question is not in this chat.',
          chat: 'This question is not in this chat.',
        };

  it.each(['token', 'choice', 'copy', 'chat'] as const)('with a false %s gets a sentence and changes nothing', async (forgery) => {
    const world = await open({ model: runner() });
    const { person, store } = world;
    const [build = ''] = await somethingToLose(world, 'build');
    person.says('run rm -r build');
    const asked = await card(person);
    person.forges(asked, forgery);
    expect(await told(person, 1)).toEqual([refusals[forgery]]);
    expect([store().asks.open().length, existsSync(build)]).toEqual([1, true]);
    person.clicks(asked, '❌ No');
    await closed(person, asked);
  });

  it('that comes too late gets a sentence and changes nothing', async () => {
    const world = await open({ model: runner() });
    const { person } = world;
    const [build = ''] = await somethingToLose(world, 'build');
    person.says('run rm -r build');
    const asked = await card(person);
    person.clicks(asked, '❌ No');
    person.clicks(asked, '✅ Once');
    expect((await told(person, 1))[0]).toMatch(/Too late: \S+ has decided already\.|This question is closed already/);
    await sees(person, 'done: refused');
    expect(existsSync(build)).toBe(true);
  });
});

describe('on Telegram', () => {
  it('who may not talk here any more decides nothing, at the moment of the click', async () => {
    const allowed = ['*'];
    const { person, store } = await openTelegram({ model: runner(), allowed });
    person.says('run rm -r build');
    const asked = await card(person);
    allowed.splice(0, 1, '1');
    person.clicks(asked, '✅ Once');
    expect(await told(person, 1)).toEqual(['Sorry, you may not decide this.']);
    expect(store().asks.open()).toHaveLength(1);
    allowed.splice(0, 1, '*');
    person.clicks(asked, '❌ No');
    await closed(person, asked);
  });

  it('a forwarded "/approve" is words of somebody else and decides nothing', async () => {
    const { person, telegram, store } = await openTelegram({ model: runner() });
    person.says('run rm -r build');
    await card(person);
    telegram.inject({ chatId: 77, text: '/approve', extra: { forward_origin: { type: 'hidden_user', sender_user_name: 'Eve', date: 1 } } });
    await telegram.waitFor(() => telegram.waiting().length === 0);
    expect(store().asks.open()).toHaveLength(1);
    await answerTo(person, '/stop');
  });

  it('the only person on the allowlist may use /yolo, and one of many may not', async () => {
    const alone = await openTelegram({ model: runner(), alone: true });
    expect(await answerTo(alone.person, '/yolo')).toMatch(/^⚡/);
    const among = await openTelegram({ model: runner() });
    expect(await answerTo(among.person, '/yolo')).toMatch(/^\/yolo is for my owner and administrators/);
  });
});
