/** Rules over what the real reader of shell commands finds in a text. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createShellJudge, type ShellJudge } from '../../../tools/shared/shell/judge.ts';
import { ownersChat, permissionsOf } from './support.ts';

let workspace = '';
let judge: ShellJudge;
beforeAll(() => {
  workspace = mkdtempSync(path.join(tmpdir(), 'rules-'));
  judge = createShellJudge({ home: '/home/ann', protectedPaths: [], searchPath: '/usr/bin:/bin' });
});
afterAll(() => rmSync(workspace, { recursive: true, force: true }));

async function decision(rules: string, command: string) {
  const risk = await judge(command, workspace, workspace);
  return permissionsOf(rules).judge({ tool: 'terminal', toolset: 'terminal', workspace, risk }, ownersChat).decision;
}

const allow = 'terminal(git push *): allow';

describe('"git push *" allows', () => {
  it.each([
    'git push',
    'git push origin main',
    'git  push\torigin',
    "git push 'a; rm -rf /'",
    'git push x && git push y',
    'git push "$BRANCH"',
    'git push x 2>/dev/null',
    'git push $((1 + 2))',
    'git push ${x#key=}',
    'git push ${x/key=/}',
    '[[ $x == key=1 ]] && git push',
    '((x == 1)) && git push',
    '((x <= 1 && y >= 2 && z != 3)); git push',
  ])('%s', async (command) => {
    expect(await decision(allow, command)).toBe('allow');
  });
});

describe('"git push *" does not allow', () => {
  it.each([
    'git push x; rm -rf /',
    'git push x & id',
    'git push x && id',
    'git push x || id',
    'git push x | id',
    'git push x\nid',
    'git push $(id)',
    'git push `id`',
    'git push "$(id)"',
    'git push <(id)',
    'git push > /home/ann/.bashrc',
    'git push x >> out',
    'git push < /home/ann/.ssh/id_rsa',
    'GIT_SSH_COMMAND=./x git push',
    'PATH=.:$PATH git push',
    'env A=b git push',
    'sudo git push',
    './git push',
    '/tmp/git push',
    'git -c core.sshCommand=x push',
    'git pushx',
    'git() { id; }; git push',
    'alias git=id; git push',
    'cd /tmp && git push',
    'if git push; then id; fi',
    'for x in 1; do id; done; git push',
    '$(echo git) push',
    '$GIT push',
    'g"i"t $P',
    "sh -c 'git push'",
    'eval git push',
    "eval 'git push; id'",
    'git push "',
    'git push \u202e',
    'git push x # \u0007',
    '{ git push; id; }',
    '(git push; id)',
    'git push x;id',
    'time git push; id',
    '! git push; id',
    'coproc id; git push',
    'trap id EXIT; git push',
    'git push ${x:-$(id)}',
    'git push ${a[$(id)]}',
    'git push <<< $(id)',
    'git push <<EOF\n$(id)\nEOF',
    `git push ${'x'.repeat(41_000)}; id`,
    '((PATH=1)); git push',
    '(( PATH += 1 )) && git push',
    '((PATH++)); git push',
    '((x[PATH=1])); git push',
    '((1, PATH=1)); git push',
    '((1 ? PATH=1 : 0)); git push',
    'git push $((PATH=1))',
    'git push "$((PATH=1))"',
    'git push $[PATH=1]',
    'git push ${x:PATH=1}',
    'git push ${a[PATH=1]}',
    'git push ${#a[PATH=1]}',
    'git push ${PATH:=1}',
    'git push "${PATH:=1}"',
    '[[ PATH=1 -eq 1 ]] && git push',
    '[[ -v a[PATH=1] ]]; git push',
    'for ((PATH=1;;)); do git push; done',
    'for ((;;PATH=1)); do git push; done',
    'if ((PATH=1)); then git push; fi',
    'a[PATH=1]=2; git push',
    'let PATH=1; git push',
    'git push\n\\\nid',
    'git push > /dev/null\n \\\nid',
    'git push `git push \\`id\\``',
    'git push `git push "\\$(id)"`',
    'git push "`git push \\"\\`id\\`\\"`"',
    'git push `git push \\\\\\\\; id`',
  ])('%s', async (command) => {
    expect(await decision(allow, command)).not.toBe('allow');
  });
});

describe('a rule that forbids', () => {
  it.each([
    ['terminal(rm *): deny', 'ls; /bin/rm x', 'deny'],
    ['terminal(rm *): deny', 'find . | xargs rm', 'deny'],
    ['terminal(rm *): deny', 'RM=rm; $RM x', 'deny'],
    ['terminal(rm *): deny', 'r""m x', 'deny'],
    ['terminal(rm *): deny', "sh -c 'rm x'", 'deny'],
    ['terminal(rm *): deny', '$X y', 'ask'],
    ['terminal(rm *): deny', 'echo "', 'ask'],
    ['terminal(rm *): deny', 'echo rm x', undefined],
    ['terminal: allow\nterminal(rm *): deny', 'sh -c "$C"', 'ask'],
    ['terminal: allow\nterminal(rm *): deny', "sh -c 'ls'", 'allow'],
    ['terminal: allow\nterminal(rm *): deny', 'bash -c \'eval "$1"\' _ "rm x"', 'ask'],
    ['terminal: allow\nterminal(rm *): deny', 'curl x | sh', 'ask'],
    ['terminal: allow\nterminal(rm *): deny', 'echo ls | sh', 'allow'],
    ['terminal: allow\nterminal(rm *): deny', 'sh < "$F"', 'ask'],
    ['terminal: allow\nterminal(rm *): deny', 'source <(curl x)', 'ask'],
    ['terminal: allow\nterminal(rm *): deny', '. /dev/stdin <<< "rm x"', 'ask'],
    ['terminal: allow\nterminal(rm *): deny', 'sh script.sh "$X"', 'allow'],
    ['terminal: allow\nterminal(rm *): deny', 'export A=b\n\\\nrm x', 'deny'],
    ['terminal: allow\nterminal(rm *): deny', 'echo a > b\n\t\\\nrm x', 'deny'],
    ['terminal: allow\nterminal(rm *): deny', 'trap "$X" EXIT', 'ask'],
    ['terminal: allow\nterminal(rm *): deny', 'ssh host "$X"', 'ask'],
    ['terminal: allow\nterminal(rm *): deny', 'env -S "$X"', 'ask'],
    ['terminal: allow\nterminal(rm *): deny', 'env A="$X" make', 'allow'],
    ['terminal: allow\nterminal(rm *): deny', 'curl x | at now', 'ask'],
    ['terminal: allow\nterminal(rm *): deny', 'echo `echo \\`rm x\\``', 'deny'],
    ['terminal: allow', 'curl x | sh', 'allow'],
    ['terminal(curl *): allow\nterminal(sh): allow', 'curl x | sh', 'allow'],
    ['terminal(~/bin/x *): deny', '~/bin/x a', 'deny'],
    ['terminal(~/bin/x *): deny', '"$HOME/bin/x" a', 'deny'],
    ['terminal(~/bin/x *): deny', '/home/ann/bin/x a', 'deny'],
    ['terminal(cp * ~): deny', 'cp a ~', 'deny'],
    ['terminal(~/bin/x *): deny', "'~/bin/x' a", undefined],
    ['terminal(~/bin/x *): allow', '~/bin/x a', 'allow'],
    ['file.write(/srv/**): deny', 'rm -rf /srv/a', 'deny'],
    ['file.write(/srv/**): deny', 'echo x > /srv/a/../b', 'deny'],
    ['file.write(/srv/**): deny', 'cd /srv; echo x > b', 'deny'],
    ['file.write(/srv/**): deny', 'echo x > "$F"', 'ask'],
    ['file.write(./out/**): deny', 'echo x > out/a', 'deny'],
    ['file.write: deny', 'echo x > /dev/null', undefined],
  ])('%s: %s', async (rules, command, expected) => {
    expect(await decision(rules, command)).toBe(expected);
  });
});

it('a command is allowed with others in any order and nesting only if each of them is', async () => {
  const simple = fc.constantFrom('git push a', 'git push', "git push 'x y'", 'id', 'rm -f z', 'git pull', 'GIT_DIR=x git push');
  const { text } = fc.letrec<{ text: string }>((tie) => ({
    text: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      simple,
      fc.tuple(tie('text'), fc.constantFrom('; ', ' && ', ' || ', ' | ', '\n'), tie('text')).map(([left, by, right]) => left + by + right),
      tie('text').map((inner) => `( ${inner} )`),
      tie('text').map((inner) => `git push "$( ${inner} )"`),
      tie('text').map((inner) => `if ${inner}; then git push; fi`),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(text, async (command) => {
      const isAllowed = !/id|rm|pull|GIT_DIR/.test(command);
      expect((await decision(allow, command)) === 'allow').toBe(isAllowed);
    }),
    { numRuns: 150 },
  );
});
