/** What a handler may have changed: the whole database, as it is on the disk now. */
import path from 'node:path';
import Sqlite from 'better-sqlite3';

export type State = Readonly<Record<string, readonly unknown[]>>;

/** All rows of all tables but `meta`, which remembers that the store could be written. */
export function stateOf(home: string): State {
  const database = new Sqlite(path.join(home, 'state.db'), { readonly: true });
  try {
    const names = database.prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'").pluck().all();
    return Object.fromEntries(names.flatMap((name) => (name === 'meta' ? [] : [[name, rowsOf(database, String(name))]])));
  } finally {
    database.close();
  }
}

/** What somebody's wish may have changed. That it was heard, and refused with a sentence, is on record and changes nothing. */
export function effectsOf(home: string): State {
  const { inbox: _, outbox: __, refusals: ___, audit = [], ...tables } = stateOf(home);
  return { ...tables, audit: audit.filter((row) => !String((row as { readonly event: unknown }).event).endsWith('.refused')) };
}

function rowsOf(database: Sqlite.Database, table: string): readonly unknown[] {
  return database.prepare(`select * from "${table}"`).all();
}
