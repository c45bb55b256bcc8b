import { describe, expect, it } from 'vitest';
import { userText } from '../../agent/message.ts';
import { ModelError } from '../../agent/model.ts';
import { assistant, call, fixedPrompt, recordingJournal, runToEnd, scriptedModel, sentResults, testTool } from './support.ts';

describe('a run', () => {
  it('answers a question without tools', async () => {
    const { outcome, events, journal } = await runToEnd({ model: scriptedModel([{ text: 'Good day.' }]) });
    expect(outcome).toEqual({ status: 'completed', text: 'Good day.', steps: 1, usage: { inputTokens: 10, outputTokens: 2 } });
    expect(events.map((event) => event.type)).toEqual(['text.delta', 'usage', 'message', 'finished']);
    expect(journal.messages).toEqual([assistant('Good day.')]);
  });

  it('runs the calls of the model and lets it answer with their results', async () => {
    const model = scriptedModel([{ text: 'Looking.', calls: [call('a', 'look', { value: 'up' })] }, { text: 'It is up.' }]);
    const { outcome, events, journal } = await runToEnd({ model, tools: [testTool({ name: 'look' })] });
    expect(outcome).toMatchObject({ status: 'completed', text: 'It is up.', steps: 2, usage: { inputTokens: 20, outputTokens: 4 } });
    expect(journal.entries).toEqual(['message', 'started a', 'finished a ok', 'message']);
    expect(sentResults(model)).toEqual(['look up']);
    expect(events.filter((event) => event.type.startsWith('tool.'))).toEqual([
      { type: 'tool.started', callId: 'a', name: 'look', preview: 'up', arguments: '{"value":"up"}' },
      { type: 'tool.finished', callId: 'a', name: 'look', status: 'ok', elapsedMs: expect.any(Number) },
    ]);
  });

  it('shows no answer as complete that could not be written down', async () => {
    const journal = {
      ...recordingJournal(),
      message: () => {
        throw new Error('disk full');
      },
    };
    const { outcome, events } = await runToEnd({ model: scriptedModel([{ text: 'x' }]), journal });
    expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'internal' } });
    expect(events.map((event) => event.type)).toEqual(['text.delta', 'usage', 'finished']);
  });

  it('ends at the step limit with one request that asks for a summary and allows no calls', async () => {
    const again = { calls: [call('', 'look')] };
    const model = scriptedModel([again, again, { text: 'Looked twice.' }]);
    const { outcome } = await runToEnd({ model, tools: [testTool({ name: 'look' })], limits: { maxSteps: 2 } });
    expect(outcome).toMatchObject({ status: 'completed', text: 'Looked twice.', steps: 3 });
    expect(model.requests.map(({ tools, withoutCalls }) => [tools.length, withoutCalls])).toEqual([
      [1, undefined],
      [1, undefined],
      [1, true],
    ]);
    expect(model.requests.at(-1)?.messages.at(-1)).toMatchObject({
      role: 'user',
      content: [{ text: expect.stringContaining('limit of 2 steps') }],
    });
  });

  it('drops calls from the summary at the step limit', async () => {
    const model = scriptedModel([{ calls: [call('a', 'look')] }, { text: 'Enough.', calls: [call('b', 'look')] }]);
    const { outcome, journal } = await runToEnd({ model, tools: [testTool({ name: 'look' })], limits: { maxSteps: 1 } });
    expect(outcome).toMatchObject({ status: 'completed', text: 'Enough.' });
    expect(journal.messages.at(-1)).toEqual(assistant('Enough.'));
    expect(journal.entries).toEqual(['message', 'started a', 'finished a ok', 'message', 'message']);
  });

  it('fails with a sentence when even the summary at the step limit is only calls', async () => {
    const again = { calls: [call('', 'look')] };
    const { outcome } = await runToEnd({
      model: scriptedModel([again, again]),
      tools: [testTool({ name: 'look' })],
      limits: { maxSteps: 1 },
    });
    expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'step_limit', message: expect.stringMatching(/limit of 1 steps/) } });
  });

  it('nudges once after an empty answer', async () => {
    const model = scriptedModel([{ text: ' \n' }, { text: 'Sorry, here I am.' }]);
    const { outcome, journal } = await runToEnd({ model });
    expect(outcome).toMatchObject({ status: 'completed', text: 'Sorry, here I am.' });
    expect(journal.messages).toMatchObject([{ role: 'user', note: true }, assistant('Sorry, here I am.')]);
    expect(model.requests[1]?.messages.slice(0, 2)).toEqual([...(model.requests[0]?.messages ?? []), assistant('(no answer)')]);
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toMatch(/last answer was empty/);
  });

  it('fails with a sentence after two empty answers', async () => {
    const { outcome, journal } = await runToEnd({ model: scriptedModel([{}, {}]) });
    expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'empty_answer', message: expect.stringMatching(/empty answer/) } });
    expect(journal.messages).toMatchObject([{ role: 'user', note: true }]);
  });

  it('delivers an answer that the output limit cut, and says so', async () => {
    const { outcome, journal } = await runToEnd({ model: scriptedModel([{ text: 'Once upon a', finish: 'length' }]) });
    expect(outcome).toMatchObject({ status: 'completed', text: expect.stringMatching(/^Once upon a\n\n\(.*output limit/) });
    expect(journal.messages).toMatchObject([{ text: 'Once upon a', finish: 'length' }]);
  });

  it('makes truncated arguments a result that the model can act on', async () => {
    const model = scriptedModel([{ calls: [call('a', 'look', '{"value": "half')], finish: 'length' }, { text: 'ok' }]);
    const { outcome } = await runToEnd({ model, tools: [testTool({ name: 'look' })] });
    expect(outcome.status).toBe('completed');
    expect(sentResults(model)[0]).toMatch(/not valid JSON.*cut off/);
  });

  it('gives calls without ids, or with ids used before, ids of their own', async () => {
    const model = scriptedModel([
      { calls: [call('', 'look'), call('', 'look'), call('a', 'look')] },
      { calls: [call('a', 'look')] },
      { text: 'ok' },
    ]);
    const { journal } = await runToEnd({ model, tools: [testTool({ name: 'look' })] });
    const started = journal.entries.filter((entry) => entry.startsWith('started'));
    expect(new Set(started).size).toBe(4);
  });
});

