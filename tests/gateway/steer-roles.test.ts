/** A turn acts with the rights of whoever began it: in a conversation that several share, nobody lends themselves more than their own. */
import { expect, it } from 'vitest';
import { createFakePlatform } from '../fakes/platform.ts';
import { startGateway, until } from './support/gateway.ts';
import { message } from './support/inbound.ts';
import { lastText, scriptedModel } from './support/model.ts';
import { pausingTool } from './support/tools.ts';

const group = { chat: 'g', chatType: 'group' } as const;

/** While `first` is at work, `second` says something to that. What the model reads last, in each of its requests. */
async function read(first: string, second: string, words = '/steer and more'): Promise<readonly string[]> {
  const gate = Promise.withResolvers<void>();
  const { tool } = pausingTool(gate.promise);
  const model = scriptedModel(({ messages }) =>
    messages.at(-1)?.role === 'user' && lastText(messages).endsWith('work') ? { call: 'pause' } : 'done',
  );
  const config = { group_allowed_chats: ['g'], group_allow_admin_from: ['boss'], group_user_allowed_commands: ['steer'] };
  const gateway = await startGateway({
    model,
    tools: [tool],
    platform: createFakePlatform({ config }),
    change: { display: { busyMode: 'steer' }, everywhere: { busyAck: true } },
    rules: { keys: { group_sessions_per_user: false, thread_sessions_per_user: false } },
  });
  gateway.receive([message('work', { ...group, from: { id: first } })]);
  await until(
    () => model.requests.length === 1,
    () => 'the turn has not begun',
  );
  gateway.receive([message(words, { ...group, from: { id: second } })]);
  gate.resolve();
  await gateway.idle();
  expect(gateway.store.inbox.countOpen()).toBe(0);
  const requests = model.requests.map(({ messages }) => `${messages.at(-1)?.role} ${lastText(messages).split('\n').at(-1)}`);
  return [...requests, ...gateway.answers('g').filter((text) => text !== 'done')];
}

it.each([
  ['somebody else’s, who is as much', 'ann', 'bob'],
  ['one’s own', 'ann', 'ann'],
  ['that of who is less', 'ann', 'boss'],
])('what is said to a turn of %s is part of it', async (_, first, second) => {
  const told = '↪️ I take this into account with my next step.';
  expect(await read(first, second)).toEqual([expect.stringContaining('work'), expect.stringMatching(/^user .*and more$/), told]);
});

it.each([
  ['/steer and more', '⏳ That comes next.'],
  ['and more', expect.stringContaining('this comes next')],
])('what is said (%j) to the turn of an administrator by who is none is a turn of its own behind it', async (words, told) => {
  const [, next, own, ...answers] = await read('boss', 'ann', words);
  expect(next).toMatch(/^tool .*work$/);
  expect(own).toMatch(/^user .*and more$/);
  expect(answers).toContainEqual(told);
});
