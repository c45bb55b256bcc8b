import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UNKNOWN } from '../../../agent/risk.ts';
import { createShellJudge, type ShellJudge } from '../../../tools/shared/shell/judge.ts';

let workspace = '';
let judge: ShellJudge;
beforeAll(() => {
  workspace = realpathSync(mkdtempSync(path.join(tmpdir(), 'touches-')));
  judge = createShellJudge({ home: '/home/ann', protectedPaths: [], searchPath: '/usr/bin:/bin' });
});
afterAll(() => rmSync(workspace, { recursive: true, force: true }));

async function touches(command: string, directory = workspace): Promise<readonly string[]> {
  const { touches: found = [] } = await judge(command, directory, workspace);
  return found.map(({ kind, name, implied }) => `${kind} ${name.replaceAll(UNKNOWN, '…')}${implied === true ? ' (implied)' : ''}`);
}

describe('what a command does, for permission rules', () => {
  it.each([
    ['git push x; rm -rf /srv/a', ['command git push x', 'command rm -rf /srv/a', 'write /srv/a (implied)']],
    ['git push "$(id)"', ['command id', 'command git push …']],
    ['true | xargs git push', ['command true', 'command xargs git push', 'command git push …']],
    ['sudo git push', ['command sudo git push', 'command git push']],
    ["sh -c 'git push; id'", ["command sh -c 'git push; id'", 'command git push', 'command id']],
    ['git() { id; }; git push', ['command id', 'command git push']],
    ['GIT_SSH_COMMAND=./x git push', ['command git push', 'command GIT_SSH_COMMAND=./x']],
    ['CI=1 npm test', ['command npm test', 'command CI=1']],
    ["git push 'a; b' --dry-run", ["command git push 'a; b' --dry-run"]],
    ['git push "$X --dry-run"', ["command git push '… --dry-run'"]],
    ['git log > /etc/cron.d/x 2>/dev/null', ['command git log', 'write /etc/cron.d/x']],
    ['git log > "$X"', ['command git log', 'write …']],
    ['> /srv/a', ['command :', 'write /srv/a']],
    ['wc < /home/ann/list', ['command wc', 'read /home/ann/list']],
    ['$X push', ['command … push']],
    ['git push "', ['command git push', 'command …']],
  ])('%s: every command, assignment and redirection', async (command, expected) => {
    expect([...(await touches(command))].sort()).toEqual([...expected].sort());
  });

  it('has one that no rule can name where its characters mislead', async () => {
    expect(await touches(`git push ${UNKNOWN}`)).toContain('command …');
    expect(await touches('git push \u202e')).toContain('command …');
  });

  it('begins with going there where it runs outside of the workspace', async () => {
    expect(await touches('npm test', '/srv')).toContain('command cd /srv');
    expect(await touches('npm test', path.join(workspace, 'sub'))).toEqual(['command npm test']);
  });

  it('names the program by itself beside the path that it is reached by, and a file beside the link', async () => {
    symlinkSync('/srv/real', path.join(workspace, 'link'));
    const { touches: found = [] } = await judge('./Git push > link/file', workspace, workspace);
    expect(found).toEqual([
      { kind: 'command', name: './Git push', also: ['git push'] },
      { kind: 'write', name: '/srv/real/file', also: [path.join(workspace, 'link/file')] },
    ]);
  });
});
