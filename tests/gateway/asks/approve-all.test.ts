import { expect, it } from 'vitest';
import { message, replyTo } from '../support/inbound.ts';
import { askingGateway, card, riskyTool } from './support.ts';

it('/approve all always says which were allowed for good, and which cannot be and why', async () => {
  const remembered = riskyTool('remove', { memory: { key: 'rm', label: 'rm' } });
  const never = riskyTool('wipe');
  const { platform, say, store, answers, idle } = await askingGateway({ tools: [remembered.tool, never.tool] });
  say('ann', '/background remove a');
  await card(platform, 'ann');
  say('ann', 'wipe b');
  await card(platform, 'ann', 2);
  say('ann', '/approve all always');
  expect(store.asks.open().map(({ number }) => number)).toEqual([2]);
  say('ann', '/approve 2');
  await idle();
  expect([...remembered.ran, ...never.ran]).toEqual(['a', 'b']);
  expect(answers('ann')).toContain('✅ Allowed: #1.\nNot #2: it cannot be allowed with "always", only with "once" or "session".');
});

it('/approve in reply to a card that is decided already allows nothing else', async () => {
  const { tool, ran } = riskyTool();
  const { platform, say, receive, store, answers, idle } = await askingGateway({ tools: [tool] });
  say('ann', 'remove a b');
  const first = await card(platform, 'ann');
  receive([message('/deny', { replyTo: replyTo(first) })]);
  await card(platform, 'ann', 2);
  receive([message('/approve', { replyTo: replyTo(first) })]);
  expect(store.asks.open().map(({ number }) => number)).toEqual([2]);
  say('ann', '/deny 2');
  await idle();
  expect(ran).toEqual([]);
  expect(answers('ann')).toContainEqual(expect.stringMatching(/^#1 does not wait for your approval, so I did nothing\. Open:\n- #2: /));
});
