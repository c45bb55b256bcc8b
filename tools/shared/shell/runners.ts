import { commandName } from './command.ts';
import type { Special } from './following.ts';
import { isStatic } from './pattern.ts';
import { isInterpreter } from './rules/code.ts';
import { isReader, isStrong } from './rules/known.ts';
import { copyScope } from './scope.ts';
import { isShell } from './shells.ts';

/** Programs that prepare something and run the command that stands behind their own words, of which we know too little to count them. */

const BY_VERB: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries('poetry uv pipenv pdm hatch rye conda mamba micromamba doppler op'.split(' ').map((name) => [name, /^run$/u])),
  ...Object.fromEntries(
    'npm pnpm yarn bundle mise asdf rbenv pyenv direnv aws-vault sops chamber'.split(' ').map((name) => [name, /^(?:exec|x|dlx)$/u]),
  ),
  perf: /^(?:stat|record|trace)$/u,
};
const PLAIN = new Set(
  'npx bunx dotenv entr watchexec nodemon numactl choom chpst softlimit cgexec faketime catchsegv gdb with-contenv systemd-inhibit proot cpulimit envdir setlock ssh-agent daemonize start-stop-daemon tmux screen'.split(
    ' ',
  ),
);
/** These are given whole command lines as words. */
const BY_TEXT = new Set(['hyperfine', 'concurrently', 'entr', 'nodemon', 'watchexec', 'onchange', 'tmux', 'screen']);

/** The command is taken to begin with the first word that names a program known here. */
export function runner(words: readonly string[], at: Special): void {
  if (BY_TEXT.has(at.name)) for (const word of words) if (/\s/u.test(word) && isStatic(word)) at.walk.script(word, copyScope(at.scope));
  const verb = BY_VERB[at.name];
  const own = verb === undefined ? 0 : words.findIndex((word) => verb.test(word)) + 1;
  if (!PLAIN.has(at.name) && !at.name.startsWith('qemu-') && own === 0) return;
  const start = words.findIndex((word, index) => index >= own && isStatic(word) && namesProgram(commandName({ argv: [word] })));
  if (start >= 0) at.inner(words.slice(start));
}

function namesProgram(name: string): boolean {
  return isReader(name) || isStrong(name) || isShell(name) || isInterpreter(name);
}
