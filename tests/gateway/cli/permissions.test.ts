import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Tool } from '../../../agent/tool.ts';
import { controlSocketPath, createControlSocket } from '../../../gateway/http/control-socket.ts';
import { createApprovalsControl } from '../../../gateway/permissions/approvals.ts';
import { createPermissionsControl } from '../../../gateway/permissions/control.ts';
import { permissionsFromFiles } from '../../../gateway/permissions/from-files.ts';
import { loadPermissions } from '../../../gateway/permissions/load.ts';
import { createPermissions } from '../../../gateway/permissions/permissions.ts';
import type { Settings } from '../../../gateway/settings.ts';
import { openStore } from '../../../gateway/store/index.ts';
import { createTools } from '../../../tools/index.ts';
import { terminalSection } from '../../../tools/terminal/config.ts';
import { controlHandlers } from '../http/fixture.ts';
import { migrations } from '../support/home.ts';
import { testSettings } from '../support/settings.ts';
import { temporaryHome } from './hermes.ts';
import { hermesHere } from './in-process.ts';

let place: ReturnType<typeof temporaryHome>;
const ended: (() => void | Promise<void>)[] = [];
beforeEach(() => {
  place = temporaryHome();
  mkdirSync(path.join(place.home, 'run'), { mode: 0o700 });
});
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
  place.remove();
});

function settings(mode: 'manual' | 'off' = 'manual'): () => Settings {
  const { rules } = loadPermissions({ home: place.home, platforms: ['telegram', 'web'] });
  const permissions = createPermissions(rules, { home: '/home/ann', realPath: (file) => file });
  const made = testSettings({ change: { permissions, approvals: { mode } }, account: () => undefined });
  return () => made;
}

function tools(): readonly Tool[] {
  const terminal = terminalSection.schema.parse({});
  return createTools({
    terminal,
    environment: { PATH: '/usr/bin:/bin' },
    home: '/home/ann',
    protectedPaths: [path.join(place.home, '.env')],
    marker: 'test',
  });
}

const rules = (text: string) => writeFileSync(path.join(place.home, 'permissions.yaml'), text);
const store = () => openStore({ home: place.home, migrations, now: Date.now });

const secrets = () => ['hunter2-c4nary'];

/** Without a daemon. */
function offline(...argv: string[]) {
  const permissions = (home: string) =>
    permissionsFromFiles({ home, migrations, now: Date.now, settings: settings(), tools: tools(), secrets });
  return hermesHere(['permissions', ...argv], place.home, { permissions });
}

async function daemon(mode: 'manual' | 'off' = 'manual'): Promise<void> {
  const open = store();
  const approvals = createApprovalsControl({ store: open, secrets, now: Date.now });
  const permissions = createPermissionsControl({ store: open, settings: settings(mode), tools: tools(), home: place.home, approvals });
  const handlers = controlHandlers({ permissions });
  const socket = createControlSocket({ path: controlSocketPath(place.home), handlers, log: { info() {}, warn() {} } });
  await socket.listen();
  ended.push(() => socket.close(), open.close);
}

const running = (...argv: string[]) => hermesHere(['permissions', ...argv], place.home);

describe('hermes permissions list', () => {
  test('shows what is shipped where nobody has written a rule', async () => {
    const { code, out } = await offline('list');
    expect(code).toBe(0);
    expect(out).toContain('No gateway runs. The rules in the files, in order:');
    expect(out).toMatch(/in a group or channel, for user:\n +terminal\.\*: ask +shipped with the gateway \(only makes stricter\)\n/);
  });

  test('shows the rules in order with their lines, their places and those that are about no tool', async () => {
    rules(
      'overrides:\n  - { platform: telegram, chat: -100, rules: { terminal: deny } }\nterminal(git push *): ask\nbrowser.*: deny\nfile.read: ask\nshipped_rules: false\n',
    );
    await daemon();
    const { out } = await running('list');
    expect(out.split('\n')).toEqual([
      'The rules that the running gateway keeps to, in order:',
      'everywhere:',
      '  terminal(git push *): ask  permissions.yaml line 3',
      '  browser.*: deny            permissions.yaml line 4 (there is no such tool)',
      '  file.read: ask             permissions.yaml line 5',
      'on telegram, in the chat -100:',
      '  terminal: deny             permissions.yaml line 2',
      'The last rule that matches wins. Where none does, the tool judges. What may never be done is refused whatever a rule says.',
      '',
    ]);
    expect(JSON.parse((await running('list', '--json')).out).rules).toHaveLength(4);
  });

  test('says what is wrong with broken files where no gateway runs, and fails', async () => {
    rules('terminal(: ask\n');
    const { code, out, err } = await offline('list');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('permissions.yaml line 1: "terminal(" is no rule');
  });
});

