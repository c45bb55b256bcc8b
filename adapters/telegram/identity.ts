/** Who the bot is. Kept from start to start, so that a warm start polls at once and asks meanwhile. */
import type { Host } from '../adapter.ts';
import { type Client, grammySignal } from './client.ts';
import { errorCode } from './errors.ts';

export interface Me {
  readonly id: number;
  /** Without "@". */
  readonly username: string;
}

export interface Identity {
  /** Undefined until it is known; then mentions can be told. */
  me(): Me | undefined;
  /** Resolves when `me` is known; asks Telegram only if it is not. Rejects with the error of the call. */
  prepare(signal: AbortSignal): Promise<void>;
  /** Asks Telegram again if what we know is from an earlier run. Never rejects. */
  confirm(signal: AbortSignal): Promise<void>;
}

const KEY = 'me';

export function createIdentity({
  token,
  host,
  client,
}: {
  readonly token: string;
  readonly host: Host;
  readonly client: Client;
}): Identity {
  let me = remembered(host.store.get(KEY), Number(token.split(':')[0]));
  let fresh = false;
  const ask = async (signal: AbortSignal): Promise<void> => {
    const { id, username } = await client.probe.getMe(grammySignal(signal));
    if (me?.id !== id || me.username !== username) host.store.put({ [KEY]: { id, username } });
    me = { id, username };
    fresh = true;
  };
  return {
    me: () => me,
    async prepare(signal) {
      if (me === undefined) await ask(signal);
    },
    async confirm(signal) {
      // A wrong token shows in the poll as well; a bot that was renamed only here.
      if (fresh) return;
      try {
        await ask(signal);
      } catch (error) {
        const facts = { code: errorCode(error), detail: error instanceof Error ? error.name : '' };
        if (!signal.aborted) host.log.info(facts, 'Who the bot is could not be asked again: what was known at the last start holds.');
      }
    },
  };
}

/** What was kept, unless it belongs to another bot's token. */
function remembered(kept: unknown, id: number): Me | undefined {
  if (typeof kept !== 'object' || kept === null || !('id' in kept) || !('username' in kept)) return undefined;
  return kept.id === id && typeof kept.username === 'string' ? { id, username: kept.username } : undefined;
}
