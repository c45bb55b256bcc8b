import { findProgram } from '../shared/process/containment.ts';

/** How a command reaches a shell: its own text untouched, in one argument; no profile or start-up file is read. */

export interface Script {
  readonly argv: readonly string[];
  /** Beside the environment of the command; not seen by what it starts. */
  readonly secrets: Readonly<Record<string, string>>;
}

export interface ScriptOptions {
  readonly command: string;
  /** The shell tells at its end over descriptor 3 where it stands and what it exports. */
  readonly reports: boolean;
  /** For the `sudo` of this very shell; empty: there is none. */
  readonly sudoPassword: string;
}

const SUDO = 'HERMES_SUDO_PASSWORD';

export function scriptOf({ command, reports, sudoPassword }: ScriptOptions): Script {
  const before = [...(reports ? reporting() : []), ...(sudoPassword === '' ? [] : [answeringSudo])];
  const text = [...(before.length > 0 ? [before.join('; ')] : []), command].join('\n');
  const bash = findProgram('bash');
  const argv = bash === undefined ? ['/bin/sh', '-c', text] : [bash, '--noprofile', '--norc', '-c', text];
  return { argv, secrets: sudoPassword === '' ? {} : { [SUDO]: sudoPassword } };
}

/** Descriptor 3 is the first that scripts take for themselves, so that ours moves away. */
function reporting(): string[] {
  const env = findProgram('env');
  if (env === undefined) return [];
  return [`trap '{ printf "%s\\0" "$PWD"; ${env} -0; printf "\\0"; } >&9 2>/dev/null' EXIT`, 'exec 9>&3 3>&-'];
}

const answeringSudo = `hermes_sudo=$${SUDO}; unset ${SUDO}; sudo() { printf '%s\\n' "$hermes_sudo" | command sudo -S -p '' "$@"; }`;
