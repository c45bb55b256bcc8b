import { describe, expect, it } from 'vitest';
import type { QuestionAnswer } from '../../agent/ask.ts';
import { userText } from '../../agent/message.ts';
import type { RunInput } from '../../agent/run.ts';
import type { Tool } from '../../agent/tool.ts';
import { call, type Ran, runToEnd, scriptedModel, sentResults, testTool } from './support.ts';

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function runCalls(
  calls: ReturnType<typeof call>[],
  tools: readonly Tool[],
  overrides: Partial<RunInput> = {},
): Promise<Ran & { readonly results: readonly string[] }> {
  const model = scriptedModel([{ calls }, { text: 'done' }]);
  const ran = await runToEnd({ model, tools, ...overrides });
  return { ...ran, results: sentResults(model) };
}

/** A tool that notes when it runs; `peak` is how many ran at once. */
function gauge(name: string, effect: 'read' | 'write') {
  const state = { now: 0, peak: 0, order: [] as string[] };
  const tool = testTool({
    name,
    effect,
    run: async ({ value = '' }) => {
      state.now += 1;
      state.peak = Math.max(state.peak, state.now);
      await wait(value === 'slow' ? 30 : 5);
      state.order.push(value);
      state.now -= 1;
      return { content: value };
    },
  });
  return { tool, state };
}

describe('a call that cannot run', () => {
  it('to an unknown tool names the nearest ones', async () => {
    const tools = [testTool({ name: 'read_file' }), testTool({ name: 'terminal' }), testTool({ name: 'write_file' })];
    const { results, journal } = await runCalls([call('a', 'readfile'), call('b', 'functions.terminal')], tools);
    expect(results[0]).toMatch(/no tool "readfile". Nearest: read_file/);
    expect(results[1]).toMatch(/Nearest: terminal/);
    expect(journal.entries).toEqual(['message', 'finished a error', 'finished b error', 'message']);
  });

  it('says which argument is wrong and what the tool takes', async () => {
    const { results } = await runCalls([call('a', 'look', { value: 7 })], [testTool({ name: 'look' })]);
    expect(results[0]).toMatch(/arguments are invalid.\n- value: .*string[\s\S]*takes: value/);
  });

  it('takes missing arguments for an empty object', async () => {
    const { results } = await runCalls([call('a', 'look', '')], [testTool({ name: 'look' })]);
    expect(results).toEqual(['look']);
  });

  it('because the policy denies it is refused with its reason and never starts', async () => {
    const { results, journal } = await runCalls([call('a', 'look')], [testTool({ name: 'look' })], {
      policy: { decide: () => ({ verdict: 'deny', reason: 'Not in groups.' }) },
    });
    expect(results).toEqual(['Not in groups.']);
    expect(journal.entries).toContain('finished a refused');
    expect(journal.entries).not.toContain('started a');
  });

  it('is refused when it is hardline, even where the policy allows everything', async () => {
    const tool = testTool({ name: 'rm', risk: { level: 'hardline', why: 'It deletes the disk.', subjects: ['rm -rf /'] } });
    const { results, journal } = await runCalls([call('a', 'rm')], [tool]);
    expect(results[0]).toMatch(/It deletes the disk/);
    expect(journal.entries).toContain('finished a refused');
  });

  it('is refused when its risk cannot be judged', async () => {
    const tool: Tool = {
      ...testTool({ name: 'look' }),
      risk: async () => {
        throw new Error('parser broke');
      },
    };
    const { results, journal } = await runCalls([call('a', 'look')], [tool]);
    expect(results[0]).toMatch(/cannot be judged \(parser broke\)/);
    expect(journal.entries).toContain('finished a refused');
  });

  it('shows the policy the risk that the tool sees', async () => {
    const risk = { level: 'ask' as const, why: 'It pushes.', subjects: ['git push'] };
    const seen: unknown[] = [];
    await runCalls([call('a', 'git')], [testTool({ name: 'git', risk })], {
      policy: {
        decide: (asked, given, session) => {
          seen.push(asked.name, given, session.workspace);
          return { verdict: 'allow', reason: '' };
        },
      },
    });
    expect(seen).toEqual(['git', risk, '/workspace']);
  });
});

