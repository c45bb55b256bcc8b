/** As the README says it: whoever starts the gateway becomes its owner from a phone, lets somebody in, and is kept from neither by strangers or kills. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { noPacing } from '../support/gateway-process.ts';
import { useFakes } from './fakes.ts';

const fakes = useFakes();
const hermes = fileURLToPath(new URL('../../gateway/cli/hermes.js', import.meta.url));
const run = promisify(execFile);
const [owner, friend, mallory] = [11, 77, 500];

async function pairing(...args: readonly string[]): Promise<string> {
  const env = { ...process.env, HERMES_HOME: fakes.home, HOME: fakes.home };
  const ran = run(process.execPath, [hermes, 'pairing', ...args], { env });
  const { stdout, stderr } = await ran.catch((error: { readonly stdout: string; readonly stderr: string }) => error);
  return stdout + stderr;
}

async function start(): Promise<void> {
  const config = { telegram: { base_url: fakes.telegram.root, allowed_users: [], pacing: noPacing }, logging: { level: 'debug' } };
  await fakes.start({ config });
}

async function killed(): Promise<void> {
  fakes.daemon?.kill('SIGKILL');
  await fakes.daemon?.exited;
  await start();
}

function codeIn(text: string): string {
  return /\b[A-HJ-NP-Z2-9]{8}\b/.exec(text)?.[0] ?? '';
}

test('claimed by a phone and shared by a code, with strangers who guess and kills in between, and nothing of it in the log', async () => {
  await start();
  const printed = codeIn(/owner in a chat.*$/m.exec(fakes.daemon?.output() ?? '')?.[0] ?? '');
  expect(await pairing('list')).toContain(printed);
  for (let person = mallory; person < mallory + 2; person += 1)
    for (let guess = 0; guess < 6; guess += 1) fakes.telegram.inject({ chatId: person, text: 'hey there' });
  await fakes.said(mallory + 1, 'Your code is');
  fakes.telegram.inject({ chatId: owner, text: 'canary-of-a-stranger' });
  await fakes.said(owner, 'owner’s code');
  await killed();

  fakes.telegram.inject({ chatId: owner, text: printed });
  const code = codeIn(/no owner yet.*$/m.exec(await pairing('list'))?.[0] ?? '');
  expect(code).not.toBe(printed);
  fakes.telegram.inject({ chatId: owner, text: code.toLowerCase() });
  await fakes.said(owner, 'You are my owner now');

  fakes.telegram.inject({ chatId: friend, text: 'let me in' });
  await fakes.said(friend, 'Your code is');
  await fakes.said(owner, 'on Telegram wants to talk to me');
  await killed();
  const letIn = codeIn(fakes.texts(friend)[0] ?? '');
  expect(await pairing('approve', 'telegram', letIn)).toBe(`U${friend} may now talk to me on Telegram.\n`);
  await fakes.said(friend, 'My owner has let you in');
  await fakes.said(owner, 'No longer needed');
  fakes.telegram.inject({ chatId: friend, text: 'hello' });
  await fakes.said(friend, 'answer to hello');

  for (let guess = 0; guess < 5; guess += 1) expect(await pairing('approve', 'telegram', 'AAAAAAAA')).toContain('This is no code');
  await killed();
  expect(await pairing('approve', 'telegram', letIn)).toContain('pairing on Telegram is locked until');
  expect(await pairing('revoke', 'telegram', String(friend))).toContain('may not talk to me on Telegram any more');

  const log = fakes.daemon?.output() ?? '';
  for (const secret of ['canary-of-a-stranger', 'hey there', letIn]) expect(log).not.toContain(secret);
}, 90_000);
