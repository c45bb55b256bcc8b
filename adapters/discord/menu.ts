/** Slash commands: one list for all servers and direct chats. https://docs.discord.com/developers/interactions/application-commands */
import { createHash } from 'node:crypto';
import { Routes } from 'discord.js';
import type { Host } from '../adapter.ts';
import type { MenuCommand } from '../platform.ts';
import { deliveryError } from './errors.ts';
import type { Call } from './rest.ts';

const KEY = 'menu';
const MOST_COMMANDS = 100;
const LONGEST_DESCRIPTION = 100;

/** All take what follows the name as one optional text, as if it had been typed. */
const ARGUMENTS = { type: 3, name: 'args', description: 'What follows the command', required: false } as const;

export interface DiscordCommand {
  readonly name: string;
  readonly description: string;
}

/** What has no name that Discord accepts is left out. In servers and direct chats of the bot, and not where people carry apps with them. */
export function discordCommands(menu: readonly MenuCommand[]): DiscordCommand[] {
  return menu
    .map(({ name, description }) => ({
      type: 1,
      name: name.toLowerCase(),
      description: description.slice(0, LONGEST_DESCRIPTION).toWellFormed() || name,
      options: [ARGUMENTS],
      contexts: [0, 1],
      integration_types: [0],
    }))
    .filter(({ name }) => /^[-_a-z0-9]{1,32}$/.test(name))
    .slice(0, MOST_COMMANDS);
}

export interface MenuLink {
  readonly call: Call;
  readonly host: Host;
  readonly commands: readonly DiscordCommand[];
  readonly application: string;
}

/** Only when it changed, because registering is rate-limited. Never rejects: a menu is a convenience, and the next start tries again. */
export async function publishMenu({ call, host, commands, application }: MenuLink, signal: AbortSignal): Promise<void> {
  const hash = createHash('sha256')
    .update(JSON.stringify([application, commands]))
    .digest('hex');
  const before = host.store.get(KEY);
  // Nothing was ever registered, and nothing is to be.
  if (before === hash || (before === undefined && commands.length === 0)) return;
  try {
    await call({ method: 'PUT', route: Routes.applicationCommands(application), body: commands }, signal);
    host.store.put({ [KEY]: hash });
  } catch (error) {
    if (!signal.aborted) host.log.warn({}, `The slash commands could not be registered. ${deliveryError(error).message}`);
  }
}
