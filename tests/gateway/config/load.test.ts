import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ConfigError, type LoadOptions, loadConfig } from '../../../gateway/config/load.ts';
import type { ConfigSection } from '../../../gateway/config/section.ts';
import { gatewayAliases, gatewaySections } from '../../../gateway/config/sections.ts';

const chatSchema = z.strictObject({
  bot_token: z.string().min(20).optional(),
  allowed_users: z.array(z.string()).default([]),
  require_mention: z.boolean().default(true),
  retries: z.union([z.literal('auto'), z.number().int()]).default('auto'),
  webhook: z
    .object({ url: z.url().optional(), port: z.number().int().min(1).max(65_535).default(8443), secret: z.string().optional() })
    .prefault({}),
  headers: z.record(z.string(), z.string()).default({}),
});

const telegram: ConfigSection<z.infer<typeof chatSchema>> = {
  schema: chatSchema,
  env: {
    TELEGRAM_BOT_TOKEN: 'bot_token',
    TELEGRAM_ALLOWED_USERS: 'allowed_users',
    TELEGRAM_REQUIRE_MENTION: 'require_mention',
    TELEGRAM_WEBHOOK_PORT: 'webhook.port',
    TELEGRAM_RETRIES: 'retries',
  },
  secrets: ['bot_token', 'webhook.secret'],
  template: '',
};

const modelSchema = z.object({ default: z.string().default('demo'), timeout_seconds: z.number().default(60) });
const model: ConfigSection<z.infer<typeof modelSchema>> = { schema: modelSchema, env: {}, secrets: [], template: '' };
const sections = { ...gatewaySections, telegram, model };

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hermes-config-'));
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

function load(yaml: string, dotenv = '', env: LoadOptions['env'] = {}) {
  writeFileSync(join(home, 'config.yaml'), yaml);
  writeFileSync(join(home, '.env'), dotenv);
  return loadConfig(sections, { home, env, aliases: gatewayAliases, shorthands: { model: 'default' } });
}

