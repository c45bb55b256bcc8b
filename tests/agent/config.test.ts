import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { agentSection, defaultModelName, modelSection } from '../../agent/models/config.ts';
import { createModel, isDemo } from '../../agent/models/create.ts';
import { systemPrompt } from '../../agent/system-prompt.ts';
import { startFakeModel } from '../fakes/model.ts';
import { runToEnd } from './support.ts';

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

describe('the system prompt', () => {
  const facts = { platformLabel: 'Telegram', chatType: 'dm' as const, workspace: '/work/space' };

  it('is the same bytes for the same facts at any time', () => {
    expect(systemPrompt(facts)).toBe(systemPrompt({ ...facts }));
    expect(systemPrompt(facts)).not.toMatch(/20\d\d-|\d\d:\d\d/);
  });

  it('says where it is and what the owner added', () => {
    const prompt = systemPrompt({ ...facts, instructions: 'Speak like a sailor.' });
    expect(prompt).toMatch(/Telegram, in a private chat/);
    expect(prompt).toContain('/work/space');
    expect(prompt).toMatch(/Speak like a sailor\.$/);
  });
});
