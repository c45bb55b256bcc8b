/**
 * `npm run bench [-- --rounds 3 --messages 100]`: start, memory, latency, burst and parallelism of the built daemon over the fakes, beside
 * the floor (a bare bot) in the same run. Prints medians. Linux (reads /proc).
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { noPacing } from '../support/gateway-process.ts';
import { burstChats, type Contender, commandMs, measureRound, type Round, slowChats } from './measure.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const hermes = path.join(root, 'gateway/cli/hermes.js');
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' }, messages: { type: 'string', default: '100' } } });

function gatewayOn(home: string): Contender {
  return {
    name: 'gateway',
    start: (telegram, model) => {
      const section = { base_url: telegram.root, allowed_users: ['*'], pacing: noPacing };
      writeFileSync(path.join(home, 'config.yaml'), stringify({ telegram: section, web: { port: 0 } }));
      const env = { HERMES_HOME: home, TELEGRAM_BOT_TOKEN: telegram.token, OPENAI_API_KEY: 'sk-bench', OPENAI_BASE_URL: model.base };
      return launch([hermes, 'gateway', 'run'], home, env);
    },
  };
}

function floorOn(home: string): Contender {
  return {
    name: 'floor',
    start: (telegram, model) =>
      launch([fileURLToPath(new URL('floor-bot.ts', import.meta.url))], home, {
        FLOOR_TELEGRAM: `${telegram.root}/bot${telegram.token}`,
        FLOOR_MODEL: model.base,
      }),
  };
}

function launch(args: readonly string[], home: string, env: Readonly<Record<string, string>>) {
  const log = openSync(path.join(home, 'output.log'), 'a');
  return spawn(process.execPath, args, { stdio: ['ignore', log, log], env: { PATH: process.env['PATH'] ?? '', HOME: home, ...env } });
}

async function measure(contender: (home: string) => Contender): Promise<Round[]> {
  const rounds: Round[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const home = mkdtempSync(path.join(tmpdir(), 'hermes-bench-'));
    rounds.push(await measureRound(contender(home), Number(values.messages)));
    rmSync(home, { recursive: true, force: true });
  }
  return rounds;
}

function quantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? Number.NaN;
}

type Row = readonly [what: string, value: (rounds: readonly Round[]) => number, unit: string, aim: string];

const each = (pick: (round: Round) => number) => (rounds: readonly Round[]) => quantile(rounds.map(pick), 0.5);
const rows: readonly Row[] = [
  ['start to first poll', each((round) => round.startMs), 'ms', '< 1000'],
  ['start to the answer of a waiting message', each((round) => round.warmAnswerMs), 'ms', '< 1500'],
  ['resident memory, idle', each((round) => round.idleMiB), 'MiB', '< 110'],
  ['stop', each((round) => round.stopMs), 'ms', ''],
  ['latency a message, median', each((round) => quantile(round.ownMs, 0.5)), 'ms', '< 10'],
  ['latency a message, p99', each((round) => quantile(round.ownMs, 0.99)), 'ms', '< 30'],
  [`${burstChats} chats at once, all answered`, each((round) => round.burstMs), 'ms', '< 2000'],
  [`${slowChats} turns with a model that takes 1 s`, each((round) => round.slowMs), 'ms', '< 2000'],
  ['lost, doubled or misplaced', (all) => all.reduce((sum, { lost, doubled, misplaced }) => sum + lost + doubled + misplaced, 0), '', '0'],
];

const gateway = await measure(gatewayOn);
const floor = await measure(floorOn);
console.log(`${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), Node ${process.version}, medians of ${values.rounds} rounds\n`);
console.log(`${''.padEnd(44)}${'gateway'.padStart(12)}${'floor'.padStart(12)}   aim`);
for (const [what, value, unit, aim] of rows) {
  const show = (rounds: readonly Round[]): string => `${value(rounds).toFixed(1)} ${unit}`.padStart(12);
  console.log(`${what.padEnd(44)}${show(gateway)}${show(floor)}   ${aim}`);
}
for (const flag of ['--version', '--help']) {
  const times = Array.from({ length: 9 }, () => commandMs(process.execPath, [hermes, flag]));
  const bare = Array.from({ length: 9 }, () => commandMs(process.execPath, ['-e', '0']));
  const show = (list: readonly number[]): string => `${quantile(list, 0.5).toFixed(1)} ms`.padStart(12);
  console.log(`${`hermes ${flag}`.padEnd(44)}${show(times)}${show(bare)}   < 150`);
}
process.exit(0);
