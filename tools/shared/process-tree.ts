import { type ChildProcess, spawn } from 'node:child_process';
import { PassThrough, type Readable } from 'node:stream';
import { type Containment, findContainment, plainContainment, READY } from './process/containment.ts';
import { createMark, descendants, MARK_VARIABLE, marked, signalAll } from './process/table.ts';

export interface ProcessSpec {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
}

export interface ProcessExit {
  /** As a shell tells it: 128 + n when ended by signal n. */
  readonly code: number;
}

/** A command with everything that it starts. */
export interface ProcessTree {
  /** Standard output and standard error in the order of writing. */
  readonly output: Readable;
  /** Settles when the command has ended, none of its descendants is alive and the output has been read. Never rejects. */
  readonly exit: Promise<ProcessExit>;
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

const SIGNAL_NUMBERS: Readonly<Partial<Record<NodeJS.Signals, number>>> = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGSEGV: 11, SIGTERM: 15 };
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
      const containment = await contain();
      const contained = await launch(containment, spec, mark);
      if (contained !== undefined) return contained;
      // The namespace held in the self-test and cannot be had now (a limit of the kernel is reached): the command runs by marker instead.
      const plain = await launch(plainContainment(), spec, mark);
      if (plain === undefined) throw new Error('The command could not be started.');
      return plain;
    },
  };
}

interface Running {
  readonly child: ChildProcess;
  readonly output: Readable;
  /** The output has been read to its end. This and `exited` are listened to from the first moment: a short command may end before anything else has been heard of it. */
  readonly closed: Promise<void>;
  readonly exited: Promise<number>;
  /** Finds the descendants; none is needed where the kernel ends them. */
  readonly mark: string | undefined;
}

/** `undefined`: the wrapper failed before the command began, so that nothing of it has run. */
async function launch(containment: Containment, spec: ProcessSpec, mark: string): Promise<ProcessTree | undefined> {
  const child = spawnDetached([...containment.wrapper, ...spec.argv], spec, mark);
  const output = collect(child);
  const closed = new Promise<void>((resolve) => output.once('close', resolve));
  const exited = new Promise<number>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? 128 + (SIGNAL_NUMBERS[signal ?? 'SIGKILL'] ?? 0)));
  });
  await started(child, spec);
  if (containment.kind === 'namespace' && !(await isReady(child))) return undefined;
  child.stderr?.resume();
  return createTree({ child, output, closed, exited, mark: containment.kind === 'marker' ? mark : undefined });
}

/** Node throws away what nobody reads once a child has exited, and a short command exits before anybody could begin to. */
function collect(child: ChildProcess): Readable {
  const output = new PassThrough();
  child.stdout?.pipe(output);
  output.once('close', () => child.stdout?.destroy());
  return output;
}

function spawnDetached(argv: readonly string[], spec: ProcessSpec, mark: string): ChildProcess {
  const [program = '', ...args] = argv;
  try {
    return spawn(program, args, {
      cwd: spec.cwd,
      env: { ...spec.environment, [MARK_VARIABLE]: mark },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // a session of its own: Ctrl-C on a daemon in the foreground is the daemon's business, and there is no terminal to read from
    });
  } catch (error) {
    throw new Error(startFailure(error as NodeJS.ErrnoException, spec), { cause: error }); // node throws some failures of the system and emits others
  }
}

function started(child: ChildProcess, spec: ProcessSpec): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(new Error(startFailure(error, spec), { cause: error })));
  });
}

function startFailure(error: NodeJS.ErrnoException, spec: ProcessSpec): string {
  if (error.code === 'E2BIG') return 'The command is too long for this system. Write it to a script file and run that.';
  if (error.code === 'ENOENT') return `The command could not be started: no shell, or no directory ${spec.cwd}.`;
  return `The command could not be started (${error.code ?? error.message}).`;
}

function isReady(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    let seen = '';
    child.stderr?.on('data', (data: Buffer) => {
      seen = (seen + data.toString('latin1')).slice(0, 200);
      if (seen.startsWith(READY)) resolve(true);
    });
    child.stderr?.once('close', () => resolve(seen.startsWith(READY)));
  });
}

function createTree(running: Running): ProcessTree {
  const exit = settled(running);
  return {
    output: running.output,
    exit,
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

async function settled({ exited, output, closed, mark }: Running): Promise<ProcessExit> {
  const code = await exited;
  if (mark === undefined) await closed;
  else await drain(output, closed, mark);
  return { code };
}

/** A process that shed its mark may hold the pipe open for ever. */
async function drain(output: Readable, closed: Promise<void>, mark: string): Promise<void> {
  await endMarked(mark);
  if (!(await endedWithin(closed, PIPE_DRAIN_MS))) output.destroy();
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
function signalTree({ child, mark }: Running, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  const below = descendants(child.pid);
  const guardIsAlone = below.length === 0 && signal === 'SIGKILL';
  const namespaced = guardIsAlone ? [child.pid] : below;
  signalAll(mark === undefined ? namespaced : [...new Set([child.pid, ...below, ...marked(mark)])], signal);
}

async function endedWithin(ended: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(resolve, ms, false);
  const first = await Promise.race([ended.then(() => true), late]);
  clearTimeout(timer);
  return first;
}
