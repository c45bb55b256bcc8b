import { describe, expect, it } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { click, message, replyTo } from '../support/inbound.ts';
import { scriptedModel } from '../support/model.ts';
import { askingGateway, calls, card, closedCard, questionTool } from './support.ts';

describe('a question to the person', () => {
  it('is answered with a button', async () => {
    const { platform, say, receive, answered } = await askingGateway({ tools: [questionTool(['red', 'blue'])] });
    say('ann', 'clarify colour?');
    const asked = await card(platform, 'ann');
    expect(asked.choices).toEqual([
      { id: '1', label: 'red' },
      { id: '2', label: 'blue' },
    ]);
    receive([click(asked, '2')]);
    expect(await answered('ann', 1)).toEqual(['ok: They said: blue']);
    expect(await closedCard(platform, 'ann')).toBe('💬 Ann: blue');
  });

  it.each([
    ['2', 'blue'],
    ['BLUE', 'blue'],
    ['green', 'green'],
    ['7', '7'],
  ])('is answered with the words "%s"', async (text, understood) => {
    const { say, platform, answered, store } = await askingGateway({ tools: [questionTool(['red', 'blue'])] });
    say('ann', 'clarify colour?');
    await card(platform, 'ann');
    say('ann', text);
    expect(await answered('ann', 1)).toEqual([`ok: They said: ${understood}`]);
    expect(store.inbox.countOpen()).toBe(0);
  });

  it('that takes only its choices gives one hint to other words and stays', async () => {
    const { say, platform, answered, store } = await askingGateway({ tools: [questionTool(['red', 'blue'], false)] });
    say('ann', 'clarify colour?');
    await card(platform, 'ann');
    say('ann', 'green');
    expect(await answered('ann', 1)).toEqual(['Please choose one of these for #1: 1 red, 2 blue.']);
    expect(store.asks.open()).toHaveLength(1);
    say('ann', 'red');
    expect(await answered('ann', 2)).toContain('ok: They said: red');
  });

  it('is not answered by somebody else in a shared session', async () => {
    const { receive, platform, store, idle } = await askingGateway({
      tools: [questionTool()],
      rules: { keys: { group_sessions_per_user: false, thread_sessions_per_user: false } },
    });
    const group = { chat: 'team', chatType: 'group' } as const;
    receive([message('clarify colour?', group)]);
    const asked = await card(platform, 'team');
    receive([message('green', { ...group, from: { id: 'bob', name: 'Bob' } })]);
    receive([message('green', { ...group, from: { id: 'bob', name: 'Bob' }, replyTo: replyTo(asked) })]);
    expect(store.asks.open()).toHaveLength(1);
    receive([message('blue', group)]);
    await idle();
    expect(platform.texts('team')).toEqual(expect.arrayContaining(['Only Ann may answer this.', 'ok: They said: blue']));
  });

  it('that nobody answers tells the model to decide or to stop', async () => {
    const { say, platform, answered } = await askingGateway({ tools: [questionTool()], change: { approvals: { questionMs: 50 } } });
    say('ann', 'clarify colour?');
    expect((await answered('ann', 1))[0]).toMatch(/^ok: Nobody answered in time\. Decide yourself/);
    expect(await closedCard(platform, 'ann')).toBe('⌛ Nobody answered in time.');
  });

  it('goes on after a kill with the answer that was given meanwhile', async () => {
    const first = await askingGateway({ tools: [questionTool()] });
    first.say('ann', 'clarify colour?');
    await card(first.platform, 'ann');
    const home = first.kill();
    const second = await startGateway({ home, platform: first.platform, tools: [questionTool()], model: scriptedModel(calls) });
    second.say('ann', 'blue');
    expect(await second.answered('ann', 1)).toEqual(['ok: They said: blue']);
    expect(second.platform.cards('ann')).toHaveLength(1);
  });
});
