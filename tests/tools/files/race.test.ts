import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Worker as Thread } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSeveral, type Several, type Worker } from './several.ts';

/** Seconds; `npm run soak` runs it for 60. */
const seconds = Number(process.env['FILE_RACE_SECONDS'] ?? 4);

let several: Several;
let one: Worker;
let outside: string;
beforeEach(() => {
  several = createSeveral();
  one = several.session('one');
  outside = several.session('two').workspace; // not to be read either
  mkdirSync(path.join(outside, 'sub'), { recursive: true });
  for (const name of ['secret.txt', 'linked.txt', 'file.txt', 'sub/secret.txt'])
    writeFileSync(path.join(outside, name), 'CANARY outside\n');
  one.put('dir/file.txt', 'inside\n');
  one.put('other/deep/file.txt', 'inside\n');
});
afterEach(() => several.close());

const below = () => readdirSync(outside, { recursive: true }).map(String).toSorted();

/** Every file operation, on names that are swapped meanwhile. */
function calls(round: number): (readonly [string, Record<string, unknown>])[] {
  const patch = (body: string) => ['patch', { mode: 'patch', patch: `*** Begin Patch\n${body}\n*** End Patch` }] as const;
  return [
    ['read_file', { path: 'dir/secret.txt' }],
    ['read_file', { path: 'dir/file.txt' }],
    ['read_file', { path: 'other/linked.txt' }],
    ['read_file', { path: 'other/deep/secret.txt' }],
    ['write_file', { path: `dir/w${round % 50}.txt`, content: 'x' }],
    ['write_file', { path: 'dir/file.txt', content: 'inside\n' }],
    ['write_file', { path: `dir/new${round % 50}/w.txt`, content: 'x' }],
    ['write_file', { path: 'other/linked.txt', content: 'x' }],
    ['write_file', { path: `other/deep/w${round % 50}.txt`, content: 'x' }],
    ['patch', { path: 'dir/file.txt', old_string: 'inside', new_string: 'still inside' }],
    ['patch', { path: 'dir/secret.txt', old_string: 'CANARY', new_string: 'x' }],
    ['patch', { path: 'other/linked.txt', old_string: 'CANARY', new_string: 'x' }],
    patch(`*** Add File: dir/a${round}.txt\n+x`),
    patch(`*** Delete File: dir/a${round}.txt`),
    patch('*** Delete File: dir/secret.txt'),
    patch(`*** Move File: dir/secret.txt -> stolen${round}.txt`),
    patch(`*** Move File: other/linked.txt -> stolen${round}.txt`),
    patch('*** Move File: other/deep/file.txt -> other/deep/moved.txt'),
    patch('*** Move File: other/deep/moved.txt -> dir/file.txt'),
    patch(`*** Update File: dir/file.txt\n*** Move to: other/deep/x${round % 50}.txt\n-inside\n+x`),
    ...(round % 10 === 0
      ? ([
          ['search_files', { pattern: 'CANARY', path: 'dir' }],
          ['search_files', { pattern: 'CANARY' }],
          ['search_files', { pattern: 'CANARY', output_mode: 'count' }],
          ['search_files', { pattern: 'secret', target: 'files' }],
        ] as const)
      : []),
  ];
}

it(`never escapes while directories and files are swapped for links, for ${seconds} s`, { timeout: seconds * 1_000 + 30_000 }, async () => {
  const stop = new SharedArrayBuffer(8);
  const flag = new Int32Array(stop);
  const swappers = (['above', 'below'] as const).map((what) => {
    const workerData = { workspace: one.workspace, outside, stop, what };
    return new Thread(new URL('swapper.ts', import.meta.url), { workerData });
  });
  const ended = Promise.all(swappers.map((swapper) => new Promise((resolve) => swapper.once('exit', resolve))));
  const before = below();
  const tries = { made: 0, worked: 0 };
  const escapes: string[] = [];
  const deadline = performance.now() + seconds * 1_000;
  for (let round = 0; performance.now() < deadline; round += 1) {
    for (const [tool, args] of calls(round)) {
      const outcome = await one.run(tool, args).catch((error: Error) => ({ content: `threw ${error.message}`, failed: true, data: null }));
      tries.made += 1;
      tries.worked += outcome.failed === true ? 0 : 1;
      const shown = outcome.content + JSON.stringify(outcome.data ?? null);
      if (/CANARY outside|secret\.txt\n|threw /u.test(shown.replaceAll('There is no file', '')))
        escapes.push(`${tool} ${JSON.stringify(args)}: ${shown}`);
    }
  }
  Atomics.store(flag, 0, 1);
  await ended;
  console.log(`${tries.made} calls, ${tries.worked} of them worked, ${Atomics.load(flag, 1)} swaps, ${escapes.length} escapes`);
  expect(escapes.slice(0, 3)).toEqual([]);
  expect(below()).toEqual(before);
  for (const name of before.filter((each) => each.endsWith('.txt')))
    expect(readFileSync(path.join(outside, name), 'utf8')).toBe('CANARY outside\n');
  expect(tries.worked).toBeGreaterThan(0);
  expect(Atomics.load(flag, 1)).toBeGreaterThan(10);
});
