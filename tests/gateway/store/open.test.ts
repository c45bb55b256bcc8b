import { spawn } from 'node:child_process';
import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import Sqlite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore, type Store } from '../../../gateway/store/index.ts';
import { HomeLockedError } from '../../../gateway/store/lock.ts';
import { killedCopy, migrations, temporaryHome, temporaryStore } from '../support/home.ts';
import { message } from '../support/inbound.ts';
import { smallDisk } from '../support/small-disk.ts';

const open = (home: string): Store => openStore({ home, migrations, now: Date.now });

describe('the lock of a home', () => {
  it('a second gateway on the same home is refused with a sentence that names the process', () => {
    const home = temporaryHome();
    temporaryStore({ home });
    expect(() => open(home)).toThrow(HomeLockedError);
    expect(() => open(home)).toThrow(`another gateway is running on ${home} (process ${process.pid}). Stop it first`);
  });

  it('the refused one leaves the first one at work', () => {
    const home = temporaryHome();
    const store = temporaryStore({ home });
    expect(() => open(home)).toThrow(HomeLockedError);
    store.meta.set('still', 'here');
    expect(store.meta.get('still')).toBe('here');
  });

  it('is given free by a clean stop', () => {
    const home = temporaryHome();
    temporaryStore({ home }).close();
    expect(() => temporaryStore({ home })).not.toThrow();
  });

  it('is given free by the kernel when the process is killed', { timeout: 20_000 }, async () => {
    const home = temporaryHome();
    const holder = spawnHolder(home);
    expect(await holder.line()).toBe('open');
    expect(() => open(home)).toThrow(`(process ${holder.pid})`);
    await holder.kill();
    expect(temporaryStore({ home }).meta.get('kept')).toBe('by the killed process');
  });

  it('is given free when the store cannot be opened', () => {
    const home = temporaryHome();
    damage(home);
    expect(() => open(home)).toThrow('is damaged');
    expect(() => open(home)).toThrow('is damaged');
  });
});

describe('which file the store uses', () => {
  it('a new home gets state.db', () => {
    const home = temporaryHome();
    const store = temporaryStore({ home });
    expect(store.file).toBe(path.join(home, 'state.db'));
    expect(store.notes).toEqual([]);
  });

  it('a state.db of another program stays byte for byte as it is, and gateway.db is used', () => {
    const home = temporaryHome();
    const foreign = foreignDatabase(home);
    const before = readFileSync(foreign);
    const store = temporaryStore({ home });
    store.meta.set('mine', true);
    store.close();
    expect(store.file).toBe(path.join(home, 'gateway.db'));
    expect(store.notes.join()).toContain('belongs to another program and is left untouched');
    expect(readFileSync(foreign).equals(before)).toBe(true);
    expect(existsSync(`${foreign}-wal`)).toBe(false);
    expect(temporaryStore({ home }).meta.get('mine')).toBe(true);
  });

  it('a file that is no database at all is another program’s too', () => {
    const home = temporaryHome();
    const file = path.join(home, 'state.db');
    writeFileSync(file, 'x');
    temporaryStore({ home }).close();
    expect(readFileSync(file, 'utf8')).toBe('x');
  });

  it('goes on with gateway.db after the other program’s state.db was removed', () => {
    const home = temporaryHome();
    const foreign = foreignDatabase(home);
    const first = temporaryStore({ home });
    first.meta.set('mine', true);
    first.close();
    truncateSync(foreign);
    expect(temporaryStore({ home }).meta.get('mine')).toBe(true);
  });

  it('finds its own file again after a kill before the first checkpoint', () => {
    const home = temporaryHome();
    temporaryStore({ home }).meta.set('kept', 1);
    const again = temporaryStore({ home: killedCopy(home) });
    expect(path.basename(again.file)).toBe('state.db');
    expect(again.meta.get('kept')).toBe(1);
  });
});

describe('what cannot be opened', () => {
  it('a damaged file is told with what to do, and is not changed', () => {
    const home = temporaryHome();
    const file = damage(home);
    const before = readFileSync(file);
    expect(() => open(home)).toThrow(
      /database .*state\.db is damaged \(.+\)\. Move it away and restore a backup, or start with an empty home\./,
    );
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('damage that only the check after an unclean stop can see stops the start', () => {
    const home = temporaryHome();
    const store = temporaryStore({ home });
    fill(store);
    store.close();
    const file = path.join(home, 'state.db');
    setClean(file, false);
    const bytes = readFileSync(file);
    scramble(bytes);
    writeFileSync(file, bytes);
    expect(() => open(home)).toThrow('is damaged');
  });

  it('a home that does not exist is told with what to do', () => {
    const home = path.join(temporaryHome(), 'nowhere');
    expect(() => open(home)).toThrow(`the gateway cannot write in ${home}`);
    expect(() => open(home)).toThrow('set HERMES_HOME to another directory');
  });

  it('a read-only home is told with what to do', async ({ skip }) => {
    const home = temporaryHome();
    temporaryStore({ home }).close();
    const disk = smallDisk({ readOnly: true });
    if (disk === undefined) return skip('only root may mount a read-only disk');
    expect(() => open(disk)).toThrow(`the gateway cannot write in ${disk}`);
    expect(() => open(disk)).toThrow('Check that it exists, belongs to you and has space');
  });

  it('a full disk at the first start is told with what to do', ({ skip }) => {
    const disk = smallDisk({ kilobytes: 16 });
    if (disk === undefined) return skip('only root may mount a small disk');
    expect(() => open(disk)).toThrow(/is full\. Free some space and start again|can be written and have space/);
  });
});

/** A SQLite file as Hermes Agent leaves it. */
function foreignDatabase(home: string): string {
  const file = path.join(home, 'state.db');
  const foreign = new Sqlite(file);
  foreign.exec('create table sessions (id text primary key, title text); insert into sessions values (1, 2)');
  foreign.close();
  return file;
}

/** Our own header in front of noise. */
function damage(home: string): string {
  const store = temporaryStore({ home });
  fill(store);
  store.close();
  const file = path.join(home, 'state.db');
  const bytes = readFileSync(file);
  bytes.fill(0xa5, 100);
  writeFileSync(file, bytes);
  return file;
}

function fill(store: Store): void {
  store.durable(() => {
    for (let index = 0; index < 200; index += 1) {
      store.inbox.add({ event: message('x'.repeat(500), { event: `fill-${index}` }), lane: `lane-${index}`, state: 'pending' });
    }
  });
}

/** Noise in the middle of some pages behind the schema. */
function scramble(bytes: Buffer): void {
  for (let page = 50; page * 4096 < bytes.length; page += 3) bytes.fill(0xff, page * 4096, page * 4096 + 64);
}

function setClean(file: string, clean: boolean): void {
  const database = new Sqlite(file);
  database.prepare("update meta set value = ? where key = 'clean'").run(JSON.stringify(clean));
  database.close();
}

interface Holder {
  readonly pid: number | undefined;
  line(): Promise<string>;
  kill(): Promise<void>;
}

/** A process of its own that opens the store and waits. */
function spawnHolder(home: string): Holder {
  const script = fileURLToPath(new URL('../support/hold-store.ts', import.meta.url));
  const child = spawn(process.execPath, [script, home, migrations], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    pid: child.pid,
    line: () => new Promise((resolve) => child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()))),
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
