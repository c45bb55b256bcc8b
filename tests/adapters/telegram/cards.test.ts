import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ChatRef, DeliveryError, type InboundAnswer, type Json, type OutboundAsk } from '../../../adapters/adapter.ts';
import type { FakeMessage } from '../../fakes/telegram.ts';
import { startRig, type TelegramRig } from './rig.ts';

const GROUP = -100_500;
const topic: ChatRef = { platform: 'telegram', account: 'main', chat: String(GROUP), thread: '77' };
const token = 'abcdefgh12345678';
const card = (more: Partial<OutboundAsk> = {}): OutboundAsk => ({
  type: 'ask',
  chat: topic,
  token,
  number: 1,
  markdown: 'Sure?',
  choices: [
    { id: 'yes', label: 'Yes' },
    { id: 'no', label: 'No' },
  ],
  hint: 'Or /approve.',
  ...more,
});
const signal = (): AbortSignal => AbortSignal.timeout(8000);

let rig: TelegramRig;
beforeEach(async () => {
  rig = await startRig();
  await rig.fake.waitFor(() => rig.host.alives > 0);
});
afterEach(() => rig.close());

async function sendCard(): Promise<{ readonly chatId: number; readonly messageId: number }> {
  const { id } = await rig.adapter.send(card(), 'k', signal());
  return { chatId: GROUP, messageId: Number(id) };
}

const shown = (): FakeMessage | undefined => rig.fake.messages(GROUP).at(-1);
const answers = (): InboundAnswer[] => rig.host.received.flatMap((event) => (event.type === 'answer' ? [event] : []));

describe('a card', () => {
  it('hears the click of somebody in a topic who does not mention the bot', async () => {
    const where = await sendCard();
    rig.fake.click(where, 'No', 42);
    await rig.fake.waitFor(() => answers().length === 1);
    expect(answers()).toMatchObject([
      { token, choice: 'no', chat: topic, chatType: 'group', message: String(where.messageId), sender: { id: '42' } },
    ]);
  });

  it('hands over a forged click as it comes, with the message and the chat that Telegram vouches for', async () => {
    const where = await sendCard();
    const honest = rig.fake.click(where, 'No', 42);
    const callback = honest.update['callback_query'] as object;
    rig.fake.inject({ callback_query: { ...callback, id: 'forged', data: `${'z'.repeat(16)}:yes` } });
    await rig.fake.waitFor(() => answers().length === 2);
    expect(answers()[1]).toMatchObject({ event: 'cb:forged', token: 'z'.repeat(16), choice: 'yes', message: String(where.messageId) });
  });

  it('loses its buttons when it is closed, also in a message that went out plain', async () => {
    const { messageId } = await sendCard();
    const closed = card({ choices: [], closed: 'Denied by Ann.', plain: true });
    await rig.adapter.edit?.({ chat: topic, id: String(messageId) }, closed, signal());
    expect(shown()).toMatchObject({ text: '#1 Sure?\n\nDenied by Ann.', buttons: [] });
    // Closed once more after an answer that got lost: nothing changes, and that is no failure.
    await rig.adapter.edit?.({ chat: topic, id: String(messageId) }, closed, signal());
  });

  it('is sent closed, without buttons, when it was decided before it went out', async () => {
    await rig.adapter.send(card({ choices: [], closed: 'Expired.' }), 'k', signal());
    expect(shown()).toMatchObject({ text: '#1 Sure?\n\nExpired.', buttons: [] });
  });

  it('is named by a reply to it', async () => {
    const { messageId } = await sendCard();
    const bot = { id: rig.fake.botId, is_bot: true, first_name: 'Hermes', username: rig.fake.username };
    const chat = { id: GROUP, type: 'supergroup', title: 'g', is_forum: true };
    const reply = { message_id: messageId, date: 1, chat, from: bot, message_thread_id: 77, is_topic_message: true, text: '#1 Sure?' };
    const inTopic = { message_thread_id: 77, is_topic_message: true, reply_to_message: reply };
    rig.fake.inject({ chatId: GROUP, text: '1', fromId: 42, extra: inTopic });
    await rig.fake.waitFor(() => rig.host.received.length === 1);
    const replyTo = { message: String(messageId), fromBot: true };
    expect(rig.host.received).toMatchObject([{ type: 'message', text: '1', chat: topic, mentioned: true, replyTo }]);
  });
});

