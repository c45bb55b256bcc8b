/** What a person sees while a turn works. The times are short here; that they are 3 s and 1.5 s on Telegram is told in tests/e2e/progress.test.ts. */
import { describe, expect, it } from 'vitest';
import { telegramPlatform } from '../../adapters/telegram/platform.ts';
import { until } from '../gateway/support/gateway.ts';
import { countedTool } from '../gateway/support/tools.ts';
import { type Actor, actor } from './support/model.ts';
import { answerTo, type Person, sees } from './support/person.ts';
import { openTelegram, places, type TelegramWorld } from './support/world.ts';

/** Looks as often as "go" is followed by, each time until the gate of that step opens, then answers. */
function steps(count: number) {
  const gates = Array.from({ length: count }, () => Promise.withResolvers<void>());
  const looks: number[] = [];
  const look = countedTool('look', 'read', async ({ n = 0 }, { progress }) => {
    looks.push(n);
    progress(`half of ${n}`);
    await gates[n]?.promise;
    return { content: `seen ${n}` };
  });
  const model = actor(({ text, results }) => {
    if (!text.startsWith('go')) return undefined;
    return results.length < count ? { call: 'look', args: { n: results.length } } : 'done';
  });
  return { tool: look.tool, model, looks, end: (step: number) => gates[step]?.resolve() };
}

function shows(person: Person, words: string | RegExp): Promise<void> {
  return until(
    () => person.progress().some((text) => (typeof words === 'string' ? text.includes(words) : words.test(text))),
    () => `no progress says ${words}: ${person.progress().join('\n')}`,
  );
}

function hasEnded(person: Person): Promise<void> {
  return until(
    () => person.progress().length === 0,
    () => `progress is left: ${person.progress().join()}`,
  );
}

describe.each(places)('on $name, a turn that takes its time', ({ open }) => {
  it('shows that it types, then one message that changes with its steps, gone or folded once the answer is there', async () => {
    const { tool, model, looks, end } = steps(2);
    const { person, idle } = await open({ model, tools: [tool] });
    person.says('go');
    await shows(person, /^Working.*\n⏳ look: look 0/s);
    await until(
      () => person.typing() > 0,
      () => 'nobody types',
    );
    end(0);
    await until(
      () => looks.length === 2,
      () => 'no second step',
    );
    await shows(person, /look: look 1 \(×2\)/);
    expect(person.progress()).toHaveLength(1);
    end(1);
    await sees(person, 'done');
    await idle();
    await hasEnded(person);
    expect(person.reads()).toEqual(['done']);
  });

  it.each([
    ['new', /look: look 1 \(×2\)/],
    ['all', /✓ look: look 0.*\n⏳ look: look 1/s],
    ['verbose', /⏳ look: look 1\s+(?:half of 1\s+)?\{"n":1\}/s],
  ])('in mode %s names its tools as that mode does', async (mode, shown) => {
    const { tool, model, end } = steps(2);
    const { person } = await open({ model, tools: [tool] });
    await answerTo(person, `/verbose ${mode}`);
    person.says('go');
    end(0);
    await shows(person, shown);
    end(1);
    await sees(person, 'done');
  });

  it('in mode off shows nothing but that it types', async () => {
    const { tool, model, looks, end } = steps(2);
    const { person, idle } = await open({ model, tools: [tool], change: { display: { progress: 'off' } } });
    person.says('go');
    await until(
      () => looks.length === 1 && person.typing() > 0,
      () => 'it does not work',
    );
    end(0);
    end(1);
    await sees(person, 'done');
    await idle();
    expect(person.progress()).toEqual([]);
  });

  it('may choose otherwise while it works', async () => {
    const { tool, model, looks, end } = steps(2);
    const { person } = await open({ model, tools: [tool], change: { display: { progress: 'off' } } });
    person.says('go');
    await until(
      () => looks.length === 1,
      () => 'it does not work',
    );
    await answerTo(person, '/verbose all');
    end(0);
    await shows(person, 'look 1');
    end(1);
    await sees(person, 'done');
  });

  it('shows its answer while it grows, and as a message of its own in the end', async () => {
    const rest = Promise.withResolvers<string>();
    const model = actor(() => ({ begins: 'One **two**', rest: rest.promise }));
    const { person, idle } = await open({ model });
    person.says('count');
    await until(
      () => person.growing().length > 0,
      () => 'nothing grows',
    );
    expect(person.reads()).toEqual([]);
    rest.resolve(' three.');
    await sees(person, 'One two three.');
    await idle();
    expect(person.reads()).toEqual(['One two three.']);
  });

  it('shows nothing that grows where streaming is off', async () => {
    const rest = Promise.withResolvers<string>();
    const model = actor(() => ({ begins: 'One two', rest: rest.promise }));
    const world = await open({ model, change: { display: { streaming: false } } });
    const { person } = world;
    person.says('count');
    await until(
      () => person.typing() > 0,
      () => 'it does not work',
    );
    expect(person.growing()).toEqual([]);
    rest.resolve(' three.');
    await sees(person, 'One two three.');
    expect(person.growing()).toEqual([]);
  });

  it('says what it says between two tools as messages of its own', async () => {
    const { tool, end } = steps(1);
    end(0);
    const model = actor(({ results }) =>
      results.length > 0
        ? 'It is there.'
        : [
            { type: 'text.delta', text: 'I look first.' },
            { type: 'call', call: { id: 'call-1', name: 'look', arguments: '{"n":0}' } },
            { type: 'done', finish: 'calls' },
          ],
    );
    const { person, idle } = await open({ model, tools: [tool] });
    person.says('is it there?');
    await sees(person, 'It is there.');
    await idle();
    expect(person.reads()).toEqual(['I look first.', 'It is there.']);
  });
});

