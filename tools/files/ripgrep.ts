import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export interface RipgrepCall {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Open files that it has as its descriptors from 3 on. */
  readonly descriptors?: readonly number[];
  /** Ends the search, which is then `timeout`. */
  readonly deadline: AbortSignal;
  /** Called with each line of output, one after the other; `false` ends the search. */
  line(text: string): boolean | Promise<boolean>;
}

export type RipgrepEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'failed'; readonly why: string };

/** Runs the ripgrep that is installed with us, without a shell and without the user's ripgrep configuration. */
export async function ripgrep(call: RipgrepCall, signal: AbortSignal): Promise<RipgrepEnd> {
  const { rgPath } = await import('@vscode/ripgrep');
  const { deadline, descriptors = [] } = call;
  const child = spawn(rgPath, ['--no-config', '--color=never', ...call.args], {
    cwd: call.cwd,
    env: call.environment,
    stdio: ['ignore', 'pipe', 'pipe', ...descriptors],
  });
  const end = (): void => void child.kill('SIGKILL');
  const either = AbortSignal.any([signal, deadline]);
  either.addEventListener('abort', end, { once: true });
  if (either.aborted) end();
  let complaint = '';
  child.stderr?.on('data', (data: Buffer) => {
    complaint = (complaint + data.toString()).slice(0, 2_000);
  });
  const closed = new Promise<number | Error>((resolve) => child.once('error', resolve).once('close', (code) => resolve(code ?? -1)));
  const stopped = await consume(child.stdout, call).catch(async (error: unknown) => {
    end();
    await closed;
    throw error;
  });
  if (stopped) end();
  const code = await closed;
  either.removeEventListener('abort', end);
  signal.throwIfAborted();
  return judge({ stopped, timedOut: deadline.aborted, code, complaint });
}

async function consume(output: Readable | null, { line }: RipgrepCall): Promise<boolean> {
  if (output === null) return false;
  const lines = createInterface({ input: output, crlfDelay: Number.POSITIVE_INFINITY });
  for await (const text of lines) if (!(await line(text))) return true;
  return false;
}

/** 0: found, 1: nothing found, 2: trouble, which may concern only some of the files. */
function judge(end: { stopped: boolean; timedOut: boolean; code: number | Error; complaint: string }): RipgrepEnd {
  if (end.stopped) return { kind: 'stopped' };
  if (end.timedOut) return { kind: 'timeout' };
  if (end.code === 0 || end.code === 1) return { kind: 'done' };
  if (end.code instanceof Error) return { kind: 'failed', why: `The search program could not be started (${end.code.message}).` };
  const isPartial = /permission denied|no such file/iu.test(end.complaint) && !/regex parse error/iu.test(end.complaint);
  return isPartial ? { kind: 'done' } : { kind: 'failed', why: end.complaint.replaceAll(/^rg: /gmu, '').trim() };
}
