import { type ChildProcess, spawn } from 'node:child_process';
import { PassThrough, type Readable } from 'node:stream';
import { type Containment, READY } from './containment.ts';
import type { Launched, ProcessInput, ProcessSpec } from './spec.ts';
import { MARK_VARIABLE } from './table.ts';

const SIGNAL_NUMBERS: Readonly<Partial<Record<NodeJS.Signals, number>>> = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGSEGV: 11, SIGTERM: 15 };
const REPORT_LIMIT_BYTES = 512_000;

/** `undefined`: the wrapper failed before the command began, so that nothing of it has run. Rejects with a sentence when nothing could be started at all. */
export async function launch({ kind, wrapper }: Containment, spec: ProcessSpec, mark: string): Promise<Launched | undefined> {
  const child = spawnDetached([...wrapper, ...spec.argv], spec, mark);
  const output = collect(child);
  const report = spec.reports === true ? collectReport(child.stdio[3] as Readable) : undefined;
  const outputClosed = new Promise<void>((resolve) => output.once('close', resolve));
  const exited = new Promise<number>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? 128 + (SIGNAL_NUMBERS[signal ?? 'SIGKILL'] ?? 0)));
  });
  await started(child, spec);
  if (kind === 'namespace' && !(await isReady(child))) return undefined;
  child.stderr?.resume();
  const input = inputOf(child);
  return {
    pid: child.pid ?? 0,
    output,
    closed: Promise.all([outputClosed, report?.closed]).then(() => undefined),
    exited,
    ...(input === undefined ? {} : { input }),
    ...(report === undefined ? {} : { reported: report.text }),
    release: () => {
      output.destroy();
      report?.destroy();
      child.stdin?.destroy();
    },
  };
}

/** Node throws away what nobody reads once a child has exited, and a short command exits before anybody could begin to. */
function collect(child: ChildProcess): Readable {
  const output = new PassThrough();
  child.stdout?.pipe(output);
  output.once('close', () => child.stdout?.destroy());
  return output;
}

function collectReport(pipe: Readable): { readonly closed: Promise<void>; text(): string | undefined; destroy(): void } {
  const chunks: Buffer[] = [];
  let bytes = 0;
  pipe.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= REPORT_LIMIT_BYTES) chunks.push(chunk);
  });
  pipe.on('error', () => undefined); // it ends like any other end
  return {
    closed: new Promise((resolve) => pipe.once('close', resolve)),
    text: () => (bytes > REPORT_LIMIT_BYTES ? undefined : Buffer.concat(chunks).toString('utf8')),
    destroy: () => void pipe.destroy(),
  };
}

function inputOf({ stdin }: ChildProcess): ProcessInput | undefined {
  if (stdin === null) return undefined;
  stdin.on('error', () => undefined); // nobody reads any more: the exit tells
  return { write: (text) => void stdin.write(text), end: () => void stdin.end() };
}

function spawnDetached(argv: readonly string[], spec: ProcessSpec, mark: string): ChildProcess {
  const [program = '', ...args] = argv;
  const input = spec.input === 'open' ? 'pipe' : 'ignore';
  try {
    return spawn(program, args, {
      cwd: spec.cwd,
      env: { ...spec.environment, [MARK_VARIABLE]: mark },
      stdio: [input, 'pipe', 'pipe', ...(spec.reports === true ? (['pipe'] as const) : [])],
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
