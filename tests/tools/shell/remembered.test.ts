import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Risk } from '../../../agent/risk.ts';
import { createShellJudge, type ShellJudge } from '../../../tools/shared/shell/judge.ts';

/** What "always" remembers. Programs are real ones, copied to where the test may change them. */

let root: string;
let bin: string;
let workspace: string;
let judge: ShellJudge;

beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'remembered-')));
  bin = path.join(root, 'bin');
  workspace = path.join(root, 'home/ada/work');
  for (const directory of [bin, workspace, path.join(workspace, 'sub'), path.join(workspace, 'sub/deep')])
    mkdirSync(directory, { recursive: true });
  for (const name of [
    'rm',
    'chmod',
    'git',
    'tool',
    'sudo',
    'env',
    'nice',
    'timeout',
    'xargs',
    'find',
    'busybox',
    'bash',
    'python3',
    'make',
    'docker',
    'tar',
    'kill',
  ])
    install(name);
  judge = createShellJudge({ home: path.join(root, 'home/ada'), protectedPaths: [], searchPath: `${bin}:/usr/bin:/bin` });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const PROGRAMS_THAT_RUN = 'tar sort split zip man gcc ssh-keygen ip sed curl dpkg apt-get install find unheard-of'.split(' ');

/** Any machine code does: nothing is run here. */
function install(name: string): void {
  copyFileSync('/bin/true', path.join(bin, name));
  chmodSync(path.join(bin, name), 0o755);
}

const risk = (command: string, directory = workspace): Promise<Risk> => judge(command, directory, workspace);
const key = async (command: string, directory = workspace): Promise<string | undefined> => (await risk(command, directory)).memory?.key;

describe('an approval that is remembered', () => {
  it.each([
    'rm -rf build',
    'rm -rf "a b"',
    "git push --force origin 'main'",
    'chmod 777 run.sh',
    'cd sub && rm -rf build',
    'ls | tee /tmp/list.txt',
    'FOO=bar rm -rf build',
    'git add . && git push --force 2>&1',
  ])('holds for the very same command: %j', async (command) => {
    expect((await risk(command)).level).toBe('ask');
    expect(await key(command)).toMatch(/^[0-9a-f]{64}$/u);
    expect(await key(command)).toBe(await key(command));
  });

  it('shows the command, the directory and the program', async () => {
    expect((await risk('rm -rf build')).memory?.label).toBe(`rm -rf build (in ${workspace}, with ${bin}/rm as it is now)`);
  });

  it.each([
    'rm -rf build2',
    'rm -r build',
    'rm -rf build dist',
    'rm  -rf build',
    'rm -rf build; rm -rf build',
    'FOO=bar rm -rf build',
    'rm -rf build > log',
  ])('is another one for %j', async (command) => {
    expect(await key(command)).toBeDefined();
    expect(await key(command)).not.toBe(await key('rm -rf build'));
  });

  it('is another one with another value of a variable', async () => {
    expect(await key('FOO=1 rm -rf build')).not.toBe(await key('FOO=2 rm -rf build'));
  });

  it('is another one in another directory or another workspace', async () => {
    const here = await key('rm -rf build');
    expect(await key('rm -rf build', path.join(workspace, 'sub'))).not.toBe(here);
    expect((await judge('rm -rf build', workspace, path.join(root, 'home/ada'))).memory?.key).not.toBe(here);
  });

  it('is another one when the program has changed, also behind a link', async () => {
    rmSync(path.join(bin, 'chmod'));
    mkdirSync(path.join(root, 'lib'));
    copyFileSync('/bin/true', path.join(root, 'lib/chmod'));
    symlinkSync(path.join(root, 'lib/chmod'), path.join(bin, 'chmod'));
    const [before, linked] = [await key('rm -rf build'), await key('chmod 777 x')];
    appendFileSync(path.join(bin, 'rm'), 'x');
    appendFileSync(path.join(root, 'lib/chmod'), 'x');
    expect(await key('rm -rf build')).not.toBe(before);
    expect(linked).toBeDefined();
    expect(await key('chmod 777 x')).not.toBe(linked);
  });

  it('is another one when a program of the same content is found elsewhere', async () => {
    const before = await key('rm -rf build');
    const first = path.join(root, 'first');
    mkdirSync(first);
    copyFileSync(path.join(bin, 'rm'), path.join(first, 'rm'));
    const other = createShellJudge({ home: path.join(root, 'home/ada'), protectedPaths: [], searchPath: `${first}:${bin}` });
    expect((await other('rm -rf build', workspace, workspace)).memory?.key).not.toBe(before);
  });

  it('holds for a program that is named by its place on the search path', async () => {
    expect((await risk(`${bin}/rm -rf build`)).memory?.label).toContain(`with ${bin}/rm as`);
  });
});

