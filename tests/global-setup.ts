import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * End-to-end tests start `dist/main.js`, so it is built from the sources under test before any of them runs. When it cannot be built, it
 * is removed: those tests must fail rather than pass with an old one, and all others still run.
 */
export function setup(): void {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const { status } = spawnSync(process.execPath, ['deploy/build.mjs'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status === 0) return;
  rmSync(fileURLToPath(new URL('../dist/main.js', import.meta.url)), { force: true });
  console.error('The bundle could not be built (see above): tests that start the daemon or the command will fail.');
}