describe('a failing model', () => {
  it('ends the run as failed with the sentence of the error', async () => {
    const error = new ModelError('auth', 'The key is refused.', { cause: new Error('401 sk-123') });
    const { outcome, events } = await runToEnd({ model: scriptedModel([{ error }]) });
    expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'auth', message: 'The key is refused.' }, steps: 0 });
    expect(events.at(-1)).toEqual({ type: 'finished', outcome });
  });

  it('never shows the words of a bug to a chat', async () => {
    const { outcome } = await runToEnd({ model: scriptedModel([{ error: new TypeError('x is not a function at /home/me') }]) });
    if (outcome.status !== 'failed') throw new Error('must fail');
    expect(outcome.error.message).not.toMatch(/function|home/);
    expect(outcome.error.detail).toMatch(/x is not a function/);
  });

  it('is asked again with half of the conversation when it says that the window is too small', async () => {
    const long = Array.from({ length: 20 }, (_, index) => [
      userText(`question ${index} ${'x'.repeat(400)}`),
      assistant(`answer ${index}`),
    ]).flat();
    const overflow = { text: 'par', error: new ModelError('context_overflow', 'too long') };
    const model = scriptedModel([overflow, { text: 'fits' }]);
    const { outcome, events } = await runToEnd({ model, transcript: [...long, userText('now')] });
    expect(outcome).toMatchObject({ status: 'completed', text: 'fits' });
    const [first, second] = model.requests.map((request) => JSON.stringify(request.messages).length);
    expect(second).toBeLessThan((first ?? 0) * 0.55);
    expect(events.map((event) => event.type)).toEqual(['text.delta', 'notice', 'text.reset', 'text.delta', 'usage', 'message', 'finished']);
  });

  it('that says so again fails with a sentence after two requests, never in a loop', async () => {
    const overflow = { error: new ModelError('context_overflow', 'too long') };
    const long = Array.from({ length: 20 }, () => [userText('x'.repeat(400)), assistant('y')]).flat();
    const model = scriptedModel([overflow, overflow, overflow, overflow]);
    const { outcome } = await runToEnd({ model, transcript: [...long, userText('now')] });
    expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'context_overflow', message: 'too long' } });
    expect(model.requests).toHaveLength(2);
  });

  it('that refuses an image is asked again with the note in its place, for the rest of the run', async () => {
    const image = { type: 'image' as const, path: '/gone.png', mime: 'image/png', note: '[photo, 2 MB]' };
    const transcript = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'what is this?' }, image] }];
    const refusal = { error: new ModelError('image', 'bad image') };
    const model = scriptedModel([refusal, { calls: [call('a', 'look')] }, { text: 'a photo' }]);
    const { outcome } = await runToEnd({ model, transcript, tools: [testTool({ name: 'look' })] });
    expect(outcome).toMatchObject({ status: 'completed', text: 'a photo' });
    expect(model.requests.map((request) => JSON.stringify(request.messages).includes('"image"'))).toEqual([true, false, false]);
    expect(JSON.stringify(model.requests[2]?.messages)).toContain('[photo, 2 MB]');
  });

  it('is not sent images when it does not see', async () => {
    const image = { type: 'image' as const, path: '/gone.png', mime: 'image/png', note: '[photo]' };
    const model = scriptedModel([{ text: 'ok' }], { vision: false });
    await runToEnd({ model, transcript: [{ role: 'user', content: [image] }] });
    expect(model.requests[0]?.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: '[photo]' }] }]);
  });
});

