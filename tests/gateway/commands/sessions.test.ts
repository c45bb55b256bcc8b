import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { echo, scriptedModel } from '../support/model.ts';
import { annsPlatform, conversation, keyOf, patient, reply, requested, sessionOf, startLong, talk } from './support.ts';

/** Two conversations: "about tea" with a title, and a second one, which is open. */
async function twoConversations(options: Parameters<typeof startGateway>[0] = {}) {
  const gateway = await startGateway(options);
  await talk(gateway, 'about tea', '/title Tea time', '/new', 'about coffee');
  return gateway;
}

describe('/title', () => {
  it('gives the conversation a title, and shows it', async () => {
    const gateway = await startGateway();
    expect(await reply(gateway, '/title x')).toBe('Nothing has been said in this conversation yet.');
    await talk(gateway, 'hello');
    expect(await reply(gateway, '/title')).toContain('has no title');
    expect(await reply(gateway, '/title  Tea\n time ')).toBe('🏷️ This conversation is called: Tea time');
    expect(await reply(gateway, '/title')).toBe('This conversation is called: Tea time');
    expect(sessionOf(gateway).title).toBe('Tea time');
  });

  it('works while a turn runs', async () => {
    const model = scriptedModel(patient);
    const gateway = await startGateway({ model });
    await startLong(gateway, model);
    expect(await reply(gateway, '/title Story')).toBe('🏷️ This conversation is called: Story');
  });
});

describe('/new', () => {
  it('begins a conversation that knows nothing of the one before, with a title if one is given', async () => {
    const model = scriptedModel(echo);
    const gateway = await startGateway({ model });
    await talk(gateway, 'one');
    expect(await reply(gateway, '/new Plans')).toBe('✨ New conversation: Plans. What can I do for you?');
    expect(sessionOf(gateway).title).toBe('Plans');
    await talk(gateway, 'two');
    expect(requested(model)).toEqual(['two']);
  });

  it('ends what was chosen and approved for the conversation, also when it is gone back to', async () => {
    const gateway = await startGateway({ platform: annsPlatform() });
    await talk(gateway, 'one', '/yolo', '/reasoning high');
    const { id } = sessionOf(gateway);
    gateway.store.approvals.remember({ scope: id, key: 'k', label: 'l', by: { id: 'ann', name: 'Ann' } });
    gateway.store.approvals.remember({ scope: 'always', key: 'k', label: 'l', by: { id: 'ann', name: 'Ann' } });
    await talk(gateway, '/new');
    expect([gateway.store.approvals.list(id), gateway.store.approvals.list('always').length]).toEqual([[], 1]);
    await talk(gateway, 'two');
    expect(sessionOf(gateway).settings).toEqual({});
    expect(await reply(gateway, '/resume 2')).toContain('Back in: one');
    expect([sessionOf(gateway).id, sessionOf(gateway).settings]).toEqual([id, {}]);
  });
});

describe('/sessions', () => {
  it('lists the conversations of this chat, last used first, by title or first words', async () => {
    const clock = { now: Date.now() };
    const gateway = await startGateway({ now: () => clock.now });
    expect(await reply(gateway, '/sessions')).toBe('There are no conversations here yet.');
    await talk(gateway, 'about tea', '/title Tea *time*', '/new');
    clock.now += 3 * 3_600_000;
    await talk(gateway, `about ${'coffee '.repeat(20)}`);
    gateway.say('bob', 'about bob');
    await gateway.idle();
    const [head, first, second, ...rest] = (await reply(gateway, '/sessions')).split('\n');
    expect(head).toBe('Conversations of this chat:');
    expect(first).toMatch(/^1\. about coffee coffee .+… \(this one\)$/);
    expect(second).toBe('2. Tea \\*time\\* (3 h ago)');
    expect(rest).toEqual(['', '/resume and a number or title goes back to one.']);
  });

  it('shows the newest ten, and none in which nothing was said', async () => {
    const gateway = await startGateway();
    for (let number = 1; number <= 12; number += 1) await talk(gateway, `number ${number}`, '/new', '/reasoning low', '/new');
    const lines = (await reply(gateway, '/sessions')).split('\n');
    expect(lines.filter((line) => /^\d+\. number \d+ /.test(line))).toHaveLength(10);
    expect(lines[1]).toMatch(/^1\. number 12 /);
  });
});

