import { describe, expect, it } from 'vitest';
import { personalityNames, personalityPrompt } from '../../../gateway/personalities.ts';
import { riskyTool } from '../asks/support.ts';
import { startGateway } from '../support/gateway.ts';
import { echo, lastResults, type ScriptedModel, scriptedModel } from '../support/model.ts';
import type { SettingsChange } from '../support/settings.ts';
import { annsPlatform, keyOf, patient, reply, sessionOf, startLong, talk } from './support.ts';

/** Every name is a model; `asked` counts the requests of each. */
function manyModels(choices: readonly string[]) {
  const made = new Map<string, ScriptedModel>();
  const get = (name = 'main') => {
    const model = made.get(name) ?? { ...scriptedModel(() => `I am ${name}`), name };
    made.set(name, model);
    return model;
  };
  const change: SettingsChange = { agent: { models: { get, choices, approver: get(), demo: false } } };
  return change;
}

describe('/model', () => {
  it('shows the model and the choices', async () => {
    const gateway = await startGateway({ change: manyModels(['small', 'big']) });
    expect(await reply(gateway, '/model')).toBe('Model: main (as configured). Choices: small, big, or any name that the provider knows.');
  });

  it('chooses one for the conversation, and no other chat notices', async () => {
    const gateway = await startGateway({ change: manyModels(['small']) });
    expect(await reply(gateway, '/model SMALL')).toBe('🧠 From the next message on, this conversation is answered by small.');
    await talk(gateway, 'who are you?');
    gateway.say('bob', 'and you?');
    await gateway.idle();
    expect([gateway.answers('ann').at(-1), gateway.answers('bob').at(-1)]).toEqual(['I am small', 'I am main']);
    expect(await reply(gateway, '/model')).toContain('Model: small (chosen for this conversation');
    await talk(gateway, '/new', 'who are you?');
    expect(gateway.answers('ann').at(-1)).toBe('I am main');
  });

  it('takes a name that is no choice and says that only the provider knows', async () => {
    const gateway = await startGateway({ change: manyModels(['small']) });
    expect(await reply(gateway, '/model other')).toContain('none of the configured choices');
    expect(sessionOf(gateway).settings).toEqual({ model: 'other' });
    expect(await reply(gateway, '/model default')).toBe('The model is main again, as configured.');
    expect(sessionOf(gateway).settings).toEqual({});
  });

  it('changes nothing where there is only one, or the name is none', async () => {
    const gateway = await startGateway();
    expect(await reply(gateway, '/model other')).toBe('There is only scripted here, so nothing has changed.');
    expect(await reply(gateway, '/model two words')).toContain('one word');
    expect(gateway.store.sessions.open(keyOf())).toBeUndefined();
  });
});

describe('/reasoning', () => {
  it('chooses how much is thought, for the requests of this conversation', async () => {
    const model = scriptedModel(echo);
    const gateway = await startGateway({ model });
    expect(await reply(gateway, '/reasoning')).toContain('Effort: the provider’s own. Choices: none, minimal, low');
    expect(await reply(gateway, '/reasoning High')).toContain('effort "high"');
    await talk(gateway, 'one');
    expect(model.requests.at(-1)?.reasoning).toBe('high');
    expect(await reply(gateway, '/reasoning')).toContain('Effort: high.');
    expect(await reply(gateway, '/reasoning a lot')).toContain('I do not know the effort "a lot".');
    await talk(gateway, '/reasoning default', 'two');
    expect(model.requests.at(-1)?.reasoning).toBeUndefined();
  });
});

describe('/personality', () => {
  it('chooses how the agent talks in this conversation, among the built-in ones and the owner’s', async () => {
    const own = { butler: 'Talk like a butler.' };
    const personalities = { chosen: 'none', names: personalityNames(own), prompt: (name: string) => personalityPrompt(name, own) };
    const model = scriptedModel(echo);
    const gateway = await startGateway({ model, change: { agent: { personalities } } });
    const shown = await reply(gateway, '/personality');
    expect(shown).toContain('Personality: none.');
    for (const name of [...personalityNames({}), 'butler']) expect(shown).toContain(name);
    expect(await reply(gateway, '/personality Butler')).toContain('as butler');
    await talk(gateway, 'one');
    expect(model.requests.at(-1)?.system).toContain('Talk like a butler.');
    expect(await reply(gateway, '/personality butlr')).toContain('Did you mean butler?');
    await talk(gateway, '/personality none', 'two');
    expect(model.requests.at(-1)?.system).not.toContain('butler');
  });
});

