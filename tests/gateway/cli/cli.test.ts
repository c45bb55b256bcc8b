import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ControlSocket, createControlSocket } from '../../../gateway/http/control-socket.ts';
import type { Status } from '../../../gateway/status.ts';
import { controlHandlers } from '../http/fixture.ts';
import { hermes, temporaryHome } from './hermes.ts';

let place: ReturnType<typeof temporaryHome>;
beforeEach(() => {
  place = temporaryHome();
});
afterEach(() => {
  place.remove();
});

function run(...argv: string[]) {
  return hermes(argv, { home: place.home });
}

describe('the command line', () => {
  test.each([[[]], [['--help']], [['-h']]])('%j tells every verb', async (argv) => {
    const { code, out } = await run(...argv);
    expect(code).toBe(0);
    for (const verb of ['gateway run', 'gateway status', 'gateway link', 'config check', 'config path']) expect(out).toContain(verb);
  });

  test('each verb has its own help', async () => {
    const { code, out } = await run('gateway', 'status', '--help');
    expect(code).toBe(0);
    expect(out).toContain('hermes gateway status [options]');
    expect(out).toContain('--json');
  });

  test.each([
    [['gatway', 'run'], 'Did you mean gateway?'],
    [['gateway', 'stauts'], 'Did you mean status?'],
    [['gateway', 'run', '--verbos'], 'Did you mean --verbose?'],
    [['config', 'path', 'extra'], 'too many arguments'],
    [['gateway'], 'status'],
  ])('%j is a wrong use and says what may be meant', async (argv, expected) => {
    const { code, out, err } = await run(...argv);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(expected);
    expect(err).not.toMatch(/^\s+at /m);
  });
});

describe('hermes config', () => {
  test('path tells where the file is', async () => {
    expect(await run('config', 'path')).toEqual({ code: 0, out: `${join(place.home, 'config.yaml')}\n`, err: '' });
  });

  test('check accepts what can be used and shows warnings', async () => {
    place.remove();
    place = temporaryHome('sesion_reset: {}\n');
    const { code, out } = await run('config', 'check');
    expect(code).toBe(0);
    expect(out).toContain('warning: config.yaml line 1: sesion_reset is not a known key and is ignored; did you mean session_reset?');
    expect(out).toContain(`The configuration in ${place.home} can be used (1 warning).`);
  });

  test.each([[['config', 'check']], [['gateway', 'run']]])(
    '%j lists everything that is wrong, without a stack, and fails',
    async (argv) => {
      place.remove();
      place = temporaryHome('session_reset:\n  at_hour: 99\n  mode: sometimes\n');
      const { code, err } = await run(...argv);
      expect(code).toBe(1);
      expect(err).toContain(`hermes: The configuration in ${place.home} has 2 problems:`);
      expect(err).toContain('config.yaml line 2: session_reset.at_hour: expected a number of at most 23, but it is 99');
      expect(err).not.toMatch(/^\s+at |ConfigError/m);
    },
  );
});

describe('without a daemon', () => {
  test.each(['status', 'link'])('gateway %s exits with 3 and says how to start one', async (verb) => {
    const { code, out, err } = await run('gateway', verb);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toMatch(/^hermes: No gateway is running .*hermes gateway run\n$/);
  });
});

describe('with a daemon', () => {
  const status: Status = {
    version: '9.8.7',
    pid: 4711,
    startedAtMs: Date.now() - 3 * 60 * 60_000,
    home: '/home/hermes',
    database: '/home/hermes/state.db',
    model: { name: 'demo', demo: true },
    accounts: [
      { platform: 'telegram', account: 'main', state: 'degraded', detail: 'another poller', aliveAtMs: Date.now() - 5000, restarts: 2 },
      { platform: 'web', account: 'side', state: 'connected', restarts: 0 },
    ],
    work: { inboxPending: 3, turnsRunning: 2, outboxPending: 1, outboxUnknown: 4 },
    notes: ['The disk is nearly full.'],
  };
  let socket: ControlSocket;
  let link: string | undefined;
  beforeEach(async () => {
    link = 'http://127.0.0.1:1/#once';
    const handlers = controlHandlers({ status: () => status, ready: () => ({ ready: true, accounts: [] }), signInLink: () => link });
    const log = { info: () => undefined, warn: () => undefined };
    socket = createControlSocket({ path: join(place.home, 'run', 'gateway.sock'), handlers, log });
    await socket.listen();
  });
  afterEach(() => socket.close());

  test('gateway status tells a person what it is doing', async () => {
    const { code, out } = await run('gateway', 'status');
    expect(code).toBe(0);
    expect(out).toContain('Hermes gateway 9.8.7, process 4711, up 3 h 0 min');
    expect(out).toContain('demo (the offline demo');
    expect(out).toMatch(/Accounts +telegram: degraded, another poller, alive \d+ s ago, 2 restarts/);
    expect(out).toContain('web:side: connected');
    expect(out).toContain('2 running, 3 waiting, 1 to send, 4 with an unknown outcome');
    expect(out).toContain('The disk is nearly full.');
  });

  test('gateway status --json prints everything for a program', async () => {
    const { code, out } = await run('gateway', 'status', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual(status);
  });

  test('gateway link prints the link and nothing else', async () => {
    expect(await run('gateway', 'link')).toEqual({ code: 0, out: 'http://127.0.0.1:1/#once\n', err: '' });
  });

  test('gateway link says so when the page is off', async () => {
    link = undefined;
    const { code, out, err } = await run('gateway', 'link');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^hermes: The browser page is switched off .*\n$/);
  });
});
