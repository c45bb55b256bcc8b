import { eq, sql } from 'drizzle-orm';
import type { Json } from '../../adapters/adapter.ts';
import type { Database } from './database.ts';
import { meta } from './schema.ts';

/** Facts about the installation as a whole. */
export interface MetaStore {
  get(key: string): Json | undefined;
  set(key: string, value: Json): void;
}

export function createMetaStore({ orm }: Pick<Database, 'orm'>): MetaStore {
  const get = orm
    .select({ value: meta.value })
    .from(meta)
    .where(eq(meta.key, sql.placeholder('key')))
    .prepare();
  return {
    get: (key) => get.get({ key })?.value,
    set: (key, value) => {
      orm.insert(meta).values({ key, value }).onConflictDoUpdate({ target: meta.key, set: { value } }).run();
    },
  };
}
