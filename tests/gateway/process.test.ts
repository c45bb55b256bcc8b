import { expect, it } from 'vitest';
import { isSupervised } from '../../gateway/process.ts';

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
