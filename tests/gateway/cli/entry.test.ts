import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { entry, hermes, olderNode, root, startHermes, temporaryHome } from './hermes.ts';

const packageFile = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
const older = olderNode();
const skipped = older === undefined ? ' (skipped: this machine has no Node older than 24)' : '';

let place: ReturnType<typeof temporaryHome>;
beforeEach(() => {
  place = temporaryHome();
});
afterEach(() => {
  place.remove();
});

/** A copy of the entry in a checkout of its own, with what `files` says beside it. */
function checkout(files: Readonly<Record<string, string>>): string {
  const directory = join(place.home, 'checkout');
  mkdirSync(join(directory, 'gateway', 'cli'), { recursive: true });
  cpSync(entry, join(directory, 'gateway', 'cli', 'hermes.js'));
  for (const [name, text] of Object.entries({ 'package.json': '{"type":"module","version":"7.7.7"}', ...files })) {
    mkdirSync(join(directory, name, '..'), { recursive: true });
    writeFileSync(join(directory, name), text, { mode: 0o755 });
  }
  return join(directory, 'gateway', 'cli', 'hermes.js');
}

test.each(['--version', '-V'])('%s prints the version', async (flag) => {
  expect(await hermes([flag], { home: place.home })).toEqual({ code: 0, out: `${packageFile.version}\n`, err: '' });
});

// How fast that makes them is measured by `npm run bench`.
test('--version and --help do not load the program', async () => {
  const file = checkout({
    'dist/main.js': 'throw new Error("the whole program was loaded");',
    'dist/help.js': 'export async function showHelp(argv, version) { console.log("help of", version, argv); return 0; }',
  });
  expect(await hermes(['--version'], { home: place.home, entry: file })).toEqual({ code: 0, out: '7.7.7\n', err: '' });
  expect(await hermes(['--help'], { home: place.home, entry: file })).toEqual({ code: 0, out: "help of 7.7.7 [ '--help' ]\n", err: '' });
});

test('npx finds the command inside the checkout', () => {
  const { stdout } = spawnSync('npx', ['--no-install', 'hermes', '--version'], { cwd: root, encoding: 'utf8' });
  expect(stdout).toBe(`${packageFile.version}\n`);
});

test('a checkout that was never built says how to build it', async () => {
  const { code, out, err } = await hermes(['gateway', 'run'], { home: place.home, entry: checkout({}) });
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(/^hermes: the program has not been built yet\. Run: npm run build .*\n$/);
});

test('the daemon starts through the entry and stops cleanly at SIGTERM', async () => {
  const daemon = startHermes(['gateway', 'run'], { home: place.home });
  await vi.waitFor(async () => expect((await hermes(['gateway', 'status'], { home: place.home })).code).toBe(0), 15_000);
  daemon.child.kill('SIGTERM');
  expect((await daemon.ended).code).toBe(0);
  expect((await hermes(['gateway', 'status'], { home: place.home })).code).toBe(3);
});

describe.skipIf(older === undefined)(`on an older Node${skipped}`, () => {
  const node = older ?? '';

  test('the version needs no newer one', async () => {
    expect((await hermes(['--version'], { home: place.home, node })).out).toBe(`${packageFile.version}\n`);
  });

  test('the bundled runtime takes over, with arguments, output and exit code', async () => {
    const main =
      'console.log(process.versions.node.split(".")[0] >= 24, process.argv.slice(2), process.env.HERMES_REEXECUTED); process.exitCode = 42;';
    const file = checkout({ 'dist/main.js': main, 'node_modules/node/bin/node': `#!/bin/sh\nexec "${process.execPath}" "$@"\n` });
    const { code, out } = await hermes(['gateway', 'run', '-v'], { home: place.home, node, entry: file });
    expect({ code, out }).toEqual({ code: 42, out: "true [ 'gateway', 'run', '-v' ] undefined\n" });
  });

  test('a daemon that asks to be restarted is started again, with the same arguments', async () => {
    const main = `
      import { existsSync, writeFileSync } from 'node:fs';
      const file = new URL('again', import.meta.url);
      const again = existsSync(file);
      writeFileSync(file, '');
      console.log(again, process.argv.slice(2), process.channel !== undefined);
      process.exitCode = again ? 7 : 75;`;
    const file = checkout({ 'dist/main.js': main, 'node_modules/node/bin/node': `#!/bin/sh\nexec "${process.execPath}" "$@"\n` });
    const { code, out } = await hermes(['gateway', 'run'], { home: place.home, node, entry: file });
    expect({ code, out }).toEqual({ code: 7, out: "false [ 'gateway', 'run' ] true\ntrue [ 'gateway', 'run' ] true\n" });
  });

  test('signals reach the daemon once, and it ends when its starter is killed', async () => {
    const main = `
      let terms = 0;
      process.on('SIGTERM', () => { terms += 1; console.log('term ' + process.pid); setTimeout(() => process.exit(terms === 1 ? 5 : 6), 300); });
      setInterval(() => {}, 1000);
      console.log('ready');`;
    const file = checkout({ 'dist/main.js': main, 'node_modules/node/bin/node': `#!/bin/sh\nexec "${process.execPath}" "$@"\n` });
    const asked = startHermes(['gateway', 'run'], { home: place.home, node, entry: file });
    await vi.waitFor(() => expect(asked.out()).toContain('ready'), 10_000);
    asked.child.kill('SIGTERM');
    const { code, out } = await asked.ended;
    expect(code).toBe(5);
    expect(out.match(/term/g)).toHaveLength(1);

    const killed = startHermes(['gateway', 'run'], { home: place.home, node, entry: file });
    await vi.waitFor(() => expect(killed.out()).toContain('ready'), 10_000);
    killed.child.kill('SIGKILL');
    // The pipe of the output closes only when the daemon, too, is gone.
    expect((await killed.ended).out).toContain('term');
  });

  test('without a bundled runtime one line says what to do', async () => {
    const { code, out, err } = await hermes(['gateway', 'run'], { home: place.home, node, entry: checkout({ 'dist/main.js': '' }) });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^hermes: Node 24 or newer is needed, this is \d+\.\d+\.\d+\. Run: npm ci .*\n$/);
  });

  test('the real daemon starts and stops', async () => {
    const daemon = startHermes(['gateway', 'run'], { home: place.home, node });
    await vi.waitFor(async () => expect((await hermes(['gateway', 'status'], { home: place.home, node })).code).toBe(0), 15_000);
    daemon.child.kill('SIGTERM');
    expect((await daemon.ended).code).toBe(0);
  });
});
