import type { Json } from '../../../adapters/adapter.ts';
import { telegramPlatform } from '../../../adapters/telegram/platform.ts';
import type { FakeTelegram, QueuedUpdate } from '../../fakes/telegram.ts';
import type { ContractRig } from '../contract/rig.ts';
import { adapterContract } from '../contract.ts';
import { startRig } from './rig.ts';

const CHAT = 4711;
const GROUP = -100;
const FORUM = -200;

interface Kept {
  readonly kept: Map<string, Json>;
  readonly said: QueuedUpdate[];
}

/** Somebody says it in a group, where the bot must be named. */
function mentioning(fake: FakeTelegram, chatId: number, text: string, thread?: number): void {
  const name = `@${fake.username}`;
  const topic = thread === undefined ? {} : { message_thread_id: thread, is_topic_message: true };
  const extra = { entities: [{ type: 'mention', offset: 0, length: name.length }], ...topic };
  fake.inject({ chatId, fromId: CHAT, text: `${name} ${text}`, extra });
}

function places(fake: FakeTelegram): ContractRig['places'] {
  const shown = (chat: number, thread?: number) => () =>
    fake
      .messages(chat)
      .filter(({ threadId }) => threadId === thread)
      .map(({ text, file }) => file?.name ?? text);
  const direct = (chatId: number) => (text: string) => {
    fake.inject({ chatId, text });
    return shown(chatId);
  };
  const group = (chatId: number, thread?: number) => (text: string) => {
    mentioning(fake, chatId, text, thread);
    return shown(chatId, thread);
  };
  return [direct(CHAT), direct(CHAT + 1), group(GROUP), group(FORUM), group(FORUM, 7), group(FORUM, 8)];
}

async function start({ kept, said }: Kept, on?: FakeTelegram): Promise<ContractRig> {
  const { fake, host, adapter, stop, close } = await startRig({ kept, timing: { callMs: 3000 }, ...(on === undefined ? {} : { on }) });
  const from = { id: fake.botId, is_bot: true, first_name: 'Hermes', username: fake.username };
  const remember = (update: QueuedUpdate): QueuedUpdate => {
    said.push(update);
    return update;
  };
  return {
    adapter,
    host,
    chat: { platform: 'telegram', account: 'main', chat: String(CHAT) },
    say(text) {
      const { update } = remember(fake.inject({ chatId: CHAT, text }));
      return String((update['message'] as { readonly message_id: number }).message_id);
    },
    reply(message, text) {
      const replied = { message_id: Number(message), date: 1, chat: { id: CHAT, type: 'private' }, from, text: 'a card' };
      remember(fake.inject({ chatId: CHAT, text, extra: { reply_to_message: replied } }));
    },
    places: places(fake),
    unacknowledged: () => fake.waiting().length,
    redeliver: () => void fake.injectMany(said.map(({ update }) => update)),
    echo: () => {
      for (const { text } of fake.messages(CHAT)) fake.inject({ chatId: CHAT, text, extra: { from } });
    },
    choices: () => (fake.messages(CHAT).at(-1)?.buttons ?? []).flat().map(({ text }) => text),
    click: (label) => void fake.click({ chatId: CHAT, messageId: fake.messages(CHAT).at(-1)?.id ?? 0 }, label),
    outdateClicks: () => fake.forgetCallbacks(),
    visible: () => fake.messages(CHAT).map(({ text }) => text),
    answered: () => String(fake.messages(CHAT).at(-1)?.replyTo),
    written: () => fake.calls.filter(({ method, status }) => /^send(?!ChatAction)/.test(method) && status === 200).length,
    until: (predicate) => fake.waitFor(predicate),
    stop,
    startAnew: () => start({ kept, said }, fake),
    close,
    faults: {
      rateLimit: () =>
        fake.fail('sendMessage', { status: 429, description: 'Too Many Requests: retry after 7', parameters: { retry_after: 7 } }),
      refuseFormatting: () =>
        fake.fail('sendMessage', { status: 400, description: "Bad Request: can't parse entities: Unsupported start tag" }),
      refuseAsTooLong: () => fake.fail('sendMessage', { status: 400, description: 'Bad Request: message is too long' }),
      blockBot: () => fake.fail('sendMessage', { status: 403, description: 'Forbidden: bot was blocked by the user' }),
      acceptThenDrop: () => fake.fail('sendMessage', 'reset-after'),
      serverError: () => fake.fail('sendMessage', { status: 500, description: 'Internal Server Error' }),
      hang: () => fake.fail('sendMessage', 'hang'),
    },
  };
}

adapterContract({
  name: 'Telegram',
  platform: telegramPlatform,
  redelivers: true,
  setup: () => start({ kept: new Map(), said: [] }),
});
