import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

it('a terminal that cannot be had, because its library has no program for this machine, is refused with what to do', () => {
  const module = new URL('../../../tools/shared/process-tree.ts', import.meta.url).href;
  const script = `
    Object.defineProperty(process, 'arch', { value: 'mips' });
    const { createProcessTrees } = await import(${JSON.stringify(module)});
    const trees = createProcessTrees({ marker: 'terminal-test', namespace: 'off' });
    const spec = { argv: ['/bin/true'], cwd: '/', environment: {} };
    await trees.start({ ...spec, input: 'terminal' }).catch((error) => console.log(error.message));
    const tree = await trees.start(spec);
    tree.output.resume();
    console.log((await tree.exit).code);
  `;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(stdout).toBe(
    'There can be no terminal (pty): its library has no program for linux-mips here. Run the command without pty.\n0\n'.replace(
      'linux',
      process.platform,
    ),
  );
});
