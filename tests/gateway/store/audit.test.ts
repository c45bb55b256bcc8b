import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NewAuditEntry } from '../../../gateway/store/audit.ts';
import type { AuditCheck, AuditProblem } from '../../../gateway/store/audit-rows.ts';
import { openAudit, openStore, type Store } from '../../../gateway/store/index.ts';
import { HomeLockedError } from '../../../gateway/store/lock.ts';
import { closeQuietly, killedCopy, migrations, temporaryHome, temporaryStore } from '../support/home.ts';

const hourMs = 3_600_000;

function entry(change: Partial<NewAuditEntry> = {}): NewAuditEntry {
  return {
    event: 'call.started',
    account: 'telegram/main',
    person: '123',
    tool: 'terminal',
    facts: { b: 1, a: ['x', { z: null }] },
    ...change,
  };
}

/** Rows 1 to `count`, one an hour. */
function recorded(count: number, change: (index: number) => Partial<NewAuditEntry> = () => ({})) {
  const clock = { now: 0 };
  const home = temporaryHome();
  const store = temporaryStore({ home, now: () => clock.now });
  store.quick(() => {
    for (let index = 1; index <= count; index += 1) {
      clock.now = index * hourMs;
      store.audit.append(entry(change(index)));
    }
  });
  return { home, store, clock };
}

/** All of it, slice after slice. */
function verify({ audit }: Store): AuditCheck & { readonly slices: number } {
  let checked = 0;
  let after: number | undefined;
  for (let slices = 1; ; slices += 1) {
    const found = audit.check(after);
    checked += found.checked;
    after = found.last.id;
    if (found.done) return { ...found, checked, slices };
  }
}

/** Somebody changes the file behind the gateway's back. */
function tampered(store: Store, ...statements: readonly string[]): void {
  const database = new Sqlite(store.file);
  for (const statement of statements) database.exec(statement);
  database.close();
}

const swap = `update audit set at = new.at, event = new.event, account = new.account, person = new.person, tool = new.tool, facts = new.facts, hash = new.hash
  from (select case id when 4 then 5 else 4 end as place, * from audit where id in (4, 5)) new where audit.id = new.place`;

describe('the chain of the audit', () => {
  it('is in order as it was written, and after a restart goes on where it was', () => {
    const { home, store } = recorded(5);
    store.close();
    const again = temporaryStore({ home });
    again.audit.append(entry({ event: 'later' }));
    expect(verify(again)).toMatchObject({ checked: 6, last: { id: 6 }, done: true });
    expect(verify(again).problem).toBeUndefined();
  });

  it('is in order when nothing was ever recorded', () => {
    expect(verify(temporaryStore())).toEqual({ checked: 0, last: { id: 0, hash: '' }, done: true, slices: 1 });
  });

  const breaks: readonly (readonly [string, readonly string[], AuditProblem])[] = [
    ...['at = 1', "event = 'x'", "account = 'x'", "person = 'x'", "tool = 'x'", `facts = '{"b":2}'`, "hash = 'x'"].map(
      (what): (typeof breaks)[number] => [
        `a row that was changed (${what})`,
        [`update audit set ${what} where id = 4`],
        { kind: 'changed', id: 4 },
      ],
    ),
    ['a row whose facts are no JSON any more', ["update audit set facts = 'x' where id = 4"], { kind: 'changed', id: 4 }],
    ['a row whose facts are of another kind', ["update audit set facts = '7' where id = 4"], { kind: 'changed', id: 4 }],
    [
      'a row whose facts say something before what they said',
      [`update audit set facts = replace(facts, '{"b":1', '{"b":0,"b":1') where id = 4`],
      { kind: 'changed', id: 4 },
    ],
    ['a row whose facts are stored as bytes', ['update audit set facts = cast(facts as blob) where id = 4'], { kind: 'changed', id: 4 }],
    ['a row whose person is stored as bytes', ['update audit set person = cast(person as blob) where id = 4'], { kind: 'changed', id: 4 }],
    ['a row that was taken out', ['delete from audit where id = 4'], { kind: 'missing', from: 4, to: 4 }],
    [
      'rows that were taken out and the rest moved up',
      ['delete from audit where id = 4', 'update audit set id = id - 1 where id > 4'],
      { kind: 'changed', id: 4 },
    ],
    [
      'a row that was put in',
      [
        'update audit set id = -id - 1 where id > 4',
        'update audit set id = -id where id < 0',
        "insert into audit select 5, at, 'forged', account, person, tool, facts, hash from audit where id = 4",
      ],
      { kind: 'changed', id: 5 },
    ],
    [
      'a row that was put at the end',
      [
        "insert into audit (at, event, account, person, tool, facts, hash) select at, 'forged', account, person, tool, facts, hash from audit where id = 6",
      ],
      { kind: 'changed', id: 7 },
    ],
    ['rows that changed places', [swap], { kind: 'changed', id: 4 }],
    ['a beginning that was taken out', ['delete from audit where id < 4'], { kind: 'missing', from: 1, to: 3 }],
    ['an end that was taken out', ['delete from audit where id > 4'], { kind: 'missing', from: 5, to: 6 }],
    ['all of it taken out', ['delete from audit'], { kind: 'missing', from: 1, to: 6 }],
  ];
  it.each(breaks)('shows %s', (_what, statements, problem) => {
    const { store } = recorded(6);
    tampered(store, ...statements);
    expect(verify(store).problem).toEqual(problem);
  });

  it('still shows an end that was taken out when more was recorded since', () => {
    const { store } = recorded(6);
    tampered(store, 'delete from audit where id > 4');
    for (let time = 0; time < 5; time += 1) store.audit.append(entry());
    expect(verify(store).problem).toEqual({ kind: 'missing', from: 5, to: 6 });
  });

  it('is checked in slices, and each goes on where the one before was', () => {
    const { store } = recorded(1001);
    expect(verify(store)).toMatchObject({ checked: 1001, slices: 3, last: { id: 1001 } });
    tampered(store, 'update audit set at = 1 where id = 1001');
    expect(verify(store).problem).toEqual({ kind: 'changed', id: 1001 });
  });

  it('holds whatever is recorded', () => {
    const store = temporaryStore();
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\ud800', 'a\0b', '\udfff"\\', '__proto__'),
    );
    const row = fc.record({ event: text, account: text, person: text, tool: text, facts: fc.dictionary(text, fc.jsonValue()) });
    let checked = 0;
    fc.assert(
      fc.property(row, (made) => {
        store.audit.append(made as NewAuditEntry);
        const { problem, last } = store.audit.check(checked);
        checked = last.id;
        return problem === undefined;
      }),
      { numRuns: 60 },
    );
  });

  it('is as valid as before when a transaction with a row in it is rolled back, or the process is killed', () => {
    const { home, store } = recorded(2);
    const broken = () =>
      store.quick(() => {
        store.audit.append(entry());
        throw new Error('no');
      });
    expect(broken).toThrow('no');
    store.audit.append(entry());
    const copy = temporaryStore({ home: killedCopy(home) });
    expect(verify(copy)).toMatchObject({ checked: 3, last: { id: 3 } });
    expect(verify(copy).problem).toBeUndefined();
    closeQuietly(copy);
  });
});