describe('a long chat', () => {
  const turn = (index: number) => [userText(`question ${index} ${'x'.repeat(4_000)}`), assistant(`answer ${index}`)];

  it('leaves its oldest turns out of the request, says so once, and keeps the transcript', async () => {
    const transcript = [...Array.from({ length: 10 }, (_, index) => turn(index)).flat(), userText('now')];
    const before = structuredClone(transcript);
    const model = scriptedModel([{ calls: [call('a', 'look')] }, { text: 'ok' }], { windowTokens: 8_000 });
    const { events } = await runToEnd({ model, transcript, tools: [testTool({ name: 'look' })] });
    expect(events.filter((event) => event.type === 'notice')).toMatchObject([{ code: 'context_trimmed' }]);
    expect(JSON.stringify(model.requests[0]?.messages)).not.toContain('question 0 ');
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('question 9 ');
    expect(transcript).toEqual(before);
  });

  it('with a window smaller than its system prompt gets one clear error and no request', async () => {
    const model = scriptedModel([], { windowTokens: 1_000 });
    const { outcome } = await runToEnd({ model, system: fixedPrompt('rule '.repeat(1_000)) });
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { kind: 'context_overflow', message: expect.stringMatching(/the system prompt/) },
    });
    expect(model.requests).toHaveLength(0);
  });

  it('is not bricked by one message that is larger than the window', async () => {
    const huge = userText('x'.repeat(100_000));
    const first = await runToEnd({ model: scriptedModel([], { windowTokens: 8_000 }), transcript: [huge] });
    expect(first.outcome).toMatchObject({ status: 'failed', error: { message: expect.stringMatching(/the last message/) } });
    const model = scriptedModel([{ text: 'better' }], { windowTokens: 8_000 });
    const second = await runToEnd({ model, transcript: [huge, userText('sorry, again')] });
    expect(second.outcome).toMatchObject({ status: 'completed', text: 'better' });
    expect(model.requests[0]?.messages).toEqual([userText('sorry, again')]);
  });
});

describe('persisting', () => {
  it('does not run a call whose start cannot be written down', async () => {
    let ran = false;
    const journal = {
      ...recordingJournal(),
      started: () => {
        throw new Error('disk full');
      },
    };
    const tool = testTool({
      name: 'look',
      run: async () => {
        ran = true;
        return { content: '' };
      },
    });
    const { outcome } = await runToEnd({ model: scriptedModel([{ calls: [call('a', 'look')] }]), tools: [tool], journal });
    expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'internal' } });
    expect(ran).toBe(false);
  });

  it('keeps the stored transcript apart from what a request needs', async () => {
    const transcript = [userText('one'), userText('two'), assistant('', [call('a', 'look')]), userText('three')];
    const model = scriptedModel([{ text: 'ok' }]);
    const { journal } = await runToEnd({ model, transcript });
    expect(journal.messages).toEqual([assistant('ok')]);
    expect(model.requests[0]?.messages.map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
  });
});
