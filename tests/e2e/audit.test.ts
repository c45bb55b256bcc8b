/** What the daemon did is on record, survives its being killed, is read by `hermes audit`, and holds none of its secrets. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { AuditEntry } from '../../gateway/store/audit-rows.ts';
import { useFakes } from './fakes.ts';

const fakes = useFakes();
const hermes = fileURLToPath(new URL('../../gateway/cli/hermes.js', import.meta.url));
const run = promisify(execFile);
const canary = 'c4nary-of-the-env-file-93ab';

async function audit(...args: readonly string[]): Promise<string> {
  const env = { ...process.env, HERMES_HOME: fakes.home, HOME: fakes.home };
  const { stdout } = await run(process.execPath, [hermes, 'audit', ...args], { env });
  return stdout;
}

test('a command is recorded before it runs and with its exit code, a kill in the middle too, and no secret of .env is in it', async () => {
  writeFileSync(path.join(fakes.home, '.env'), `BRAVE_API_KEY=${canary}\n`);
  fakes.model.reply((body) => {
    const last = body.messages.at(-1);
    if (last?.role === 'tool') return { text: 'done' };
    const command = JSON.stringify(last?.content).includes('first') ? `echo ${canary}; exit 3` : 'touch started; sleep 30';
    return { calls: [{ name: 'terminal', args: { command } }] };
  });
  await fakes.start();
  fakes.telegram.inject({ chatId: 7, text: 'first' });
  await fakes.said(7, 'done');
  fakes.telegram.inject({ chatId: 7, text: 'second' });
  await expect.poll(async () => (await audit()).match(/call\.started/g)?.length, { timeout: 10_000 }).toBe(2);
  fakes.daemon?.kill('SIGKILL');
  await fakes.daemon?.exited;
  await fakes.start();
  await expect.poll(async () => (await audit()).match(/call\.finished/g)?.length, { timeout: 10_000 }).toBe(2);
  const json = await audit('--json', '--tool', 'terminal');
  expect(json).not.toContain('c4nary');
  const rows = JSON.parse(json) as readonly AuditEntry[];
  expect(rows.map(({ event, facts: { status, exitCode } }) => [event, status, exitCode])).toEqual([
    ['call.started', undefined, undefined],
    ['call.finished', 'ok', 3],
    ['call.started', undefined, undefined],
    ['call.finished', 'unknown', undefined],
  ]);
  expect(rows[0]?.facts['arguments']).toBe('{"command":"echo [redacted]; exit 3"}');
  expect(await audit('verify')).toMatch(/^4 rows in order\./);
}, 60_000);
