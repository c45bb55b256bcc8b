import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTerminalBench } from './support.ts';

const text = async (bench: ReturnType<typeof createTerminalBench>, command: string, more: Record<string, unknown> = {}) =>
  (await bench.call('terminal', { command, ...more })).content;

describe('the shell of a session', () => {
  it('stands where the last command left it, and says when it moves', async () => {
    const bench = createTerminalBench();
    expect(await text(bench, 'mkdir sub && cd sub')).toMatch(/\[The shell is now in .*\/s1\/sub\.\]$/u);
    expect(await text(bench, 'pwd')).toMatch(/\/s1\/sub\n\n\[exit code 0, \d+\.\d s\]$/u);
  });

  it('keeps what was exported, whatever characters are in it, and forgets what was unset', async () => {
    const bench = createTerminalBench();
    await text(bench, `export A=$'two\\nlines ' B='"\\$x' C=c; D=not-exported`);
    expect(await text(bench, 'printf "%s|" "$A" "$B" "$C" "$D"')).toMatch(/^two\nlines \|"\\\$x\|c\|\|\n/u);
    await text(bench, 'unset C');
    expect(await text(bench, 'env | grep -c ^C=')).toMatch(/^0\n/u);
  });

  it('keeps what a command left that ended with an error or by exit', async () => {
    const bench = createTerminalBench();
    await text(bench, 'export A=1; cd /usr; exit 3');
    expect(await text(bench, 'echo $A; pwd')).toMatch(/^1\n\/usr\n/u);
  });

  it('is as it was after what was interrupted or took too long', async () => {
    const bench = createTerminalBench();
    await text(bench, 'export A=1');
    await text(bench, 'export A=2; cd /; sleep 60', { timeout: 0.3 });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 200);
    await bench.call('terminal', { command: 'export A=3; cd /; sleep 60' }, { signal: controller.signal });
    expect(await text(bench, 'echo $A; pwd')).toMatch(/^1\n.*\/s1\n/u);
  });

  it('survives the daemon, in a file of its own that nobody else reads', async () => {
    const bench = createTerminalBench();
    await text(bench, 'export A=1; cd /usr');
    expect(statSync(path.join(bench.state, 'terminal', 's1', 'shell.json')).mode & 0o077).toBe(0);
    expect(await text(bench.next(), 'echo $A; pwd')).toMatch(/^1\n\/usr\n/u);
  });

  it('begins anew where its file was cut', async () => {
    const bench = createTerminalBench();
    await text(bench, 'cd /usr');
    writeFileSync(path.join(bench.state, 'terminal', 's1', 'shell.json'), '{"directory":');
    expect(await text(bench.next(), 'pwd')).toMatch(/\/s1\n/u);
  });

  it('is its own: no other session has it', async () => {
    const bench = createTerminalBench();
    await text(bench, 'export A=1; cd /usr');
    const { content } = await bench.call('terminal', { command: 'echo "[$A]"; pwd' }, { session: bench.session('s2') });
    expect(content).toMatch(/^\[\]\n.*\/s2\n/u);
  });

  it('is in the workspace again when its directory is gone, and says so', async () => {
    const bench = createTerminalBench();
    await text(bench, 'mkdir sub && cd sub');
    rmSync(path.join(bench.session().workspace, 'sub'), { recursive: true });
    expect(await text(bench, 'pwd')).toMatch(
      /\/s1\n\n\[exit code 0, .*\]\n\[The directory .*\/sub is gone; this ran in the workspace\.\]$/u,
    );
    expect(await text(bench, 'pwd')).not.toContain('gone');
  });

  it('goes to workdir for one call only', async () => {
    const bench = createTerminalBench();
    expect(await text(bench, 'pwd', { workdir: '/usr' })).toMatch(/^\/usr\n/u);
    expect(await text(bench, 'pwd')).toMatch(/\/s1\n/u);
  });

  it('gives its commands neither functions of its own nor a descriptor in the way', async () => {
    const bench = createTerminalBench();
    expect(
      await text(bench, 'declare -F; set -- a; echo $#; { echo three >&3; } 2>/dev/null || echo free; exec 3>&1; echo taken >&3'),
    ).toMatch(/^1\nfree\ntaken\n/u);
  });

  it('keeps a file of start-up variables that a program has set out of later commands, and says how to keep one', async () => {
    const bench = createTerminalBench();
    mkdirSync(path.join(bench.session().workspace, 'venv'));
    writeFileSync(
      path.join(bench.session().workspace, 'venv', 'activate'),
      'export PATH=/venv/bin:$PATH VIRTUAL_ENV=/venv LD_PRELOAD=/x.so\n',
    );
    expect(await text(bench, '. venv/activate')).toMatch(/\[Not kept for later commands: .*PATH.*To keep such a variable, set it by name/u);
    expect(await text(bench, 'echo "$VIRTUAL_ENV|$LD_PRELOAD|${PATH%%:*}"')).toMatch(/^\/venv\|\|(?!\/venv\/bin)/u);
  });

  it('keeps them when the command itself said so', async () => {
    const bench = createTerminalBench();
    await text(bench, 'export PATH=/x:$PATH PYTHONPATH=/lib');
    expect(await text(bench, 'echo "${PATH%%:*} $PYTHONPATH"')).toMatch(/^\/x \/lib\n/u);
  });
});

describe('what is given to the shell', () => {
  it.each([
    'export PATH=/x:$PATH',
    'export PATH=$PATH:/x',
    'PATH=$PATH:/x',
    'export LD_PRELOAD=/x.so',
    'export BASH_ENV=./x',
    'export PROMPT_COMMAND=x',
    'export GIT_SSH_COMMAND=x',
    'export GIT_AUTHOR_NAME=ann',
    'export PYTHONPATH=src',
    'export PYTHONSTARTUP=x.py',
    'export NODE_OPTIONS=--require=./x.js',
    'declare -x PERL5LIB=lib',
    'export npm_config_script_shell=./x',
    'cd sub; export PATH=.:$PATH; make',
    'export HOME=/x',
  ])('asks: %s', async (command) => {
    expect((await createTerminalBench().risk(command)).level).toBe('ask');
  });

  it.each(['export FOO=1', 'export PAGER=cat', 'GIT_AUTHOR_NAME=ann git log', 'export LD_PRELOAD=', 'cd sub'])(
    'does not ask: %s',
    async (command) => {
      expect((await createTerminalBench().risk(command)).level).toBe('safe');
    },
  );

  it('is known when the next command is judged', async () => {
    const bench = createTerminalBench();
    const before = await bench.risk('cat $F');
    await text(bench, 'export F=/etc/shadow');
    expect([before.level, (await bench.risk('cat $F')).level]).toEqual(['safe', 'ask']);
  });

  it('decides where the next command is judged to run', async () => {
    const bench = createTerminalBench();
    expect((await bench.risk('touch x')).level).toBe('safe');
    await text(bench, 'cd /usr');
    expect((await bench.risk('touch x')).level).toBe('ask');
    expect((await bench.risk('rm -rf *')).level).not.toBe('safe');
    await text(bench, 'cd /');
    expect((await bench.risk('rm -rf *')).level).toBe('hardline');
  });

  it('is part of what an approval remembers', async () => {
    const bench = createTerminalBench();
    const command = 'rm -rf /srv/x';
    const plain = await bench.risk(command);
    expect(plain.situation).toBeUndefined();
    await text(bench, 'export PATH=/y:/usr/bin:/bin');
    const withPath = await bench.risk(command);
    await text(bench, 'mkdir sub; cd sub');
    const elsewhere = await bench.risk(command);
    const keys = [plain, withPath, elsewhere].map(({ situation, memory }) => `${situation} ${memory?.key}`);
    expect(new Set(keys).size).toBe(3);
    expect(withPath.memory?.key).not.toBe(plain.memory?.key);
    expect(withPath.why).toContain('The shell was given PATH before.');
  });

  it('cannot be changed between the approval and the command', async () => {
    const bench = createTerminalBench();
    await text(bench, 'cd /usr');
    const { content } = await bench.call('terminal', { command: 'pwd' }, { after: () => text(bench, 'cd /etc') });
    expect(content).toMatch(/^\/usr\n/u);
  });
});

describe('a command', () => {
  it.each(['nohup sleep 1', 'sleep 5 & disown', 'setsid sleep 5', 'sleep 5 &', 'sleep 5 & # later'])(
    'that wants to outlive its call is refused, with what to do: %s',
    async (command) => {
      const { content, failed } = await createTerminalBench().call('terminal', { command });
      expect([failed, content]).toEqual([true, expect.stringContaining('background: true')]);
    },
  );

  it.each(['echo "nohup x &"', 'sleep 0.01 & wait', 'cat <<E\nnohup x &\nE', 'echo a && echo "&"'])(
    'is not taken for one: %s',
    async (command) => {
      expect((await createTerminalBench().call('terminal', { command })).failed).toBeUndefined();
    },
  );

  it.each([
    ['grep nothing /dev/null', '[exit code 1, ', 'nothing matched'],
    ['echo a | grep b', '[exit code 1, ', 'nothing matched'],
    ['diff /etc/passwd /dev/null', '[exit code 1, ', 'they differ'],
    ['test 1 = 2', '[exit code 1, ', 'the condition is false'],
    ['no-such-program', '[exit code 127, ', 'there is no such program'],
    ['kill -9 $$', '[exit code 137, ', 'it was killed'],
  ])('says what its exit code means: %s', async (command, code, meaning) => {
    const { content } = await createTerminalBench().call('terminal', { command });
    expect(content.slice(content.lastIndexOf('[exit code'))).toMatch(new RegExp(`^${code.replace('[', '\\[')}.*: .*${meaning}`, 'u'));
  });

  it('advises a background process when a server took too long', async () => {
    const { content } = await createTerminalBench().call('terminal', { command: 'python3 -m http.server 0', timeout: 0.5 });
    expect(content).toContain('start it with background: true');
  });

  it('tells a script all that it printed, and its exit code', async () => {
    const { data } = await createTerminalBench().call('terminal', { command: 'seq 1 40000; exit 2' });
    const { stdout, exit_code } = data as { stdout: string; exit_code: number };
    expect([stdout.length, exit_code]).toEqual([228_894, 2]);
    expect(stdout.split('\n')).toHaveLength(40_001);
  });

  it('has its sudo answered with the password that the owner gave, and never shows it to others', async () => {
    const bench = createTerminalBench({ terminal: { sudo_password: 'open sesame' } });
    const bin = path.join(bench.home, 'bin');
    mkdirSync(bin, { recursive: true });
    const fake = '#!/bin/bash\n[ "$1 $2 $3" = "-S -p " ] || exit 9\nread -r given\n[ "$given" = "open sesame" ] && exec "${@:4}"\n';
    writeFileSync(path.join(bin, 'sudo'), fake, { mode: 0o755 });
    const { content } = await bench.call('terminal', { command: `PATH=${bin}:$PATH; sudo echo as root; env | grep -c sesame` });
    expect(content).toMatch(/^as root\n0\n/u);
  });

  it('has a terminal when it asks for one', async () => {
    const { content } = await createTerminalBench().call('terminal', {
      command: 'tty; stty size; printf "\\033[1mbold\\033[0m\\n"',
      pty: true,
    });
    expect(content).toMatch(/^\/dev\/\S+\n40 120\nbold\n/u);
  });
});
