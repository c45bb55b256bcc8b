import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../..', import.meta.url));
export const entry = join(root, 'gateway', 'cli', 'hermes.js');

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface HermesOptions {
  readonly home: string;
  /** The runtime; default: the one that runs the tests. */
  readonly node?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly entry?: string;
}

/** The command as a person starts it, with an environment that holds nothing of ours but the home. */
export function startHermes(argv: readonly string[], options: HermesOptions) {
  const env = { PATH: process.env['PATH'] ?? '', HOME: options.home, HERMES_HOME: options.home, ...options.env };
  const child = spawn(options.node ?? process.execPath, [options.entry ?? entry, ...argv], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code) => resolve({ code, out, err }));
  });
  return { child, ended, out: () => out };
}

export function hermes(argv: readonly string[], options: HermesOptions): Promise<Ended> {
  return startHermes(argv, options).ended;
}

/** A home whose browser page is off, so that no port is needed. */
export function temporaryHome(config = 'web:\n  enabled: false\n') {
  const home = mkdtempSync(join(tmpdir(), 'hermes-cli-'));
  writeFileSync(join(home, 'config.yaml'), config);
  return { home, remove: () => rmSync(home, { recursive: true, force: true }) };
}

/** A Node older than the project asks for, where this machine has one. */
export function olderNode(): string | undefined {
  const candidates = [...(process.env['PATH'] ?? '').split(':'), '/usr/bin', '/usr/local/bin'].map((directory) => join(directory, 'node'));
  return candidates.find((file) => {
    const version = spawnSync(file, ['--version'], { encoding: 'utf8' }).stdout;
    return typeof version === 'string' && /^v\d+/.test(version) && Number(version.slice(1).split('.')[0]) < 24;
  });
}
