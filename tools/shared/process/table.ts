import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/** One look at the processes of this machine. Synchronous on purpose: a picture taken over several ticks of the loop misses what forks meanwhile. */

export const MARK_VARIABLE = 'HERMES_PROCESS_MARK';

/** Tells the processes of this daemon from those of a killed one with the same state directory, also where both had the same process id. */
const INSTANCE = randomUUID();

/** The mark of one command. Its descendants inherit it. */
export function createMark(marker: string): string {
  return `${marker}.${INSTANCE}.${randomUUID()}`;
}

/** Every process below `root`, parents before children, without `root` itself. */
export function descendants(root: number): number[] {
  const children = Map.groupBy(parents(), ([, parent]) => parent);
  const found = [root];
  for (const pid of found) for (const [child] of children.get(pid) ?? []) found.push(child);
  return found.slice(1);
}

/** Every process whose environment carries a mark that begins with `mark`. Linux only: elsewhere a process hides its environment. */
export function marked(mark: string): number[] {
  if (process.platform !== 'linux') return [];
  const needle = Buffer.from(`\0${MARK_VARIABLE}=${mark}`);
  return numericEntries().filter((pid) => pid !== process.pid && environmentOf(pid).includes(needle));
}

export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended since we looked, or it is somebody else's (a setuid program): then nothing is left to do here.
    }
  }
}

/** Ends what an earlier, killed daemon left behind, and nothing of this one. Returns how many there were. Call it only while holding the state directory's lock. */
export async function endLeftovers(marker: string): Promise<number> {
  const ended = new Set<number>();
  for (let round = 0; round < 20; round += 1) {
    const own = new Set(marked(`${marker}.${INSTANCE}.`));
    const alive = marked(`${marker}.`).filter((pid) => !own.has(pid));
    if (alive.length === 0) break;
    for (const pid of alive) ended.add(pid);
    signalAll(alive, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return ended.size;
}

function numericEntries(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

function environmentOf(pid: number): Buffer {
  try {
    return Buffer.concat([Buffer.from('\0'), readFileSync(`/proc/${pid}/environ`)]);
  } catch {
    return Buffer.alloc(0); // gone, or another user's
  }
}

function parents(): (readonly [number, number])[] {
  return process.platform === 'linux' ? numericEntries().flatMap(parentFromProc) : parentsFromPs();
}

/** proc_pid_stat(5): "pid (comm) state ppid ..."; comm may contain spaces and parentheses. */
function parentFromProc(pid: number): (readonly [number, number])[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [[pid, Number(parent)]];
  } catch {
    return [];
  }
}

function parentsFromPs(): (readonly [number, number])[] {
  const lines = execFileSync('ps', ['-axo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return lines.map((line) => {
    const [pid, parent] = line.trim().split(/\s+/u).map(Number);
    return [pid ?? 0, parent ?? 0];
  });
}
