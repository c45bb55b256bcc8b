/** Commands about the gateway itself and who talks to it. */
import { accountKey } from '../target.ts';
import type { Command } from './command.ts';

const status: Command = {
  name: 'status',
  aliases: [],
  usage: '',
  description: 'Show how the gateway is doing',
  who: 'anyone',
  whileBusy: true,
  run: ({ ports }) => ({ reply: ports.daemon.status() }),
};

const version: Command = {
  name: 'version',
  aliases: [],
  usage: '',
  description: 'Show which version this is',
  who: 'anyone',
  whileBusy: true,
  run: ({ ports }) => ({ reply: `Hermes Gateway ${ports.daemon.version}` }),
};

const sethome: Command = {
  name: 'sethome',
  aliases: ['set-home'],
  usage: '',
  description: 'Make this chat the one for what belongs to no other',
  who: 'admin',
  whileBusy: true,
  run: ({ event: { chat, chatType }, ports: { store, daemon } }) => {
    const place = { platform: chat.platform, account: chat.account, chat: chat.chat };
    const home = chat.thread === undefined ? place : { ...place, thread: chat.thread };
    store.meta.set(`home/${accountKey(chat)}`, { chat: home, chatType });
    return { reply: `🏠 This chat is now my home on ${daemon.label(accountKey(chat))}: what belongs to no other chat comes here.` };
  },
};

const restart: Command = {
  name: 'restart',
  aliases: [],
  usage: '',
  description: 'Start the gateway again',
  who: 'admin',
  whileBusy: true,
  run: ({ event: { chat, chatType }, lane, ports: { daemon } }) => {
    if (daemon.restart === undefined) {
      return { reply: 'I cannot start myself again here. Stop the gateway where it runs and start it again.' };
    }
    daemon.restart({ target: { chat, chatType }, lane });
    return { reply: '🔄 I am restarting: what is at work goes on afterwards. I tell you when I am back.' };
  },
};

export const basicCommands: readonly Command[] = [status, sethome, restart, version];