describe('hermes permissions check', () => {
  test('explains which rule decides about each part of a call', async () => {
    rules('terminal(git push *): allow\nterminal(rm *): deny\n');
    await daemon();
    const { code, out } = await running('check', '--as', 'telegram:123', 'terminal(git push x; rm -rf build)');
    expect(code).toBe(0);
    expect(out).toContain(
      'for telegram:123 (user) in a direct chat: deny - it is refused\nterminal(rm *): deny (permissions.yaml line 2)\n',
    );
    expect(out).toContain('  git push x  <-  terminal(git push *): allow (permissions.yaml line 1)\n');
    expect(out).toContain('  rm -rf build  <-  terminal(rm *): deny (permissions.yaml line 2)\n');
    expect(out).toMatch(/workspaces\/check\/build {2}<- {2}no rule\n/);
  });

  test.each([
    ['allowed by all of it', 'terminal(git push x)', /: allow - .*\nterminal\(git push \*\): allow/],
    [
      'not by one part of it',
      'terminal(git push x; sudo id)',
      /: ask - .*\nNo rule decides about all of it, so the tool does\. It runs with the rights/,
    ],
    ['harmless', 'terminal(ls)', /: allow - .*\nNo rule .* It takes it for harmless\./],
    ['hardline', 'terminal(git push x; rm -rf /)', /: deny - .*\nNever allowed, whatever the rules say:/],
    ['a file', 'file.write(~/notes/a.md)', /: allow - .*\nfile\.write\(~\/notes\/\*\*\): allow/],
    ['a file as another tool', 'patch(/srv/a)', /: ask - /],
    ['a file of a search', 'file.search(~/private)', /: deny - .*\nfile\.read\(~\/private\/\*\*\): deny/],
    ['our own secrets', 'read_file(HOME/.env)', /: deny - .*\nNever allowed/],
    ['arguments as JSON', 'terminal.terminal({"command": "git push", "workdir": "/srv"})', /: ask - .*\n[\s\S]*cd \/srv {2}<- {2}no rule/],
    ['a tool that is not there', 'browser.navigate(x)', /: deny - .*\nbrowser\.\*: deny/],
    ['a tool that nobody knows', 'teleport(x)', /: allow - .*\nNo rule is about it, and this gateway has no such tool/],
  ])('tells of a call that is %s', async (_, call, expected) => {
    rules(
      '"*(git push *)": ask\nterminal(git push *): allow\nfile.write(~/notes/**): allow\nfile.read(~/private/**): deny\nbrowser.*: deny\n',
    );
    const { out, err } = await offline('check', call.replace('HOME', place.home));
    expect(err).toBe('');
    expect(out).toContain('for web:owner (owner) in a direct chat');
    expect(out).toMatch(expected);
  });

  test('knows who was let in as what, with and without a daemon', async () => {
    const open = store();
    const person = {
      aliases: ['alias'],
      name: 'Ann',
      chat: { platform: 'telegram', account: 'work', chat: '7' },
      approvedBy: '',
      approvedAt: 0,
    };
    open.people.put({ account: 'telegram/work', person: '7', role: 'owner', groupRole: 'admin', ...person });
    open.close();
    const ask = ['check', '--as', 'telegram:alias', '--account', 'work', 'terminal(ls)'];
    expect((await offline(...ask)).out).toContain('(owner) in a direct chat: allow');
    expect((await offline(...ask, '--chat', 'group:-1')).out).toContain('(admin) in the group -1: allow');
    expect((await offline('check', '--as', 'telegram:alias', '--chat', 'group:-1', 'terminal(ls)')).out).toContain(
      '(user) in the group -1: ask',
    );
    await daemon();
    expect((await running(...ask)).out).toContain('(owner) in a direct chat: allow');
  });

  test('tells that nothing is asked about where approvals are off, but for what a rule asks about', async () => {
    rules('terminal(id): ask\n');
    await daemon('off');
    expect((await running('check', 'terminal(sudo ls)')).out).toMatch(/: allow - .*\n.*but approvals\.mode is off/);
    expect((await running('check', 'terminal(id)')).out).toMatch(/: ask - /);
  });

  test.each([
    [['check', '--as', 'ann', 'terminal(ls)'], 2, 'Write --as <platform>:<id of the person>'],
    [['check', '--chat', 'room:1', 'terminal(ls)'], 2, 'Write --chat group:<id of the chat>'],
    [['check'], 2, "missing required argument 'call'"],
    [['check', 'rm -rf build'], 1, 'Write the call as a tool with what it is given'],
    [['check', 'terminal({"cmd": 1})'], 1, 'Write its arguments as JSON'],
    [['check', 'terminal'], 0, ''],
  ])('%j', async (argv, code, message) => {
    await daemon();
    const answer = await running(...argv);
    expect(answer.code).toBe(code);
    expect(answer.err).toContain(message);
  });

  test('is answered by the running gateway only in full', async () => {
    await daemon();
    const body = JSON.stringify({ platform: 'telegram', account: 'main', person: '1', chatType: 'room', chat: '1', call: 'terminal(ls)' });
    const { callControl } = await import('../../../gateway/http/control-client.ts');
    const question = { method: 'POST' as const, route: '/api/permissions/check', body: JSON.parse(body) };
    await expect(callControl(controlSocketPath(place.home), question, AbortSignal.timeout(5000))).rejects.toThrow('A question is');
  });
});