describe('calls that run', () => {
  it('that only read go side by side, at most eight at once, with results in call order', async () => {
    const { tool, state } = gauge('look', 'read');
    const calls = Array.from({ length: 20 }, (_, index) => call(`c${index}`, 'look', { value: index === 0 ? 'slow' : `${index}` }));
    const { results, journal } = await runCalls(calls, [tool]);
    expect(state.peak).toBe(8);
    expect(results).toEqual(['slow', ...Array.from({ length: 19 }, (_, index) => `${index + 1}`)]);
    const finished = journal.entries.filter((entry) => entry.startsWith('finished'));
    expect(finished).toEqual(calls.map(({ id }) => `finished ${id} ok`));
  });

  it('that change something go one after the other', async () => {
    const { tool, state } = gauge('change', 'write');
    const calls = ['slow', 'b', 'c'].map((value) => call(value, 'change', { value }));
    const { journal } = await runCalls(calls, [tool]);
    expect(state).toMatchObject({ peak: 1, order: ['slow', 'b', 'c'] });
    expect(journal.entries.slice(1, 5)).toEqual(['started slow', 'finished slow ok', 'started b', 'finished b ok']);
  });

  it('wait with a reading call until the changing one before it has ended', async () => {
    const order: string[] = [];
    const tools = (['read', 'write'] as const).map((effect) =>
      testTool({
        name: effect,
        effect,
        run: async ({ value = '' }) => {
          order.push(`+${value}`);
          await wait(5);
          order.push(`-${value}`);
          return { content: '' };
        },
      }),
    );
    const calls = [call('1', 'read', { value: 'r1' }), call('2', 'write', { value: 'w' }), call('3', 'read', { value: 'r2' })];
    await runCalls(calls, tools);
    expect(order).toEqual(['+r1', '-r1', '+w', '-w', '+r2', '-r2']);
  });

  it('that throw become error results', async () => {
    const tool = testTool({
      name: 'look',
      run: () => {
        throw new Error('no such file');
      },
    });
    const { results, journal, outcome } = await runCalls([call('a', 'look'), call('b', 'look')], [tool]);
    expect(results).toEqual(['The tool failed: no such file', 'The tool failed: no such file']);
    expect(journal.entries).toContain('finished a error');
    expect(outcome.status).toBe('completed');
  });

  it('that report their own failure are errors with the content they gave', async () => {
    const { results, journal } = await runCalls(
      [call('a', 'look')],
      [testTool({ name: 'look', run: async () => ({ content: 'exit code 1', failed: true }) })],
    );
    expect(results).toEqual(['exit code 1']);
    expect(journal.entries).toContain('finished a error');
  });

  it('report progress while they run and never afterwards', async () => {
    let late: (() => void) | undefined;
    const tool = testTool({
      name: 'look',
      run: async (_, ctx) => {
        ctx.progress('half');
        late = () => ctx.progress('too late');
        return { content: 'ok' };
      },
    });
    const { events } = await runCalls(
      [call('a', 'look')],
      [
        tool,
        testTool({
          name: 'unused',
        }),
      ],
    );
    late?.();
    expect(events.filter((event) => event.type === 'tool.progress')).toEqual([{ type: 'tool.progress', callId: 'a', note: 'half' }]);
  });
});

const asksFirst: RunInput['policy'] = { decide: () => ({ verdict: 'ask', reason: '' }) };
const silence: RunInput['asks']['question'] = async () => ({ answered: false, reason: 'silence' });

describe('a call that a person must approve', () => {
  const risk = { level: 'ask', why: 'It deletes files.', subjects: ['rm -r build'] } as const;

  it('starts after the approval and not before', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const tool = testTool({ name: 'remove', risk });
    const asks = { approve: () => promise.then(() => ({ approved: true, reason: '' })), question: silence };
    const running = runCalls([call('a', 'remove', { value: 'build' })], [tool], { policy: asksFirst, asks });
    await wait(20);
    resolve();
    const { results, events } = await running;
    expect(results).toEqual(['remove build']);
    const order = events.map(({ type }) => type).filter((type) => /^ask|^tool/.test(type));
    expect(order).toEqual(['ask.opened', 'ask.closed', 'tool.started', 'tool.finished']);
  });

  it('does not run when it is not approved, and the model reads why', async () => {
    const asks = { approve: async () => ({ approved: false, reason: 'Ann said no.' }), question: silence };
    const { results, journal } = await runCalls([call('a', 'remove')], [testTool({ name: 'remove', risk })], { policy: asksFirst, asks });
    expect(results).toEqual(['Ann said no.']);
    expect(journal.entries).not.toContain('started a');
  });

  it('is skipped when the turn is stopped while it waits', async () => {
    const stop = new AbortController();
    const asks = { approve: () => new Promise<never>(() => undefined), question: silence };
    const model = scriptedModel([{ calls: [call('a', 'remove'), call('b', 'remove')] }]);
    setTimeout(() => stop.abort('stop'), 10);
    const { outcome, journal } = await runToEnd(
      { model, tools: [testTool({ name: 'remove', risk })], policy: asksFirst, asks },
      stop.signal,
    );
    expect(outcome.status).toBe('aborted');
    expect(journal.entries).toEqual(['message', 'finished a skipped', 'finished b skipped']);
  });
});

describe('a question of a tool', () => {
  it('carries the call and its own number, and the answer comes back to the tool', async () => {
    const seen: unknown[] = [];
    const question = async (_question: unknown, from: unknown): Promise<QuestionAnswer> => {
      seen.push(from);
      return { answered: true, text: `answer ${seen.length}` };
    };
    const asks = { approve: async () => ({ approved: true, reason: '' }), question };
    const open = { question: 'Which?', choices: [], allowFreetext: true };
    const tool = testTool({
      name: 'clarify',
      run: async (_args, ctx) => {
        const answers = [await ctx.ask(open), await ctx.ask(open)];
        return { content: JSON.stringify(answers) };
      },
    });
    const { results } = await runCalls([call('a', 'clarify')], [tool], { asks });
    expect(results[0]).toContain('answer 2');
    expect(seen).toEqual([
      { callId: 'a', index: 0 },
      { callId: 'a', index: 1 },
    ]);
  });
});

describe('what the person says meanwhile', () => {
  it.each([true, false])('is heard with the results of the calls, by a model that sees images or not (%s)', async (vision) => {
    const model = scriptedModel([{ calls: [call('a', 'look')] }, { text: 'done' }], { vision });
    const said = [{ ...userText('look at the other one, too'), interjected: true as const }];
    await runToEnd({ model, tools: [testTool({ name: 'look' })], interject: async () => said.splice(0) });
    const [result, filler, heard] = model.requests.at(-1)?.messages.slice(2) ?? [];
    expect(result).toMatchObject({ role: 'tool', content: 'look' });
    expect(filler).toMatchObject({ role: 'assistant', text: '(still at work)' });
    expect(heard).toMatchObject({ role: 'user', content: [{ text: 'look at the other one, too' }] });
  });
});
