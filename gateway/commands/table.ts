/** Every chat command: one entry in one table; help, the platforms' menus and the check for unknown ones are derived from it. */
import type { MenuCommand } from '../../adapters/platform.ts';
import { basicCommands } from './basic.ts';
import type { Command } from './command.ts';
import { controlCommands } from './control.ts';

const help: Command = {
  name: 'help',
  aliases: ['start', 'commands'],
  usage: '',
  description: 'Show what I can do',
  who: 'anyone',
  whileBusy: true,
  run: () => ({ reply: helpText() }),
};

export const commands: readonly Command[] = [...basicCommands, ...controlCommands, help];

export const menu: readonly MenuCommand[] = commands.map(({ name, description }) => ({ name, description }));

export function findCommand(name: string): Command | undefined {
  return commands.find((command) => command.name === name || command.aliases.includes(name));
}

export function commandNames(): readonly string[] {
  return commands.flatMap((command) => [command.name, ...command.aliases]);
}

export function helpText(): string {
  const lines = commands.map(
    ({ name, usage, description }) => `- /${name}${usage === '' ? '' : ` ${usage}`}: ${description.toLowerCase()}`,
  );
  return `Write to me as you would to a colleague: I can run commands, read, write and search files.\n\n${lines.join('\n')}`;
}
