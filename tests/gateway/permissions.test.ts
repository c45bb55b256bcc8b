import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Risk } from '../../agent/risk.ts';
import type { Permissions } from '../../gateway/permissions/permissions.ts';
import { realTools } from '../support/daemon.ts';
import { askingGateway, card, closedCard, riskyTool } from './asks/support.ts';
import { permissionsOf } from './permissions/support.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { temporaryHome } from './support/home.ts';
import { click, sender } from './support/inbound.ts';
import { lastResults, type Script, scriptedModel } from './support/model.ts';
import type { SettingsChange } from './support/settings.ts';

const safe: Partial<Risk> = { level: 'safe', why: '' };

async function gateway(rules: string, risk: Partial<Risk> = {}, more: SettingsChange = {}) {
  const { tool, ran } = riskyTool('remove', risk);
  const change: SettingsChange = { ...more, permissions: permissionsOf(rules) };
  return { ran, change, ...(await askingGateway({ tools: [tool], change })) };
}

describe('a rule', () => {
  it('that forbids refuses at once, names itself and is asked about nowhere, also for what is safe', async () => {
    const { say, answered, platform, ran } = await gateway('remove(rm build): deny', safe);
    say('ann', 'remove build other');
    const [answer = ''] = await answered('ann', 1);
    expect(answer.split('\n')).toEqual([
      expect.stringMatching(
        /^refused: Refused by the owner's rule remove\(rm build\): deny \(permissions\.yaml line 1\): rm build is not allowed here\./,
      ),
      'ok: removed other',
    ]);
    expect(ran).toEqual(['other']);
    expect(platform.cards('ann')).toEqual([]);
  });

  it('that asks asks about what is safe, says so on the card, and what is refused stays refused', async () => {
    const { say, receive, answered, platform, ran } = await gateway('test.remove(rm b*): ask', {
      ...safe,
      subjects: ['echo hi', 'rm build'],
    });
    say('ann', 'remove a a');
    const asked = await card(platform, 'ann');
    expect(asked.markdown).toContain(String.raw`The rule test.remove(rm b\*): ask (permissions.yaml line 1) says to ask about it.`);
    receive([click(asked, 'deny')]);
    const [answer = ''] = await answered('ann', 1);
    expect(answer.split('\n')[1]).toMatch(/^refused: .* refused before in this turn \(rm build\)/);
    expect(ran).toEqual([]);
  });

  it('that asks runs after a yes, and for the session is asked about once', async () => {
    const { say, receive, answered, platform, ran } = await gateway('remove: ask', safe);
    say('ann', 'remove build build');
    receive([click(await card(platform, 'ann'), 'session')]);
    expect(await answered('ann', 1)).toEqual(['ok: removed build\nok: removed build']);
    expect(ran).toEqual(['build', 'build']);
  });

  it('that asks is asked of a person, also where nothing is asked about and where a model reviews', async () => {
    const off = await gateway('remove: ask', {}, { approvals: { mode: 'off' } });
    off.say('ann', 'remove build');
    await card(off.platform, 'ann');
    const approver = scriptedModel(() => 'approve');
    const { say, platform, change } = await gateway('remove: ask', {}, { approvals: { mode: 'smart' } });
    const models = { get: () => scriptedModel(callsOnce), choices: [], approver, demo: false };
    change.agent = { models };
    say('ann', 'remove build');
    await card(platform, 'ann');
    expect(approver.requests).toEqual([]);
  });

  it('that allows runs what is risky without a word, but not what may never be done', async () => {
    const allowed = await gateway('remove(rm *): allow');
    allowed.say('ann', 'remove build');
    expect(await allowed.answered('ann', 1)).toEqual(['ok: removed build']);
    const never = await gateway('remove(rm *): allow', { level: 'hardline' });
    never.say('ann', 'remove build');
    expect((await never.answered('ann', 1))[0]).toMatch(/^refused: Refused, always/);
    expect([...never.ran, ...never.platform.cards('ann'), ...allowed.platform.cards('ann')]).toEqual([]);
  });

  it('that allows a part of a call leaves the whole of it to the risk of the call', async () => {
    const { say, platform } = await gateway('remove(rm *): allow', { subjects: ['rm build', 'curl x'] });
    say('ann', 'remove build');
    expect((await card(platform, 'ann')).markdown).toContain('It deletes files.');
  });

  it('that was changed holds from the next turn', async () => {
    const { say, receive, answered, platform, change } = await gateway('remove: ask', safe);
    say('ann', 'remove build other');
    const asked = await card(platform, 'ann');
    change.permissions = permissionsOf('remove: deny');
    receive([click(asked, 'once')]);
    receive([click(await card(platform, 'ann', 2), 'once')]);
    expect(await answered('ann', 1)).toEqual(['ok: removed build\nok: removed other']);
    say('ann', 'remove build');
    expect((await answered('ann', 2))[1]).toMatch(/^refused: Refused by the owner's rule remove: deny/);
  });

  it('is for the role that somebody has here, by any of their ids', async () => {
    const rules = 'overrides:\n  - { role: user, rules: { remove: deny } }\n  - { role: admin, rules: { remove: allow } }\n';
    const { say, answered, store } = await gateway(rules);
    const person = { person: 'phone', aliases: [], name: 'Ann', approvedBy: '', approvedAt: 0, role: 'admin', groupRole: 'user' } as const;
    store.people.put({ ...person, account: 'fake/main', chat: { platform: 'fake', account: 'main', chat: 'ann' } });
    say('ann', 'remove build', { from: sender({ id: 'lid', aliases: ['phone'] }) });
    expect(await answered('ann', 1)).toEqual(['ok: removed build']);
    say('bob', 'remove build');
    expect((await answered('bob', 1))[0]).toMatch(/^refused/);
    say('group', 'remove build', { from: sender({ id: 'lid', aliases: ['phone'] }), chatType: 'group' });
    expect((await answered('group', 1))[0]).toMatch(/^refused/);
  });
});

const callsOnce: Script = (request) => (lastResults(request.messages).length > 0 ? 'done' : { call: 'remove', args: { path: 'build' } });

/** With the tools that there really are. The model makes the calls one after the other and tells what came of them. */
async function real(calls: readonly (readonly [tool: string, args: object])[], permissions?: Permissions): Promise<Gateway> {
  const script: Script = (request) => {
    const done = lastResults(request.messages);
    const [tool, args] = calls[done.length] ?? [];
    return tool === undefined ? done.map((result) => result.split('\n')[0]).join('\n') : { call: tool, args };
  };
  return startGateway({
    tools: realTools(temporaryHome()),
    model: scriptedModel(script),
    ...(permissions === undefined ? {} : { change: { permissions } }),
  });
}

describe('with the real tools', () => {
  it('a chain runs only if all of it is allowed', async () => {
    const permissions = permissionsOf('terminal(chmod *): allow');
    const { say, platform, answered } = await real(
      [
        ['terminal', { command: 'chmod 777 . && chmod 755 .' }],
        ['terminal', { command: 'chmod 777 .; sudo -n true' }],
      ],
      permissions,
    );
    say('ann', 'go');
    const asked = await card(platform, 'ann');
    expect(asked.markdown).toContain('sudo');
    expect(platform.cards('ann')).toHaveLength(1);
    say('ann', '/stop');
    await answered('ann', 1);
  });

  it('a rule about files holds for tools and for redirections, and one about reading for searching', async () => {
    const permissions = permissionsOf('file.write(./kept/**): deny\nfile.read(./kept/**): deny\n');
    const { say, answered, home } = await real(
      [
        ['write_file', { path: 'kept/a', content: 'x' }],
        ['terminal', { command: 'echo x > kept/b' }],
        ['search_files', { pattern: 'x', path: 'kept' }],
        ['write_file', { path: 'other', content: 'x' }],
      ],
      permissions,
    );
    say('ann', 'go');
    const [answer = ''] = await answered('ann', 1);
    expect(answer.split('\n').map((line) => line.split(':')[0])).toEqual(['refused', 'refused', 'refused', 'ok']);
    expect(answer).toContain('file.write(./kept/**): deny (permissions.yaml line 1)');
    const [workspace = ''] = readdirSync(path.join(home, 'workspaces'));
    expect(['kept', 'other'].map((name) => existsSync(path.join(home, 'workspaces', workspace, name)))).toEqual([false, true]);
  });

  it('others than administrators are asked in groups before anything runs or is written, and not before something is read', async () => {
    const calls = [
      ['read_file', { path: 'missing' }],
      ['terminal', { command: 'echo hi' }],
    ] as const;
    const group = await real(calls);
    group.say('g1', 'go', { chatType: 'group', from: { id: 'ann' } });
    const asked = await card(group.platform, 'g1');
    expect(asked.markdown).toContain(String.raw`The rule terminal.\*: ask (shipped with the gateway) says to ask about it.`);
    const admin = { person: 'boss', aliases: [], name: 'Boss', approvedBy: '', approvedAt: 0, role: 'user', groupRole: 'admin' } as const;
    group.store.people.put({ ...admin, account: 'fake/main', chat: { platform: 'fake', account: 'main', chat: 'boss' } });
    group.receive([click(asked, 'once', { chat: 'g1', chatType: 'group', from: { id: 'boss' } })]);
    expect(await closedCard(group.platform, 'g1')).toContain('allowed it once');
    await group.answered('g1', 1);
    const direct = await real(calls);
    direct.say('ann', 'go');
    expect(await direct.answered('ann', 1)).toHaveLength(1);
    expect([...direct.platform.cards('ann'), ...group.platform.cards('g1')]).toHaveLength(1);
  });
});
