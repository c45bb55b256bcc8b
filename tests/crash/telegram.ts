import { startFakeTelegram } from '../fakes/telegram.ts';
import { noPacing } from '../support/gateway-process.ts';
import type { StartCrashPlatform } from './platform.ts';

const firstChat = 1000;

export const startTelegram: StartCrashPlatform = async (replyDelayMs) => {
  const telegram = await startFakeTelegram({ replyDelayMs });
  return {
    config: { telegram: { base_url: telegram.root, allowed_users: ['*'], pacing: noPacing } },
    env: { TELEGRAM_BOT_TOKEN: telegram.token },
    say: (text, chat) => telegram.inject({ chatId: firstChat + chat, text }),
    sends: () =>
      telegram.calls
        .filter(({ method, status }) => method === 'sendMessage' && status === 200)
        .map(({ text = '', chatId = 0, t }) => ({ text, chat: chatId - firstChat, t })),
    contacts: () => telegram.polls.length,
    close: () => telegram.close(),
  };
};
