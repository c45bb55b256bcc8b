/** Every chat command: one entry here; help, the platforms' menus and the check for unknown ones are derived from it. */
import type { MenuCommand } from '../../adapters/platform.ts';

export interface CommandPorts {
  /** Marks the lane's running turn as stopped, in the command's transaction; false when none runs. */
  markStopped(lane: string): boolean;
  endSession(lane: string): boolean;
  /** A few lines for /status. */
  status(): string;
}

export interface CommandResult {
  readonly reply: string;
  /** The lane's running turn was marked as stopped and must be cut once that is committed. */
  readonly cut?: true;
}

export interface Command {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly description: string;
  /** Runs inside one transaction with the record that it ran. */
  run(lane: string, ports: CommandPorts): CommandResult;
}

export const commands: readonly Command[] = [
  {
    name: 'new',
    aliases: ['reset'],
    description: 'Start a new conversation',
    run: (lane, ports) => {
      const cut = ports.markStopped(lane);
      ports.endSession(lane);
      return { reply: '✨ New conversation. What can I do for you?', ...(cut ? { cut } : {}) };
    },
  },
  {
    name: 'stop',
    aliases: [],
    description: 'Stop what I am doing',
    run: (lane, ports) => (ports.markStopped(lane) ? { reply: '🛑 Stopped.', cut: true } : { reply: 'Nothing is running here.' }),
  },
  {
    name: 'status',
    aliases: [],
    description: 'Show how the gateway is doing',
    run: (_lane, ports) => ({ reply: ports.status() }),
  },
  {
    name: 'help',
    aliases: ['start', 'commands'],
    description: 'Show what I can do',
    run: () => ({ reply: helpText() }),
  },
];

export const menu: readonly MenuCommand[] = commands.map(({ name, description }) => ({ name, description }));

export function findCommand(name: string): Command | undefined {
  return commands.find((command) => command.name === name || command.aliases.includes(name));
}

export function commandNames(): readonly string[] {
  return commands.flatMap((command) => [command.name, ...command.aliases]);
}

function helpText(): string {
  const lines = commands.map(({ name, description }) => `- /${name}: ${description.toLowerCase()}`);
  return `Write to me as you would to a colleague: I can run commands, read, write and search files.\n\n${lines.join('\n')}`;
}