describe('what is asked about each time', () => {
  it.each([
    // shells, interpreters, wrappers and what else runs other programs
    "bash -c 'rm -rf build'",
    'bash script.sh; rm -rf build',
    "python3 -c 'print(1)'",
    'sudo rm x',
    'env rm -rf build',
    'nice rm -rf build',
    'timeout 5 rm -rf build',
    'busybox rm -rf build',
    'find . -name x -exec rm {} +',
    'make clean && rm -rf build',
    'docker run --privileged image',
    'docker rm -f $(docker ps -q)',
    "tar cf a.tar --to-command='sh x' src",
    "git -c alias.y='!rm x' y",
    'git -c core.pager=less push --force',
    'git y && git push --force',
    'git clone -u ./x . ../y',
    'git clone -qu./x . ../y',
    'git clone -c core.fsmonitor=./x . ../y',
    'git push --force --rec ./x origin',
    'git push --force --receive-p=./x origin',
    'git clone --upload ./x . ../y',
    'git rebase -x "make test" main',
    'echo x | xargs rm -rf',
    'rm -rf build | python3 x.py',
    'eval "rm -rf build"',
    'command rm -rf build',
    'kill 1',
    'source x; rm -rf build',
    // words that mean what is there when it runs
    'rm -rf $DIR',
    'rm -rf "$HOME/x"',
    'rm -rf $(cat list)',
    'rm -rf build/*',
    'rm -rf [ab]',
    'X=build; rm -rf "$X"',
    // what else may change
    'PATH=/tmp:$PATH rm -rf build',
    'LD_PRELOAD=x.so rm -rf build',
    'GIT_SSH_COMMAND=x git push --force',
    'rm -rf build < input',
    'rm -rf build <<< text',
    'rm -rf build &',
    'for f in a b; do rm -rf build; done',
    'if true; then rm -rf build; fi',
    '(rm -rf build)',
    'rm() { echo; }; rm -rf build',
    'alias ls=rm; rm -rf build',
    'rm -rf bu\u200bild',
    'cd - && rm -rf build && ./tool',
    'missing-program && rm -rf build',
    'no/such/program rm -rf x',
  ])('%j', async (command) => {
    expect((await risk(command)).level).toBe('ask');
    expect(await key(command)).toBeUndefined();
  });

  it.each([
    'tar --use-compress-program=./mine -cf a.tar src',
    'tar -I ./mine -cf a.tar src',
    'tar --checkpoint-action=exec=./x -cf a.tar src',
    'sort --compress-program=./x a',
    'split --filter=./x a',
    'zip -T -TT ./x a.zip a',
    'man -P ./x ls',
    'gcc -fplugin=./x.so a.c',
    'ssh-keygen -D ./x.so',
    'ip netns exec n ./x',
    'sed -i s/x/y/e a',
    'sed -i -f ./s a',
    'curl -K ./cfg',
    'dpkg -i ./x.deb',
    'apt-get install ./x.deb',
    'install -s --strip-program=./x a b',
    'find . -okdir ./x',
    './sub/rm x',
    'unheard-of x',
  ])('a program that is not known to run no other: %j', async (command) => {
    for (const name of PROGRAMS_THAT_RUN) install(name);
    copyFileSync(path.join(bin, 'rm'), path.join(workspace, 'sub/rm'));
    expect(await key('rm -rf build && ls a')).toBeDefined();
    expect(await key(command)).toBeUndefined();
    expect(await key(`rm -rf build && ${command}`)).toBeUndefined();
  });

  it('an interpreter under another name', async () => {
    symlinkSync(path.join(bin, 'python3'), path.join(bin, 'deploy'));
    symlinkSync(path.join(bin, 'python3'), path.join(bin, 'mv'));
    expect(await key('deploy rm -rf x')).toBeUndefined();
    expect(await key('rm -rf build && mv a b')).toBeUndefined();
  });

  it('a script, which is run by an interpreter', async () => {
    writeFileSync(path.join(bin, 'deploy'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    expect((await risk('deploy rm -rf x')).level).toBe('ask');
    expect(await key('deploy rm -rf x')).toBeUndefined();
  });

  it('a program that is too large to be read each time', async () => {
    truncateSync(path.join(bin, 'rm'), 65 * 1024 * 1024);
    expect(await key('rm -rf build')).toBeUndefined();
  });

  it('what is safe or forbidden is not remembered at all', async () => {
    expect(await risk('ls')).toMatchObject({ level: 'safe', why: '', subjects: ['ls'] });
    expect((await risk('rm -rf /')).level).toBe('hardline');
    expect(await key('rm -rf /')).toBeUndefined();
  });
});
