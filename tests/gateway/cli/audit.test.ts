import { readdirSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sinceMs } from '../../../gateway/cli/since.ts';
import { type ControlSocket, controlSocketPath, createControlSocket } from '../../../gateway/http/control-socket.ts';
import type { NewAuditEntry } from '../../../gateway/store/audit.ts';
import { openStore, type Store } from '../../../gateway/store/index.ts';
import { controlHandlers } from '../http/fixture.ts';
import { migrations, temporaryStore } from '../support/home.ts';
import { temporaryHome } from './hermes.ts';
import { hermesHere } from './in-process.ts';

const hourMs = 3_600_000;
let place: ReturnType<typeof temporaryHome>;
let socket: ControlSocket | undefined;
beforeEach(() => {
  place = temporaryHome();
});
afterEach(async () => {
  await socket?.close();
  socket = undefined;
  place.remove();
});

const run = (...argv: string[]) => hermesHere(['audit', ...argv], place.home);

async function daemon(...rows: readonly (Partial<NewAuditEntry> & { readonly agoMs?: number })[]): Promise<Store> {
  const clock = { now: 0 };
  const store = temporaryStore({ home: place.home, now: () => clock.now });
  store.quick(() => {
    for (const { agoMs = 0, ...row } of rows) {
      clock.now = Date.now() - agoMs;
      store.audit.append({ event: 'call.finished', account: 'telegram/main', person: '123', tool: 'terminal', facts: {}, ...row });
    }
  });
  await listen(store);
  return store;
}

async function listen(store: Store | undefined): Promise<void> {
  const handlers = controlHandlers(store === undefined ? {} : { audit: store.audit });
  socket = createControlSocket({ path: controlSocketPath(place.home), handlers, log: { info() {}, warn() {} } });
  await socket.listen();
}

describe('hermes audit', () => {
  test('shows a line for each event, oldest first, and nothing in it moves the cursor', async () => {
    await daemon(
      { event: 'call.started', facts: { arguments: '{"command":"ls\u001b[2J"}', by: 'person', decider: '123', choice: 'once' } },
      { event: 'call.finished', facts: { status: 'ok', exitCode: 3, durationMs: 120 } },
      { event: 'call.refused', facts: { arguments: '{}', by: 'risk', reason: `Refused.\n${'x'.repeat(900)}` } },
      { event: 'ask.decided', tool: '', facts: { choice: 'deny', about: 'approval', number: 4, requester: '77' } },
      { event: 'pairing.approved', account: 'discord/work', tool: '', facts: { name: 'Ann', role: 'user', by: 'owner' } },
      { event: 'command', tool: '', facts: { command: 'yolo', reply: 'I do not ask.' } },
      { event: 'command.refused', tool: '', facts: { command: 'restart', reply: '/restart is not for you.' } },
      { event: 'call.invalid', tool: 'teleport', facts: { arguments: '{}', reason: 'There is no such tool.', by: 'arguments' } },
      { event: 'pairing.failed', tool: '', facts: { name: 'Eve', of: 'claim', why: 'wrong' } },
      { event: 'owner', account: '', person: 'owner', tool: '', facts: { act: 'restart' } },
    );
    const { code, out, err } = await run();
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const lines = out.trimEnd().split('\n');
    expect(lines.map((line) => line.replace(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}/, ''))).toEqual([
      'telegram:123  call.started  terminal  {"command":"ls\\u{1b}[2J"}  [person 123 once]',
      'telegram:123  call.finished  terminal  ok  exit code 3  120 ms',
      expect.stringMatching(
        /^telegram:123 {2}call\.refused {2}terminal {2}\{\} {2}\[risk\] {2}Refused\.\\u\{a\}x+… \(409 more, see --json\)$/,
      ),
      'telegram:123  ask.decided  deny  approval #4 of 77',
      'discord:work:123  pairing.approved  Ann  user  [owner]',
      'telegram:123  command  /yolo  I do not ask.',
      'telegram:123  command.refused  /restart  /restart is not for you.',
      'telegram:123  call.invalid  teleport  {}  [arguments]  There is no such tool.',
      'telegram:123  pairing.failed  Eve  wrong code to claim',
      'owner  owner  restart',
    ]);
  });

  test('finds by time, person and tool, and shows at most so many', async () => {
    await daemon(
      { agoMs: 30 * hourMs, facts: { status: 'old' } },
      { agoMs: 2 * hourMs, person: '456', facts: { status: 'other' } },
      { agoMs: hourMs, tool: 'file_write', facts: { status: 'wrote' } },
      { facts: { status: 'new' } },
    );
    const shown = async (...argv: string[]) => [...(await run(...argv)).out.matchAll(/(old|other|wrote|new)$/gm)].map(([word]) => word);
    expect(await shown()).toEqual(['old', 'other', 'wrote', 'new']);
    expect(await shown('--since', '24h')).toEqual(['other', 'wrote', 'new']);
    expect(await shown('--user', 'telegram:456')).toEqual(['other']);
    expect(await shown('--tool', 'file_write')).toEqual(['wrote']);
    expect(await shown('--limit', '2')).toEqual(['wrote', 'new']);
    expect((await run('--user', 'nobody')).out).toBe('Nothing is recorded that was asked for.\n');
  });

  test('prints all of it for a program, over as many pages as it takes', async () => {
    await daemon(...Array.from({ length: 5 }, (_, index) => ({ facts: { arguments: `${index}`.repeat(300_000) } })));
    const rows: unknown = JSON.parse((await run('--json')).out);
    expect(rows).toMatchObject([1, 2, 3, 4, 5].map((id) => ({ id, facts: { arguments: `${id - 1}`.repeat(300_000) } })));
    expect(rows).toMatchObject([{ hash: expect.stringMatching(/^[0-9a-f]{64}$/) }, {}, {}, {}, {}]);
  });

  test.each([
    [['--since', 'yesterday'], 'is no time'],
    [['--limit', '0'], 'is no count'],
    [['--limit', 'all'], 'is no count'],
  ])('%j is a wrong use', async (argv, expected) => {
    await daemon();
    expect(await run(...argv)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(expected) });
  });

  test('says that the daemon has no database', async () => {
    await listen(undefined);
    expect(await run()).toMatchObject({ code: 1, err: expect.stringContaining('could not open its database') });
    expect(await run('verify')).toMatchObject({ code: 1, err: expect.stringContaining('could not open its database') });
  });
});

