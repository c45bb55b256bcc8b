/** Help without the daemon: a bundle of its own, so that `hermes --help` answers at once. */
import { execute } from './program.ts';
import { exitCodes } from './verbs.ts';

/** For an argv that asks for help. Resolves with the exit code. */
export function showHelp(argv: readonly string[], version: string): Promise<number> {
  // Only "--help" behind a "--" comes to a verb, and nobody means that as a code or an id.
  return execute(argv, { version, act: async () => exitCodes.usage });
}
