/**
 * Who may speak at the control socket: whoever can read the file beside it. The directory (0700) keeps other users out already; the token also
 * refuses whom a bind mount, a passed descriptor or a directory that was opened by hand lets connect. Node tells nobody the credentials of a
 * socket's peer (neither SO_PEERCRED nor getpeereid, as of Node 24), so that reading the file has to stand for them.
 */
import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { hashOf, sameHash } from './secrets.ts';

const WORLD_WRITABLE = 0o002;

/** `gateway.token` beside `gateway.sock`. */
export function controlTokenPath(socketPath: string): string {
  return `${socketPath.replace(/\.sock$/, '')}.token`;
}

/** In one step, so that nobody reads half of it. The directory is private already. */
export function writeControlToken(socketPath: string, token: string): void {
  const path = controlTokenPath(socketPath);
  const draft = `${path}.new`;
  rmSync(draft, { force: true });
  writeFileSync(draft, token, { flag: 'wx', mode: 0o600 });
  renameSync(draft, path);
}

export function removeControlToken(socketPath: string): void {
  rmSync(controlTokenPath(socketPath), { force: true });
}

/** Undefined: there is none, as where no daemon runs. Throws a sentence where it is not for this user. */
export function readControlToken(socketPath: string): string | undefined {
  refuseImpostor(dirname(socketPath));
  try {
    return readFileSync(controlTokenPath(socketPath), 'utf8').trim();
  } catch (error) {
    if (codeOf(error) === 'EACCES')
      throw new Error(`The gateway at ${socketPath} belongs to another user. Run this as that user.`, { cause: error });
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** In constant time. `header`: what came as `Authorization`. */
export function isControlToken(header: string | undefined, token: string): boolean {
  return sameHash(hashOf(header ?? ''), hashOf(bearer(token)));
}

export function bearer(token: string): string {
  return `Bearer ${token}`;
}

/** In a shared directory somebody else may have been first: what is asked and answered there is theirs. */
function refuseImpostor(directory: string): void {
  const facts = lstatSync(directory, { throwIfNoEntry: false });
  if (facts === undefined || process.getuid === undefined || facts.uid === process.getuid()) return;
  if ((lstatSync(dirname(directory)).mode & WORLD_WRITABLE) === 0) return; // who may not write there has not put it there
  throw new Error(`${directory} belongs to another user, so nothing is asked there. Remove it, or have its owner remove it.`);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
