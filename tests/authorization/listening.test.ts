/** What the running daemon and all that it starts listen on: what the configuration names, and nothing else. Linux only: it reads /proc. */

import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startDiscord } from '../crash/discord.ts';
import type { CrashPlatform } from '../crash/platform.ts';
import { startWhatsApp } from '../crash/whatsapp.ts';
import { useFakes } from '../e2e/fakes.ts';
import { lastUserText } from '../fakes/model.ts';
import { BOT_TOKEN, startFakeSlack } from '../fakes/slack.ts';
import { until } from '../gateway/support/gateway.ts';
import type { PageClient } from '../page/page-client.ts';
import { noPacing } from '../support/gateway-process.ts';

const hasProc = existsSync('/proc/net/unix');
const fakes = useFakes();
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** The process and everything below it. */
function tree(root: number): readonly number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: parentOf(name) }));
  const found = new Set([root]);
  for (let size = 0; size !== found.size; ) {
    size = found.size;
    for (const { pid, parent } of parents) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

function parentOf(pid: string): number {
  const stat = readOr(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0);
}

function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // the process ended meanwhile
  }
}

/** Inodes of the sockets that a process has open. */
function socketsOf(pid: number): readonly string[] {
  const directory = `/proc/${pid}/fd`;
  const names = existsSync(directory) ? readdirSync(directory) : [];
  return names.flatMap((name) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(path.join(directory, name)))?.[1] ?? [];
    } catch {
      return [];
    }
  });
}

const rows = (file: string): readonly (readonly string[])[] =>
  readOr(file)
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/));

/** https://www.kernel.org/doc/Documentation/networking/proc_net_tcp.txt */
const LISTEN = '0A';
/** `__SO_ACCEPTCON` */
const ACCEPTS = 0x10000;

interface Net {
  /** "tcp 127.0.0.1:9119"; a socket without a peer that anybody may send to counts as one that listens. */
  readonly listening: readonly string[];
}

/** What the network namespace of the process has, restricted to sockets that are open in the processes. */
function listeningIn(root: number): Net['listening'] {
  const net = `/proc/${root}/net`;
  const open = new Set(tree(root).flatMap(socketsOf));
  const inet = ['tcp', 'tcp6', 'udp', 'udp6', 'udplite', 'udplite6', 'raw', 'raw6'].flatMap((kind) =>
    rows(`${net}/${kind}`)
      .filter((row) => open.has(row[9] ?? ''))
      .filter((row) => (kind.startsWith('tcp') ? row[3] === LISTEN : /^0+:0+$/.test(row[2] ?? '')))
      .map((row) => `${kind} ${addressOf(row[1] ?? '')}`),
  );
  const unix = rows(`${net}/unix`)
    .filter((row) => open.has(row[6] ?? '') && (Number.parseInt(row[3] ?? '0', 16) & ACCEPTS) !== 0)
    .map((row) => `unix ${row[7]}`);
  return [...inet, ...unix].sort();
}

/** In the machine's byte order, four bytes at a time. */
function addressOf(hex: string): string {
  const [address = '', port = ''] = hex.split(':');
  const words = address.match(/.{8}/g)?.map((word) => Buffer.from(word, 'hex').reverse()) ?? [];
  const bytes = Buffer.concat(words);
  return `${bytes.length === 4 ? bytes.join('.') : bytes.toString('hex')}:${Number.parseInt(port, 16)}`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Every platform, those that can be called by their platform among them. */
async function everything(port: number) {
  const slack = await startFakeSlack();
  const others: readonly CrashPlatform[] = [await startDiscord(0), await startWhatsApp(0)];
  closing.push(() => slack.close(), ...others.map((other) => () => other.close()));
  for (const { prepare } of others) prepare?.(fakes.home);
  return {
    config: {
      web: { port },
      telegram: {
        base_url: fakes.telegram.root,
        allowed_users: ['*'],
        pacing: noPacing,
        webhook: { url: 'https://bot.example.org', secret: 'a-secret-of-the-webhook' },
      },
      slack: { base_url: slack.root, mode: 'http', allowed_users: ['*'], reactions: false, pacing: noPacing },
      ...Object.assign({}, ...others.map(({ config }) => config)),
    },
    env: { SLACK_BOT_TOKEN: BOT_TOKEN, SLACK_SIGNING_SECRET: 'a-secret-of-slack', ...Object.assign({}, ...others.map(({ env }) => env)) },
  };
}

async function answering(socketPath: string): Promise<void> {
  await until(
    () => existsSync(socketPath),
    () => `the daemon does not come up: ${fakes.daemon?.output()}`,
    45_000,
  );
}

function statusAt(options: object): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ ...options, agent: false }, (answer) => answer.resume().on('end', () => resolve(answer.statusCode ?? 0)));
    sent.on('error', reject).end();
  });
}

describe.skipIf(!hasProc)('what the daemon listens on', { timeout: 120_000 }, () => {
  const socketOf = (): string => path.join(fakes.home, 'run', 'gateway.sock');

  it("with everything on and a command at work is the page's port on the loopback address and its own Unix socket, and both refuse strangers", async () => {
    fakes.model.reply((body) =>
      lastUserText(body) === 'work' ? { calls: [{ name: 'terminal', args: { command: 'sleep 60 & sleep 61' } }] } : { text: 'ok' },
    );
    const port = await freePort();
    const { pid } = fakes.launch(await everything(port));
    await answering(socketOf());
    const page: PageClient = await fakes.page();
    page.message(crypto.randomUUID(), 'work');
    await until(
      () => tree(pid).some((one) => readOr(`/proc/${one}/cmdline`).startsWith('sleep\0')),
      () => 'no command runs',
      45_000,
    );
    await until(
      () => fakes.telegram.webhook().url !== '',
      () => 'Telegram is not connected',
      45_000,
    );
    expect(listeningIn(pid)).toEqual([`tcp 127.0.0.1:${port}`, `unix ${socketOf()}`]);
    for (const where of ['/api/status', '/ws', '/api/people', '/nothing']) {
      expect([where, await statusAt({ host: '127.0.0.1', port, path: where })]).toEqual([where, 401]);
      expect([where, await statusAt({ socketPath: socketOf(), path: where })]).toEqual([where, 401]);
    }
    for (const hook of ['/telegram/webhook', '/slack/events'])
      expect([hook, await statusAt({ host: '127.0.0.1', port, path: hook, method: 'POST' })]).toEqual([hook, 401]);
    await page.close();
  });

  it('is another loopback address where the configuration names it', async () => {
    const port = await freePort();
    const { pid } = fakes.launch({ config: { web: { port, host: '127.0.0.2' } } });
    await answering(socketOf());
    expect(listeningIn(pid)).toEqual([`tcp 127.0.0.2:${port}`, `unix ${socketOf()}`]);
  });

  it('is nothing but its own Unix socket where the page is off', async () => {
    const { pid } = fakes.launch({ config: { web: { enabled: false } } });
    await answering(socketOf());
    expect(listeningIn(pid)).toEqual([`unix ${socketOf()}`]);
  });
});
