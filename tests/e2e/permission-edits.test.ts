/** The permission rules are edited while the daemon runs, and read by `hermes permissions`. */
import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, expect, test } from 'vitest';
import { until } from '../gateway/support/gateway.ts';
import { useFakes } from './fakes.ts';

const fakes = useFakes();
const hermes = fileURLToPath(new URL('../../gateway/cli/hermes.js', import.meta.url));
const run = promisify(execFile);

/** Runs a command in the terminal and tells what came of it. */
beforeEach(() => {
  fakes.model.reply((body) => {
    const last = body.messages.at(-1);
    if (last?.role === 'tool') return { text: `result: ${JSON.stringify(last.content)}` };
    return { calls: [{ name: 'terminal', args: { command: 'echo hi' } }] };
  });
});

const file = (): string => path.join(fakes.home, 'permissions.yaml');

/** The daemon looks at the files at most four times a second. */
async function write(text: string | undefined): Promise<void> {
  if (text === undefined) rmSync(file());
  else writeFileSync(file(), text);
  await sleep(350);
}

async function answer(): Promise<string> {
  const before = fakes.texts(7).length;
  fakes.telegram.inject({ chatId: 7, text: 'go' });
  await fakes.telegram.waitFor(() => fakes.texts(7).length > before && (fakes.texts(7).at(-1) ?? '').startsWith('result:'), 15_000);
  return fakes.texts(7).at(-1) ?? '';
}

async function permissions(...args: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [hermes, 'permissions', ...args], {
    env: { ...process.env, HERMES_HOME: fakes.home, HOME: fakes.home },
  });
  return stdout;
}

test('rules hold from the next turn; broken and missing files keep the last good ones and tell the owner', async () => {
  await fakes.start();
  const page = await fakes.page();
  const told = (part: string) =>
    until(
      () => page.entries().some((entry) => entry.type === 'text' && entry.markdown.includes(part)),
      () => `the owner is not told of ${part}`,
      10_000,
    );
  expect(await answer()).toContain('hi');
  await write('terminal(echo *): deny\n');
  expect(await answer()).toContain('terminal(echo *): deny (permissions.yaml line 1)');
  await write('terminal(echo *): deny\nterminal: perhaps\n');
  expect(await answer()).toContain('terminal(echo *): deny (permissions.yaml line 1)');
  await told('permissions.yaml line 2: "terminal": expected allow, ask or deny, but it is "perhaps"');
  expect(await permissions('check', '--as', 'telegram:7', 'terminal(echo hi; id)')).toContain(
    'deny - it is refused\nterminal(echo *): deny (permissions.yaml line 1)',
  );
  await write('# none\n');
  expect(await answer()).toContain('hi');
  await write('terminal: deny\n');
  expect(await answer()).toContain('terminal: deny');
  await write(undefined);
  await told('permissions.yaml is gone: put it back');
  expect(await answer()).toContain('terminal: deny');
}, 60_000);

test('a start with broken rules is refused, with the line and the reason, and so is every look at them', async () => {
  writeFileSync(file(), 'terminal(rm *): deny\nterminal(rm -rf *): never\n');
  const gateway = await fakes.start();
  expect(await gateway.exited).toBe(1);
  const problem = 'permissions.yaml line 2: "terminal(rm -rf *)": expected allow, ask or deny, but it is "never"';
  expect(gateway.output()).toContain(problem);
  await expect(permissions('list')).rejects.toThrow(problem);
  writeFileSync(file(), 'terminal(rm *): deny\n');
  expect(await permissions('list')).toMatch(/No gateway runs\.[\s\S]*terminal\(rm \*\): deny +permissions\.yaml line 1/);
  expect(await permissions('check', 'terminal(rm -rf build)')).toContain('deny - it is refused');
}, 60_000);
