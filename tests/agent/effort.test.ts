import { afterEach, beforeEach, expect, it } from 'vitest';
import { userText } from '../../agent/message.ts';
import type { Model, ReasoningEffort } from '../../agent/model.ts';
import { createOpenAiModel } from '../../agent/models/openai.ts';
import { type FakeModel, startFakeModel } from '../fakes/model.ts';

let fake: FakeModel;
let model: Model;

beforeEach(async () => {
  fake = await startFakeModel();
  model = createOpenAiModel({ model: 'm', baseUrl: fake.base, windowTokens: 128_000, vision: false, idleTimeoutMs: 5000 });
});

afterEach(() => fake.close());

async function ask(reasoning: ReasoningEffort): Promise<string> {
  let text = '';
  const request = { system: '', messages: [userText('hi')], tools: [], reasoning };
  for await (const event of model.stream(request, new AbortController().signal)) if (event.type === 'text.delta') text += event.text;
  return text;
}

/** Refuses every request that names a degree, as a provider does whose model does not reason. */
function refuse(message: string, status = 400): void {
  const body = { error: { message, type: 'invalid_request_error' } };
  fake.fail({ type: 'status', status, body }, Number.POSITIVE_INFINITY, (request) => 'reasoning_effort' in request);
}

const efforts = (): readonly unknown[] => fake.requests.map((body) => (body as { reasoning_effort?: unknown }).reasoning_effort);

it.each([
  ["Unsupported parameter: 'reasoning_effort' is not supported with this model.", 400],
  ['Unrecognized request argument supplied: reasoning_effort', 400],
  ['Model grok-4 does not support parameter reasoningEffort.', 400],
  ['"llama3" does not support thinking', 400],
  ['Extra inputs are not permitted: reasoning_effort', 422],
])('a model that does not want to hear how hard to think is asked without it, now and later: %s', async (message, status) => {
  refuse(message, status);
  expect(await ask('high')).toBe('echo: hi');
  expect(await ask('high')).toBe('echo: hi');
  expect(efforts()).toEqual(['high', undefined, undefined]);
});

it('a degree that is refused takes no other one away', async () => {
  const body = { error: { message: "Unsupported value: 'reasoning_effort' does not support 'minimal' with this model." } };
  fake.fail({ type: 'status', status: 400, body }, Number.POSITIVE_INFINITY, (request) => JSON.stringify(request).includes('minimal'));
  for (const effort of ['minimal', 'low', 'minimal'] as const) await ask(effort);
  expect(efforts()).toEqual(['minimal', undefined, 'low', undefined]);
});

it('other refusals stay what they are, and are asked once', async () => {
  refuse('Invalid value for temperature.');
  await expect(ask('high')).rejects.toMatchObject({ kind: 'bad_request' });
  expect(efforts()).toEqual(['high']);
});

it('a provider that is busy is no refusal of it', async () => {
  refuse('Too many requests with reasoning_effort high.', 429);
  await expect(ask('high')).rejects.toMatchObject({ kind: 'rate_limit' });
  expect(efforts()).toEqual(['high']);
});
