import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ControlSocket, controlSocketPath, createControlSocket } from '../../../gateway/http/control-socket.ts';
import type { PeopleControl, PeopleList } from '../../../gateway/status.ts';
import { controlHandlers } from '../http/fixture.ts';
import { temporaryHome } from './hermes.ts';
import { hermesHere } from './in-process.ts';

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

const run = (...argv: string[]) => hermesHere(['pairing', ...argv], place.home);

async function daemon(people: Partial<PeopleControl> | undefined): Promise<unknown[][]> {
  const asked: unknown[][] = [];
  const note = (...what: unknown[]) => {
    asked.push(what);
    return { done: true, text: 'Done.' };
  };
  const all: PeopleControl = {
    all: () => nobody,
    approve: (...what) => note('approve', ...what),
    revoke: (...what) => note('revoke', ...what),
    clear: (...what) => note('clear', ...what),
    ...people,
  };
  const handlers = controlHandlers(people === undefined ? {} : { people: all });
  socket = createControlSocket({ path: controlSocketPath(place.home), handlers, log: { info() {}, warn() {} } });
  await socket.listen();
  return asked;
}

const nobody: PeopleList = { people: [], requests: [] };
const full: PeopleList = {
  people: [
    { account: 'telegram/main', person: '123', name: 'Ann', role: 'owner', groupRole: 'owner', approvedAtMs: 0 },
    { account: 'discord/work', person: '42', name: '', role: 'admin', groupRole: 'user', approvedAtMs: 0 },
  ],
  requests: [{ id: 'r', account: 'telegram/main', person: '555', name: 'Mal\u001b[2J\u202elory', expiresAtMs: 4_000_000_000_000 }],
};

describe('hermes pairing list', () => {
  test('shows who was let in and who waits, and nothing that a stranger wrote moves the cursor', async () => {
    await daemon({ all: () => full });
    const { code, out } = await run('list');
    expect(code).toBe(0);
    expect(out).toMatch(/telegram {2}123 {2}\(Ann\) {2}owner, since 19\d\d-/);
    expect(out).toMatch(/discord:work {2}42 {2}admin, in groups user/);
    expect(out).toContain('telegram  555  (Mal\\u{1b}[2J\\u{202e}lory)  until 2096-');
    expect(out).toContain('hermes pairing approve');
    expect(out).not.toContain('no owner');
  });

  test('shows the code for the first owner as long as there is none', async () => {
    await daemon({ all: () => ({ ...nobody, claimCode: 'ABCD2345' }) });
    const { out } = await run('list');
    expect(out).toContain('Nobody was let in by pairing yet.\nNobody waits.\n');
    expect(out).toMatch(/no owner yet.*: ABCD2345\n$/);
  });

  test('prints all of it for a program', async () => {
    await daemon({ all: () => full });
    expect(JSON.parse((await run('list', '--json')).out)).toEqual(full);
  });
});

describe('hermes pairing', () => {
  test.each([
    [
      ['approve', 'telegram', 'abcd-2345'],
      ['approve', 'telegram/main', 'abcd-2345', undefined],
    ],
    [
      ['approve', 'Telegram:Work', 'ABCD2345', '--role', 'admin'],
      ['approve', 'telegram/work', 'ABCD2345', 'admin'],
    ],
    [
      ['revoke', 'discord', '42'],
      ['revoke', 'discord/main', '42'],
    ],
    [['clear-pending'], ['clear', undefined]],
    [
      ['clear-pending', 'slack:acme'],
      ['clear', 'slack/acme'],
    ],
  ])('%j asks the daemon for just that', async (argv, expected) => {
    const asked = await daemon({});
    expect(await run(...argv)).toEqual({ code: 0, out: 'Done.\n', err: '' });
    expect(asked).toEqual([expected]);
  });

  test.each([
    [['approve', 'telegram', 'WRONG234'], { approve: () => ({ done: false, text: 'This is no code.' }) }],
    [['revoke', 'telegram', '1'], { revoke: () => ({ done: false, text: 'This is no code.' }) }],
  ])('%j fails with the sentence of the daemon when nothing was changed', async (argv, people) => {
    await daemon(people);
    expect(await run(...argv)).toEqual({ code: 1, out: '', err: 'hermes: This is no code.\n' });
  });

  test.each([
    [['approve', 'telegram', 'ABCD2345', '--role', 'king'], 'The roles are owner, admin and user.'],
    [['approve', 'tele gram', 'ABCD2345'], 'telegram:work'],
    [['approve', 'telegram'], "missing required argument 'code'"],
    [['revoke', 'telegram:', '1'], 'names no account'],
    [['revoke', 'telegram', '1', '2'], 'too many arguments'],
  ])('%j is a wrong use, which reaches no daemon', async (argv, expected) => {
    const asked = await daemon({});
    const { code, out, err } = await run(...argv);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(expected);
    expect(asked).toEqual([]);
  });

  test('says that no daemon runs, or that it is in safe mode', async () => {
    expect(await run('list')).toMatchObject({ code: 3, err: expect.stringContaining('hermes gateway run') });
    await daemon(undefined);
    expect(await run('approve', 'telegram', 'ABCD2345')).toMatchObject({ code: 1, err: expect.stringContaining('safe mode') });
  });
});

test('every verb with arguments tells them in the help', async () => {
  const { out } = await hermesHere(['pairing', 'approve', '--help'], place.home);
  expect(out).toContain('hermes pairing approve [options] <platform:account> <code>');
  expect((await hermesHere(['--help'], place.home)).out).toContain('pairing clear-pending [platform:account]');
});
