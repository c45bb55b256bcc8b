/** The built daemon, restarted in the middle, killed by what it works on, and kept from starting: as people on Telegram and an administrator meet it. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { type FakeModel, lastUserText, startFakeModel } from '../fakes/model.ts';
import { type FakeTelegram, startFakeTelegram } from '../fakes/telegram.ts';
import { until } from '../gateway/support/gateway.ts';
import { type GatewayProcess, type GatewaySettings, noPacing, startGateway } from '../support/gateway-process.ts';

const run = promisify(execFile);
const hermes = fileURLToPath(new URL('../../gateway/cli/hermes.js', import.meta.url));
const [ann, bob] = [77, 78];

let telegram: FakeTelegram;
let model: FakeModel;
let home: string;
let daemon: GatewayProcess | undefined;

beforeEach(async () => {
  telegram = await startFakeTelegram();
  model = await startFakeModel({ reply: (body) => ({ text: `answer to ${lastUserText(body)}` }) });
  home = mkdtempSync(path.join(tmpdir(), 'hermes-restart-'));
});

afterEach(async () => {
  daemon?.kill('SIGKILL');
  await daemon?.exited;
  daemon = undefined;
  await telegram.close();
  await model.close();
  rmSync(home, { recursive: true, force: true });
});

function launch(settings: Partial<GatewaySettings> = {}): GatewayProcess {
  daemon = startGateway({ home, telegram, model: model.base, ...settings });
  return daemon;
}

/** As one person's bot: `/restart` is for who alone may talk. */
const annsAlone = () => ({ telegram: { base_url: telegram.root, allowed_users: [String(ann)], pacing: noPacing } });

async function start(settings: Partial<GatewaySettings> = {}): Promise<GatewayProcess> {
  const polls = telegram.polls.length;
  const gateway = launch(settings);
  await telegram.waitFor(() => telegram.polls.length > polls || !gateway.alive(), 15_000);
  return gateway;
}

const texts = (chat: number): string[] => telegram.messages(chat).map((message) => message.text);
const said = (chat: number, part: string) => telegram.waitFor(() => texts(chat).some((text) => text.includes(part)), 15_000);
/** How often the daemon has come up, in whatever process. */
const lives = (gateway: GatewayProcess): number => gateway.output().split('is running (home').length - 1;

function cli(...args: readonly string[]) {
  return run(process.execPath, [hermes, 'gateway', ...args], { env: { ...process.env, HERMES_HOME: home } });
}

test('SIGUSR1 cuts a slow turn after the drain; the same process answers it once, and what came meanwhile', async () => {
  model.fail({ type: 'hang' });
  const gateway = await start({ config: { agent: { restart_drain_timeout: 0.5 } } });
  telegram.inject({ chatId: ann, text: 'slow' });
  await until(
    () => model.requests.length === 1,
    () => 'the model was not asked',
  );
  gateway.kill('SIGUSR1');
  await said(ann, 'I am restarting');
  telegram.inject({ chatId: bob, text: 'meanwhile' });
  await said(ann, 'answer to slow');
  await said(bob, 'answer to meanwhile');
  expect(texts(ann)).toEqual([expect.stringContaining('I am restarting'), 'answer to slow']);
  expect(texts(bob)).toEqual(['answer to meanwhile']);
  expect([gateway.alive(), lives(gateway)]).toEqual([true, 2]);
  const { stdout } = await cli('status', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ pid: gateway.pid, work: { inboxPending: 0, turnsRunning: 0 } });
  expect(await gateway.stop()).toBe(0);
});

test('/restart is confirmed once where it was asked, also when Telegram delivers it again', async () => {
  const gateway = await start({ config: annsAlone() });
  const { update } = telegram.inject({ chatId: ann, text: '/restart' });
  await said(ann, 'Restarted');
  const again = telegram.inject(update);
  await telegram.waitFor(() => again.deliveries > 0);
  telegram.inject({ chatId: ann, text: 'hello' });
  await said(ann, 'answer to hello');
  expect(texts(ann).filter((text) => text.includes('Restarted'))).toHaveLength(1);
  expect(lives(gateway)).toBe(2);
});

test('under a service manager it ends with 75, and whoever started it again finds the request confirmed', async () => {
  const env = { INVOCATION_ID: 'a-unit' };
  const config = annsAlone();
  const gateway = await start({ config, env });
  telegram.inject({ chatId: ann, text: '/restart' });
  expect(await gateway.exited).toBe(75);
  expect(existsSync(path.join(home, 'run', 'gateway.sock'))).toBe(false);
  expect(texts(ann).join()).not.toContain('Restarted');
  await start({ config, env });
  await said(ann, 'Restarted');
});

test('"hermes gateway restart" restarts the daemon, and a signal during the drain makes it a stop', async () => {
  model.fail({ type: 'hang' }, 2);
  const gateway = await start({ config: { agent: { restart_drain_timeout: 0 } } });
  await cli('restart');
  await until(
    () => lives(gateway) === 2,
    () => 'it does not come up again',
    10_000,
  );
  await gateway.stop();
  const slow = await start({ config: { agent: { restart_drain_timeout: 1 } } });
  telegram.inject({ chatId: ann, text: 'slow' });
  await until(
    () => model.requests.length === 1,
    () => 'the model was not asked',
  );
  slow.kill('SIGUSR1');
  await said(ann, 'I am restarting');
  expect(await slow.stop()).toBe(0);
});

test('a message that kills the process is tried twice, then given up in the chat, while another chat goes on', async () => {
  const killed: string[] = [];
  model.reply((body) => {
    const text = lastUserText(body);
    if (!text.includes('poison')) return { text: `answer to ${text}` };
    killed.push(text);
    daemon?.kill('SIGKILL');
    return new Promise(() => undefined);
  });
  const first = await start();
  telegram.inject({ chatId: ann, text: 'poison' });
  expect(await first.exited).toBe('SIGKILL');
  telegram.inject({ chatId: bob, text: 'hello' });
  const second = await start();
  expect(await second.exited).toBe('SIGKILL');
  await start();
  await said(ann, 'I gave up on this message');
  await said(bob, 'answer to hello');
  telegram.inject({ chatId: ann, text: 'something else' });
  await said(ann, 'answer to something else');
  expect(killed).toHaveLength(2);
  expect(texts(bob)).toEqual(['answer to hello']);
});

test('after five failed starts in a row only the control surface comes up and tells why; once mended it starts as usual', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  onTestFinished(() => void taken.close());
  const config = { web: { port: (taken.address() as AddressInfo).port } };
  const starts = path.join(home, 'run', 'starts.json');
  mkdirSync(path.dirname(starts), { mode: 0o700 });
  writeFileSync(starts, JSON.stringify({ failed: 4 }));
  expect(await launch({ config }).exited).toBe(1);
  expect(JSON.parse(readFileSync(starts, 'utf8'))).toEqual({ failed: 5, lastError: expect.stringContaining('in use by another program') });
  const safe = launch({ config });
  await until(
    () => safe.output().includes('Safe mode: 5 starts'),
    () => 'no safe mode',
    10_000,
  );
  const { stdout } = await cli('status');
  expect(stdout).toMatch(/Safe mode: 5 starts in a row failed.*Port \d+ .* is in use by another program/);
  expect(telegram.polls).toEqual([]);
  await new Promise((resolve) => taken.close(resolve));
  await cli('restart');
  await telegram.waitFor(() => telegram.polls.length > 0, 10_000);
  await until(
    () => !existsSync(starts),
    () => 'the failed starts are still counted',
  );
  telegram.inject({ chatId: ann, text: 'hello' });
  await said(ann, 'answer to hello');
});
