import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { marked } from '../../../tools/shared/process/table.ts';
import { createTerminalBench, idOf } from './support.ts';

/** `HERMES_PROCESS_CYCLES=1000` is the long form (`npm run soak`). */
const cycles = Number(process.env['HERMES_PROCESS_CYCLES'] ?? 24);
const isLinux = process.platform === 'linux';

const descriptors = () => readdirSync('/proc/self/fd').length;

/** Children of ours that have ended and that nobody has asked about. */
function zombies(): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Boolean);
  return pids.filter((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return state === 'Z' && Number(parent) === process.pid;
    } catch {
      return false; // it is gone
    }
  });
}

const commands = [
  { command: 'sleep 300' },
  { command: 'trap "" TERM; (env setsid sleep 300 &); sleep 301' },
  { command: 'cat' },
  { command: 'sleep 300', pty: true },
];

it.skipIf(!isLinux)(
  `${cycles} background processes that are started and killed leave no process, no zombie and no descriptor`,
  { timeout: 20_000 + cycles * 400 },
  async () => {
    const bench = createTerminalBench();
    const cycle = async (index: number): Promise<void> => {
      const started = await bench.call('terminal', { ...commands[index % commands.length], background: true });
      await bench.call('process', { action: 'kill', session_id: idOf(started) });
    };
    const width = 8;
    for (let index = 0; index < width; index += 1) await cycle(index); // what is loaded once is loaded
    const before = descriptors();
    const begun = performance.now();
    for (let done = 0; done < cycles; done += width) await Promise.all(Array.from({ length: width }, (_, index) => cycle(done + index)));
    const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
    console.log(`${cycles} cycles in ${seconds} s; descriptors before ${before}, after ${descriptors()}; zombies ${zombies().length}`);
    expect(zombies()).toEqual([]);
    expect(marked(bench.marker)).toEqual([]);
    expect(descriptors()).toBeLessThanOrEqual(before + 2);
    expect(bench.terminals.processes.running()).toEqual([]);
  },
);
