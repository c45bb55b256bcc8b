/** Keys that lie about on the machine, and are none of the gateway's own, do not reach the model with what a tool reports. */
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { lastUserText } from '../fakes/model.ts';
import { useFakes } from './fakes.ts';

const fakes = useFakes();
// Put together here, so that nobody's scanner takes this file for a leak.
const planted = {
  github: `ghp_${'aB3dE5gH7jK9'.repeat(3)}`,
  amazon: `AKIA${'IOSFODNN7EXAMPLE'}`,
  token: `eyJ${'hbGciOiJIUzI1'}.eyJ${'zdWIiOiIxMjM0'}.${'SflKxwRJSMeKKF2QT'}`,
  address: `postgres://app:${'hunter2hunter2'}@db.example.org/app`,
};
const values = [planted.github, planted.amazon, planted.token, 'hunter2hunter2'];

async function readAll(): Promise<string> {
  const lines = Object.entries(planted).map(([name, value]) => `${name}: ${value}\n`);
  fakes.model.reply((body) => {
    if (lastUserText(body).includes('begin')) return { text: 'ready' };
    if (body.messages.at(-1)?.role === 'tool') return { text: 'done' };
    const printed = { name: 'terminal', args: { command: 'cat keys.txt; cat keys.txt >&2; exit 1' } };
    return {
      calls: [printed, { name: 'read_file', args: { path: 'keys.txt' } }, { name: 'search_files', args: { pattern: ':', path: '.' } }],
    };
  });
  fakes.telegram.inject({ chatId: 7, text: 'begin' });
  await fakes.said(7, 'ready');
  const [session = ''] = readdirSync(path.join(fakes.home, 'workspaces'));
  writeFileSync(path.join(fakes.home, 'workspaces', session, 'keys.txt'), lines.join(''));
  fakes.telegram.inject({ chatId: 7, text: 'go on' });
  await fakes.said(7, 'done');
  return JSON.stringify(fakes.model.requests.at(-1));
}

test('what looks like a key is taken out of what a tool reports', async () => {
  await fakes.start();
  const request = await readAll();
  expect(request).toContain('github: [redacted]');
  for (const value of values) expect(request).not.toContain(value);
}, 60_000);

test('unless the owner wants to see it', async () => {
  await fakes.start({ config: { security: { redact_secrets: false } } });
  const request = await readAll();
  for (const value of values) expect(request).toContain(value);
}, 60_000);
