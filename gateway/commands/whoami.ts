/** Who somebody is to the gateway, and what that lets them do. */
import { commandProblem, mayApprove, roleOf } from '../roles.ts';
import { accountKey } from '../target.ts';
import type { Command, CommandCall } from './command.ts';

/** `all`: every command that there is, this one among them. */
export function createWhoami(all: () => readonly Command[]): Command {
  return {
    name: 'whoami',
    aliases: [],
    usage: '',
    description: 'Show who you are to me, what you may do, and where we are',
    who: 'anyone',
    whileBusy: true,
    run: (call) => {
      const { event, lane, ports } = call;
      const { chat, chatType, sender } = event;
      const lines = [
        ['You', `${code(sender.id)} (${roleOf(event, ports)})`],
        ['Name', code(sender.name)],
        ['Platform', ports.daemon.label(accountKey(chat))],
        ['Chat', `${code(chat.chat)} (${chatType})${chat.thread === undefined ? '' : `, thread ${code(chat.thread)}`}`],
        ['Session', code(ports.store.sessions.open(lane)?.id ?? 'none yet')],
        ['Commands', commandsOf(all(), call)],
        ['What I ask about', mayApprove(event, ports) ? 'you may allow it' : 'my owner and administrators allow it; you may say no'],
      ];
      return { reply: lines.map(([name, value]) => `- ${name}: ${value}`).join('\n') };
    },
  };
}

function commandsOf(all: readonly Command[], { event, ports }: CommandCall): string {
  const may = all.filter(({ name, who }) => commandProblem(event, { name, who }, ports) === undefined);
  if (may.length === all.length) return 'all';
  const others = all.filter((command) => !may.includes(command));
  return others.length < may.length ? `all but ${listed(others)}` : `only ${listed(may)}`;
}

function listed(commands: readonly Command[]): string {
  return commands.map(({ name }) => `/${name}`).join(', ');
}

/** Ids are opaque: they are shown as they are. */
function code(text: string): string {
  const line = text.toWellFormed().replaceAll(/\s+/g, ' ').replaceAll('`', "'").slice(0, 200);
  return line.trim() === '' ? '(empty)' : `\`${line}\``;
}
