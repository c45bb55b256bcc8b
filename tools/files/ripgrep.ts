import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const TIMEOUT_MS = 30_000;

export interface RipgrepCall {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Called with each line of output; `false` ends the search. */
  line(text: string): boolean;
}

export type RipgrepEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'failed'; readonly why: string };

/** Runs the ripgrep that is installed with us, without a shell and without the user's ripgrep configuration. */
export async function ripgrep(call: RipgrepCall, signal: AbortSignal): Promise<RipgrepEnd> {
  const { rgPath } = await import('@vscode/ripgrep');
  const deadline = AbortSignal.timeout(TIMEOUT_MS);
  const child = spawn(rgPath, ['--no-config', '--color=never', ...call.args], {
    cwd: call.cwd,
    env: call.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = (): void => void child.kill('SIGKILL');
  const either = AbortSignal.any([signal, deadline]);
  either.addEventListener('abort', end, { once: true });
  if (either.aborted) end();
  let complaint = '';
  child.stderr.on('data', (data: Buffer) => {
    complaint = (complaint + data.toString()).slice(0, 2_000);
  });
  const closed = new Promise<number | Error>((resolve) => child.once('error', resolve).once('close', (code) => resolve(code ?? -1)));
  const stopped = await consume(createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY }), call.line);
  if (stopped) end();
  const code = await closed;
  either.removeEventListener('abort', end);
  signal.throwIfAborted();
  return judge({ stopped, timedOut: deadline.aborted, code, complaint });
}

async function consume(lines: AsyncIterable<string>, line: (text: string) => boolean): Promise<boolean> {
  for await (const text of lines) if (!line(text)) return true;
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