describe.each(places)('on $name, silence', ({ open }) => {
  it.each(['[SILENT]', ' no_reply ', 'NO REPLY', 'silent'])('"%s" is kept and not delivered, nor shown while it grows', async (silence) => {
    const rest = Promise.withResolvers<string>();
    const model = actor(({ text }) => (text === 'quiet' ? { begins: silence.slice(0, 4), rest: rest.promise } : undefined));
    const { person, idle, transcript } = await open({ model });
    person.says('quiet');
    await until(
      () => person.typing() > 0, // later than a growing answer would be shown
      () => 'it does not work',
    );
    rest.resolve(silence.slice(4));
    await until(
      () => transcript().length === 2,
      () => 'there is no answer',
    );
    await idle();
    expect([person.reads(), person.growing()]).toEqual([[], []]);
    expect(await answerTo(person, 'hello')).toBe('echo: hello');
    expect(JSON.stringify(transcript()[1])).toContain(silence);
  });

  it('within an answer is part of it', async () => {
    const { person } = await open({ model: actor(() => 'I say [SILENT] aloud') });
    expect(await answerTo(person, 'hello')).toBe('I say [SILENT] aloud');
  });
});

describe.each(places)('on $name, the line under an answer', ({ open }) => {
  it('tells the model, the time and the tokens, where it is wanted', async () => {
    const change = { everywhere: { footer: true } };
    const { person } = await open({ model: actor(() => undefined), change });
    expect(await answerTo(person, 'one')).toMatch(/^echo: one\n\nscripted · \d+ s · \d+ tokens in, \d+ out$/);
    change.everywhere.footer = false;
    expect(await answerTo(person, 'two')).toBe('echo: two');
  });
});

describe('on Telegram, a penalty', () => {
  const callsOf = ({ telegram }: TelegramWorld) => telegram.calls.filter(({ chatId }) => chatId === 77);

  /** From the first message on, so many seconds in which every call counts as one too many. */
  async function penalised(model: Actor, tools: Parameters<typeof openTelegram>[0]['tools'] = []): Promise<TelegramWorld> {
    const world = await openTelegram({ model, tools });
    const parameters = { retry_after: 1 };
    world.telegram.fail('sendMessage', { status: 429, description: 'Too Many Requests: retry after 1', parameters });
    return world;
  }

  it('of the progress holds back all calls until it is over; then the answer comes first, and no progress after it', async () => {
    const { tool, model, end } = steps(1);
    const world = await penalised(model, [tool]);
    const { person, telegram, idle } = world;
    person.says('go');
    await until(
      () => callsOf(world).some(({ status }) => status === 429),
      () => 'no penalty',
    );
    const calls = callsOf(world).length;
    const over = (callsOf(world).at(-1)?.t ?? 0) + 1000;
    await new Promise((resolve) => setTimeout(resolve, 300)); // as long as ten edits keep apart here
    expect(callsOf(world)).toHaveLength(calls);
    end(0);
    await sees(person, 'done');
    await idle();
    const after = callsOf(world).slice(calls);
    expect(after[0]?.t).toBeGreaterThanOrEqual(over);
    expect(after[0]).toMatchObject({ method: 'sendMessage', text: 'done', status: 200 });
    expect(telegram.messages(77).map(({ text }) => text)).toEqual(['done']);
  });

  it('of the answer delays it and nothing else is called meanwhile', async () => {
    const world = await penalised(actor(() => undefined));
    const { person, idle } = world;
    person.says('hello');
    await sees(person, 'echo: hello');
    await idle();
    const at = callsOf(world).find(({ status }) => status === 429)?.t ?? Number.NaN;
    const after = callsOf(world).filter(({ t }) => t > at);
    expect(after[0]).toMatchObject({ method: 'sendMessage', text: 'echo: hello' });
    expect(after[0]?.t).toBeGreaterThanOrEqual(at + 1000);
  });
});

describe('on Telegram, the real times', () => {
  it('are 3 s of quiet and 1.5 s between two edits', () => {
    expect(telegramPlatform.progress).toMatchObject({ quietMs: 3000, editIntervalMs: 1500 });
  });

  it('keep edits apart, and several steps between two edits are one edit', async () => {
    const { tool, model, looks, end } = steps(6);
    const world = await openTelegram({ model, tools: [tool], progress: { quietMs: 0, editIntervalMs: 300 } });
    const { person, telegram, idle } = world;
    person.says('go');
    await shows(person, 'look 0');
    for (let step = 0; step < 6; step += 1) {
      end(step);
      await until(
        () => looks.length > Math.min(step + 1, 5),
        () => `step ${step + 1} has not begun`,
      );
    }
    await sees(person, 'done');
    await idle();
    const shown = telegram.calls.filter(({ method, text }) => /^(?:sendMessage|editMessageText)$/.test(method) && text?.includes('Work'));
    expect(shown.length).toBeLessThan(4);
    const gaps = shown.slice(1).map(({ t }, index) => t - (shown[index]?.t ?? 0));
    for (const gap of gaps) expect(gap).toBeGreaterThan(290);
  });
});
