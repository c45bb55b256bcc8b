import { lstatSync } from 'node:fs';
import { isWithin } from '../home-paths.ts';
import type { HiddenPlaces } from './hidden.ts';

/** What a command finds where bubblewrap isolates it. */
export interface Sandbox {
  readonly program: string;
  /** The user's home directory. */
  readonly home: string;
  /** Everything in it is hidden but for the workspace and what is `shown`. */
  readonly state: string;
  readonly workspace: string;
  /** Its /tmp. */
  readonly temporary: string;
  readonly hidden: HiddenPlaces;
  readonly writable: readonly string[];
  /** Below `state`, to be read. */
  readonly shown: readonly string[];
  readonly directory: string;
  readonly isRoot: boolean;
}

/** Everything else can be read and not written; the network stays. Later mounts lie over earlier ones. */
export function bubblewrapArgv(sandbox: Sandbox): string[] {
  const { program, home, state, workspace, temporary, hidden, directory } = sandbox;
  const outside = (file: string): boolean => !isWithin(file, state);
  return [
    ...[program, '--die-with-parent', '--unshare-pid', '--unshare-ipc', '--as-pid-1', ...capabilities(sandbox.isRoot)],
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--bind', temporary, '/tmp'],
    ...(isPlainDirectory('/var/tmp') ? ['--tmpfs', '/var/tmp'] : []),
    ...(['/tmp', '/var/tmp'].some((place) => isWithin(home, place)) ? ['--ro-bind', home, home] : []),
    ...sandbox.writable.flatMap((place) => ['--bind-try', place, place]),
    ...hidden.directories.filter(outside).flatMap((place) => ['--tmpfs', place, '--remount-ro', place]),
    ...hidden.files.filter(outside).flatMap((place) => ['--ro-bind', '/dev/null', place]),
    ...['--tmpfs', state],
    ...sandbox.shown.flatMap((place) => ['--ro-bind-try', place, place]),
    ...['--bind', workspace, workspace, '--remount-ro', state, '--chdir', directory, '--'],
  ];
}

/** Root keeps what its programs need for files of their own; none of it undoes a mount. */
function capabilities(isRoot: boolean): string[] {
  const kept = isRoot ? ['CAP_CHOWN', 'CAP_DAC_OVERRIDE', 'CAP_FOWNER'] : [];
  return ['--cap-drop', 'ALL', ...kept.flatMap((name) => ['--cap-add', name])];
}

function isPlainDirectory(place: string): boolean {
  return lstatSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
}
