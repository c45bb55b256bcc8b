/** S-11: what is put in front of a program by its environment is no part of what a rule allows. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createShellJudge, type ShellJudge } from '../../../tools/shared/shell/judge.ts';
import { ownersChat, permissionsOf } from './support.ts';

let workspace = '';
let judge: ShellJudge;
beforeAll(() => {
  workspace = mkdtempSync(path.join(tmpdir(), 'variables-'));
  judge = createShellJudge({ home: '/home/ann', protectedPaths: [], searchPath: '/usr/bin:/bin' });
});
afterAll(() => rmSync(workspace, { recursive: true, force: true }));

const variables = `
  BASH_ENV BASH_FUNC_git%% CARGO_BUILD_RUSTC_WRAPPER CC CLASSPATH CXX DOTNET_STARTUP_HOOKS DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH EDITOR ENV
  GCONV_PATH GEM_HOME GEM_PATH GIT_ASKPASS GIT_CONFIG_COUNT GIT_CONFIG_GLOBAL GIT_CONFIG_PARAMETERS GIT_CONFIG_SYSTEM GIT_DIR GIT_EDITOR
  GIT_EXEC_PATH GIT_EXTERNAL_DIFF GIT_PAGER GIT_PROXY_COMMAND GIT_SSH GIT_SSH_COMMAND GIT_TEMPLATE_DIR GOFLAGS HOME HOSTALIASES IFS
  JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS LD_AUDIT LD_LIBRARY_PATH LD_PRELOAD LESSOPEN LOCPATH LUA_INIT MAKEFLAGS MANPAGER NLSPATH NODE_OPTIONS NODE_PATH
  OPENSSL_CONF PAGER PATH PERL5DB PERL5LIB PERL5OPT PHPRC PHP_INI_SCAN_DIR PIP_CONFIG_FILE PROMPT_COMMAND PYTHONBREAKPOINT PYTHONHOME PYTHONPATH
  PYTHONSTARTUP PYTHONUSERBASE PYTHONWARNINGS RUBYLIB RUBYOPT RUSTC_WRAPPER SHELLOPTS SSH_ASKPASS SSH_AUTH_SOCK SUDO_ASKPASS TMPDIR VISUAL
  XDG_CONFIG_HOME ZDOTDIR _JAVA_OPTIONS npm_config_node_options npm_config_script_shell
`
  .trim()
  .split(/\s+/u);

const forms: readonly (readonly [string, (name: string) => string])[] = [
  ['before the command', (name) => `${name}=./evil git push`],
  ['exported', (name) => `export ${name}=./evil; git push`],
  ['declared', (name) => `declare -x ${name}=./evil && git push`],
  ['by env', (name) => `env ${name}=./evil git push`],
  ['by env, quoted', (name) => `env '${name}'=./evil git push`],
  ['appended', (name) => `${name}+=:./evil git push`],
  ['by a name that only shows later', (name) => `X=${name}; export "$X=./evil"; git push`],
  ['read', (name) => `read ${name} <<< ./evil; git push`],
  ['printed into', (name) => `printf -v ${name} ./evil; git push`],
];

async function decision(rules: string, command: string) {
  const risk = await judge(command, workspace, workspace);
  return permissionsOf(rules).judge({ tool: 'terminal', toolset: 'terminal', workspace, risk }, ownersChat).decision;
}

describe('"git push *: allow" does not let through what is set', () => {
  it.each(forms)('%s, whatever the variable', async (_, form) => {
    expect(variables.length).toBeGreaterThanOrEqual(40);
    const allowed: string[] = [];
    for (const name of variables) if ((await decision('terminal(git push *): allow', form(name))) === 'allow') allowed.push(name);
    expect(allowed).toEqual([]);
  });
});

it('a rule that forbids setting one is about each of these ways', async () => {
  const rules = 'terminal: allow\nterminal(LD_PRELOAD=*): deny\n';
  const missed: string[] = [];
  for (const [how, form] of forms.slice(0, 6)) if ((await decision(rules, form('LD_PRELOAD'))) !== 'deny') missed.push(how);
  expect(missed).toEqual([]);
});
