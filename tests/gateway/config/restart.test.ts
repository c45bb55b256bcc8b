import { expect, test } from 'vitest';
import { changeNotice, needsRestart } from '../../../gateway/config/restart.ts';

const started = {
  model: { default: 'm', api_key: 'a' },
  agent: { max_turns: 90 },
  display: { platforms: { telegram: { streaming: true } } },
  approvals: { mode: 'manual' },
  permissions: { terminal: 'ask' },
  auxiliary: { approval: { model: 'auto' } },
  session_reset: { mode: 'both' },
  gateway: { allowed_users: [], allow_all_users: false, drain_timeout_seconds: 60 },
  telegram: { bot_token: 'x', allowed_users: ['1'], group_allowed_chats: [], webhook: { port: 1 } },
  logging: { level: 'info' },
};

test('what turns and messages look up anew needs no restart', () => {
  const now = {
    ...started,
    model: { default: 'n', api_key: 'b' },
    agent: { max_turns: 1 },
    display: {},
    approvals: { mode: 'off' },
    permissions: { terminal: 'deny' },
    auxiliary: {},
    gateway: { ...started.gateway, allowed_users: ['2'], allow_all_users: true },
    telegram: { ...started.telegram, allowed_users: [], group_allowed_chats: ['-1'] },
  };
  expect(needsRestart(started, now)).toEqual([]);
});

test('when conversations start anew waits for a restart', () => {
  expect(needsRestart(started, { ...started, session_reset: { mode: 'none' } })).toEqual(['session_reset.mode']);
});

test('tokens, ports and paths are named, and their values are not', () => {
  const now = {
    ...started,
    gateway: { ...started.gateway, drain_timeout_seconds: 5 },
    telegram: { ...started.telegram, bot_token: 'y', webhook: { port: 2 }, base_url: 'z' },
    logging: undefined,
    slack: { app_token: 'new' },
  };
  expect(needsRestart(started, now)).toEqual([
    'gateway.drain_timeout_seconds',
    'telegram.bot_token',
    'telegram.webhook',
    'telegram.base_url',
    'logging',
    'slack',
  ]);
});

test('equal values are no change, whatever objects they are', () => {
  expect(needsRestart(started, structuredClone(started))).toEqual([]);
});

test('the notice says what holds and what waits', () => {
  expect(changeNotice(false, [])).toBeUndefined();
  expect(changeNotice(true, [])).toBe('The configuration is in order again and holds from the next turn.');
  expect(changeNotice(false, ['web.port', 'telegram.bot_token'])).toBe(
    'Changed, but in force only after /restart: web.port, telegram.bot_token.',
  );
  expect(changeNotice(true, ['web.port'])).toMatch(/^The configuration is in order.* web\.port\.$/);
});