describe('the record of a daemon that does not run', () => {
  /** SQLite may make an empty log. */
  const bytes = (home: string) =>
    ['state.db', 'state.db-wal']
      .map((name) => path.join(home, name))
      .map((file) => (existsSync(file) ? readFileSync(file) : Buffer.alloc(0)).toString('base64'));

  it('is read and checked as it was left, by a stop or by a kill, and nothing is written', () => {
    const { home, store } = recorded(3);
    const killed = killedCopy(home);
    store.close();
    for (const left of [home, killed]) {
      const before = bytes(left);
      const audit = openAudit(left);
      expect(audit?.check()).toMatchObject({ checked: 3, last: { id: 3 }, done: true });
      expect(audit?.read({ limit: 2 }).entries.map(({ id }) => id)).toEqual([3, 2]);
      audit?.close();
      expect(bytes(left)).toEqual(before);
    }
    const again = temporaryStore({ home: killed });
    again.audit.append(entry());
    expect(verify(again)).toMatchObject({ checked: 4 });
  });

  it('is not opened beside a daemon, and no daemon starts beside it', () => {
    const { home, store } = recorded(1);
    expect(() => openAudit(home)).toThrow(HomeLockedError);
    store.close();
    const audit = openAudit(home);
    expect(() => openStore({ home, migrations, now: Date.now })).toThrow(HomeLockedError);
    audit?.close();
    temporaryStore({ home });
  });

  it("is none where no gateway ever ran: another program's database stays untouched, and no file is made", () => {
    const home = temporaryHome();
    expect(openAudit(home)).toBeUndefined();
    expect(readdirSync(home)).toEqual([]);
    const other = new Sqlite(path.join(home, 'state.db'));
    other.exec('create table audit (x)');
    other.close();
    expect(openAudit(home)).toBeUndefined();
    expect(readdirSync(home)).toEqual(['state.db']);
  });

  it('says what is wrong with a file that is damaged, and gives the home free', () => {
    const { home, store } = recorded(1);
    store.close();
    const file = path.join(home, 'state.db');
    writeFileSync(file, readFileSync(file).fill(7, 100));
    for (let time = 0; time < 2; time += 1) expect(() => openAudit(home)?.check()).toThrow(/is damaged/);
  });
});

