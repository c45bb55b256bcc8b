/** The command menu that Telegram shows at the text field. https://core.telegram.org/bots/api#setmycommands */
import { createHash } from 'node:crypto';
import type { Host } from '../adapter.ts';
import type { MenuCommand } from '../platform.ts';
import { type Client, grammySignal } from './client.ts';
import { deliveryError } from './errors.ts';

const KEY = 'menu';
const MOST_COMMANDS = 100;
const LONGEST_DESCRIPTION = 256;

export interface TelegramCommand {
  readonly command: string;
  readonly description: string;
}

/** Telegram knows no "-" in names. What has no name that it accepts is left out. */
export function telegramCommands(menu: readonly MenuCommand[]): TelegramCommand[] {
  return menu
    .map(({ name, description }) => ({
      command: name.toLowerCase().replaceAll('-', '_'),
      description: description.slice(0, LONGEST_DESCRIPTION) || name,
    }))
    .filter(({ command }) => /^[a-z0-9_]{1,32}$/.test(command))
    .slice(0, MOST_COMMANDS);
}

export interface MenuLink {
  readonly client: Client;
  readonly host: Host;
  readonly menu: readonly MenuCommand[];
}

/** Only when it changed, because the call is rate-limited. Never rejects: a menu is a convenience, and the next start tries again. */
export async function publishMenu({ client, host, menu }: MenuLink, signal: AbortSignal): Promise<void> {
  const commands = telegramCommands(menu);
  const hash = createHash('sha256').update(JSON.stringify(commands)).digest('hex');
  if (commands.length === 0 || host.store.get(KEY) === hash) return;
  try {
    await client.calls.setMyCommands({ commands }, grammySignal(signal));
    host.store.put({ [KEY]: hash });
  } catch (error) {
    if (!signal.aborted) host.log.warn({}, `The command menu could not be set. ${deliveryError(error).message}`);
  }
}