describe('a choice', () => {
  it('is taken while a turn runs, and holds for the conversation of that turn', async () => {
    const model = scriptedModel(patient);
    const clock = { now: Date.now() };
    const reset = { mode: 'idle', at_hour: 4, idle_minutes: 60, notify: true } as const;
    const gateway = await startGateway({ model, now: () => clock.now, rules: { reset } });
    await startLong(gateway, model);
    const { id } = sessionOf(gateway);
    clock.now += 2 * 3_600_000;
    await reply(gateway, '/reasoning low');
    expect([sessionOf(gateway).id, sessionOf(gateway).settings]).toEqual([id, { reasoning: 'low' }]);
  });

  it('holds for the new conversation where the reset policy has ended the old one', async () => {
    const clock = { now: Date.now() };
    const reset = { mode: 'idle', at_hour: 4, idle_minutes: 60, notify: true } as const;
    const model = scriptedModel(echo);
    const gateway = await startGateway({ model, now: () => clock.now, rules: { reset } });
    await talk(gateway, 'one');
    clock.now += 2 * 3_600_000;
    await talk(gateway, '/reasoning low', 'two');
    expect(model.requests.at(-1)?.reasoning).toBe('low');
    expect(model.requests.at(-1)?.messages).toHaveLength(1);
  });
});

describe('/yolo', () => {
  const script = scriptedModel(({ messages }) => {
    const [result] = lastResults(messages);
    return result ?? { call: 'remove', args: { path: 'build' } };
  });

  it('asks nothing any more in this conversation until it is given again', async () => {
    const { tool, ran } = riskyTool();
    const gateway = await startGateway({ platform: annsPlatform(), model: script, tools: [tool] });
    expect(await reply(gateway, '/yolo')).toContain('What is never allowed stays forbidden.');
    await talk(gateway, 'go');
    expect(ran).toEqual(['build']);
    expect(await reply(gateway, '/yolo')).toContain('I ask again');
    gateway.say('ann', 'go');
    await expect.poll(() => gateway.platform.cards('ann').length).toBe(1);
    expect(ran).toHaveLength(1);
  });

  it('allows nothing that is never allowed', async () => {
    const { tool, ran } = riskyTool('remove', { level: 'hardline' });
    const gateway = await startGateway({ platform: annsPlatform(), model: script, tools: [tool] });
    await talk(gateway, '/yolo', 'go');
    expect(ran).toEqual([]);
    expect(gateway.answers('ann').at(-1)).toMatch(/^refused: /);
  });
});

describe('/verbose', () => {
  it('without an argument goes from one mode to the next, for this chat', async () => {
    const gateway = await startGateway();
    const modes: string[] = [];
    for (let time = 0; time < 5; time += 1) modes.push((await reply(gateway, '/verbose')).replace(/^.*chat: (\w+)\..*$/, '$1'));
    expect(modes).toEqual(['all', 'verbose', 'off', 'new', 'all']);
    expect([gateway.store.chats.get(keyOf()), gateway.store.chats.get(keyOf('bob'))]).toEqual([{ progress: 'all' }, {}]);
  });

  it('with a mode takes that one, and outlasts the conversation', async () => {
    const gateway = await startGateway();
    await talk(gateway, '/verbose OFF', '/new');
    expect(gateway.store.chats.get(keyOf())).toEqual({ progress: 'off' });
    expect(await reply(gateway, '/verbose loud')).toBe('I do not know "loud". It is off now; choices: off, new, all, verbose.');
  });
});

describe('/busy', () => {
  it('chooses what happens to messages during a turn, for this chat', async () => {
    const model = scriptedModel(patient);
    const gateway = await startGateway({ model });
    expect(await reply(gateway, '/busy')).toContain('In this chat: queue.');
    expect(await reply(gateway, '/busy maybe')).toContain('I do not know "maybe".');
    await talk(gateway, '/verbose all');
    expect(await reply(gateway, '/busy interrupt')).toContain('stops me');
    expect(gateway.store.chats.get(keyOf())).toEqual({ progress: 'all', busy: 'interrupt' });
    await startLong(gateway, model);
    gateway.say('ann', 'something else');
    await gateway.idle();
    expect(gateway.answers('ann').at(-1)).toBe('echo: something else');
  });
});
