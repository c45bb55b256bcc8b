import type { ShownApproval } from '../permissions/approvals.ts';
import type { CheckAnswer, CheckQuestion, PermissionsControl, ShownRule } from '../permissions/control.ts';
import { askDaemon } from './ask-daemon.ts';
import type { CliContext } from './verbs.ts';

/** The rules that the running daemon keeps to; where none runs, those that the next one would. */
export interface PermissionsSource {
  readonly isRunning: boolean;
  list(): Promise<readonly ShownRule[]>;
  /** Rejects with a sentence where the question cannot be understood. */
  check(question: CheckQuestion): Promise<CheckAnswer>;
  approvals(): Promise<readonly ShownApproval[]>;
  /** Resolves with what was done, in a sentence. Rejects with why nothing was. */
  forget(id: string): Promise<string>;
}

/** Rejects with ConfigError where no daemon runs and the files are broken. */
export async function permissionsSource({ deps }: Pick<CliContext, 'deps'>): Promise<PermissionsSource> {
  try {
    await askDaemon(deps, { method: 'GET', route: '/healthz' });
    return fromDaemon(deps);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'NoDaemonError') throw error;
    return fromFiles(deps.permissions(deps.home(process.env)));
  }
}

/** The daemon of this home has just answered over a socket that only its owner can reach; a newer one may add keys. */
function fromDaemon(deps: CliContext['deps']): PermissionsSource {
  const get = (route: string) => askDaemon(deps, { method: 'GET', route });
  const post = (route: string, body: object) => askDaemon(deps, { method: 'POST', route, body });
  return {
    isRunning: true,
    list: async () => ((await get('/api/permissions')) as { readonly rules: readonly ShownRule[] }).rules,
    check: async (question) => (await post('/api/permissions/check', question)) as CheckAnswer,
    approvals: async () => ((await get('/api/approvals')) as { readonly approvals: readonly ShownApproval[] }).approvals,
    forget: async (id) => ((await post('/api/approvals/forget', { id })) as { readonly text: string }).text,
  };
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
    approvals: async () => control.approvals.list(),
    forget: async (id) => {
      const { done, text } = control.approvals.forget(id);
      if (!done) throw new Error(text);
      return text;
    },
  };
}
