import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface LockedPackage {
  readonly resolved?: string;
  readonly gypfile?: boolean;
}

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));
const locked: Readonly<Record<string, LockedPackage>> = read('package-lock.json').packages;

test('no entry of the lock file names a registry', () => {
  expect(Object.entries(locked).filter(([, entry]) => entry.resolved !== undefined)).toEqual([]);
});

// It ships prebuilt and says so itself, but npm leaves that out of the lock file and then runs node-gyp, which needs Python and compilers.
test('the native store is installed as it comes, on machines that have no compiler', () => {
  expect(locked['node_modules/better-sqlite3']?.gypfile).toBe(false);
  expect(read('package.json').allowScripts['better-sqlite3']).toBe(false);
});
