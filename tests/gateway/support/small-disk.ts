import { spawnSync } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { temporaryHome } from './home.ts';

/** A directory on a disk of its own, or undefined where this process may not mount one. */
export function smallDisk(options: { readonly kilobytes?: number; readonly readOnly?: true }): string | undefined {
  const directory = temporaryHome();
  const settings = options.readOnly === true ? 'ro' : `size=${options.kilobytes ?? 64}k`;
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', settings, 'tmpfs', directory]).status !== 0) return undefined;
  onTestFinished(() => void spawnSync('umount', ['--lazy', directory]));
  return directory;
}
