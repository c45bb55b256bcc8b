import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createProcessTrees } from '../../../tools/shared/process-tree.ts';

test('a command that ends before anybody reads its output loses nothing and settles', async () => {
  const trees = createProcessTrees({ marker: 'short-command', namespace: 'auto' });
  const tree = await trees.start({ argv: ['/bin/sh', '-c', 'echo hello'], cwd: '/', environment: { PATH: '/usr/bin:/bin' } });
  await sleep(300);
  expect(await text(tree.output)).toBe('hello\n');
  expect(await tree.exit).toEqual({ code: 0 });
});