describe('what is old', () => {
  it('is forgotten, and what is left can still be checked', () => {
    const { store } = recorded(6);
    store.audit.prune(4 * hourMs);
    expect(store.audit.read({ limit: 10 }).entries.map(({ id }) => id)).toEqual([6, 5, 4]);
    expect(verify(store)).toMatchObject({ checked: 3, last: { id: 6 } });
    expect(verify(store).problem).toBeUndefined();
    tampered(store, 'delete from audit where id = 4');
    expect(verify(store).problem).toEqual({ kind: 'missing', from: 4, to: 4 });
  });

  it('may be all of it: what comes then goes on from there', () => {
    const { store } = recorded(3);
    store.audit.prune(9 * hourMs);
    expect(verify(store)).toMatchObject({ checked: 0, last: { id: 3 } });
    store.audit.append(entry());
    store.audit.prune(0);
    expect(verify(store)).toMatchObject({ checked: 1, last: { id: 4 } });
    expect(verify(store).problem).toBeUndefined();
  });

  it('never leaves a gap, whatever the clock did', () => {
    const { store, clock } = recorded(3);
    clock.now = 0;
    store.audit.append(entry());
    store.audit.prune(2 * hourMs);
    expect(store.audit.read({ limit: 10 }).entries.map(({ id }) => id)).toEqual([4, 3, 2]);
    expect(verify(store).problem).toBeUndefined();
  });
});

describe('reading the audit', () => {
  const ids = (store: Store, filter: object) => store.audit.read({ limit: 10, ...filter }).entries.map(({ id }) => id);

  it('finds by time, person and tool, newest first', () => {
    const { store } = recorded(6, (index) => ({
      person: index % 2 === 0 ? '456' : '123',
      account: index < 5 ? 'telegram/main' : 'discord/work',
      tool: index % 3 === 0 ? 'file_write' : 'terminal',
    }));
    expect(ids(store, {})).toEqual([6, 5, 4, 3, 2, 1]);
    expect(ids(store, { sinceMs: 5 * hourMs })).toEqual([6, 5]);
    expect(ids(store, { user: '456' })).toEqual([6, 4, 2]);
    expect(ids(store, { user: 'telegram:456' })).toEqual([4, 2]);
    expect(ids(store, { user: 'discord:work:456' })).toEqual([6]);
    expect(ids(store, { user: 'telegram:45' })).toEqual([]);
    expect(ids(store, { user: '%' })).toEqual([]);
    expect(ids(store, { tool: 'file_write', user: '456', sinceMs: 0 })).toEqual([6]);
    expect(ids(store, { sinceMs: 7 * hourMs })).toEqual([]);
  });

  it('shows a row that somebody has spoilt as it stands, and the others', () => {
    const { store } = recorded(3);
    tampered(store, "update audit set facts = 'no \u001b json', event = cast('x' as blob), tool = cast('y' as blob) where id = 2");
    const [, spoilt, ...rest] = store.audit.read({ limit: 10 }).entries;
    expect(spoilt).toMatchObject({ id: 2, event: 'x', tool: 'y', facts: { unreadable: 'no \u001b json' } });
    expect(rest).toMatchObject([{ id: 1, facts: { b: 1 } }]);
  });

  it('goes page by page through all that is there, each once', () => {
    const { store } = recorded(7);
    const found: number[] = [];
    let before: number | undefined;
    do {
      const { entries, next } = store.audit.read({ limit: 3, before });
      found.push(...entries.map(({ id }) => id));
      before = next;
    } while (before !== undefined);
    expect(found).toEqual([7, 6, 5, 4, 3, 2, 1]);
  });

  it('looks at so many rows at a time, and goes on behind those that were not meant', () => {
    const home = temporaryHome();
    const store = temporaryStore({ home });
    store.quick(() => {
      for (let index = 0; index < 20_500; index += 1) store.audit.append(entry({ person: index === 3 ? 'rare' : '1' }));
    });
    const first = store.audit.read({ limit: 10, user: 'rare' });
    expect(first).toEqual({ entries: [], next: 501 });
    expect(store.audit.read({ limit: 10, user: 'rare', before: first.next })).toMatchObject({ entries: [{ id: 4 }] });
    expect(store.audit.read({ limit: 10, user: 'rare', before: first.next }).next).toBeUndefined();
  });

  it('a page is not longer than a megabyte, and a row that is longer comes all the same', () => {
    const { store } = recorded(3, (index) => ({ facts: { arguments: 'x'.repeat(index === 2 ? 900_000 : 300_000) } }));
    expect(store.audit.read({ limit: 10 })).toMatchObject({ entries: [{ id: 3 }], next: 3 });
    expect(store.audit.read({ limit: 10, before: 3 })).toMatchObject({ entries: [{ id: 2 }], next: 2 });
  });
});
