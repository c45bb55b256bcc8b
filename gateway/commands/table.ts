/** Every chat command: one entry in one table; help, the platforms' menus and the check for unknown ones are derived from it. */
import type { MenuCommand } from '../../adapters/platform.ts';
import { nearest } from '../nearest.ts';
import { basicCommands } from './basic.ts';
import { choiceCommands } from './choices.ts';
import type { Command } from './command.ts';
import { controlCommands } from './control.ts';
import { runCommands } from './runs.ts';
import { sessionCommands } from './sessions.ts';
import { transcriptCommands } from './transcript.ts';
import { createWhoami } from './whoami.ts';

const help: Command = {
  name: 'help',
  aliases: ['start', 'commands'],
  usage: '[command]',
  description: 'Show what I can do',
  who: 'anyone',
  whileBusy: true,
  run: ({ args }) => ({ reply: args === '' ? helpText() : helpFor(args) }),
};

export const commands: readonly Command[] = [
  ...runCommands,
  ...controlCommands,
  ...sessionCommands,
  ...transcriptCommands,
  ...choiceCommands,
  ...basicCommands,
  createWhoami(() => commands),
  help,
];

export const menu: readonly MenuCommand[] = commands.map(({ name, description, aliases }) => ({ name, description, aliases }));

export function findCommand(name: string): Command | undefined {
  return commands.find((command) => command.name === name || command.aliases.includes(name));
}

export function commandNames(): readonly string[] {
  return commands.flatMap((command) => [command.name, ...command.aliases]);
}

/** The nearest name that there is. */
export function similarCommand(name: string): string | undefined {
  return nearest(name.toLowerCase(), commandNames());
}

export function helpText(): string {
  const lines = commands.map((command) => `- ${synopsis(command)}: ${lowered(command.description)}`);
  return `Write to me as you would to a colleague: I can run commands, read, write and search files.\n\n${lines.join('\n')}`;
}

/** Angle brackets and vertical bars are markup on some platforms, so that arguments are shown as code. */
function synopsis({ name, usage }: Command): string {
  return usage === '' ? `/${name}` : `/${name} \`${usage}\``;
}

function helpFor(args: string): string {
  const name = (args.split(/\s+/)[0] ?? '').replace(/^\//, '').toLowerCase();
  const command = findCommand(name.replaceAll('_', '-')) ?? findCommand(name);
  if (command === undefined) {
    const close = similarCommand(name);
    return `There is no such command.${close === undefined ? '' : ` Did you mean /${close}?`} /help shows what there is.`;
  }
  const lines = [`${synopsis(command)}: ${lowered(command.description)}`];
  if (command.aliases.length > 0) lines.push(`- Also: ${command.aliases.map((alias) => `/${alias}`).join(', ')}`);
  lines.push(command.whileBusy ? '- Works while I am at work' : '- Waits until I am done');
  if (command.who === 'admin') lines.push('- For my owner and administrators');
  return lines.join('\n');
}

function lowered(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