describe('the answer to a click', () => {
  async function click(): Promise<Json> {
    rig.fake.click(await sendCard(), 'Yes', 42);
    await rig.fake.waitFor(() => answers().length === 1);
    return answers()[0]?.interaction ?? null;
  }
  const answered = () => rig.fake.callbackAnswers.map(({ text, alert }) => [text, alert]);

  it('is a toast, or a window that stays when it takes longer to read', async () => {
    const interaction = await click();
    await rig.adapter.respond?.(interaction, 'Allowed.', signal());
    await rig.adapter.respond?.(interaction, 'x'.repeat(61), signal());
    expect(answered()).toEqual([
      ['Allowed.', false],
      ['x'.repeat(61), true],
    ]);
  });

  it('is cut to what Telegram takes, and not in the middle of a character', async () => {
    const interaction = await click();
    await rig.adapter.respond?.(interaction, `${'x'.repeat(198)}👍 and more`, signal());
    await rig.adapter.respond?.(interaction, 'half \ud83d', signal());
    expect(answered()).toEqual([
      [`${'x'.repeat(198)}…`, true],
      ['half \ufffd', false],
    ]);
  });

  it('rejects what Telegram refuses for another reason than age, and a reference that is none of ours', async () => {
    const interaction = await click();
    rig.fake.fail('answerCallbackQuery', { status: 429, parameters: { retry_after: 3 } });
    const limited = rig.adapter.respond?.(interaction, 'x', signal()) ?? Promise.resolve();
    await expect(limited).rejects.toMatchObject({ name: 'DeliveryError', kind: 'rate_limited', retryAfterMs: 3000 });
    await expect(rig.adapter.respond?.({ page: 'p' }, 'x', signal())).rejects.toBeInstanceOf(DeliveryError);
    expect(answered()).toEqual([]);
  });

  it('is empty for a click that is none on a card, so that the button does not wait for ever', async () => {
    const from = { id: 42, is_bot: false, first_name: 'A' };
    rig.fake.inject({ callback_query: { id: 'old', from, chat_instance: '1', data: 'menu:old', inline_message_id: 'x' } });
    await rig.fake.waitFor(() => rig.fake.callbackAnswers.length === 1);
    expect(rig.fake.callbackAnswers).toEqual([{ id: 'old', text: '', alert: false }]);
    expect(rig.host.received).toEqual([]);
  });

  it('to such a click waits until what came with it is stored', async () => {
    rig.host.refusal = new Error('disk full');
    const from = { id: 42, is_bot: false, first_name: 'A' };
    rig.fake.injectMany([{ callback_query: { id: 'old', from, chat_instance: '1', data: 'menu:old' } }, { chatId: 5, text: 'hi' }]);
    await rig.fake.waitFor(() => rig.host.offers.length >= 2);
    expect(rig.fake.callbackAnswers).toEqual([]);
    rig.host.refusal = undefined;
    await rig.fake.waitFor(() => rig.fake.callbackAnswers.length === 1);
    expect(rig.host.received).toMatchObject([{ text: 'hi' }]);
  });

  it('does not hold up messages when it fails', async () => {
    rig.fake.fail('answerCallbackQuery', { status: 500 }, 9);
    const from = { id: 42, is_bot: false, first_name: 'A' };
    rig.fake.injectMany([{ callback_query: { id: 'old', from, chat_instance: '1', data: 'menu:old' } }, { chatId: 5, text: 'hi' }]);
    await rig.fake.waitFor(() => rig.host.received.length === 1 && rig.fake.waiting().length === 0);
    await rig.fake.waitFor(() => rig.fake.calls.some(({ method }) => method === 'answerCallbackQuery'));
  });
});
