/** The agent has a question: the real `clarify`, answered by a button, a number or words. */
import { describe, expect, it } from 'vitest';
import { describe as inWords } from '../gateway/support/transcript.ts';
import { type Actor, actor } from './support/model.ts';
import { answerTo, card, closed, sees, told } from './support/person.ts';
import { places } from './support/world.ts';

interface Question {
  readonly question: string;
  readonly choices?: readonly string[];
  readonly allow_freetext?: boolean;
  readonly timeout?: number;
}

/** Asks this on "go", and says what came of it. */
function asking(question: Question): Actor {
  return actor(({ text, results }) => (text === 'go' ? (results[0] ?? { call: 'clarify', args: question }) : undefined));
}

const colours = { question: 'Which colour?', choices: ['Red', 'Green', 'Blue'] };

describe.each(places)('on $name, a question', ({ open }) => {
  it('is answered with a button, and the card shows by whom', async () => {
    const { person, idle, transcript } = await open({ model: asking(colours) });
    person.says('go');
    const asked = await card(person);
    expect(asked.choices).toEqual(['Red', 'Green', 'Blue']);
    expect(asked.text).toBe('#1 Which colour?\n\nChoose, or write an answer of your own.');
    person.clicks(asked, 'Green');
    expect(await sees(person, 'ok: ')).toContain('Green');
    expect(await closed(person, asked)).toBe(`#1 Which colour?\n\n💬 ${person.name}: Green`);
    await idle();
    expect(inWords(transcript())).toBe('user call(clarify) clarify=ok answer');
  });

  it.each([
    ['3', 'Blue'],
    ['green', 'Green'],
    ['none of them', 'none of them'],
    ['7', '7'],
    ['/etc/hosts', '/etc/hosts'],
  ])('is answered with "%s"', async (words, understood) => {
    const { person, idle } = await open({ model: asking(colours) });
    person.says('go');
    const asked = await card(person);
    expect(await answerTo(person, words)).toContain(understood);
    expect(await closed(person, asked)).toContain(`💬 ${person.name}: ${understood}`);
    await idle();
    expect(person.reads()).toHaveLength(1);
  });

  it('with six choices shows them all, and long ones whole', async () => {
    const choices = ['a', 'b', 'c', 'd', 'e', `f ${'and so on '.repeat(12)}`.trim()];
    const { person } = await open({ model: asking({ question: 'Which?', choices }) });
    person.says('go');
    const asked = await card(person);
    expect(asked.choices).toHaveLength(6);
    for (const choice of choices) expect(asked.text).toContain(choice);
    person.clicks(asked, asked.choices[5] ?? '');
    expect(await sees(person, 'ok: ')).toContain('and so on and so on');
  });

  it('that takes no other words gives one hint to them and stays open', async () => {
    const { person } = await open({ model: asking({ ...colours, allow_freetext: false }) });
    person.says('go');
    const asked = await card(person);
    expect(asked.text).toContain('Choose one.');
    expect(await answerTo(person, 'purple')).toBe('Please choose one of these for #1: 1 Red, 2 Green, 3 Blue.');
    expect(await answerTo(person, '2')).toContain('Green');
  });

  it('without choices takes what is written next', async () => {
    const { person } = await open({ model: asking({ question: 'What is it called?' }) });
    person.says('go');
    expect((await card(person)).choices).toEqual([]);
    expect(await answerTo(person, 'Rosebud')).toContain('Rosebud');
  });

  it('gets the words that reply to it; loose words go to the oldest one', async () => {
    const model = actor(({ text, results }) => {
      const [, what] = /^ask (\w+)$/.exec(text) ?? [];
      return what === undefined
        ? undefined
        : results[0]
          ? `${what} ${results[0]}`
          : { call: 'clarify', args: { question: what, choices: ['Red'] } };
    });
    const { person } = await open({ model });
    person.says('ask one');
    const first = await card(person);
    person.says('/background ask two');
    const second = await card(person, 2);
    person.repliesTo(second, 'the newer');
    expect(await closed(person, second)).toContain(': the newer');
    await sees(person, /two ok: [\s\S]*the newer/);
    person.says('the older');
    expect(await closed(person, first)).toContain(': the older');
    await sees(person, /one ok: [\s\S]*the older/);
  });

  it('that nobody answers in time tells the model to decide or to stop, and the card says so', async () => {
    const { person } = await open({ model: asking(colours), change: { approvals: { questionMs: 100 } } });
    person.says('go');
    const asked = await card(person);
    expect(await sees(person, 'ok: ')).toContain('Nobody answered in time. Decide yourself if you can do so safely');
    expect(await closed(person, asked)).toContain('⌛ Nobody answered in time.');
  });

  it('may have a time of its own', async () => {
    const now = Date.now();
    const { person, store } = await open({ model: asking({ ...colours, timeout: 12 }), now: () => now });
    person.says('go');
    await card(person);
    expect(
      store()
        .asks.open()
        .map(({ deadline }) => deadline - now),
    ).toEqual([12_000]);
    await answerTo(person, '/stop');
  });

  it('is answered after a restart, on the same card', async () => {
    const { person, restart } = await open({ model: asking(colours) });
    person.says('go');
    const asked = await card(person);
    await restart();
    person.clicks(await card(person), 'Red');
    expect(await sees(person, 'ok: ')).toContain('Red');
    expect(await closed(person, asked)).toContain(`💬 ${person.name}: Red`);
    expect(person.cards()).toHaveLength(1);
  });

  it('is answered once: a second click gets a sentence', async () => {
    const { person } = await open({ model: asking(colours) });
    person.says('go');
    const asked = await card(person);
    person.clicks(asked, 'Red');
    person.clicks(asked, 'Blue');
    expect((await told(person, 1))[0]).toMatch(/Too late: \S+ has decided already|closed already/);
    expect(await sees(person, 'ok: ')).toContain('Red');
  });
});
