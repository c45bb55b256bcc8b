import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { marked } from '../../tools/shared/process/table.ts';
import { type Bench, createBench } from './support.ts';

let bench: Bench;
beforeEach(() => {
  bench = createBench({
    environment: {
      OPENAI_API_KEY: 'canary-1',
      TELEGRAM_BOT_TOKEN: 'canary-2',
      MY_PASSWORD: 'canary-3',
      DATABASE_DSN: 'canary-4',
      SSH_AUTH_SOCK: 'canary-5',
      RANDOM_THING: 'canary-6',
      XDG_TOKEN_DIR: 'canary-7',
      NODE_OPTIONS: 'canary-8',
      BASH_ENV: 'canary-9',
      LD_PRELOAD: 'canary-10',
      npm_config_x: 'canary-11',
      XDG_CACHE_HOME: '/cache',
      VIRTUAL_ENV: '/venv',
      LC_ALL: 'C',
    },
  });
});
afterEach(() => bench.close());

const run = async (command: string, more: Record<string, unknown> = {}, signal?: AbortSignal) =>
  bench.run('terminal', { command, ...more }, signal);

describe('terminal', () => {
  it('runs in the workspace and tells output, errors and exit code', async () => {
    const { content, failed, exitCode } = await run('pwd; echo oops >&2; exit 3');
    expect(content).toMatch(new RegExp(`^${bench.workspace}\\noops\\n\\n\\[exit code 3, \\d+\\.\\d s\\]$`, 'u'));
    expect([failed, exitCode]).toEqual([undefined, 3]);
  });

  it('says so when there is no output', async () => {
    expect((await run('true')).content).toMatch(/^\(no output\)\n\n\[exit code 0/u);
  });

  it('runs in another directory when told, and explains when it is not there', async () => {
    mkdirSync(path.join(bench.workspace, 'sub'));
    expect((await run('pwd', { workdir: 'sub' })).content).toMatch(/\/sub\n/u);
    expect((await run('pwd', { workdir: '/' })).content).toMatch(/^\/\n/u);
    expect(await run('pwd', { workdir: 'nosuch' })).toMatchObject({
      failed: true,
      content: expect.stringMatching(/There is no directory .*nosuch/u),
    });
  });

  it('hands the command to bash byte for byte', async () => {
    const command = `printf '%s|' "$'a" '*' "\\$HOME" {a,b} $'x\\ty' "é 日本 🎉" \\
  end; cat <<'EOF'\n  $(untouched) \\ \`\nEOF`;
    expect((await run(command)).content).toMatch(/^\$'a\|\*\|\$HOME\|a\|b\|x\ty\|é 日本 🎉\|end\| {2}\$\(untouched\) \\ `\n/u);
    expect((await run('cat /proc/$$/cmdline | tr "\\0" "\\n" | tail -1')).content).toMatch(/^cat \/proc\/\$\$\/cmdline/u);
  });

  it('refuses what no shell could receive unchanged', async () => {
    expect(await run('echo a\0b')).toMatchObject({ failed: true });
    expect(await run('echo \ud800')).toMatchObject({ failed: true });
  });

  it('has no input to wait for and no terminal', async () => {
    expect((await run('cat; read x; tty; echo done')).content).toMatch(/^not a tty\ndone\n/u);
  });

  it('lets no secret and no start-up variable of the daemon through', async () => {
    const { content } = await run('env; cat /proc/self/environ | tr "\\0" "\\n"');
    expect(content).not.toMatch(/canary/u);
    expect(content).toMatch(/^XDG_CACHE_HOME=\/cache$/mu);
    expect(content).toMatch(/^VIRTUAL_ENV=\/venv$/mu);
    expect(content).toMatch(/^LC_ALL=C$/mu);
  });

  it('lets through what the owner has declared, but never a start-up variable', async () => {
    const declared = createBench({
      terminal: { env_passthrough: ['GITHUB_TOKEN', 'NODE_OPTIONS'] },
      environment: { GITHUB_TOKEN: 'declared', NODE_OPTIONS: '--require=x' },
    });
    const { content } = await declared.run('terminal', { command: 'env' });
    declared.close();
    expect(content).toMatch(/^GITHUB_TOKEN=declared$/mu);
    expect(content).not.toMatch(/NODE_OPTIONS/u);
  });

  it('hides the environment of the daemon itself where commands have a namespace of their own', async () => {
    const { content } = await run('for p in /proc/[0-9]*; do tr "\\0" "\\n" < $p/environ; done 2>/dev/null | grep -c VITEST_WORKER_ID');
    expect(content).toMatch(/^0\n/u);
  });

  it('reads no start-up file', async () => {
    for (const name of ['.bashrc', '.bash_profile', '.profile']) writeFileSync(path.join(bench.home, name), 'echo start-up');
    expect((await run('echo hi')).content).toMatch(/^hi\n/u);
  });

  it('strips escape sequences and keeps the last state of redrawn lines', async () => {
    expect(
      (await run(String.raw`printf '\033[31mred\033[0m \033]0;title\007ok\r\n10%%\r50%%\r100%%\n\033Pq#0\033\\end\n'`)).content,
    ).toMatch(/^red ok\n100%\nend\n/u);
  });

  it('keeps head and tail of long output and marks the gap', async () => {
    const { content } = await run('seq 1 200000');
    expect(Buffer.byteLength(content)).toBeLessThan(50_500);
    expect(content).toMatch(/^1\n2\n3\n/u);
    expect(content).toMatch(/\[\.\.\. 1,238,\d{3} bytes left out here; .*\]/u);
    expect(content).toMatch(/199999\n200000\n\n\[exit code 0/u);
  });

  it('does not cut characters in two', async () => {
    const { content } = await run('for i in $(seq 1 20000); do printf "é日🎉"; done');
    expect(content).not.toMatch(/\ufffd/u);
    expect(content).toMatch(/left out here/u);
  });

  it('needs a fraction of the memory of 200 MB of output', { timeout: 60_000 }, async () => {
    await run('echo warm');
    const before = process.memoryUsage().rss;
    let peak = 0;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 10);
    const { content } = await run('yes | head -c 200000000');
    clearInterval(watch);
    expect(content).toMatch(/199,950,000 bytes left out/u);
    expect(peak - before).toBeLessThan(120_000_000); // when the collector runs is not ours to say
  });

  it('ends a command at its timeout with everything it started, and says what to do', async () => {
    const { content, failed } = await run('echo begun; env setsid sleep 70 & (env setsid sleep 71 &); sleep 72', { timeout: 0.4 });
    expect(failed).toBe(true);
    expect(content).toMatch(
      /^begun\n(?:Terminated\n)?\n\[ended after its timeout of 0\.4 s with everything it started\. Give a longer timeout, .* background: true/u,
    );
    expect(marked(bench.marker)).toEqual([]);
  });

  it('kills 5 seconds after the timeout what ignores the request to end', async () => {
    const started = performance.now();
    await run('trap "" TERM; env setsid sleep 70 & sleep 71; sleep 72', { timeout: 0.2 });
    expect(performance.now() - started).toBeGreaterThan(5_000);
    expect(marked(bench.marker)).toEqual([]);
  });

  it('is gone with all descendants 2 seconds after an interrupt, whatever it ignores', async () => {
    const controller = new AbortController();
    const started = performance.now();
    setTimeout(() => controller.abort(), 300);
    const { content, failed } = await run(
      'echo begun; trap "" TERM; (env setsid sh -c "trap \\"\\" TERM; sleep 70" &); sleep 71; sleep 72',
      {},
      controller.signal,
    );
    expect(performance.now() - started).toBeGreaterThan(2_200);
    expect(failed).toBe(true);
    expect(content).toMatch(/^begun\n\n\[interrupted after \d\.\d s; everything it started was ended\]$/u);
    expect(marked(bench.marker)).toEqual([]);
  });

  it('does not begin after an interrupt', async () => {
    const { content } = await run('touch begun', {}, AbortSignal.abort());
    expect(content).toMatch(/^Interrupted before/u);
    expect(readdirSync(bench.workspace)).toEqual([]);
  });

  it('does not let background processes outlive the command or hold it', async () => {
    const { content } = await run('sleep 60 & env nohup env setsid sleep 61 & echo done');
    expect(content).toMatch(/^done\n/u);
    expect(marked(bench.marker)).toEqual([]);
  });

  it('accepts no timeout beyond the maximum', () => {
    expect(bench.tool('terminal').args.safeParse({ command: 'ls', timeout: 601 }).success).toBe(false);
    expect(bench.tool('terminal').args.safeParse({ command: 'ls', timeout: 600 }).success).toBe(true);
  });

  it('is judged in the directory where it would run', async () => {
    expect(await bench.risk('terminal', { command: 'ls -la' })).toBe('safe');
    expect(await bench.risk('terminal', { command: 'echo x > f' })).toBe('safe');
    expect(await bench.risk('terminal', { command: 'echo x > f', workdir: '/etc' })).toBe('ask');
    expect(await bench.risk('terminal', { command: 'rm -rf *', workdir: '/' })).toBe('hardline');
    expect(await bench.risk('terminal', { command: `cat ${bench.home}/.hermes/.env` })).toBe('ask');
    expect(await bench.risk('terminal', { command: 'ln -s /etc e' })).toBe('ask');
  });

  it('shows the first line of a command as its preview', () => {
    expect(bench.tool('terminal').preview({ command: '\nls -la\npwd' })).toBe('ls -la …');
  });
});

describe('the sources of the tools', () => {
  it('never start a command through a shell string of their own making', () => {
    const files = readdirSync(new URL('../../tools', import.meta.url), { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    );
    const sources = files.map((file) => readFileSync(new URL(`../../tools/${file}`, import.meta.url), 'utf8')).join('\n');
    expect(sources).not.toMatch(/shell:\s*true|\bexecSync\b|(?<!lock\.)\bexec\(\s*[`'"]/u);
  });
});
