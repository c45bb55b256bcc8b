import type { AccountStore, Json } from '../../../adapters/adapter.ts';

/** The account store's contract over a map: what goes in is copied as JSON, as a table would. */
export function createMemoryStore(): AccountStore & { readonly keys: () => readonly string[] } {
  const rows = new Map<string, string>();
  return {
    keys: () => [...rows.keys()].sort(),
    get(key) {
      const row = rows.get(key);
      return row === undefined ? undefined : (JSON.parse(row) as Json);
    },
    put(entries) {
      for (const [key, value] of Object.entries(entries)) {
        if (value === undefined) rows.delete(key);
        else rows.set(key, JSON.stringify(value));
      }
    },
    list(prefix, { after, limit, newest }) {
      const keys = [...rows.keys()].filter((key) => key.startsWith(prefix) && (after === undefined || key > after)).sort();
      const chosen = newest ? keys.slice(Math.max(0, keys.length - limit)) : keys.slice(0, limit);
      return chosen.map((key) => [key, JSON.parse(rows.get(key) ?? 'null') as Json] as const);
    },
  };
}