describe('where no daemon runs', () => {
  test('the database itself is read, and a row that was changed shows', async () => {
    const store = await daemon({ facts: { status: 'one' } }, { person: '456', facts: { status: 'two' } }, { facts: { status: 'three' } });
    const { hash } = store.audit.check().last;
    await socket?.close();
    socket = undefined;
    store.close();
    const { out } = await run('--user', '456');
    expect(out).toMatch(/^No gateway runs: this is by its database\.\n.* {2}telegram:456 {2}call\.finished {2}terminal {2}two\n$/);
    expect(JSON.parse((await run('--json', '-n', '2')).out)).toMatchObject([{ id: 2 }, { id: 3 }]);
    expect(await run('verify')).toEqual({ code: 0, out: `3 rows in order. The newest is row 3, its hash ${hash}.\n`, err: '' });
    const database = new Sqlite(store.file);
    database.exec("update audit set person = '1' where id = 2");
    database.close();
    expect(await run('verify')).toMatchObject({ code: 1, out: '', err: expect.stringContaining('row 2, or the one before it') });
  });

  test('and nothing was ever recorded, it says so and makes no file', async () => {
    expect((await run()).out).toBe('No gateway runs: this is by its database.\nNothing is recorded that was asked for.\n');
    expect(await run('verify')).toMatchObject({ code: 0, out: 'Nothing is recorded, and nothing is missing.\n' });
    expect(readdirSync(place.home)).not.toContain('gateway.lock');
  });

  test('but one is just starting, it does not look beside it', async () => {
    const starting = openStore({ home: place.home, migrations, now: Date.now });
    for (const argv of [[], ['verify']]) {
      const { code, err } = await run(...argv);
      expect({ code, err }).toEqual({ code: 1, err: 'hermes: A gateway is just starting or stopping here. Try again in a moment.\n' });
    }
    starting.close();
  });
});

describe('hermes audit verify', () => {
  const many = Array.from({ length: 2500 }, () => ({}));

  test('says how much is in order, and the hash of the newest', async () => {
    const store = await daemon(...many);
    const { hash } = store.audit.check(2000).last;
    expect(await run('verify')).toEqual({ code: 0, out: `2,500 rows in order. The newest is row 2500, its hash ${hash}.\n`, err: '' });
  });

  test('is content with a record that is empty', async () => {
    await daemon();
    expect(await run('verify')).toMatchObject({ code: 0, out: 'Nothing is recorded, and nothing is missing.\n' });
  });

  test.each([
    ["update audit set person = '1' where id = 2100", '(2,099 rows before that in order): row 2100, or the one before it, was changed'],
    ['delete from audit where id = 7', 'row 7 is missing'],
    ['delete from audit where id > 2400', '(2,400 rows before that in order): rows 2401 to 2500 are missing'],
  ])('fails after "%s" and says where', async (statement, expected) => {
    const store = await daemon(...many);
    const database = new Sqlite(store.file);
    database.exec(statement);
    database.close();
    const { code, out, err } = await run('verify');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(expected);
  });
});

test('times are written as people write them', () => {
  const now = Date.UTC(2026, 6, 28, 12);
  expect(['30m', '24h', '7d', '2w'].map((text) => (now - sinceMs(text, now)) / hourMs)).toEqual([0.5, 24, 168, 336]);
  expect(sinceMs('2026-07-28', now)).toBe(new Date(2026, 6, 28).getTime());
  expect(sinceMs('2026-07-28T10:00:00Z', now)).toBe(Date.UTC(2026, 6, 28, 10));
  for (const text of ['', '24', 'h', '24 h', '-1h', '2026-13-01', '1h2m']) expect(() => sinceMs(text, now)).toThrow('is no time');
});
