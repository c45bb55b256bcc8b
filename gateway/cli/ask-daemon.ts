import { type ControlQuestion, callControl } from '../http/control-client.ts';
import { controlSocketPath } from '../http/control-socket.ts';
import type { CliDeps } from './verbs.ts';

const patienceMs = 5000;

/** One question to the daemon of this home. Rejects with NoDaemonError, or with a sentence. */
export async function askDaemon(deps: CliDeps, question: ControlQuestion): Promise<unknown> {
  const signal = AbortSignal.timeout(patienceMs);
  try {
    return await callControl(controlSocketPath(deps.home(process.env)), question, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new Error(`The gateway runs but did not answer within ${patienceMs / 1000} s. Its log may say why.`, { cause: error });
  }
}
