import { accessSync, chmodSync, constants, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { defaultIdentity } from '../agent/system-prompt.ts';
import type { Sections } from './config/load.ts';
import { identityFile } from './prompt/sources.ts';

/** The home directory cannot be used. One sentence on what is wrong and one on what to do. */
export class HomeError extends Error {
  override readonly name = 'HomeError';
}

export interface PreparedHome {
  /** The home did not exist before. */
  readonly fresh: boolean;
  /** What the owner should know, one sentence each. */
  readonly notes: readonly string[];
}

/** `HERMES_HOME` (`~` is understood, as in files that no shell reads), else `~/.hermes`. Always absolute. */
export function homeDirectory(env: Readonly<Record<string, string | undefined>>): string {
  const wanted = env['HERMES_HOME']?.trim();
  if (wanted === undefined || wanted === '') return join(homedir(), '.hermes');
  return resolve(wanted.replace(/^~(?=\/|$)/, homedir()));
}

/** `run` holds the control socket: whoever can enter it can command the daemon. */
const directories = ['logs', 'run', 'media', 'workspaces'] as const;

/** Makes what is missing in the home and leaves alone what is there: it may be Hermes Agent's. Throws HomeError. */
export function prepareHome(home: string, sections: Sections): PreparedHome {
  const fresh = !existsSync(home);
  attempt(home, () => {
    makeDirectory(home);
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
  });
  for (const name of directories) attempt(join(home, name), () => makeDirectory(join(home, name)));
  attempt(join(home, 'run'), () => closeToOthers(join(home, 'run')));
  writeNew(join(home, 'config.yaml'), configTemplate(sections));
  writeNew(join(home, '.env'), envTemplate(sections));
  writeNew(join(home, identityFile), `${defaultIdentity}\n`);
  return { fresh, notes: readableByOthers(join(home, '.env')) };
}

/** With its parents, for this user alone. Not `recursive`, which never returns where nothing can be made (below /proc). */
function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST' && statSync(directory).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(directory) === directory) throw error;
    makeDirectory(dirname(directory));
    mkdirSync(directory, { mode: 0o700 });
  }
}

function closeToOthers(directory: string): void {
  if ((statSync(directory).mode & 0o077) !== 0) chmodSync(directory, 0o700);
}

function writeNew(file: string, text: string): void {
  if (existsSync(file)) return;
  attempt(file, () => writeFileSync(file, text, { flag: 'wx', mode: 0o600 }));
}

function readableByOthers(file: string): string[] {
  const open = (statSync(file).mode & 0o077) !== 0;
  return open ? [`${file} holds secrets and other users of this machine may read it; run: chmod 600 ${file}`] : [];
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: "this user's disk quota is used up",
  ENOTDIR: 'something on the way to it is not a directory',
  EEXIST: 'something else is there that is not a directory',
  ENOENT: 'nothing can be made there',
  ELOOP: 'its symbolic links go in a circle',
  ENAMETOOLONG: 'its name is too long',
};

function attempt(target: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const reason = reasons[code] ?? (error instanceof Error ? error.message : String(error));
    const advice = 'Mend that, or set HERMES_HOME to a directory that this user may write to.';
    throw new HomeError(`The home directory cannot be used: ${target}: ${reason}. ${advice}`, { cause: error });
  }
}

/** Every key, commented: removing "# " before a key switches it on. */
export function configTemplate(sections: Sections): string {
  const parts = Object.entries(sections)
    .filter(([, section]) => section.template.trim() !== '')
    .map(([name, section]) => `${name}:\n${section.template.trim().split('\n').map(commented).join('\n')}\n`);
  const head = `# Configuration of the Hermes gateway. Every key is here with its default, commented out.
# Secrets belong into .env beside this file; "\${NAME}" in a text takes a variable from there or from the environment.
# Models, agent, display, approvals, permissions and who may talk hold from the next message; the rest after /restart.
# Check your changes with: hermes config check
`;
  return [head, ...parts].join('\n');
}

function commented(line: string): string {
  if (line.trim() === '') return '';
  return line.startsWith('#') ? `  ${line}` : `  # ${line}`;
}

function envTemplate(sections: Sections): string {
  const parts = Object.entries(sections)
    .filter(([, section]) => Object.keys(section.env).length > 0)
    .map(([name, section]) => {
      const lines = Object.entries(section.env).map(([variable, key]) => `# ${variable}=${hint(name, key, section.secrets)}`);
      return `${lines.join('\n')}\n`;
    });
  const head = `# Secrets and other variables of the Hermes gateway. The process environment beats this file, which beats config.yaml.
# Keep it readable by yourself only (chmod 600).
`;
  return [head, ...parts].join('\n');
}

/** Behind the name: which key it sets, where it is not a secret that belongs here anyway. */
function hint(section: string, key: string, secrets: readonly string[]): string {
  return secrets.includes(key) ? '' : `   # ${section}.${key}`;
}
