import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { telegramPlatform } from '../../../adapters/telegram/platform.ts';
import { ConfigError, loadConfig } from '../../../gateway/config/load.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hermes-accounts-'));
});
afterEach(() => rmSync(home, { recursive: true }));

function load(yaml: string, env: Record<string, string> = {}) {
  writeFileSync(join(home, 'config.yaml'), yaml);
  return loadConfig({ telegram: telegramPlatform }, { home, env, accounts: ['telegram'] });
}

function problems(yaml: string): readonly string[] {
  try {
    load(yaml);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

const two = `telegram:
  bot_token: "1:first"
  allowed_users: [7]
  poll_timeout_seconds: 11
  accounts:
    work:
      bot_token: "2:second"
      allowed_users: [8]
    home: {}
`;

describe('several accounts of a platform', () => {
  test('must not share a token, and the sentence does not hold it', () => {
    const same = two.replace('2:second', '1:first');
    expect(problems(same)).toEqual([
      'telegram.bot_token and telegram.accounts.work.bot_token are the same secret: each bot and each purpose needs one of its own',
    ]);
  });

  test('have what the section says, and their own words instead', () => {
    const { config, accounts } = load(two);
    expect(config.telegram).toMatchObject({ bot_token: '1:first', allowed_users: ['7'], poll_timeout_seconds: 11 });
    expect(accounts.map(({ section, name }) => `${section}/${name}`)).toEqual(['telegram/work', 'telegram/home']);
    expect(accounts[0]?.config).toMatchObject({ bot_token: '2:second', allowed_users: ['8'], poll_timeout_seconds: 11 });
  });

  test("never have another one's secrets or variables: one bot must not be polled twice", () => {
    const { config, accounts } = load(two, { TELEGRAM_BOT_TOKEN: '3:environment' });
    expect(config.telegram.bot_token).toBe('3:environment');
    expect(accounts[0]?.config).toMatchObject({ bot_token: '2:second' });
    expect(accounts[1]?.config).not.toHaveProperty('bot_token');
    const nested = load(
      'telegram:\n  bot_token: "1:a"\n  webhook: {url: "https://bot.example.org", secret: s1}\n  accounts: {work: {bot_token: "2:b"}}\n',
    );
    expect(nested.accounts[0]?.config).toMatchObject({ webhook: { url: 'https://bot.example.org' } });
    expect(nested.accounts[0]?.config).not.toHaveProperty('webhook.secret');
  });

  test('stay on when the section itself is off, and their secrets are known for redaction', () => {
    const { accounts, secrets } = load('telegram:\n  enabled: false\n  accounts: {work: {bot_token: "2:second"}}\n');
    expect(accounts[0]?.config).not.toHaveProperty('enabled');
    expect(secrets).toContain('2:second');
  });

  test('are complained about with their name and line', () => {
    expect(problems('telegram:\n  accounts:\n    work:\n      poll_timeout_seconds: 99\n')).toEqual([
      'config.yaml line 4: telegram.accounts.work.poll_timeout_seconds: expected a number of at most 50, but it is 99',
    ]);
    expect(load('telegram:\n  accounts:\n    work:\n      bot_tokn: "2:b"\n').warnings).toEqual([
      'config.yaml line 4: telegram.accounts.work.bot_tokn is not a known key and is ignored; did you mean bot_token?',
    ]);
  });

  test.each(['main', 'Work', 'a/b', 'a.b', '""', '__proto__'])('cannot be called %s', (name) => {
    expect(problems(`telegram:\n  accounts:\n    ${name}: {bot_token: "2:b"}\n`)).toEqual([
      expect.stringContaining('cannot name an account'),
    ]);
  });

  test.each(['[a, b]', 'work'])('are names with keys below, and not %s', (value) => {
    expect(problems(`telegram:\n  accounts: ${value}\n`)).toEqual([expect.stringContaining('telegram.accounts must hold a name')]);
  });
});
