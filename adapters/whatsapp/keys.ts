/**
 * What makes us a linked device: credentials and encryption keys, in the account's own store. Each change is one transaction that is on
 * disk when the call returns, and touches only the keys that changed.
 */
import type { AccountStore, Json } from '../adapter.ts';
import { fromJson, toJson } from './bytes.ts';

const CREDENTIALS = 'auth:creds';
const KEYS = 'auth:key:';
const PAGE = 500;

export function keyName(type: string, id: string): string {
  return `${KEYS}${type}:${id}`;
}

/** Values by type and id; null removes. */
export type KeyChanges = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

export interface KeyRing {
  /** Undefined before the first connection. */
  credentials(): Record<string, unknown> | undefined;
  saveCredentials(credentials: object): void;
  get(type: string, ids: readonly string[]): Record<string, unknown>;
  set(changes: KeyChanges): void;
  /** A phone has confirmed this device. */
  isLinked(): boolean;
  /** After WhatsApp logged us out: what is left is worthless. */
  clear(): void;
}

export function createKeyRing(store: AccountStore): KeyRing {
  const credentials = (): Record<string, unknown> | undefined => {
    const kept = fromJson(store.get(CREDENTIALS));
    return typeof kept === 'object' && kept !== null ? { ...kept } : undefined;
  };
  return {
    credentials,
    saveCredentials: (fresh) => store.put({ [CREDENTIALS]: toJson(fresh) }),
    get(type, ids) {
      const found: Record<string, unknown> = {};
      for (const id of ids) {
        const kept = store.get(keyName(type, id));
        if (kept !== undefined) found[id] = fromJson(kept);
      }
      return found;
    },
    set: (changes) => store.put(entriesOf(changes)),
    // `me` is there as soon as a pairing code was asked for, and `registered` only after a pairing by code.
    isLinked: () => credentials()?.['account'] !== undefined,
    clear: () => clearAll(store),
  };
}

function entriesOf(changes: KeyChanges): Record<string, Json | undefined> {
  const entries: Record<string, Json | undefined> = {};
  for (const [type, values] of Object.entries(changes))
    for (const [id, value] of Object.entries(values ?? {}))
      entries[keyName(type, id)] = value === null || value === undefined ? undefined : toJson(value);
  return entries;
}

/** The credentials last: a crash in between leaves a device that is logged out all the same, and clears again. */
function clearAll(store: AccountStore): void {
  for (;;) {
    const page = store.list(KEYS, { limit: PAGE });
    if (page.length === 0) break;
    store.put(Object.fromEntries(page.map(([key]) => [key, undefined])));
  }
  store.put({ [CREDENTIALS]: undefined });
}
