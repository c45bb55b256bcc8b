import { cpSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { openStore, type Store } from '../../../gateway/store/index.ts';

export const migrations = fileURLToPath(new URL('../../../migrations', import.meta.url));

/** An empty directory that goes away with the test. */
export function temporaryHome(): string {
  const home = mkdtempSync(path.join(tmpdir(), 'hermes-home-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** A store that is open as long as the test runs, unless the test closes it. */
export function temporaryStore(options: { readonly home?: string; readonly now?: () => number } = {}): Store {
  const store = openStore({ home: options.home ?? temporaryHome(), migrations, now: options.now ?? Date.now });
  onTestFinished(() => closeQuietly(store));
  return store;
}

export function closeQuietly(store: Store): void {
  try {
    store.close();
  } catch {
    // the test closed it
  }
}

/**
 * The home as SIGKILL would leave it at this instant: what the process wrote is in the files, what it only had in memory is gone, and nobody
 * holds the lock of the copy.
 */
export function killedCopy(home: string): string {
  const copy = temporaryHome();
  cpSync(home, copy, { recursive: true, filter: (file) => !statSync(file).isSocket() });
  return copy;
}
