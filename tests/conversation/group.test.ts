/** Several people in one Telegram group; the page has one person. */
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FakeMessage } from '../fakes/telegram.ts';
import { until } from '../gateway/support/gateway.ts';
import { actor } from './support/model.ts';
import { openTelegram, type TelegramWorld } from './support/world.ts';

const GROUP = -500;
const [ann, bob] = [501, 502];

/** Calls a command on "run", asks on "ask", then says what came of it. */
const model = () =>
  actor(({ text, results }) => {
    const [, command] = /run (.+)$/.exec(text) ?? [];
    if (command !== undefined) return results[0] ?? { call: 'terminal', args: { command } };
    return text.endsWith('ask') ? (results[0] ?? { call: 'clarify', args: { question: 'Which?', choices: ['Red', 'Blue'] } }) : undefined;
  });

function saysIn({ telegram }: TelegramWorld, from: number, text: string): void {
  const mention = `@${telegram.username}`;
  const entities = [{ type: 'mention', offset: 0, length: mention.length }];
  telegram.inject({ chatId: GROUP, fromId: from, text: `${mention} ${text}`, extra: { entities } });
}

async function cardIn({ telegram }: TelegramWorld, number: number): Promise<FakeMessage> {
  const find = (): FakeMessage | undefined => telegram.messages(GROUP).find(({ text }) => text.startsWith(`#${number} `));
  await until(
    () => find() !== undefined,
    () => 'there is no card',
  );
  return find() ?? Promise.reject(new Error('there is no card'));
}

function click({ telegram }: TelegramWorld, { id }: FakeMessage, { button, by }: { readonly button: string; readonly by: number }): void {
  telegram.click({ chatId: GROUP, messageId: id }, button, by);
}

const texts = ({ telegram }: TelegramWorld): readonly string[] => telegram.messages(GROUP).map(({ text }) => text);

function sees(world: TelegramWorld, words: string): Promise<void> {
  return until(
    () => texts(world).some((text) => text.includes(words)),
    () => `${words} is not said: ${texts(world).join(' | ')}`,
  );
}

describe('in a group, what somebody asked for', () => {
  it('is allowed by an administrator and by nobody else, neither with a click, nor with a command, nor with a reply', async () => {
    const world = await openTelegram({ model: model() });
    const { telegram, store } = world;
    const admin = { person: '501', aliases: [], name: 'U501', role: 'user', groupRole: 'admin', approvedBy: '', approvedAt: 0 } as const;
    store().people.put({ ...admin, account: 'telegram/main', chat: { platform: 'telegram', account: 'main', chat: '501' } });
    saysIn(world, ann, 'hello');
    await sees(world, 'echo: hello');
    const build = path.join(store().sessions.recent('agent:main:telegram:group:-500:u.501', 1)[0]?.workspace ?? '', 'build');
    mkdirSync(build);
    saysIn(world, ann, 'run rm -r build');
    const card = await cardIn(world, 1);
    click(world, card, { button: '✅ Once', by: bob });
    await telegram.waitFor(() => telegram.callbackAnswers.length === 1);
    const no = 'Only my owner and administrators may decide this here.';
    expect(telegram.callbackAnswers[0]?.text).toBe(no);
    telegram.inject({ chatId: GROUP, fromId: bob, text: `/approve@${telegram.username} 1` });
    await sees(world, 'Nothing here waits for your approval.');
    const quoted = {
      message_id: card.id,
      date: 1,
      chat: { id: GROUP, type: 'supergroup' },
      from: { id: telegram.botId, is_bot: true, first_name: 'H' },
    };
    telegram.inject({ chatId: GROUP, fromId: bob, text: 'yes', extra: { reply_to_message: { ...quoted, text: card.text } } });
    await sees(world, no);
    expect([store().asks.open().length, existsSync(build)]).toEqual([1, true]);
    click(world, card, { button: '✅ Once', by: ann });
    await sees(world, '✅ U501 allowed it once.');
    await until(
      () => !existsSync(build),
      () => 'it did not run',
    );
  });

  it('is a question to them alone', async () => {
    const world = await openTelegram({ model: model() });
    saysIn(world, ann, 'ask');
    const card = await cardIn(world, 1);
    click(world, card, { button: 'Red', by: bob });
    await world.telegram.waitFor(() => world.telegram.callbackAnswers.length === 1);
    saysIn(world, bob, 'Red');
    await sees(world, 'echo: Red');
    expect(world.store().asks.open()).toHaveLength(1);
    saysIn(world, ann, 'Blue');
    await sees(world, '💬 U501: Blue');
  });
});
