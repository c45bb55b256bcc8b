import type { Readable } from 'node:stream';
import { type Containment, findContainment, isolated, plainContainment, withTerminal } from './process/containment.ts';
import { launch } from './process/launch.ts';
import type { Launched, ProcessExit, ProcessInput, ProcessSpec } from './process/spec.ts';
import { createMark, descendants, marked, signalAll } from './process/table.ts';
import { launchTerminal } from './process/terminal.ts';

/** A command with everything that it starts. */
export interface ProcessTree {
  /** Of its first process, as we see it. */
  readonly pid: number;
  /** Standard output and standard error in the order of writing. */
  readonly output: Readable;
  /** Settles when the command has ended, none of its descendants is alive and the output has been read. Never rejects. */
  readonly exit: Promise<ProcessExit>;
  readonly input?: ProcessInput;
  /** What the command wrote to its descriptor 3, once it has ended; undefined where that was too much, or it has none. */
  reported(): string | undefined;
  /** Asks all to end, and ends them after the grace period. Resolves when none is alive, or when the kernel does not give one up for seconds. */
  end(graceMs: number): Promise<void>;
}

export interface ProcessTrees {
  /** Rejects with a sentence when the command could not be started at all. */
  start(spec: ProcessSpec): Promise<ProcessTree>;
  containment(): Promise<Containment['kind']>;
}

export interface ProcessTreesOptions {
  /** Names the state directory of this daemon: `endLeftovers(marker)` finds what a killed one left. */
  readonly marker: string;
  /** `off`: no pid namespace, for people who want commands to see the whole machine's processes. */
  readonly namespace: 'auto' | 'off';
}

const PIPE_DRAIN_MS = 500;
const KILL_ROUNDS = 60;

/** `find` is asked once, with the first command: never on the daemon's way to readiness. */
export function createProcessTrees(options: ProcessTreesOptions, find: () => Promise<Containment> = () => findContainment()): ProcessTrees {
  let proven: Promise<Containment> | undefined;
  const contain = (): Promise<Containment> => {
    proven ??= options.namespace === 'off' ? Promise.resolve(plainContainment()) : find();
    return proven;
  };
  return {
    async containment() {
      return (await contain()).kind;
    },
    async start(spec) {
      const mark = createMark(options.marker);
      const containment = spec.isolation === undefined ? await contain() : isolated(spec.isolation);
      const contained = await begin(containment, spec, mark);
      if (contained !== undefined) return contained;
      if (spec.isolation !== undefined)
        throw new Error(`The command was not started: its isolation, which held before, cannot be had now.`);
      // The namespace held in the self-test and cannot be had now (a limit of the kernel is reached): the command runs by marker instead.
      const plain = await begin(plainContainment(), spec, mark);
      if (plain === undefined) throw new Error('The command could not be started.');
      return plain;
    },
  };
}

async function begin(containment: Containment, spec: ProcessSpec, mark: string): Promise<ProcessTree | undefined> {
  const onTerminal = spec.input === 'terminal';
  const launched = onTerminal ? await launchTerminal(withTerminal(containment), spec, mark) : await launch(containment, spec, mark);
  return launched === undefined ? undefined : createTree({ ...launched, mark: containment.kind === 'marker' ? mark : undefined });
}

interface Running extends Launched {
  /** Finds the descendants; none is needed where the kernel ends them. */
  readonly mark: string | undefined;
}

function createTree(running: Running): ProcessTree {
  const exit = settled(running);
  return {
    pid: running.pid,
    output: running.output,
    exit,
    ...(running.input === undefined ? {} : { input: running.input }),
    reported: () => running.reported?.(),
    async end(graceMs) {
      signalTree(running, 'SIGTERM');
      if (await endedWithin(exit, graceMs)) return;
      // What forks while we look is found by the next look. What the kernel itself holds (a dead network disk) is not waited for.
      for (let round = 0; round < KILL_ROUNDS; round += 1) {
        signalTree(running, 'SIGKILL');
        if (await endedWithin(exit, 50)) return;
      }
    },
  };
}

async function settled({ exited, closed, mark, release }: Running): Promise<ProcessExit> {
  const code = await exited;
  if (mark === undefined) await closed;
  else await drain(closed, mark);
  release();
  return { code };
}

/** A process that shed its mark may hold the pipe open for ever. */
async function drain(closed: Promise<void>, mark: string): Promise<void> {
  await endMarked(mark);
  await endedWithin(closed, PIPE_DRAIN_MS);
}

async function endMarked(mark: string): Promise<void> {
  for (let round = 0; round < 20; round += 1) {
    const alive = marked(mark);
    if (alive.length === 0) return;
    signalAll(alive, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** In a namespace the outermost process is only the guard: TERM would end it and with it everything, without any grace. */
function signalTree({ pid, mark }: Running, signal: 'SIGTERM' | 'SIGKILL'): void {
  const below = descendants(pid);
  const guardIsAlone = below.length === 0 && signal === 'SIGKILL';
  const namespaced = guardIsAlone ? [pid] : below;
  signalAll(mark === undefined ? namespaced : [...new Set([pid, ...below, ...marked(mark)])], signal);
}

async function endedWithin(ended: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(resolve, ms, false);
  const first = await Promise.race([ended.then(() => true), late]);
  clearTimeout(timer);
  return first;
}
