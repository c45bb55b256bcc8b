import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('judging hundreds of commands costs the daemon a few tens of megabytes and no more', () => {
  const module = fileURLToPath(new URL('../../../tools/shared/shell/judge.ts', import.meta.url));
  const script = `
    const { createShellJudge } = await import(${JSON.stringify(module)});
    const judge = createShellJudge({ home: '/root', protectedPaths: [], searchPath: '/usr/bin:/bin' });
    const before = process.memoryUsage().rss;
    for (let round = 0; round < 150; round += 1) {
      for (const command of ['ls -la', 'cd src && git add -A', 'for f in *.txt; do mv "$f" "\${f%.txt}.md"; done']) await judge(command, '/tmp', '/tmp');
    }
    console.log(process.memoryUsage().rss - before);
  `;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(Number(stdout)).toBeGreaterThan(0);
  expect(Number(stdout)).toBeLessThan(80_000_000);
});
