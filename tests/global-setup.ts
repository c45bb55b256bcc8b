import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** End-to-end tests start `dist/main.js`, so it is built from the sources under test before any of them runs. */
export function setup(): void {
  const root = fileURLToPath(new URL('..', import.meta.url));
  execFileSync(process.execPath, ['deploy/build.mjs'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}
