import { PassThrough } from 'node:stream';
import type { IPty } from '@lydell/node-pty';
import { type Containment, READY } from './containment.ts';
import type { Launched, ProcessSpec } from './spec.ts';
import { MARK_VARIABLE } from './table.ts';

const COLUMNS = 120;
const ROWS = 40;
const END_OF_INPUT = '\u0004';

/** As `launch`, with a terminal. The module is loaded with the first one. */
export async function launchTerminal({ kind, wrapper }: Containment, spec: ProcessSpec, mark: string): Promise<Launched | undefined> {
  const { spawn } = await loadTerminals();
  const [program = '', ...args] = [...wrapper, ...spec.argv];
  const pty = spawn(program, args, {
    name: 'xterm-256color',
    cols: COLUMNS,
    rows: ROWS,
    cwd: spec.cwd,
    env: { ...spec.environment, [MARK_VARIABLE]: mark },
    encoding: null,
  });
  const output = new PassThrough();
  const closed = new Promise<void>((resolve) => output.once('close', resolve));
  const exited = new Promise<number>((resolve) => pty.onExit(({ exitCode, signal }) => resolve(signal ? 128 + signal : exitCode)));
  const ready = pass(pty, output, kind === 'namespace' ? READY : '');
  void exited.then(() => output.end());
  if (!(await Promise.race([ready, exited.then(() => false)]))) return undefined;
  return {
    pid: pty.pid,
    output,
    closed,
    exited,
    input: { write: (text) => pty.write(text), end: () => pty.write(END_OF_INPUT) },
    release: () => output.destroy(),
  };
}

/** Passes on what comes behind `mark`; resolves once that was seen. */
function pass(pty: IPty, output: PassThrough, mark: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let before: Buffer | undefined = Buffer.alloc(0);
  if (mark === '') resolve(true);
  pty.onData((data) => {
    const chunk = Buffer.from(data); // bytes, as `encoding: null` says; the type knows texts only
    if (before === undefined) return write(chunk);
    before = Buffer.concat([before, chunk]);
    if (before.length < mark.length) return;
    resolve(before.subarray(0, mark.length).toString('latin1') === mark);
    const rest = before.subarray(mark.length);
    before = undefined;
    write(rest);
  });
  output.on('drain', () => pty.resume());
  const write = (chunk: Buffer): void => {
    if (chunk.length > 0 && output.writable && !output.write(chunk)) pty.pause();
  };
  return promise;
}

async function loadTerminals(): Promise<typeof import('@lydell/node-pty')> {
  try {
    return await import('@lydell/node-pty');
  } catch (error) {
    const why = `its library has no program for ${process.platform}-${process.arch} here`;
    throw new Error(`There can be no terminal (pty): ${why}. Run the command without pty.`, { cause: error });
  }
}
