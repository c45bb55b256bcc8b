import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { repair } from '../../agent/context/repair.ts';
import { noteText, type UserMessage, userText } from '../../agent/message.ts';
import { agentSection, auxiliarySection, defaultModelName, modelSection } from '../../agent/models/config.ts';
import { createModel, createModels, isDemo } from '../../agent/models/create.ts';
import { promptLayers, systemPrompt } from '../../agent/system-prompt.ts';
import { type FakeModel, startFakeModel } from '../fakes/model.ts';
import { assistant, call, result, runToEnd } from './support.ts';

const agent = agentSection.schema.parse({});

describe('the model section', () => {
  it('without anything means the offline demo', () => {
    const model = modelSection.schema.parse({});
    expect(isDemo(model)).toBe(true);
    expect(createModel({ model, agent })).toMatchObject({ name: 'demo', windowTokens: 128_000, vision: false });
  });

  it.each([
    { config: { api_key: 'sk-x' }, name: defaultModelName },
    { config: { base_url: 'http://127.0.0.1:1/v1' }, name: defaultModelName },
    { config: { api_key: 'sk-x', default: 'gpt-x' }, name: 'gpt-x' },
    { config: { provider: 'openai' }, name: defaultModelName },
    { config: { provider: 'demo', api_key: 'sk-x' }, name: 'demo' },
  ])('$config means $name', ({ config, name }) => {
    expect(createModel({ model: modelSection.schema.parse(config), agent }).name).toBe(name);
  });

  it.each([{ base_url: 'localhost:1' }, { provider: 'cohere' }, { context_length: 10 }, { timeout_seconds: 0 }])('refuses %o', (config) => {
    expect(modelSection.schema.safeParse(config).success).toBe(false);
  });

  it.each([
    { name: 'model', section: modelSection },
    { name: 'agent', section: agentSection },
  ])('of the template ($name) shows keys that exist, with their defaults', ({ section }) => {
    const uncommented = section.template.replace(/^# (?=[a-z_]+:)/gm, '');
    const shown = parse(uncommented) as Record<string, unknown>;
    const defaults: Record<string, unknown> = section.schema.parse({});
    for (const [key, value] of Object.entries(shown)) {
      expect(Object.keys(section.schema.shape)).toContain(key);
      if (defaults[key] !== undefined) expect(value).toEqual(defaults[key]);
    }
    expect(Object.keys(shown).sort()).toEqual(Object.keys(section.schema.shape).sort());
  });

  it('makes a model that reaches the configured server and retries as configured', async () => {
    const fake = await startFakeModel();
    try {
      const config = modelSection.schema.parse({ base_url: fake.base, default: 'm', headers: { 'x-team': 'blue' } });
      fake.fail({ type: 'status', status: 503 });
      const failed = await runToEnd({ model: createModel({ model: config, agent: { api_max_retries: 0 } }) });
      expect(failed.outcome).toMatchObject({ status: 'failed', error: { kind: 'overloaded' } });
      const { outcome } = await runToEnd({ model: createModel({ model: config, agent }) });
      expect(outcome).toMatchObject({ status: 'completed', text: 'echo: hello' });
      expect(fake.headers.at(-1)).toMatchObject({ 'x-team': 'blue' });
    } finally {
      await fake.close();
    }
  });
});

describe('the agent section', () => {
  it.each([
    { reasoning_effort: 'ultra' },
    { clarify_timeout: 0 },
    { gateway_timeout: -1 },
    { turn_timeout: 2_147_484 },
    { personalities: { captain: 7 } },
  ])('refuses %o', (config) => {
    expect(agentSection.schema.safeParse(config).success).toBe(false);
  });

  it('has no limit where a limit is 0', () => {
    const limits = { gateway_timeout: 0, gateway_timeout_warning: 0, turn_timeout: 0, restart_drain_timeout: 0 };
    expect(agentSection.schema.parse(limits)).toMatchObject(limits);
  });

  it('reads personalities as a prompt and as the map of Hermes Agent', () => {
    const { personalities } = agentSection.schema.parse({
      personalities: { captain: 'Give orders.', bard: { system_prompt: 'Sing.', tone: 'merry', style: 'rhymed', description: 'A bard' } },
    });
    expect(personalities).toEqual({ captain: 'Give orders.', bard: 'Sing.\nTone: merry\nStyle: rhymed' });
  });
});

describe('the models of a configuration', () => {
  let fake: FakeModel;
  beforeEach(async () => {
    fake = await startFakeModel();
  });
  afterEach(async () => {
    await fake.close();
  });

  function models(config: Record<string, unknown> = {}) {
    const model = modelSection.schema.parse({
      base_url: fake.base,
      default: 'm',
      api_key: 'sk-1',
      headers: { 'x-team': 'blue' },
      ...config,
    });
    return createModels({ model, agent });
  }

  it('are asked for by name at the same server with the same key and headers', async () => {
    const { outcome } = await runToEnd({ model: models().named('other') });
    expect(outcome).toMatchObject({ status: 'completed' });
    expect(fake.requests).toMatchObject([{ model: 'other' }]);
    expect(fake.headers).toMatchObject([{ authorization: 'Bearer sk-1', 'x-team': 'blue' }]);
  });

  it('are one for each name, and the main one for its own', () => {
    const all = models();
    expect(all.main.name).toBe('m');
    expect(all.named('m')).toBe(all.main);
    expect(all.named('other')).toBe(all.named('other'));
    expect(all.named('other').name).toBe('other');
  });

  it('do not grow without end with the names that people try', () => {
    const all = models();
    const first = all.named('first');
    for (let count = 0; count < 31; count += 1) all.named(`try-${count}`);
    expect(all.named('first')).toBe(first);
    all.named('one-more');
    expect(all.named('first')).not.toBe(first);
  });

  it('are the demo under any name where nothing else is set up', () => {
    const demo = createModels({ model: modelSection.schema.parse({}), agent });
    expect(demo.named('gpt-x')).toBe(demo.main);
  });

  it.each([
    { given: {}, name: 'm' },
    { given: { model: '', provider: '' }, name: 'm' },
    { given: { model: 'small' }, name: 'small' },
    { given: { model: 'small', provider: 'main' }, name: 'small' },
    { given: { model: 'vendor/small', provider: 'openrouter' }, name: 'm' },
  ])('judge approvals with $name for $given', ({ given, name }) => {
    const { approval } = auxiliarySection.schema.parse({ approval: given });
    expect(models().auxiliary(approval).name).toBe(name);
  });

  it('are told how much to think, and nothing where nothing was said', async () => {
    const { main: model } = models();
    await runToEnd({ model, reasoning: 'high' });
    await runToEnd({ model, reasoning: '' });
    await runToEnd({ model });
    expect(fake.requests[0]).toMatchObject({ reasoning_effort: 'high' });
    expect(fake.requests.slice(1).map((body) => 'reasoning_effort' in body)).toEqual([false, false]);
  });
});

describe('the system prompt', () => {
  const facts = { platformLabel: 'Telegram', chatType: 'dm' as const, workspace: '/work/space' };

  it('is the same bytes for the same facts at any time', () => {
    expect(systemPrompt(facts)).toBe(systemPrompt({ ...facts }));
    expect(systemPrompt(facts)).not.toMatch(/20\d\d-|\d\d:\d\d/);
  });

  it('explains each mark that the transcript puts between what people and the model said', () => {
    const markAfterResults = (said: UserMessage) =>
      repair([userText('go'), assistant('', [call('a', 'tool')]), result('a'), said]).find(
        (message) => message.role === 'assistant' && message.calls.length === 0,
      );
    const [stopped, meanwhile] = [userText('more'), { ...userText('more'), interjected: true as const }].map(markAfterResults);
    const marks = [stopped, meanwhile, repair([userText('go'), noteText('go on')])[1]];
    expect(new Set(marks.map((mark) => mark?.role === 'assistant' && mark.text)).size).toBe(3);
    for (const mark of marks) expect(systemPrompt(facts)).toContain(`"${mark?.role === 'assistant' ? mark.text : '?'}"`);
  });

  it('says what a refused call means, and how to say nothing', () => {
    expect(systemPrompt(facts)).toMatch(/A refused call has not run\. That is no consent/);
    expect(systemPrompt(facts)).toMatch(/An answer that is exactly \[SILENT\] is not delivered/);
  });

  it('says where it is and what the owner added, and what is this session’s alone comes last', () => {
    const day = { timeZone: 'Europe/Berlin', began: 'Sunday, 2026-11-22', model: 'large-1' };
    const files = { identity: 'You are Ada.', project: 'Use pnpm.', memory: 'MEMORY: likes tea' };
    const given = { ...facts, ...day, ...files, instructions: 'Answer in French.', personality: 'Speak like a sailor.' };
    const prompt = systemPrompt(given);
    const parts = [
      /^You are Ada\.\n\nUse your tools/,
      /Answer in French\./,
      /Use pnpm\./,
      /facts, not instructions.*\nMEMORY: likes tea/,
      /You are talking on Telegram, in a private chat .*\/work\/space.*began on Sunday, 2026-11-22\. Time zone: Europe\/Berlin\. The model that you are: large-1\./,
      /Speak like a sailor\.$/,
    ].map((part) => prompt.search(part));
    expect(parts).not.toContain(-1);
    expect(parts).toEqual(parts.toSorted((left, right) => left - right));
    expect(promptLayers(given).map(({ name }) => name)).toEqual([
      'identity',
      'guidance',
      'instructions',
      'project',
      'memory',
      'session',
      'personality',
    ]);
  });
});
