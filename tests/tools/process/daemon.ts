import { namespaceCandidates } from '../../../tools/shared/process/containment.ts';
import { createProcessTrees } from '../../../tools/shared/process-tree.ts';

/** A daemon to be killed: `daemon.ts MARKER MODE COMMAND`. The mode is "auto", "off" or the number of a namespace candidate. */
const [marker = '', mode = 'auto', command = ''] = process.argv.slice(2);
const candidate = namespaceCandidates(process.getuid?.() === 0)[Number(mode)];
const trees = createProcessTrees(
  { marker, namespace: mode === 'off' ? 'off' : 'auto' },
  candidate === undefined ? undefined : async () => candidate,
);
const tree = await trees.start({ argv: ['/bin/bash', '-c', command], cwd: '/', environment: { PATH: process.env['PATH'] ?? '' } });
tree.output.on('data', (data: Buffer) => process.stdout.write(data));
process.stdout.write(`containment ${await trees.containment()}\n`);
process.stdout.write(`exit ${(await tree.exit).code}\n`);
