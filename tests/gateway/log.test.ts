import { expect, test } from 'vitest';
import { createLog, type LogOptions } from '../../gateway/log.ts';

function written(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const log = createLog({ level: 'info', secrets: () => [], pretty: false, write: (line) => lines.push(line), ...options });
  return { log, lines };
}

test('an event is one line of JSON with time, level, facts and message', () => {
  const { log, lines } = written();
  log.warn({ platform: 'telegram', text: 'two\nlines' }, 'something happened');
  log.debug({}, 'not at this level');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^[^\n]*\n$/);
  const line: unknown = JSON.parse(lines[0] ?? '');
  expect(line).toEqual({
    level: 'warn',
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    platform: 'telegram',
    text: 'two\nlines',
    msg: 'something happened',
  });
});

test('a known secret is nowhere in a line, however it is written there', () => {
  const secret = 'pa"ss\\wo/rd é';
  const { log, lines } = written({ secrets: () => [secret, 'sho'] });
  const error = new Error(`refused ${secret}`, { cause: new Error(secret) });
  log.error({ err: error, nested: { list: [secret], url: `https://x/?k=${encodeURIComponent(secret)}` }, [secret]: 1 }, `with ${secret}`);
  log.info({ basic: Buffer.from(secret).toString('base64') }, 'short words stay: sho');
  const text = lines.join('');
  for (const form of [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64').slice(0, 10),
  ]) {
    expect(text).not.toContain(form);
  }
  expect(lines.map((line) => typeof JSON.parse(line))).toEqual(['object', 'object']);
  expect(text).toContain('short words stay: sho');
});

test('secrets that come with a changed configuration are taken out from then on', () => {
  let secrets: readonly string[] = [];
  const { log, lines } = written({ secrets: () => secrets });
  log.info({}, 'first-secret second-secret');
  secrets = ['second-secret'];
  log.info({}, 'first-secret second-secret');
  expect(lines[0]).toContain('second-secret');
  expect(lines[1]).toContain('first-secret [redacted]');
});

test('a longer secret is not cut by a shorter one that begins alike', () => {
  const { log, lines } = written({ secrets: () => ['abcdef', 'abcdefghijkl'] });
  log.info({}, 'abcdefghijkl.');
  expect(lines[0]).toContain('"[redacted]."');
});

test.each([
  'https://api.telegram.org/bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1/getMe',
  'sk-proj-abcdefghijklmnop1234567890',
  'sk-ant-api03-abcdefghijklmnop1234567890',
  'xoxb-123456789012-abcdefghijkl',
  'xapp-1-A123-456-abcdefabcdef',
  'ghp_abcdefghijklmnopqrstuvwxyz0123456789',
  'authorization: Bearer abcdef123456.xyz',
  'https://user:hunter2hunter2@host/path',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U',
])('what looks like a secret is taken out: %s', (text) => {
  const { log, lines } = written();
  log.info({ text }, text);
  const line: unknown = JSON.parse(lines[0] ?? '');
  expect(line).toMatchObject({ text: expect.stringContaining('[redacted]'), msg: expect.stringContaining('[redacted]') });
  expect(lines[0]).not.toMatch(/AAHdq|klmnop1234|abcdefghijkl|abcdefabcdef|opqrstu|abcdef123456|hunter2|dozjgNry/);
});

test.each([
  '2026-11-21T12:34:56.789Z',
  'message 123456:42 of task-42',
  'http://127.0.0.1:9119/#code',
  '/home/user/sk-file.txt',
  'a basic idea',
])('ordinary text stays: %s', (text) => {
  const { log, lines } = written();
  log.info({}, text);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: text });
});

test('what looks like a secret is taken out at the start of a line as well', () => {
  const { log, lines } = written();
  log.info({}, 'key:\nsk-proj-abcdefghijklmnop1234567890\tghp_abcdefghijklmnopqrstuvwxyz0123456789');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: 'key:\n[redacted]\t[redacted]' });
});

test.each([true, false])('a secret that a line break seems to begin leaves the line whole (pretty: %s)', (pretty) => {
  const { log, lines } = written({ pretty, secrets: () => ['nothing-else'] });
  log.info({}, 'first\nothing-else and nothing-else');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('othing-else and [redacted]');
  if (!pretty) expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: 'first\nothing-else and [redacted]' });
});

test('a person at a terminal reads one plain line', () => {
  const { log, lines } = written({ pretty: true, secrets: () => ['hunter2hunter2'] });
  log.info({ port: 9119, home: '/a b', key: 'hunter2hunter2' }, 'ready');
  expect(lines).toEqual([expect.stringMatching(/^\d\d:\d\d:\d\d info {2}ready {2}port=9119 home="\/a b" key=\[redacted\]\n$/)]);
  log.error({ err: new Error('broken') }, 'failed');
  expect(lines[1]).toMatch(/failed {2}err=\nError: broken\n {4}at /);
});