describe('what was allowed for good', () => {
  const by = { id: '7', name: 'Ann' };
  const fill = () => {
    const open = store();
    const clear = { scope: 'always', by };
    open.approvals.remember({ ...clear, key: 'k1', label: 'rm -rf build (in /srv)' });
    open.approvals.remember({ ...clear, key: 'k2', label: 'chmod 777 x hunter2-c4nary \u001b[2J' });
    open.approvals.remember({ scope: 'session-1', by, key: 'k3', label: 'not for good' });
    open.close();
  };
  const shown = (out: string) =>
    out.split('\n').flatMap((line) => /^([0-9a-f]{10}) {2}\S+ \S+ {2}(.*)$/.exec(line)?.slice(1, 3).join(' ') ?? []);

  test.each(['running', 'not running'])(
    'is listed without secrets and taken back, one or all, on record, where a daemon is %s',
    async (how) => {
      fill();
      if (how === 'running') await daemon();
      const hermes = how === 'running' ? running : offline;
      const before = await hermes('approvals');
      expect(before).toMatchObject({ code: 0, err: '' });
      expect(shown(before.out)).toEqual([
        expect.stringMatching(/ Ann \(7\) {2}rm -rf build \(in \/srv\)$/),
        expect.stringMatching(/ Ann \(7\) {2}chmod 777 x \[redacted\] \\u\{1b\}\[2J$/),
      ]);
      const id = shown(before.out)[0]?.slice(0, 10) ?? '';
      expect(await hermes('forget', id.slice(0, 6))).toMatchObject({ code: 0, out: expect.stringContaining('1 approval forgotten.') });
      expect(JSON.parse((await hermes('approvals', '--json')).out)).toMatchObject({
        approvals: [{ by: 'Ann (7)', atMs: expect.any(Number) }],
      });
      expect(await hermes('forget', id)).toMatchObject({ code: 1, err: expect.stringContaining('No approval has the id') });
      expect(await hermes('forget', 'all')).toMatchObject({ code: 0, out: expect.stringContaining('1 approval forgotten.') });
      expect((await hermes('approvals')).out).toBe('Nothing was allowed for good.\n');
      for (const end of ended.splice(0)) await end();
      const open = store();
      expect(open.approvals.list('session-1')).toHaveLength(1);
      const rows = open.audit.read({ limit: 10 }).entries;
      expect(rows).toMatchObject([
        { event: 'owner', facts: { act: 'approval forgotten', label: expect.stringContaining('chmod 777 x [redacted]') } },
        { event: 'owner', facts: { act: 'approval forgotten', label: 'rm -rf build (in /srv)' } },
      ]);
      open.close();
    },
  );

  test('needs an id, and where nothing was ever allowed there is none', async () => {
    for (const wrong of ['x', 'abc', '..', 'ALLES']) expect(await offline('forget', wrong)).toMatchObject({ code: 2 });
    expect(await offline('forget', 'abcdef')).toMatchObject({ code: 1 });
    expect(await offline('approvals')).toMatchObject({ code: 0, out: 'Nothing was allowed for good.\n' });
  });
});
