import { describe, expect, it } from 'vitest';
import { isOffered, notOffered, strangeToolChoices, type ToolChoices } from '../../gateway/toolsets.ts';
import { startGateway } from './support/gateway.ts';
import { echo, lastResults, scriptedModel } from './support/model.ts';
import type { SettingsChange } from './support/settings.ts';
import { countedTool } from './support/tools.ts';

const tools = [
  { name: 'terminal', toolset: 'terminal' },
  { name: 'process', toolset: 'terminal' },
  { name: 'read_file', toolset: 'file' },
  { name: 'web_search', toolset: 'web' },
  { name: 'web_extract', toolset: 'web' },
  { name: 'clarify', toolset: 'clarify' },
];

function offered(choices: Partial<ToolChoices>, platform = 'discord'): readonly string[] {
  const all = { platforms: {}, disabled: [], ...choices };
  return tools.filter((tool) => isOffered(tool, all, platform)).map(({ name }) => name);
}

const everything = tools.map(({ name }) => name);

describe('the tools of a platform', () => {
  it.each([
    ['all, where nothing is said', {}, everything],
    ['all, where another platform is limited', { platforms: { telegram: ['file'] } }, everything],
    ['those of its toolsets', { platforms: { discord: ['file', 'clarify'] } }, ['read_file', 'clarify']],
    ['single ones by name', { platforms: { discord: ['process', 'web_extract'] } }, ['process', 'web_extract']],
    [
      'those of a set of toolsets',
      { platforms: { discord: ['debugging'] } },
      ['terminal', 'process', 'read_file', 'web_search', 'web_extract'],
    ],
    ['only the search of the set "search"', { platforms: { discord: ['search'] } }, ['web_search']],
    ["all of Hermes Agent's set for the platform", { platforms: { discord: ['hermes-discord'] } }, everything],
    ['few of its set for webhooks', { platforms: { discord: ['hermes-webhook'] } }, ['web_search', 'web_extract', 'clarify']],
    ['none of an empty list', { platforms: { discord: [] } }, []],
    [
      'none that is disabled, also where it is named',
      { platforms: { discord: ['terminal', 'file'] }, disabled: ['terminal'] },
      ['read_file'],
    ],
    ['not a single tool that is disabled', { disabled: ['web_extract', 'process'] }, ['terminal', 'read_file', 'web_search', 'clarify']],
  ])('are %s', (_what, choices, expected) => {
    expect(offered(choices)).toEqual(expected);
  });

  it('are all on a platform whose name every object knows', () => {
    expect(offered({}, 'constructor')).toEqual(everything);
  });
});

describe('a name that is no toolset', () => {
  it('is reported with the nearest one; those that Hermes Agent has and we have not are not', () => {
    const choices = { platforms: { discord: ['terminl', 'file', 'browser', 'hermes-discord'] }, disabled: ['tts', 'zzzzzz'] };
    expect(strangeToolChoices(choices, tools)).toEqual([
      'config.yaml: platform_toolsets.discord names "terminl", which is no toolset and no tool; did you mean terminal?',
      'config.yaml: agent.disabled_toolsets names "zzzzzz", which is no toolset and no tool',
    ]);
  });
});

it('a tool that lacks something says what', () => {
  expect(notOffered([{ name: 'web_search', missing: 'Set TAVILY_API_KEY.' }, { name: 'terminal' }])).toEqual([
    'web_search is not offered: Set TAVILY_API_KEY.',
  ]);
});

describe('a turn', () => {
  it('offers what its platform has, as the configuration is by then, and runs nothing else', async () => {
    const [look, touch] = [countedTool('look', 'read'), countedTool('touch', 'write')];
    const change: SettingsChange = { tools: { platforms: { fake: ['look'] }, disabled: [] } };
    const model = scriptedModel((request, signal) =>
      lastResults(request.messages).length === 0 ? { call: 'touch' } : echo(request, signal),
    );
    const gateway = await startGateway({ model, change, tools: [look.tool, touch.tool] });
    gateway.say('ann', 'one');
    await gateway.answered('ann', 1);
    expect(model.requests.at(-1)?.tools.map(({ name }) => name)).toEqual(['look']);
    expect(lastResults(model.requests.at(-1)?.messages ?? [])[0]).toMatch(/no tool "touch"/);
    expect(touch.runs).toEqual([]);
    change.tools = { platforms: {}, disabled: ['look'] };
    gateway.say('ann', 'two');
    await gateway.answered('ann', 2);
    expect(model.requests.at(-1)?.tools.map(({ name }) => name)).toEqual(['touch']);
  });

  it('never offers a tool that lacks something, and /status says what', async () => {
    const lame = { ...countedTool('look', 'read').tool, missing: 'Set LOOK_KEY in .env.' };
    const model = scriptedModel(echo);
    const gateway = await startGateway({ model, tools: [lame] });
    gateway.say('ann', 'one');
    await gateway.answered('ann', 1);
    expect(model.requests[0]?.tools).toEqual([]);
    gateway.say('ann', '/status');
    expect((await gateway.answered('ann', 2))[1]).toContain('look is not offered: Set LOOK_KEY in .env.');
  });
});
