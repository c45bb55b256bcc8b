/**
 * What it costs to have all platforms on while nobody writes: memory of the daemon with Telegram alone and with all four, and beside it the
 * bare imports of the client libraries, which are the floor. `node tests/bench/idle.ts [--rounds 3] [--seconds 15]`; needs a build.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { crashPlatforms } from '../crash/platforms.ts';
import { startGateway } from '../support/gateway-process.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' }, seconds: { type: 'string', default: '15' } } });
const idleMs = Number(values.seconds) * 1000;

interface Cost {
  readonly residentMb: number;
  /** Processor time while idle, ms a minute. */
  readonly cpuMs: number;
}

function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** Clock ticks of a hundredth of a second: user and system. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function idle(pid: number): Promise<Cost> {
  await sleep(3000); // the start is over
  const before = cpuMs(pid);
  await sleep(idleMs);
  return { residentMb: residentMb(pid), cpuMs: ((cpuMs(pid) - before) * 60_000) / idleMs };
}

async function daemonWith(names: readonly string[]): Promise<Cost> {
  const home = mkdtempSync(path.join(tmpdir(), 'hermes-idle-'));
  const platforms = await Promise.all(names.flatMap((name) => crashPlatforms[name]?.(0) ?? []));
  for (const platform of platforms) platform.prepare?.(home);
  const config = Object.assign({}, ...platforms.map((platform) => platform.config));
  const env = Object.assign({}, ...platforms.map((platform) => platform.env));
  const gateway = startGateway({ home, config, env });
  try {
    while (!platforms.every((platform) => platform.contacts() > 0)) await sleep(50);
    return await idle(gateway.pid);
  } finally {
    await gateway.stop();
    for (const platform of platforms) await platform.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** A process that imports these and does nothing. */
async function bare(libraries: readonly string[]): Promise<Cost> {
  const code = `await Promise.all(${JSON.stringify(libraries)}.map((name) => import(name))); setInterval(() => {}, 60000)`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'inherit' });
  try {
    return await idle(child.pid ?? 0);
  } finally {
    child.kill();
  }
}

const others = ['discord.js', '@slack/bolt', '@whiskeysockets/baileys'];
const subjects: Readonly<Record<string, () => Promise<Cost>>> = {
  'bare imports, grammy': () => bare(['grammy']),
  'bare imports, all four': () => bare(['grammy', ...others]),
  'daemon, Telegram': () => daemonWith(['telegram']),
  'daemon, all four': () => daemonWith(['telegram', 'discord', 'slack', 'whatsapp']),
};

const results = new Map<string, Cost[]>();
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const [name, measure] of Object.entries(subjects)) results.set(name, [...(results.get(name) ?? []), await measure()]);
}

function median(of: readonly number[]): number {
  return of.toSorted((one, other) => one - other)[Math.floor(of.length / 2)] ?? Number.NaN;
}

const medians = new Map([...results].map(([name, costs]) => [name, median(costs.map((cost) => cost.residentMb))]));
for (const [name, costs] of results) {
  console.log(
    `${name.padEnd(24)} ${(medians.get(name) ?? 0).toFixed(0).padStart(5)} MB  ${median(costs.map((cost) => cost.cpuMs))
      .toFixed(0)
      .padStart(5)} ms of processor a minute`,
  );
}
const more = (all: string, one: string): string => ((medians.get(all) ?? 0) - (medians.get(one) ?? 0)).toFixed(0);
console.log(
  `more than Telegram alone: ${more('daemon, all four', 'daemon, Telegram')} MB; floor ${more('bare imports, all four', 'bare imports, grammy')} MB`,
);
