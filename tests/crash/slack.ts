import { APP_TOKEN, BOT_TOKEN, startFakeSlack } from '../fakes/slack.ts';
import { noPacing } from '../support/gateway-process.ts';
import type { StartCrashPlatform } from './platform.ts';

export const startSlack: StartCrashPlatform = async () => {
  const slack = await startFakeSlack();
  const used = new Set<number>();
  const channelOf = (chat: number): string => `D0CRASH${chat}`;
  return {
    needsGreeting: true,
    config: { slack: { base_url: slack.root, allowed_users: ['*'], reactions: false, pacing: noPacing } },
    env: { SLACK_BOT_TOKEN: BOT_TOKEN, SLACK_APP_TOKEN: APP_TOKEN },
    say: (text, chat) => {
      used.add(chat);
      slack.say(text, { channel: channelOf(chat), user: `U0CRASH${chat}` });
    },
    sends: () =>
      [...used].flatMap((chat) => slack.messages(channelOf(chat)).map(({ source, ts }) => ({ text: source, chat, t: Number(ts) * 1000 }))),
    contacts: () => slack.sockets().ever,
    close: () => slack.close(),
  };
};
