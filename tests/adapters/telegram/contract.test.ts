import { adapterContract } from '../contract.ts';
import { startRig } from './rig.ts';

const CHAT = 4711;

adapterContract({
  name: 'Telegram',
  redelivers: true,
  async setup() {
    const { fake, host, adapter, stop, close } = await startRig();
    return {
      adapter,
      host,
      chat: { platform: 'telegram', account: 'main', chat: String(CHAT) },
      say: (text) => void fake.inject({ chatId: CHAT, text }),
      unacknowledged: () => fake.waiting().length,
      choices: () => (fake.messages(CHAT).at(-1)?.buttons ?? []).flat().map(({ text }) => text),
      click: (label) => void fake.click({ chatId: CHAT, messageId: fake.messages(CHAT).at(-1)?.id ?? 0 }, label),
      outdateClicks: () => fake.forgetCallbacks(),
      visible: () => fake.messages(CHAT).map(({ text }) => text),
      until: (predicate) => fake.waitFor(predicate),
      stop,
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
  },
});
