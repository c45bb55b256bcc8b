import { execute } from './program.ts';
import { type CliDeps, exitCodes } from './verbs.ts';

/** The `hermes` command. Resolves with the exit code: 0 done, 1 failed, 2 used wrongly, 3 no daemon runs. Never rejects. */
export async function runCli(argv: readonly string[], deps: CliDeps): Promise<number> {
  try {
    return await execute(argv, {
      version: deps.version,
      act: async (verb, given) => {
        const { act } = await verb.load();
        return act({ ...given, deps, print: (line) => process.stdout.write(`${line}\n`) });
      },
    });
  } catch (error) {
    process.stderr.write(`${deps.redact(sentence(error))}\n`);
    return codeOf(error);
  }
}

function codeOf(error: unknown): number {
  const name = error instanceof Error ? error.name : '';
  if (name === 'NoDaemonError') return exitCodes.noDaemon;
  return name === 'UsageError' ? exitCodes.usage : exitCodes.failed;
}

/** What went wrong without a stack: our errors are written for people. HERMES_DEBUG=1 shows where a bug is. */
function sentence(error: unknown): string {
  if (!(error instanceof Error)) return `hermes: ${String(error)}`;
  return process.env['HERMES_DEBUG'] === '1' ? String(error.stack) : `hermes: ${error.message}`;
}
