/** From updates to `host.receive`: everything of a batch in one call, so that it is one transaction. */
import type { Host, Inbound } from '../adapter.ts';
import type { MenuCommand } from '../platform.ts';
import { gateRules } from '../shared/gate.ts';
import { type CodecContext, decodeUpdate } from './codec.ts';
import type { Identity } from './identity.ts';
import { telegramCommands } from './menu.ts';
import type { Migrations } from './migrations.ts';
import type { TelegramConfig } from './platform.ts';

/** An album's items arrive within moments of each other. */
const rememberedAlbums = 32;

export interface Intake {
  /** Throws when the store refuses: nothing of it was taken then. */
  batch(updates: readonly unknown[]): void;
  one(update: unknown): void;
}

export interface IntakeParts {
  readonly config: TelegramConfig;
  readonly host: Host;
  readonly menu: readonly MenuCommand[];
  readonly migrations: Migrations;
  readonly identity: Identity;
  /** A click that nobody will answer: ends the waiting mark on the button. */
  dismiss(callback: string): void;
}

export function createIntake({ config, host, menu, migrations, identity, dismiss }: IntakeParts): Intake {
  const commands = [
    ...menu.flatMap(({ name, aliases = [] }) => [name, ...aliases]),
    ...telegramCommands(menu).map(({ command }) => command),
  ];
  const rules = gateRules(config);
  const albums = new Set<string>();
  const context = (): CodecContext => {
    const me = identity.me();
    if (me === undefined) throw new Error('Who the bot is has not been told yet; the update must be offered again.');
    return { account: host.account, me, rules, ignoredThreads: config.ignored_threads, commands, albums };
  };
  const batch = (updates: readonly unknown[]): void => {
    const known = context();
    const events: Inbound[] = [];
    const dismissed: string[] = [];
    rememberAlbums(updates, known, albums);
    for (const update of updates) {
      const decoded = decodeUpdate(update, known);
      if (decoded.type === 'message') events.push(decoded.message);
      else if (decoded.type === 'answer') events.push(decoded.answer);
      else if (decoded.type === 'migrated') migrations.moved(Number(decoded.from), Number(decoded.to));
      else if (decoded.callback !== undefined) dismissed.push(decoded.callback);
      else if (decoded.why.startsWith('not as documented'))
        host.log.warn({ update: idOf(update) }, `An update was skipped: ${decoded.why}`);
    }
    if (events.length > 0) host.receive(events);
    for (const callback of dismissed) dismiss(callback);
  };
  return { batch, one: (update) => batch([update]) };
}

/** Before the batch is decoded for good: the item that mentions the bot need not be the first of its album. */
function rememberAlbums(updates: readonly unknown[], context: CodecContext, albums: Set<string>): void {
  if (!updates.some(isAlbumItem)) return;
  for (const update of updates) {
    const decoded = decodeUpdate(update, context);
    if (decoded.type === 'message' && decoded.message.album !== undefined) albums.add(decoded.message.album);
  }
  for (const album of [...albums].slice(0, -rememberedAlbums)) albums.delete(album);
}

function isAlbumItem(update: unknown): boolean {
  if (typeof update !== 'object' || update === null || !('message' in update)) return false;
  return typeof update.message === 'object' && update.message !== null && 'media_group_id' in update.message;
}

function idOf(update: unknown): unknown {
  return typeof update === 'object' && update !== null && 'update_id' in update ? update.update_id : undefined;
}
