/** Commands about the conversation as a whole and the gateway itself. */
import type { Command } from './command.ts';

const fresh: Command = {
  name: 'new',
  aliases: ['reset'],
  usage: '',
  description: 'Start a new conversation',
  who: 'anyone',
  whileBusy: true,
  run: ({ lane, ports: { store, sessions, lanes } }) => {
    const cut = store.turns.cut(lane, 'stop');
    sessions.end(lane, 'new');
    const reply = '✨ New conversation. What can I do for you?';
    return cut ? { reply, after: () => lanes.cut(lane, 'stop') } : { reply };
  },
};

const status: Command = {
  name: 'status',
  aliases: [],
  usage: '',
  description: 'Show how the gateway is doing',
  who: 'anyone',
  whileBusy: true,
  run: ({ ports }) => ({ reply: ports.daemon.status() }),
};

export const basicCommands: readonly Command[] = [fresh, status];
