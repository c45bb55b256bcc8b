/** What is remembered of messages for some days: whom a reply quotes, what vanished files looked like, when something was sent. */
import type { AccountStore, Json } from '../adapter.ts';

const PAGE = 500;

export interface Recent {
  get(id: string): { readonly [key: string]: Json } | undefined;
  /** Entries for a transaction. */
  entry(id: string, facts: { readonly [key: string]: Json }): Record<string, Json>;
  /** Forgets what is older than `maxAgeMs`. */
  prune(): void;
}

export function createRecent({
  store,
  prefix,
  now,
  maxAgeMs,
}: {
  readonly store: AccountStore;
  readonly prefix: string;
  readonly now: () => number;
  readonly maxAgeMs: number;
}): Recent {
  return {
    get: (id) => record(store.get(prefix + id)),
    entry: (id, facts) => ({ [prefix + id]: { ...facts, at: now() } }),
    prune() {
      let after: string | undefined;
      for (;;) {
        const page = store.list(prefix, { limit: PAGE, ...(after === undefined ? {} : { after }) });
        const old = page.filter(([, value]) => now() - Number(record(value)?.['at'] ?? 0) > maxAgeMs);
        if (old.length > 0) store.put(Object.fromEntries(old.map(([key]) => [key, undefined])));
        after = page.at(-1)?.[0];
        if (page.length < PAGE) return;
      }
    },
  };
}

function record(value: Json | undefined): { readonly [key: string]: Json } | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as { readonly [key: string]: Json }) : undefined;
}
