import { mkdirSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { workerData } from 'node:worker_threads';

/** Swaps a directory, or a file and a directory further below, for links that lead out, as fast as it can, until it is told to stop. */
const { workspace, outside, stop, what } = workerData as {
  workspace: string;
  outside: string;
  stop: SharedArrayBuffer;
  what: 'above' | 'below';
};
const flag = new Int32Array(stop);
const at = (name: string): string => path.join(workspace, name);

const steps: Readonly<Record<typeof what, readonly (() => void)[]>> = {
  above: [
    () => renameSync(at('dir'), at('dir.real')),
    () => symlinkSync(outside, at('dir')),
    () => unlinkSync(at('dir')),
    () => renameSync(at('dir.real'), at('dir')),
  ],
  below: [
    () => symlinkSync(path.join(outside, 'secret.txt'), at('other/link')),
    () => renameSync(at('other/link'), at('other/linked.txt')),
    () => renameSync(at('other/deep'), at('other/deep.real')),
    () => symlinkSync(outside, at('other/deep')),
    () => unlinkSync(at('other/deep')),
    () => renameSync(at('other/deep.real'), at('other/deep')),
    () => mkdirSync(at('other/deep'), { recursive: true }),
    () => unlinkSync(at('other/linked.txt')),
  ],
};

while (Atomics.load(flag, 0) === 0) {
  for (const step of steps[what]) {
    try {
      step();
    } catch {
      // the tool under test has just made, moved or removed it
    }
  }
  Atomics.add(flag, 1, 1);
  Atomics.wait(flag, 0, 0, 0.2); // two cores are all there is, and the tools need one
}
