import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

it('judging hundreds of commands takes no more than its parser, and leaves nothing behind', () => {
  const place = mkdtempSync(path.join(tmpdir(), 'hermes-judge-')); // empty: a large directory takes its time
  onTestFinished(() => rmSync(place, { recursive: true }));
  const module = fileURLToPath(new URL('../../../tools/shared/shell/judge.ts', import.meta.url));
  // What one round leaves is no leak yet: parsers, tables and compiled code stay on purpose, and garbage goes when it must.
  const script = `
    const { createShellJudge } = await import(${JSON.stringify(module)});
    const place = ${JSON.stringify(place)};
    const judge = createShellJudge({ home: '/root', protectedPaths: [], searchPath: '/usr/bin:/bin' });
    const judgeAll = async (rounds) => {
      for (let round = 0; round < rounds; round += 1) {
        for (const command of ['ls -la', 'cd src && git add -A', 'for f in *.txt; do mv "$f" "\${f%.txt}.md"; done']) await judge(command, place, place);
      }
      gc();
      return process.memoryUsage().rss;
    };
    gc();
    const before = process.memoryUsage().rss;
    const warm = await judgeAll(200);
    console.log(JSON.stringify({ taken: warm - before, left: (await judgeAll(150)) - warm }));
  `;
  const { stdout } = spawnSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], { encoding: 'utf8' });
  const { taken, left } = JSON.parse(stdout) as { readonly taken: number; readonly left: number };
  expect(taken).toBeLessThan(200_000_000); // V8's optimising compiler alone would take 350 MB
  expect(left).toBeLessThan(30_000_000);
});
