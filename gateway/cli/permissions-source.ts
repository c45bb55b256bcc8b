import type { CheckAnswer, CheckQuestion, PermissionsControl, ShownRule } from '../permissions/control.ts';
import { askDaemon } from './ask-daemon.ts';
import type { CliContext } from './verbs.ts';

/** The rules that the running daemon keeps to; where none runs, those that the next one would. */
export interface PermissionsSource {
  readonly isRunning: boolean;
  list(): Promise<readonly ShownRule[]>;
  /** Rejects with a sentence where the question cannot be understood. */
  check(question: CheckQuestion): Promise<CheckAnswer>;
}

/** Rejects with ConfigError where no daemon runs and the files are broken. */
export async function permissionsSource({ deps }: Pick<CliContext, 'deps'>): Promise<PermissionsSource> {
  try {
    // The daemon of this home has just answered over a socket that only its owner can reach; a newer one may add keys.
    const { rules } = (await askDaemon(deps, { method: 'GET', route: '/api/permissions' })) as { readonly rules: readonly ShownRule[] };
    return {
      isRunning: true,
      list: async () => rules,
      check: async (question) =>
        (await askDaemon(deps, { method: 'POST', route: '/api/permissions/check', body: question })) as CheckAnswer,
    };
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'NoDaemonError') throw error;
    return fromFiles(deps.permissions(deps.home(process.env)));
  }
}

const patienceMs = 10_000;

function fromFiles(control: PermissionsControl): PermissionsSource {
  return {
    isRunning: false,
    list: async () => control.list(),
    check: async (question) => {
      const answer = await control.check(question, AbortSignal.timeout(patienceMs));
      if (typeof answer === 'string') throw new Error(answer);
      return answer;
    },
  };
}