function problems(yaml: string, dotenv = '', env: LoadOptions['env'] = {}): readonly string[] {
  try {
    load(yaml, dotenv, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

describe('what is accepted', () => {
  test('a home without any file gives the defaults', () => {
    const { config, warnings } = loadConfig(sections, { home: join(home, 'nowhere'), env: {} });
    expect(config.session_reset).toEqual({ mode: 'both', at_hour: 4, idle_minutes: 1440, notify: true });
    expect(config.gateway.drain_timeout_seconds).toBe(60);
    expect(config.gateway.allow_all_users).toBe(false);
    expect(warnings).toEqual([]);
  });

  test.each(['', '# only a comment\n', 'telegram:\n', '---\n', '\uFEFFtelegram:\r\n  # nothing\r\n'])(
    '%j counts as nothing set',
    (yaml) => {
      expect(load(yaml).config.telegram.allowed_users).toEqual([]);
    },
  );

  test('a byte order mark and Windows line ends are read', () => {
    const { config } = load('\uFEFFsession_reset:\r\n  mode: idle\r\n', '\uFEFFTELEGRAM_ALLOWED_USERS=7\r\n');
    expect(config.session_reset.mode).toBe('idle');
    expect(config.telegram.allowed_users).toEqual(['7']);
  });

  test('the environment beats .env, which beats config.yaml', () => {
    const yaml = 'telegram:\n  allowed_users: ["1"]\n';
    expect(load(yaml).config.telegram.allowed_users).toEqual(['1']);
    expect(load(yaml, 'TELEGRAM_ALLOWED_USERS=2').config.telegram.allowed_users).toEqual(['2']);
    expect(load(yaml, 'TELEGRAM_ALLOWED_USERS=2', { TELEGRAM_ALLOWED_USERS: '3, 4,' }).config.telegram.allowed_users).toEqual(['3', '4']);
  });

  test('an empty variable is not set', () => {
    const { config } = load('telegram:\n  allowed_users: ["1"]\n', 'TELEGRAM_ALLOWED_USERS=', { TELEGRAM_ALLOWED_USERS: '' });
    expect(config.telegram.allowed_users).toEqual(['1']);
  });

  test('variables become the type that their key has', () => {
    const env = { TELEGRAM_REQUIRE_MENTION: 'no', TELEGRAM_WEBHOOK_PORT: '9000', TELEGRAM_RETRIES: '5', GATEWAY_ALLOW_ALL_USERS: 'True' };
    const { config } = load('', '', env);
    expect(config.telegram).toMatchObject({ require_mention: false, webhook: { port: 9000 }, retries: 5 });
    expect(config.gateway.allow_all_users).toBe(true);
  });

  test('ids that look like numbers lose nothing', () => {
    const yaml = 'telegram:\n  allowed_users:\n    - 12345678901234567890\n    - 007\n    - -1001234567890\n';
    expect(load(yaml).config.telegram.allowed_users).toEqual(['12345678901234567890', '007', '-1001234567890']);
    expect(load('telegram:\n  allowed_users: 12345678901234567890\n').config.telegram.allowed_users).toEqual(['12345678901234567890']);
    expect(load('telegram:\n  allowed_users: a, b\n').config.telegram.allowed_users).toEqual(['a', 'b']);
  });

  test('ids too long for a number stay what was written, also where a number is taken', () => {
    const schema = z.object({ allowed_users: z.array(z.union([z.string(), z.number()])), roles: z.union([z.string(), z.number()]) });
    const chat: ConfigSection<z.infer<typeof schema>> = { schema, env: {}, secrets: [], template: '' };
    writeFileSync(join(home, 'config.yaml'), 'chat:\n  allowed_users: [&ann 200000000000000007, *ann, -42]\n  roles: 123456789012345678\n');
    expect(loadConfig({ ...sections, chat }, { home, env: {} }).config.chat).toEqual({
      allowed_users: ['200000000000000007', '200000000000000007', -42],
      roles: '123456789012345678',
    });
  });

  test('session keys are also read from the top level, where the section itself wins', () => {
    expect(load('group_sessions_per_user: false\n').config.gateway.group_sessions_per_user).toBe(false);
    const both = load('group_sessions_per_user: false\ngateway:\n  group_sessions_per_user: true\n');
    expect(both.config.gateway.group_sessions_per_user).toBe(true);
    expect(both.warnings).toEqual([]);
  });

  test('a section may be a single value where that is a shorthand', () => {
    expect(load('model: small\n').config.model.default).toBe('small');
  });

  test('the levels of Hermes Agent are understood', () => {
    expect(load('logging:\n  level: WARNING\n').config.logging.level).toBe('warn');
  });

  test('the result cannot be changed, at any depth', () => {
    const { config } = load('telegram:\n  allowed_users: [a]\n');
    expect(() => Object.assign(config.telegram.webhook, { port: 1 })).toThrow(TypeError);
    expect(() => (config.telegram.allowed_users as string[]).push('b')).toThrow(TypeError);
    expect(() => Object.assign(config, { telegram: {} })).toThrow(TypeError);
  });
});

describe('interpolation', () => {
  test('takes the value from the environment or .env, in part of a text and in lists and maps', () => {
    const yaml =
      'telegram:\n  webhook: {url: "https://${HOST}/hook", port: "${PORT}"}\n  headers: {X-Key: "${KEY}"}\n  allowed_users: ["${ME}"]\n';
    const { config } = load(yaml, 'HOST=example.org\nKEY=k\n', { PORT: '81', ME: '5' });
    expect(config.telegram.webhook).toMatchObject({ url: 'https://example.org/hook', port: 81 });
    expect(config.telegram.headers).toEqual({ 'X-Key': 'k' });
    expect(config.telegram.allowed_users).toEqual(['5']);
  });

  test('a name that is not set is a problem that names it and its line', () => {
    expect(problems('telegram:\n  headers:\n    X: ${NOPE}\n')).toEqual([
      'config.yaml line 3: telegram.headers.X uses ${NOPE}, which is not set in .env or the environment',
    ]);
  });

  test('two dollars keep the text, and a section that nobody reads may use any name', () => {
    expect(load('telegram:\n  headers: {X: "$${NOPE}"}\n').config.telegram.headers).toEqual({ X: '${NOPE}' });
    expect(load('mcp_servers:\n  x: ${NOPE}\n').warnings).toHaveLength(1);
  });

  test('an interpolated value is never printed', () => {
    const [problem] = problems('telegram:\n  webhook:\n    port: ${PORT}\n', 'PORT=hunter2hunter2');
    expect(problem).toBe('config.yaml line 3: telegram.webhook.port: expected a number, but its value is something else (not shown)');
  });
});

describe('wrong values', () => {
  test.each([
    [
      'session_reset:\n  mode: dayly\n',
      'config.yaml line 2: session_reset.mode: expected one of both, daily, idle, none, but it is "dayly"; did you mean daily?',
    ],
    ['session_reset:\n\n  at_hour: 24\n', 'config.yaml line 3: session_reset.at_hour: expected a number of at most 23, but it is 24'],
    ['session_reset:\n  at_hour: four\n', 'config.yaml line 2: session_reset.at_hour: expected a number, but it is "four"'],
    ['session_reset:\n  idle_minutes: 1.5\n', 'config.yaml line 2: session_reset.idle_minutes: expected a whole number, but it is 1.5'],
    ['session_reset:\n  notify: [1]\n', 'config.yaml line 2: session_reset.notify: expected true or false, but it is a list'],
    ['session_reset: daily\n', 'config.yaml line 1: session_reset: expected keys below it, but it is "daily"'],
    ['telegram:\n  webhook:\n    url: nonsense\n', 'config.yaml line 3: telegram.webhook.url: expected a valid url, but it is "nonsense"'],
    ['telegram:\n  retries: some\n', 'config.yaml line 2: telegram.retries: expected auto, or a number, but it is "some"'],
    ['telegram:\n  allowed_users: [{a: 1}]\n', 'config.yaml line 2: telegram.allowed_users.0: expected a text, but it has keys below it'],
  ])('%j is explained with key, line and what was expected', (yaml, problem) => {
    expect(problems(yaml)).toEqual([problem]);
  });

  test('a wrong variable is named with where it was set', () => {
    expect(problems('', '# first\nTELEGRAM_WEBHOOK_PORT=many')).toEqual([
      'TELEGRAM_WEBHOOK_PORT (.env line 2, for telegram.webhook.port): expected a number, but it is "many"',
    ]);
    expect(problems('', '', { GATEWAY_ALLOW_ALL_USERS: 'perhaps' })).toEqual([
      'GATEWAY_ALLOW_ALL_USERS (environment, for gateway.allow_all_users): expected true or false, but it is "perhaps"',
    ]);
  });

  test('all problems are told at once', () => {
    expect(problems('session_reset:\n  at_hour: x\n  mode: y\ntelegram:\n  require_mention: z\n')).toHaveLength(3);
  });

  test('a secret is never printed, wherever it was set', () => {
    const found = [
      ...problems('telegram:\n  bot_token: hunter2-short\n  webhook: {secret: [hunter2]}\n'),
      ...problems('', 'TELEGRAM_BOT_TOKEN=hunter2'),
      ...problems('', '', { TELEGRAM_BOT_TOKEN: 'hunter2' }),
      ...problems('telegram: {bot_token: "hunter2\n'),
      ...problems('telegram:\n  bot_token: "hunter2" hunter2\n'),
      ...load('', 'hunter2 and more\nX="hunter2\n').warnings,
    ];
    expect(found).toHaveLength(9);
    expect(found.join('\n')).not.toContain('hunter2');
  });
});

describe('files that are not what they should be', () => {
  test.each([
    ['a: 1\nb:\n  c: 2\n  c: 3\n', 'config.yaml line 4, column 3: this key is there twice: remove one'],
    ['a:\n\tb: 1\n', 'config.yaml line 2, column 1: a tab is used for indentation: use spaces'],
    ['- a\n- b\n', 'config.yaml line 1: expected keys such as "telegram:" at the top level, but it is a list'],
    ['just words\n', 'config.yaml line 1: expected keys such as "telegram:" at the top level, but it is a single value'],
    ['a: 1\n---\nb: 2\n', 'config.yaml line 2, column 1: a second document begins with "---": keep only one'],
    ['a: *b\n', 'config.yaml: an alias (*name) has no anchor (&name) before it'],
  ])('%j is explained', (yaml, problem) => {
    expect(problems(yaml)).toEqual([problem]);
  });

  test('a file that explodes through aliases is refused', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 9; level += 1)
      lines.push(
        `a${level}: &a${level} [${Array(9)
          .fill(`*a${level - 1}`)
          .join(', ')}]`,
      );
    expect(problems(lines.join('\n'))).toEqual(['config.yaml: its aliases (*name) repeat too much']);
  });

  test('a directory in the place of a file is a sentence', () => {
    mkdirSync(join(home, 'config.yaml'));
    expect(() => loadConfig(sections, { home, env: {} })).toThrow(/config\.yaml cannot be read \(EISDIR\)/);
  });
});

describe('unknown keys', () => {
  test('warn with the nearest known key and never block, in strict schemas too', () => {
    const { warnings, config } = load(
      'telegarm:\n  x: 1\nsession_reset:\n  at_huor: 5\ntelegram:\n  alowed_users: [1]\n  webhook:\n    prot: 1\n',
    );
    expect(warnings).toEqual([
      'config.yaml line 1: telegarm is not a known key and is ignored; did you mean telegram?',
      'config.yaml line 4: session_reset.at_huor is not a known key and is ignored; did you mean at_hour?',
      'config.yaml line 6: telegram.alowed_users is not a known key and is ignored; did you mean allowed_users?',
      'config.yaml line 8: telegram.webhook.prot is not a known key and is ignored; did you mean port?',
    ]);
    expect(config.session_reset.at_hour).toBe(4);
  });

  test('one that resembles nothing has no suggestion', () => {
    expect(load('zebra: 1\n__proto__: {x: 1}\n').warnings).toEqual([
      'config.yaml line 1: zebra is not a known key and is ignored',
      'config.yaml line 2: __proto__ is not a known key and is ignored',
    ]);
  });

  test('those of Hermes Agent become one line', () => {
    const { warnings } = load('memory: {provider: x}\ndelegation: {}\ntelegram:\n  guest_mode: true\n_config_version: 29\n');
    expect(warnings).toEqual([
      'config.yaml: 4 keys of Hermes Agent not used here yet: memory, delegation, _config_version, telegram.guest_mode',
    ]);
  });
});

test('secrets for redaction are those of the sections and of variables whose name says so', () => {
  const { secrets } = load(
    'telegram:\n  webhook: {secret: from-the-file}\n',
    'TELEGRAM_BOT_TOKEN=123456:abcdefghijklmnopqrstuvwxyz\nSOME_API_KEY=other\n',
    {
      DB_PASSWORD: 'pass',
      PATH: '/bin',
    },
  );
  expect([...secrets].sort()).toEqual(['123456:abcdefghijklmnopqrstuvwxyz', 'from-the-file', 'other', 'pass']);
});
