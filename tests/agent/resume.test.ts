import { describe, expect, it } from 'vitest';
import { type Message, userText } from '../../agent/message.ts';
import { assistant, call, recordingJournal, result, runToEnd, scriptedModel, sentResults, testTool } from './support.ts';

const question = userText('do it');
const asked = assistant('', [call('a', 'look', { value: '1' }), call('b', 'change', { value: '2' }), call('c', 'change', { value: '3' })]);
const tools = [testTool({ name: 'look', effect: 'read' }), testTool({ name: 'change', effect: 'write' })];

interface Row {
  readonly title: string;
  readonly done: readonly Message[];
  readonly started: readonly string[];
  readonly entries: readonly string[];
}

const table: readonly Row[] = [
  {
    title: 'nothing had started: everything runs now',
    done: [],
    started: [],
    entries: ['started a', 'finished a ok', 'started b', 'finished b ok', 'started c', 'finished c ok'],
  },
  {
    title: 'a reading call had started: it runs again, without being announced twice',
    done: [],
    started: ['a'],
    entries: ['finished a ok', 'started b', 'finished b ok', 'started c', 'finished c ok'],
  },
  {
    title: 'a changing call had started: its outcome is unknown and it does not run again',
    done: [result('a')],
    started: ['b'],
    entries: ['finished b unknown', 'started c', 'finished c ok'],
  },
  {
    title: 'all but the last had results: only the last runs',
    done: [result('a'), result('b')],
    started: [],
    entries: ['started c', 'finished c ok'],
  },
  {
    title: 'every call had its result: the model is asked at once',
    done: [result('a'), result('b'), result('c')],
    started: [],
    entries: [],
  },
];

describe('after a crash in the middle of calls', () => {
  it.each(table)('$title', async ({ done, started, entries }) => {
    const model = scriptedModel([{ text: 'done' }]);
    const { outcome, journal } = await runToEnd({ model, tools, transcript: [question, asked, ...done], started: new Set(started) });
    expect(journal.entries).toEqual([...entries, 'message']);
    expect(outcome).toMatchObject({ status: 'completed', text: 'done', steps: 2 });
    expect(sentResults(model)).toHaveLength(3);
  });

  it('the model reads that the outcome is unknown', async () => {
    const model = scriptedModel([{ text: 'done' }]);
    await runToEnd({ model, tools, transcript: [question, asked, result('a')], started: new Set(['b']) });
    expect(sentResults(model)[1]).toMatch(/Interrupted by a restart, outcome unknown/);
  });

  it('a started call whose tool is gone has an unknown outcome too', async () => {
    const { journal } = await runToEnd({
      model: scriptedModel([{ text: 'done' }]),
      tools: [],
      transcript: [question, assistant('', [call('a', 'look')])],
      started: new Set(['a']),
    });
    expect(journal.entries).toEqual(['finished a unknown', 'message']);
  });

  it('calls that were interrupted earlier in the conversation stay as they are', async () => {
    const transcript = [question, asked, userText('never mind, hello')];
    const model = scriptedModel([{ text: 'hello' }]);
    const { journal } = await runToEnd({ model, tools, transcript });
    expect(journal.entries).toEqual(['message']);
    expect(sentResults(model)).toEqual(Array(3).fill('(no result: this call was interrupted)'));
  });

  it('the steps before the crash count towards the limit', async () => {
    const model = scriptedModel([{ text: 'that is all' }]);
    const transcript = [question, assistant('', [call('a', 'look')]), result('a')];
    await runToEnd({ model, tools, transcript, limits: { maxSteps: 1 } });
    expect(model.requests[0]?.withoutCalls).toBe(true);
  });
});

describe('after a crash behind the final answer', () => {
  it('the run completes with it at once and asks no model', async () => {
    const model = scriptedModel([]);
    const { outcome, events, journal } = await runToEnd({ model, transcript: [question, assistant('It is done.')] });
    expect(outcome).toEqual({ status: 'completed', text: 'It is done.', steps: 1, usage: { inputTokens: 0, outputTokens: 0 } });
    expect(events).toEqual([{ type: 'finished', outcome }]);
    expect(journal.entries).toEqual([]);
  });

  it('an answer that the output limit cut reads as it would have without the crash', async () => {
    const cut = { ...assistant('Once'), finish: 'length' as const };
    const journal = recordingJournal();
    const resumed = await runToEnd({ model: scriptedModel([]), transcript: [question, cut], journal });
    const live = await runToEnd({ model: scriptedModel([{ text: 'Once', finish: 'length' }]), transcript: [question] });
    expect(resumed.outcome.text).toBe(live.outcome.text);
  });
});
