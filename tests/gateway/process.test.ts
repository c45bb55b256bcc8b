import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { isSupervised } from '../../gateway/process.ts';
import { beginStart } from '../../gateway/starts.ts';
import { root, startHermes, temporaryHome } from './cli/hermes.ts';

it('a start that SIGTERM ends is a stop, and not counted as one that failed', { timeout: 60_000 }, async () => {
  const place = temporaryHome();
  onTestFinished(place.remove);
  const { child, ended } = startHermes(['gateway', 'run'], { home: place.home, entry: join(root, 'gateway', 'main.ts') });
  await vi.waitFor(() => expect(existsSync(join(place.home, 'run', 'starts.json'))).toBe(true), { timeout: 45_000, interval: 1 });
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
  expect(beginStart(place.home).failed).toBe(0);
});

it.each([
  ['nobody says so', {}, false],
  ['systemd started this process', { INVOCATION_ID: 'x', SYSTEMD_EXEC_PID: '42' }, true],
  ['an older systemd started it', { INVOCATION_ID: 'x' }, true],
  ['systemd waits for its word', { NOTIFY_SOCKET: '/run/notify', SYSTEMD_EXEC_PID: '42' }, true],
  ['the shell belongs to a desktop session that systemd started', { INVOCATION_ID: 'x', SYSTEMD_EXEC_PID: '1' }, false],
  ['the owner says that somebody does', { HERMES_SUPERVISED: '1' }, true],
  ['the owner says that nobody does', { HERMES_SUPERVISED: '0', INVOCATION_ID: 'x' }, false],
])('somebody else starts the gateway again, or not, where %s', (_where, env, expected) => {
  expect(isSupervised({ env, pid: 42 })).toBe(expected);
});
