/** Brings a database to the newest schema: a checked copy first, then all migrations in one transaction. */
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { sql } from 'drizzle-orm';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { z } from 'zod';
import type { Database } from './database.ts';

const journalSchema = z.object({ entries: z.array(z.object({ when: z.number(), tag: z.string() })) });

export interface MigrationResult {
  /** The checked copy that was made before an existing database was changed. */
  readonly copy?: string;
}

/** Throws with the old data untouched (the transaction is rolled back) when a migration fails. */
export function migrateDatabase(database: Database, file: string, folder: string): MigrationResult {
  const applied = lastApplied(database);
  const newest = newestMigration(folder);
  if (applied !== undefined && applied > newest)
    throw new Error(
      `the database ${file} was written by a newer version of this gateway. Install that version, or start with another home.`,
    );
  if (applied === newest) return {};
  const copy = applied === undefined ? undefined : checkedCopy(database, `${file}.before-${newest}`);
  try {
    migrate(database.orm, { migrationsFolder: folder });
  } catch (error) {
    const kept = copy === undefined ? '' : ` A checked copy is at ${copy}.`;
    throw new Error(`the database ${file} could not be brought to this version; it was left as it was.${kept}`, { cause: error });
  }
  return copy === undefined ? {} : { copy };
}

function lastApplied(database: Database): number | undefined {
  const table = database.orm.get(sql`select name from sqlite_master where type = 'table' and name = '__drizzle_migrations'`);
  if (table === undefined) return undefined;
  const row = database.orm.get<{ at: number | null }>(sql`select max(created_at) as at from __drizzle_migrations`);
  return row?.at ?? undefined;
}

function newestMigration(folder: string): number {
  const journal = journalSchema.parse(JSON.parse(readFileSync(path.join(folder, 'meta', '_journal.json'), 'utf8')));
  return Math.max(...journal.entries.map((entry) => entry.when));
}

function checkedCopy(database: Database, to: string): string {
  rmSync(to, { force: true });
  database.orm.run(sql`vacuum into ${to}`);
  const copy = new Sqlite(to, { readonly: true });
  try {
    const result = copy.pragma('integrity_check', { simple: true });
    if (result !== 'ok')
      throw new Error(`the copy of the database made before the upgrade is damaged (${String(result)}); nothing was changed`);
    return to;
  } finally {
    copy.close();
  }
}
