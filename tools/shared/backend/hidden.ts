import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { isWithin, realPath } from '../home-paths.ts';
import { secretPatterns } from '../sensitive-paths.ts';

/** What isolated commands do not see, as far as it exists now: real paths, because a mount hides what is there and not what a link is called. */
export interface HiddenPlaces {
  readonly directories: readonly string[];
  /** Sockets and other things that are no directory, too. */
  readonly files: readonly string[];
}

/** Through these a program would reach services that act outside of the isolation. */
const SERVICES = [
  '/run/user',
  '/run/docker.sock',
  '/run/podman',
  '/run/containerd',
  '/run/dbus',
  '/run/snapd.socket',
  '/run/crio',
  '/run/libvirt',
];

export function hiddenPlaces(home: string, also: readonly string[]): HiddenPlaces {
  const rules = [...secretPatterns(home), path.join(home, '.ssh'), ...SERVICES, ...also];
  const found = new Set(rules.flatMap(matches).map((file) => realPath(file)));
  const directories = [...found].filter((file) => statSync(file, { throwIfNoEntry: false })?.isDirectory() === true);
  const outermost = directories.filter((file) => !directories.some((other) => other !== file && isWithin(file, other)));
  const files = [...found].filter((file) => !directories.includes(file) && !outermost.some((directory) => isWithin(file, directory)));
  return { directories: outermost.sort(), files: files.filter((file) => existsSync(file)).sort() };
}

/** The places of a pattern: what stands behind the first `**` goes with its directory. */
function matches(pattern: string): string[] {
  if (/^\/(?:proc|dev)\//u.test(pattern)) return []; // made anew in there
  const parts = pattern.split('/');
  const open = parts.findIndex((part) => part.includes('*'));
  if (open < 0) return lstatSync(pattern, { throwIfNoEntry: false }) === undefined ? [] : [pattern];
  const directory = parts.slice(0, open).join('/');
  if (parts[open] === '**') return matches(directory);
  const name = new RegExp(`^${RegExp.escape(parts[open] ?? '').replaceAll('\\*', '[^/]*')}$`, 'u');
  return entriesOf(directory).flatMap((entry) => (name.test(entry) ? matches([directory, entry, ...parts.slice(open + 1)].join('/')) : []));
}

function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // missing, or not ours to see: then not theirs either
  }
}
