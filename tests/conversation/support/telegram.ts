/** A person in a private chat with the bot, on the fake Telegram through the real adapter. */
import { randomUUID } from 'node:crypto';
import type { Platform } from '../../../adapters/platform.ts';
import { TIMING } from '../../../adapters/telegram/client.ts';
import { connectTelegram } from '../../../adapters/telegram/index.ts';
import { type TelegramConfig, telegramPlatform } from '../../../adapters/telegram/platform.ts';
import type { FakeMessage, FakeTelegram } from '../../fakes/telegram.ts';
import type { Card, Forgery, Person } from './person.ts';

export const CHAT = 77;

const timing = { ...TIMING, callMs: 3000, probeMs: 1000, pollGraceMs: 500, backoffFirstMs: 20, backoffMaxMs: 100, farewellMs: 300 };

/** With times short enough for tests. */
export function quickTelegram(progress: Partial<Platform['progress']>): Platform<TelegramConfig> {
  return {
    ...telegramPlatform,
    progress: { ...telegramPlatform.progress, ...progress },
    load: async () => ({ create: (config, host, menu) => connectTelegram({ config, host, menu, timing }) }),
  };
}

export function personOnTelegram(telegram: FakeTelegram, chatId = CHAT): Person {
  const shown = (): readonly FakeMessage[] => telegram.messages(chatId);
  const isBubble = ({ text }: FakeMessage): boolean => /^Work(?:ing|ed) · /.test(text);
  const isCard = ({ text }: FakeMessage): boolean => /^#\d+ /.test(text);
  const calls = (method: string) => telegram.calls.filter((call) => call.method === method && call.chatId === chatId);
  const clickedBefore = telegram.callbackAnswers.length;
  return {
    name: `U${chatId}`,
    says: (...texts) => void telegram.injectMany(texts.map((text) => ({ chatId, text }))),
    repliesTo: (card, text) => {
      const from = { id: telegram.botId, is_bot: true, first_name: 'Hermes', username: telegram.username };
      const quoted = { message_id: Number(card.id), date: 1, chat: { id: chatId, type: 'private' }, from, text: card.text };
      telegram.inject({ chatId, text, extra: { reply_to_message: quoted } });
    },
    clicks: ({ id }, choice) => void telegram.click({ chatId, messageId: Number(id) }, choice),
    forges: (card, forgery) => void telegram.inject({ callback_query: forgedQuery(dataOf(shown(), card), { chatId, card, forgery }) }),
    reads: () => shown().flatMap((message) => (isCard(message) || isBubble(message) ? [] : [message.text])),
    cards: () => shown().filter(isCard).map(cardOf),
    progress: () => shown().flatMap((message) => (isBubble(message) ? [message.text] : [])),
    growing: () => telegram.drafts(chatId),
    typing: () => calls('sendChatAction').length,
    told: () => telegram.callbackAnswers.slice(clickedBefore).flatMap(({ text }) => (text === '' ? [] : [text])),
    menu: () => telegram.commands().map((entry) => String((entry as { readonly command: unknown }).command)),
  };
}

function cardOf({ id, text, buttons }: FakeMessage): Card {
  return { id: String(id), number: Number(/^#(\d+)/.exec(text)?.[1]), text, choices: buttons.flat().map((button) => button.text) };
}

function dataOf(shown: readonly FakeMessage[], { id }: Card): string {
  return shown.find((message) => String(message.id) === id)?.buttons[0]?.[0]?.callback_data ?? '';
}

/** Telegram warns that a client may send data of which there is no button; the message and the person are what Telegram vouches for. */
function forgedQuery(data: string, { chatId, card, forgery }: { readonly chatId: number; readonly card: Card; readonly forgery: Forgery }) {
  const [token = '', choice = ''] = data.split(':');
  const there =
    forgery === 'chat' ? { id: -4000, type: 'group', title: 'elsewhere' } : { id: chatId, type: 'private', first_name: `U${chatId}` };
  const forged = { token: `${'z'.repeat(16)}:${choice}`, choice: `${token}:zzz`, copy: data, chat: data }[forgery];
  const from = { id: chatId, is_bot: false, first_name: `U${chatId}` };
  const message = { message_id: Number(card.id) + (forgery === 'copy' ? 1000 : 0), date: 1, chat: there, text: 'card' };
  return { id: `forged-${randomUUID()}`, from, message, chat_instance: '1', data: forged };
}
