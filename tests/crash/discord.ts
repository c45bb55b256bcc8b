import { startFakeDiscord } from '../fakes/discord.ts';
import { noPacing } from '../support/gateway-process.ts';
import type { StartCrashPlatform } from './platform.ts';

const firstPerson = 200_000_000_000_000_100n;

export const startDiscord: StartCrashPlatform = async () => {
  const discord = await startFakeDiscord();
  const chats: string[] = [];
  const chatOf = (index: number): string => {
    chats[index] ??= discord.dm(String(firstPerson + BigInt(index)));
    return chats[index];
  };
  return {
    needsGreeting: true,
    config: {
      discord: {
        base_url: discord.root,
        cdn_url: discord.root,
        allowed_users: ['*'],
        reactions: false,
        slash_commands: false,
        pacing: noPacing,
      },
    },
    env: { DISCORD_BOT_TOKEN: discord.token },
    say: (text, chat) => void discord.say({ channel: chatOf(chat), text }),
    sends: () =>
      chats.flatMap((channel, chat) => discord.messages(channel).map(({ content, sentAt }) => ({ text: content, chat, t: sentAt }))),
    contacts: () => discord.gateway.counts.identifies + discord.gateway.counts.resumes,
    close: () => discord.close(),
  };
};
