/** The gateway starts again in the middle. As a process it does so in tests/e2e/restart.test.ts. */
import { describe, expect, it } from 'vitest';
import { until } from '../gateway/support/gateway.ts';
import { countedTool } from '../gateway/support/tools.ts';
import { describe as inWords } from '../gateway/support/transcript.ts';
import { actor, callsOf } from './support/model.ts';
import { answerTo, sees } from './support/person.ts';
import { places } from './support/world.ts';

describe.each(places)('on $name, a restart', ({ open }) => {
  it('that was asked for is announced, and confirmed once where it was asked, also where a turn runs', async () => {
    const model = actor(({ text }) => (text === 'long' && model.requests.length === 1 ? { begins: '' } : undefined));
    const { person, restart, isWorking, idle } = await open({ model, alone: true });
    person.says('long');
    await until(isWorking, () => 'the turn has not begun');
    const announced = '🔄 I am restarting: what is at work goes on afterwards. I tell you when I am back.';
    expect(await answerTo(person, '/restart')).toBe(announced);
    await sees(person, 'echo: long');
    await sees(person, '✅ Restarted.');
    await idle();
    await restart();
    expect(await answerTo(person, 'hello')).toBe('echo: hello');
    expect(person.reads().toSorted()).toEqual([announced, '✅ Restarted.', 'echo: hello', 'echo: long'].toSorted());
  });

  it('tells a chat where a turn runs, which then goes on from its transcript; an effect that was cut is not repeated', async () => {
    const effect = countedTool('effect', 'external', ({ n }, { signal }) =>
      n === 1
        ? { content: 'done' }
        : new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
    );
    const model = actor(({ text, results }) => {
      if (text !== 'go') return undefined;
      return results.length < 2 ? callsOf(['effect', { n: results.length + 1 }]) : `went on: ${results.join(' | ').slice(0, 60)}`;
    });
    const { person, restart, transcript, idle } = await open({ model, tools: [effect.tool] });
    person.says('go');
    await until(
      () => effect.runs.length === 2,
      () => 'the second call has not begun',
    );
    await restart();
    await sees(person, 'went on: ok: done | ');
    await idle();
    expect(person.reads()[0]).toBe('🔄 I am restarting and go on with this right after.');
    expect(person.reads()).toHaveLength(2);
    expect(effect.runs).toHaveLength(2);
    expect(inWords(transcript())).toBe('user call(effect) effect=ok call(effect) effect=interrupted answer');
    expect(person.progress()).toEqual([]);
  });

  it('cuts a stream without a word too many: the answer comes once and whole', async () => {
    let asked = 0;
    const model = actor(({ text }) => {
      asked += 1;
      return asked === 1 ? { begins: 'Half of' } : `The whole answer to ${text}`;
    });
    const { person, restart, idle } = await open({ model });
    person.says('a question');
    await until(
      () => person.growing().length > 0,
      () => 'nothing grows',
    );
    await restart();
    await sees(person, 'The whole answer to a question');
    await idle();
    expect(person.reads()).toEqual(['🔄 I am restarting and go on with this right after.', 'The whole answer to a question']);
  });

  it('lets what is at work come to its end first, and begins nothing new', async () => {
    const gate = Promise.withResolvers<string>();
    const model = actor(({ text }) => (text === 'first' ? { begins: '', rest: gate.promise } : undefined));
    const { person, restart, isWorking, idle } = await open({ model, change: { everywhere: { busyAck: true } } });
    person.says('first');
    await until(isWorking, () => 'the turn has not begun');
    const restarted = restart(10_000);
    await sees(person, '🔄 I am restarting and go on with this right after.');
    expect(await answerTo(person, 'second')).toBe('🔄 I am being stopped or restarted; I read this as soon as I am back.');
    expect(model.heard()).toEqual(['first']);
    gate.resolve('echo: first');
    await restarted;
    await sees(person, 'echo: second');
    await idle();
    expect(model.heard()).toEqual(['first', 'second']);
    expect(person.reads().slice(2)).toEqual(['echo: first', 'echo: second']);
  });

  it('loses nothing that waits, and answers it once', async () => {
    const gate = Promise.withResolvers<string>();
    const model = actor(({ text }) => (text === 'first' && model.requests.length === 1 ? { begins: '', rest: gate.promise } : undefined));
    const { person, restart, isWorking, idle } = await open({ model });
    person.says('first');
    await until(isWorking, () => 'the turn has not begun');
    person.says('second', '/queue third');
    await sees(person, '⏳ That comes next.');
    await restart();
    await sees(person, 'echo: third');
    await idle();
    expect(person.reads().filter((text) => text.startsWith('echo'))).toEqual(['echo: first', 'echo: second', 'echo: third']);
  });
});
