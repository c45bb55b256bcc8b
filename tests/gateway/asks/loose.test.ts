import { expect, it } from 'vitest';
import { message, replyTo } from '../support/inbound.ts';
import { askingGateway, card, riskyTool } from './support.ts';

const interrupting = { display: { busyMode: 'interrupt' } } as const;
const hint = 'Use the buttons on #1, reply to it, or write /approve 1 or /deny 1.';

it.each(['yes', 'OK', 'no!', '1'])('a loose "%s" neither decides an approval nor interrupts: it is told how to decide', async (word) => {
  const { tool, ran } = riskyTool();
  const { say, platform, store, answers, idle } = await askingGateway({ tools: [tool], change: interrupting });
  say('ann', 'remove build');
  await card(platform, 'ann');
  say('ann', word);
  expect([store.asks.open().length, ran.length]).toEqual([1, 0]);
  expect(store.inbox.pending('agent:main:fake:dm:ann')).toEqual([]);
  say('ann', '/approve');
  await idle();
  expect(ran).toEqual(['build']);
  expect(answers('ann')).toEqual([hint, '✅ Allowed: #1.', 'ok: removed build']);
});

it('a reply to the card that is no choice of it, but sounds like one, is told the same', async () => {
  const { tool } = riskyTool();
  const { say, platform, receive, store, answered } = await askingGateway({ tools: [tool], change: interrupting });
  say('ann', 'remove build');
  receive([message('ok', { replyTo: replyTo(await card(platform, 'ann')) })]);
  expect(await answered('ann', 1)).toEqual([hint]);
  expect(store.asks.open()).toHaveLength(1);
});

it('with several open approvals all of them are named', async () => {
  const { tool } = riskyTool();
  const { say, platform, answers } = await askingGateway({ tools: [tool], change: interrupting });
  say('ann', '/background remove a');
  await card(platform, 'ann');
  say('ann', 'remove b');
  await card(platform, 'ann', 2);
  say('ann', 'yes');
  await expect
    .poll(() => answers('ann'))
    .toContain('#1, #2 are open: use the buttons, reply to one, or write /approve or /deny and its number.');
});

it('a yes where only a background run waits for one is told how to decide, and is heard by the conversation', async () => {
  const { tool, ran } = riskyTool();
  const { say, platform, store, answers, idle } = await askingGateway({ tools: [tool], change: interrupting });
  say('ann', '/background remove a');
  await card(platform, 'ann');
  say('ann', 'yes');
  await expect.poll(() => answers('ann').slice(1)).toEqual([hint, 'nothing to do']);
  expect([store.asks.open().length, ran.length]).toEqual([1, 0]);
  say('ann', '/deny 1');
  await idle();
});

it.each(['yes, but keep dist', 'stop', '9'])('"%s" is something to say', async (words) => {
  const { tool, ran } = riskyTool();
  const { say, platform, store, idle } = await askingGateway({ tools: [tool], change: interrupting });
  say('ann', 'remove build');
  await card(platform, 'ann');
  say('ann', words);
  await idle();
  expect([store.asks.open().length, ran.length]).toEqual([0, 0]);
});

it('another person’s yes is something to say', async () => {
  const { tool } = riskyTool();
  const keys = { group_sessions_per_user: false, thread_sessions_per_user: false };
  const { receive, platform, store } = await askingGateway({ tools: [tool], rules: { keys } });
  receive([message('remove build', { chat: 'team', chatType: 'group' })]);
  await card(platform, 'team');
  receive([message('yes', { chat: 'team', chatType: 'group', from: { id: 'bob', name: 'Bob' } })]);
  expect(store.inbox.pending('agent:main:fake:group:team')).toHaveLength(1);
});
