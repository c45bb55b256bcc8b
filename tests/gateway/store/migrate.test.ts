import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openStore, type Store } from '../../../gateway/store/index.ts';
import { migrations, temporaryHome, temporaryStore } from '../support/home.ts';
import { message } from '../support/inbound.ts';

describe('the upgrade of a database', () => {
  it('keeps the data and makes a checked copy of the old file first', () => {
    const home = oldHome();
    const store = open(home, newerMigrations('create table later (id integer primary key);'));
    expect(store.inbox.pending('lane').map((entry) => entry.payload.event)).toEqual(['old']);
    const copy = /a copy of the old one is at (.+)\.$/.exec(store.notes.join('\n'))?.[1] ?? '';
    expect(tables(copy)).not.toContain('later');
    expect(tables(store.file)).toContain('later');
    expect(rows(copy)).toEqual(rows(store.file));
    store.close();
  });

  it('happens once', () => {
    const home = oldHome();
    const folder = newerMigrations('create table later (id integer primary key);');
    open(home, folder).close();
    const again = open(home, folder);
    expect(again.notes).toEqual([]);
    again.close();
  });

  it('that fails leaves schema and data as they were and says where the copy is', () => {
    const home = oldHome();
    const folder = newerMigrations('create table half_done (id integer);\n--> statement-breakpoint\nalter table nowhere add x integer;');
    const file = path.join(home, 'state.db');
    const before = { tables: tables(file), rows: rows(file) };
    expect(() => open(home, folder)).toThrow(
      /could not be brought to this version; it was left as it was\. A checked copy is at .+before-/,
    );
    expect({ tables: tables(file), rows: rows(file) }).toEqual(before);
    expect(temporaryStore({ home }).inbox.pending('lane')).toHaveLength(1);
  });

  it('is refused to an older version, which would not know the schema', () => {
    const home = oldHome();
    open(home, newerMigrations('create table later (id integer primary key);')).close();
    expect(() => open(home, migrations)).toThrow(/was written by a newer version of this gateway\. Install that version/);
  });

  it('makes no copy of a new home', () => {
    const store = temporaryStore();
    expect(store.notes).toEqual([]);
  });
});

/** A home as the version before left it, with one message in it. */
function oldHome(): string {
  const home = temporaryHome();
  const store = open(home, migrations);
  store.inbox.add({ event: message('hello', { event: 'old' }), lane: 'lane', state: 'pending' });
  store.close();
  return home;
}

function open(home: string, folder: string): Store {
  return openStore({ home, migrations: folder, now: Date.now });
}

/** Today's migrations and one more. */
function newerMigrations(statements: string): string {
  const folder = temporaryHome();
  cpSync(migrations, folder, { recursive: true });
  const file = path.join(folder, 'meta', '_journal.json');
  const journal = JSON.parse(readFileSync(file, 'utf8')) as { entries: { idx: number; when: number; tag: string }[] };
  const last = journal.entries.at(-1);
  journal.entries.push({ ...(last ?? { idx: 0, when: 0, tag: '' }), idx: 99, when: (last?.when ?? 0) + 1000, tag: '0099_later' });
  writeFileSync(file, JSON.stringify(journal));
  writeFileSync(path.join(folder, '0099_later.sql'), statements);
  return folder;
}

function tables(file: string): unknown[] {
  return read(file, "select name from sqlite_master where type = 'table' order by name");
}

function rows(file: string): unknown[] {
  return read(file, 'select event from inbox order by id');
}

function read(file: string, query: string): unknown[] {
  const database = new Sqlite(file, { readonly: true });
  const found = database.prepare(query).pluck().all();
  database.close();
  return found;
}
