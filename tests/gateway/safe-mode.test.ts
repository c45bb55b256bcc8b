import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Daemon } from '../../gateway/daemon.ts';
import { callControl } from '../../gateway/http/control-client.ts';
import { safeModeNote, startSafeMode } from '../../gateway/safe-mode.ts';
import { beginStart } from '../../gateway/starts.ts';
import type { Store } from '../../gateway/store/index.ts';
import { temporaryHome, temporaryStore } from './support/home.ts';
import { message } from './support/inbound.ts';
import { memoryLog } from './support/log.ts';

function freshHome(): string {
  const home = temporaryHome();
  mkdirSync(path.join(home, 'run'), { mode: 0o700 });
  return home;
}

describe('starts in a row', () => {
  it('that end before they are ready are counted, and the sixth is one into safe mode', () => {
    const home = freshHome();
    const seen = Array.from({ length: 8 }, () => beginStart(home)).map(({ failed, isSafe }) => [failed, isSafe]);
    expect(seen.slice(0, 5)).toEqual([0, 1, 2, 3, 4].map((failed) => [failed, false]));
    expect(seen.slice(5)).toEqual([5, 5, 5].map((failed) => [failed, true]));
  });

  it('begin at none after one that was ready, whatever becomes of that one later', () => {
    const home = freshHome();
    beginStart(home);
    const ready = beginStart(home);
    ready.reset();
    ready.forgive();
    ready.fails(new Error('much later'));
    expect(existsSync(ready.file)).toBe(false);
    expect(beginStart(home).failed).toBe(0);
  });

  it('are as many as before after one that was stopped in order before it was ready', () => {
    const home = freshHome();
    beginStart(home).fails(new Error('no port'));
    beginStart(home).forgive();
    const { failed, lastError } = beginStart(home);
    expect([failed, lastError]).toEqual([1, 'no port']);
  });

  it('hand on why the last of them failed that could say so, in a file for the owner alone', () => {
    const home = freshHome();
    beginStart(home).fails(new Error('the port is taken'));
    beginStart(home);
    const { lastError, file } = beginStart(home);
    expect(lastError).toBe('the port is taken');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ failed: 3, lastError: 'the port is taken' });
  });

  it.each(['', '{', '{"failed":-1}', '{"failed":"many"}'])('count nothing where the file says %j', (content) => {
    const home = freshHome();
    writeFileSync(path.join(home, 'run', 'starts.json'), content);
    expect(beginStart(home)).toMatchObject({ failed: 0, isSafe: false });
  });

  it('are not kept from being made by a directory that takes no file', () => {
    const home = freshHome();
    writeFileSync(path.join(home, 'run', 'starts.json.new'), '');
    chmodSync(path.join(home, 'run', 'starts.json.new'), 0o400);
    mkdirSync(path.join(home, 'run', 'starts.json'));
    const start = beginStart(home);
    start.forgive();
    beginStart(home).reset();
    expect(start.failed).toBe(0);
  });
});

describe('safe mode', () => {
  const facts = { failed: 5, lastError: 'Port 1 is in use.', file: '/home/me/.hermes/run/starts.json' };

  async function safely(store: Store | undefined, restart = (): void => undefined): Promise<{ daemon: Daemon; ask: Ask }> {
    const controlSocket = path.join(temporaryHome(), 'run', 'gateway.sock');
    const options = { version: '1', home: '/home', store, http: undefined, notes: [safeModeNote(facts)], controlSocket, restart };
    const daemon = await startSafeMode({ ...options, redact: (text) => text, log: memoryLog(), now: Date.now });
    return { daemon, ask: (method, route) => callControl(controlSocket, { method, route }, AbortSignal.timeout(5000)) };
  }
  type Ask = (method: 'GET' | 'POST', route: string) => Promise<unknown>;

  it('says what happened, why, and what to do', () => {
    const note = safeModeNote(facts);
    expect(note).toMatch(
      /^Safe mode: 5 starts in a row failed.*Port 1 is in use\..*hermes gateway restart.*hermes gateway run.*starts\.json/,
    );
    expect(safeModeNote({ ...facts, lastError: undefined })).toContain('without saying why');
  });

  it('works on nothing that waits, shows how much that is, and is never ready', async () => {
    const store = temporaryStore();
    store.inbox.add({ event: message('hello'), lane: 'ann', state: 'pending' });
    const { daemon, ask } = await safely(store);
    expect(await ask('GET', '/api/status')).toMatchObject({
      accounts: [],
      work: { inboxPending: 1, turnsRunning: 0 },
      notes: [expect.stringContaining('Safe mode')],
    });
    expect(await ask('GET', '/readyz')).toEqual({ ready: false, accounts: [] });
    expect([daemon.ready(), store.inbox.countOpen()]).toEqual([false, 1]);
    await daemon.stop();
  });

  it('comes up without a store that cannot be opened', async () => {
    const { daemon, ask } = await safely(undefined);
    expect(await ask('GET', '/api/status')).toMatchObject({ database: 'not open', notes: [expect.stringContaining('Safe mode')] });
    await daemon.stop();
  });

  it('is left by a restart over the control socket', async () => {
    const asked = Promise.withResolvers<void>();
    const { daemon, ask } = await safely(undefined, asked.resolve);
    expect(await ask('POST', '/api/restart')).toEqual({ restarting: true });
    await asked.promise;
    await daemon.restart(0);
  });
});