describe('/resume', () => {
  it.each(['2', '#2', 'Tea time', 'TEA TIME', 'tea'])('%s goes back to it, and the next message is part of it', async (which) => {
    const model = scriptedModel(echo);
    const gateway = await twoConversations({ model });
    const left = sessionOf(gateway).id;
    expect(await reply(gateway, `/resume ${which}`)).toBe('▶️ Back in: Tea time (2 messages)\nThe last words were: echo: about tea');
    await talk(gateway, 'more');
    expect(requested(model)).toEqual(['about tea', 'echo: about tea', 'more']);
    expect(gateway.store.sessions.recent(keyOf(), 10).map(({ id }) => id)).toContain(left);
    expect(await reply(gateway, '/resume about coffee')).toContain('There is no conversation "about coffee" here.');
    expect(await reply(gateway, `/resume ${left}`)).toContain('Back in: about coffee');
  });

  it.each(['', '7', 'nothing like it'])('%j lists what there is and changes nothing', async (which) => {
    const gateway = await twoConversations();
    const before = sessionOf(gateway);
    expect(await reply(gateway, `/resume ${which}`)).toContain('2. Tea time');
    expect(sessionOf(gateway)).toEqual(before);
  });

  it('takes no part of a title that several have', async () => {
    const gateway = await twoConversations();
    await talk(gateway, '/title Coffee time');
    const before = sessionOf(gateway).id;
    expect(await reply(gateway, '/resume time')).toContain('There is no conversation "time" here.');
    expect(sessionOf(gateway).id).toBe(before);
  });

  it('stays where it is when it is asked for the present one', async () => {
    const gateway = await twoConversations();
    const before = sessionOf(gateway);
    expect(await reply(gateway, '/resume 1')).toBe('We are in it: about coffee');
    expect(sessionOf(gateway)).toEqual(before);
  });

  it('reaches no conversation of another chat', async () => {
    const gateway = await twoConversations();
    const { id } = sessionOf(gateway);
    expect(await reply(gateway, `/resume ${id}`, { chat: 'bob', from: { id: 'bob' } })).toContain('There are no conversations here yet.');
    expect(gateway.store.sessions.open(keyOf('bob'))).toBeUndefined();
  });

  it('is not undone by a reset policy, and holds after a kill', async () => {
    const clock = { now: Date.now() };
    const reset = { mode: 'idle', at_hour: 4, idle_minutes: 60, notify: true } as const;
    const facts = { now: () => clock.now, rules: { reset } };
    const first = await twoConversations(facts);
    clock.now += 5 * 3_600_000;
    await reply(first, '/resume Tea time');
    const model = scriptedModel(echo);
    const gateway = await startGateway({ ...facts, home: first.kill(), model });
    gateway.say('ann', 'more');
    await gateway.idle();
    expect(requested(model)).toEqual(['about tea', 'echo: about tea', 'more']);
  });
});

describe('/branch', () => {
  it('goes on in a copy with a directory of its own, and leaves the first one as it was', async () => {
    const gateway = await startGateway();
    await talk(gateway, 'one');
    const before = sessionOf(gateway);
    const said = await reply(gateway, '/branch Try this');
    expect(said).toContain('We are in a copy now: Try this (2 messages).');
    expect(said).toContain('It has a new, empty working directory');
    await talk(gateway, 'two');
    const copy = sessionOf(gateway);
    expect(conversation(gateway)).toEqual(['one', 'echo: one', 'two', 'echo: two']);
    expect([copy.title, copy.workspace === before.workspace, existsSync(copy.workspace)]).toEqual(['Try this', false, true]);
    expect(gateway.store.transcript.read(before.id)).toHaveLength(2);
    await talk(gateway, '/undo 2');
    expect(gateway.store.transcript.read(before.id)).toHaveLength(2);
    expect(gateway.store.sessions.get(before.id)?.title).toBeNull();
  });

  it('takes its name from the first where none is given', async () => {
    const gateway = await startGateway();
    expect(await reply(gateway, '/branch')).toBe('Nothing has been said that I could copy.');
    await talk(gateway, 'one', '/branch');
    expect(sessionOf(gateway).title).toBe('one (branch)');
  });

  it('keeps how the conversation goes on, but asks before it acts', async () => {
    const gateway = await startGateway({ platform: annsPlatform() });
    await talk(gateway, 'one', '/yolo', '/reasoning high', '/branch');
    expect(sessionOf(gateway).settings).toEqual({ reasoning: 'high' });
  });

  it('leaves out of requests what was left out before', async () => {
    const model = scriptedModel(echo);
    const gateway = await startGateway({ model });
    await talk(gateway, 'one', 'two', 'three');
    const { id, settings } = sessionOf(gateway);
    const [, , second] = gateway.store.transcript.entries(id);
    gateway.store.sessions.setSettings(id, { ...settings, keepFrom: second?.id ?? 0 });
    await talk(gateway, '/branch', 'four');
    expect(requested(model)).toEqual(['two', 'echo: two', 'three', 'echo: three', 'four']);
    expect(conversation(gateway)).toHaveLength(8);
  });

  it('does not copy what was taken back', async () => {
    const gateway = await startGateway();
    await talk(gateway, 'one', 'two', '/undo', '/branch');
    expect(conversation(gateway)).toEqual(['one', 'echo: one']);
  });

  it('holds after a kill', async () => {
    const first = await startGateway();
    await talk(first, 'one', '/branch Try this');
    const { id } = sessionOf(first);
    const model = scriptedModel(echo);
    const gateway = await startGateway({ home: first.kill(), model });
    gateway.say('ann', 'two');
    await gateway.idle();
    expect([sessionOf(gateway).id, requested(model)]).toEqual([id, ['one', 'echo: one', 'two']]);
  });
});
