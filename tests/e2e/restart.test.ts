/** The built daemon, restarted in the middle, killed by what it works on, and kept from starting: as people on Telegram and an administrator meet it. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lastUserText } from '../fakes/model.ts';
import { until } from '../gateway/support/gateway.ts';
import { type GatewayProcess, noPacing } from '../support/gateway-process.ts';
import { useFakes } from './fakes.ts';

const [ann, bob] = [77, 78];
const fakes = useFakes();

/** As one person's bot: `/restart` is for who alone may talk. */
const annsAlone = () => ({ telegram: { base_url: fakes.telegram.root, allowed_users: [String(ann)], pacing: noPacing } });

/** How often the daemon has come up, in whatever process. */
const lives = (gateway: GatewayProcess): number => gateway.output().split('is running (home').length - 1;

test('SIGUSR1 cuts a slow turn after the drain; the same process answers it once, and what came meanwhile', async () => {
  fakes.model.fail({ type: 'hang' });
  const gateway = await fakes.start({ config: { agent: { restart_drain_timeout: 0.5 } } });
  fakes.telegram.inject({ chatId: ann, text: 'slow' });
  await until(
    () => fakes.model.requests.length === 1,
    () => 'the model was not asked',
  );
  gateway.kill('SIGUSR1');
  await fakes.said(ann, 'I am restarting');
  fakes.telegram.inject({ chatId: bob, text: 'meanwhile' });
  await fakes.said(ann, 'answer to slow');
  await fakes.said(bob, 'answer to meanwhile');
  expect(fakes.texts(ann)).toEqual([expect.stringContaining('I am restarting'), 'answer to slow']);
  expect(fakes.texts(bob)).toEqual(['answer to meanwhile']);
  expect([gateway.alive(), lives(gateway)]).toEqual([true, 2]);
  const { stdout } = await fakes.cli('status', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ pid: gateway.pid, work: { inboxPending: 0, turnsRunning: 0 } });
  expect(await gateway.stop()).toBe(0);
});

test('/restart is confirmed once where it was asked, also when Telegram delivers it again', async () => {
  const gateway = await fakes.start({ config: annsAlone() });
  const { update } = fakes.telegram.inject({ chatId: ann, text: '/restart' });
  await fakes.said(ann, 'Restarted');
  const again = fakes.telegram.inject(update);
  await fakes.telegram.waitFor(() => again.deliveries > 0);
  fakes.telegram.inject({ chatId: ann, text: 'hello' });
  await fakes.said(ann, 'answer to hello');
  expect(fakes.texts(ann).filter((text) => text.includes('Restarted'))).toHaveLength(1);
  expect(lives(gateway)).toBe(2);
});

test('under a service manager it ends with 75, and whoever started it again finds the request confirmed', async () => {
  const env = { INVOCATION_ID: 'a-unit' };
  const config = annsAlone();
  const gateway = await fakes.start({ config, env });
  fakes.telegram.inject({ chatId: ann, text: '/restart' });
  expect(await gateway.exited).toBe(75);
  expect(existsSync(path.join(fakes.home, 'run', 'gateway.sock'))).toBe(false);
  expect(fakes.texts(ann).join()).not.toContain('Restarted');
  await fakes.start({ config, env });
  await fakes.said(ann, 'Restarted');
});

test('"hermes gateway restart" restarts the daemon, and a signal during the drain makes it a stop', async () => {
  fakes.model.fail({ type: 'hang' }, 2);
  const gateway = await fakes.start({ config: { agent: { restart_drain_timeout: 0 } } });
  await fakes.cli('restart');
  await until(
    () => lives(gateway) === 2,
    () => 'it does not come up again',
    10_000,
  );
  await gateway.stop();
  const slow = await fakes.start({ config: { agent: { restart_drain_timeout: 1 } } });
  fakes.telegram.inject({ chatId: ann, text: 'slow' });
  await until(
    () => fakes.model.requests.length === 1,
    () => 'the model was not asked',
  );
  slow.kill('SIGUSR1');
  await fakes.said(ann, 'I am restarting');
  expect(await slow.stop()).toBe(0);
});

test('a message that kills the process is tried twice, then given up in the chat, while another chat goes on', async () => {
  const killed: string[] = [];
  fakes.model.reply((body) => {
    const text = lastUserText(body);
    if (!text.includes('poison')) return { text: `answer to ${text}` };
    killed.push(text);
    fakes.daemon?.kill('SIGKILL');
    return new Promise(() => undefined);
  });
  const first = await fakes.start();
  fakes.telegram.inject({ chatId: ann, text: 'poison' });
  expect(await first.exited).toBe('SIGKILL');
  fakes.telegram.inject({ chatId: bob, text: 'hello' });
  const second = await fakes.start();
  expect(await second.exited).toBe('SIGKILL');
  await fakes.start();
  await fakes.said(ann, 'I gave up on this message');
  await fakes.said(bob, 'answer to hello');
  fakes.telegram.inject({ chatId: ann, text: 'something else' });
  await fakes.said(ann, 'answer to something else');
  expect(killed).toHaveLength(2);
  expect(fakes.texts(bob)).toEqual(['answer to hello']);
});

test('after five failed starts in a row only the control surface comes up and tells why; once mended it starts as usual', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  onTestFinished(() => void taken.close());
  const config = { web: { port: (taken.address() as AddressInfo).port } };
  const starts = path.join(fakes.home, 'run', 'starts.json');
  mkdirSync(path.dirname(starts), { mode: 0o700 });
  writeFileSync(starts, JSON.stringify({ failed: 4 }));
  expect(await fakes.launch({ config }).exited).toBe(1);
  expect(JSON.parse(readFileSync(starts, 'utf8'))).toEqual({ failed: 5, lastError: expect.stringContaining('in use by another program') });
  const safe = fakes.launch({ config });
  await until(
    () => safe.output().includes('Safe mode: 5 starts'),
    () => 'no safe mode',
    10_000,
  );
  const { stdout } = await fakes.cli('status');
  expect(stdout).toMatch(/Safe mode: 5 starts in a row failed.*Port \d+ .* is in use by another program/);
  expect(fakes.telegram.polls).toEqual([]);
  await new Promise((resolve) => taken.close(resolve));
  await fakes.cli('restart');
  await fakes.telegram.waitFor(() => fakes.telegram.polls.length > 0, 10_000);
  await until(
    () => !existsSync(starts),
    () => 'the failed starts are still counted',
  );
  fakes.telegram.inject({ chatId: ann, text: 'hello' });
  await fakes.said(ann, 'answer to hello');
});
