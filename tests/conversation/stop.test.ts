/** `/status` and `/stop` in every state that a turn can be in, and the turn's own clocks. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ModelError } from '../../agent/model.ts';
import { withRetry } from '../../agent/models/retry.ts';
import { defineTool } from '../../agent/tool.ts';
import { until } from '../gateway/support/gateway.ts';
import { never } from '../gateway/support/model.ts';
import { describe as inWords } from '../gateway/support/transcript.ts';
import { type Act, actor } from './support/model.ts';
import { answerTo, card, closed, sees } from './support/person.ts';
import { places, type World, type WorldOptions } from './support/world.ts';

/** Does this on "go" and echoes everything else. */
const onGo = (act: Act) => actor(({ text }) => (text === 'go' ? act : undefined));

/** Its risk takes for ever to judge. */
const slowToJudge = defineTool({
  name: 'slow',
  toolset: 'test',
  description: 'Slow.',
  args: z.object({}),
  effect: 'external',
  preview: () => '',
  risk: (_args, _session, signal) => never(signal),
  run: async () => ({ content: 'ran' }),
});

/** They end by a KILL alone, and one has left the process group. */
const grandchildren = `trap '' TERM; (env setsid sh -c "trap '' TERM; sleep 300" &); (sleep 300 &) ; sleep 300`;
const busyProvider = new ModelError('overloaded', 'The provider is busy.', { retryAfterMs: 60_000 });

/** What a person is promised; an idle machine takes a hundredth of it. */
const atOnceMs = 1000;

interface State {
  readonly options: () => WorldOptions;
  /** Beside that the turn is at work. */
  readonly reached?: (world: World) => boolean;
  /** The transcript after the stop. */
  readonly left: string;
}

const states: Readonly<Record<string, State>> = {
  'while the answer streams': {
    options: () => ({ model: onGo({ begins: 'Once upon a time' }) }),
    reached: ({ person }) => person.growing().length > 0,
    left: 'user answer',
  },
  'before a tool, while its risk is judged': {
    options: () => ({ model: onGo({ call: 'slow' }), tools: [slowToJudge] }),
    left: 'user call(slow) slow=skipped answer',
  },
  'inside a shell command with grandchildren that ignore TERM': {
    options: () => ({ model: onGo({ call: 'terminal', args: { command: grandchildren } }), change: { approvals: { mode: 'off' } } }),
    reached: ({ alive }) => alive() > 2,
    left: 'user call(terminal) terminal=interrupted answer',
  },
  'while the provider is waited for': {
    options: () => ({ model: withRetry(onGo(busyProvider), { maxRetries: 3 }) }),
    reached: ({ person }) => person.progress().some((text) => text.includes('busy')),
    left: 'user answer',
  },
  'while an approval is open': {
    options: () => ({ model: onGo({ call: 'terminal', args: { command: 'rm -r build' } }) }),
    reached: ({ person }) => person.cards().length > 0,
    left: 'user call(terminal) terminal=skipped answer',
  },
  'while a question is open': {
    options: () => ({ model: onGo({ call: 'clarify', args: { question: 'Which?', choices: ['a', 'b'] } }) }),
    reached: ({ person }) => person.cards().length > 0,
    left: 'user call(clarify) clarify=interrupted answer',
  },
};

describe.each(places)('on $name', ({ open }) => {
  it.each(Object.entries(states))('%s /status answers, /stop ends everything, and the next message works', async (_state, state) => {
    const world = await open(state.options());
    const { person } = world;
    person.says('go');
    await until(
      () => world.isWorking() && (state.reached?.(world) ?? true),
      () => 'the state is not reached',
    );
    expect(await answerTo(person, '/status', atOnceMs)).toMatch(/^Hermes Gateway .*at work on 1/);
    expect(world.isWorking()).toBe(true);
    expect(await answerTo(person, '/stop', atOnceMs)).toBe('🛑 Stopped.');
    await until(
      () => !world.isWorking() && world.alive() === 0,
      () => `${world.alive()} processes are alive`,
      5000,
    );
    await world.idle();
    expect(inWords(world.transcript())).toBe(state.left);
    expect(world.store().asks.open()).toEqual([]);
    for (const shown of person.cards()) expect(await closed(person, shown)).toContain('No longer needed');
    person.says('and now?');
    await sees(person, 'echo: and now?');
    await until(
      () => person.progress().length === 0,
      () => `progress is left: ${person.progress().join()}`,
    );
  });

  it('says that nothing is running where nothing is', async () => {
    const { person } = await open({ model: actor(() => undefined) });
    expect(await answerTo(person, '/stop')).toBe('Nothing is running here.');
  });
});

describe.each(places)('on $name, a turn that takes too long', ({ open }) => {
  const hanging = () => actor(({ text }) => (text === 'go' ? { begins: '' } : undefined));

  it.each([
    ['in all', { deadlineMs: 80, inactivityMs: 0, warningMs: 0 }, /I ran out of time for this and stopped/],
    ['without anything happening', { deadlineMs: 0, inactivityMs: 80, warningMs: 0 }, /Nothing happened any more, so I gave up/],
  ])('%s is ended, the person is told, and the chat goes on', async (_how, limits, sentence) => {
    const { person, idle } = await open({ model: hanging(), change: { agent: { limits } } });
    expect(await answerTo(person, 'go')).toMatch(sentence);
    await idle();
    expect(await answerTo(person, 'again')).toBe('echo: again');
  });

  it('is warned about before it is ended', async () => {
    const { person } = await open({ model: hanging(), change: { agent: { limits: { deadlineMs: 0, inactivityMs: 500, warningMs: 50 } } } });
    expect(await answerTo(person, 'go')).toMatch(/^⏳ Nothing has happened for .*\/stop ends it/);
    await sees(person, /gave up/);
  });

  it('is not ended while the person is asked, however long that takes', async () => {
    const model = actor(({ text, results }) =>
      text === 'go' ? (results[0] ?? { call: 'clarify', args: { question: 'Which?', choices: ['a', 'b'] } }) : undefined,
    );
    const limits = { deadlineMs: 150, inactivityMs: 100, warningMs: 50 };
    const { person } = await open({ model, change: { agent: { limits } } });
    person.says('go');
    const asked = await card(person);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(person.reads()).toEqual([]);
    person.clicks(asked, 'b');
    expect(await sees(person, 'ok: ')).toContain('b');
  });
});
