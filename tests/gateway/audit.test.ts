import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Tool } from '../../agent/tool.ts';
import { callControl } from '../../gateway/http/control-client.ts';
import { createPermissions } from '../../gateway/permissions/permissions.ts';
import type { Rule } from '../../gateway/permissions/rule.ts';
import type { AuditEntry } from '../../gateway/store/audit-rows.ts';
import type { Store } from '../../gateway/store/index.ts';
import { createFakePlatform } from '../fakes/platform.ts';
import { askingGateway, calls, card, riskyTool } from './asks/support.ts';
import { type Gateway, settled, startGateway, until } from './support/gateway.ts';
import { closeQuietly, killedCopy, temporaryStore } from './support/home.ts';
import { click, command, message } from './support/inbound.ts';
import { scriptedModel } from './support/model.ts';
import type { SettingsChange } from './support/settings.ts';
import { countedTool } from './support/tools.ts';

/** Oldest first. */
function recorded({ audit }: Store): readonly AuditEntry[] {
  return [...audit.read({ limit: 1000 }).entries].reverse();
}

function events(store: Store): readonly string[] {
  return recorded(store).map(({ event }) => event);
}

function facts(store: Store, event: string): readonly AuditEntry['facts'][] {
  return recorded(store).flatMap((entry) => (entry.event === event ? [entry.facts] : []));
}

describe('a call', () => {
  it('is recorded with who asked, where, its exact arguments and what decided before it runs, and with its end', async () => {
    const seen: string[][] = [];
    const open: { store?: Store } = {};
    const look = countedTool('look', 'read', () => {
      if (open.store !== undefined) seen.push([...events(open.store)]);
      return { content: 'seen', exitCode: 4 };
    });
    const args = '{"n": 1 ,\t"n":2}';
    const model = scriptedModel(({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? 'done'
        : [
            { type: 'call', call: { id: 'c1', name: 'look', arguments: args } },
            { type: 'done', finish: 'calls' },
          ],
    );
    const { store, say, answered } = await startGateway({ tools: [look.tool], model });
    open.store = store;
    say('ann', 'look', { chatType: 'dm', thread: 't' });
    await answered('ann', 1);
    expect(seen).toEqual([['call.started']]);
    const [started, finished] = recorded(store);
    expect(started).toMatchObject({ event: 'call.started', account: 'fake/main', person: 'ann', tool: 'look' });
    const where = { session: expect.any(String), turn: 1, chat: 'ann', thread: 't', chatType: 'dm', name: 'Ann', call: 'c1' };
    expect(started?.facts).toEqual({ ...where, arguments: args, by: 'risk' });
    expect(finished).toMatchObject({ event: 'call.finished', account: 'fake/main', person: 'ann', tool: 'look' });
    expect(finished?.facts).toEqual({ ...where, status: 'ok', exitCode: 4, durationMs: expect.any(Number) });
    expect(recorded(store)).toHaveLength(2);
  });

  it('does not run when it cannot be recorded', async () => {
    const { tool, runs } = countedTool('act', 'external');
    const model = scriptedModel(({ messages }) => (messages.at(-1)?.role === 'tool' ? 'done' : { call: 'act' }));
    const tries = { count: 0 };
    const { store, say } = await startGateway({
      tools: [tool],
      model,
      wrap: (real) => {
        const append = () => {
          tries.count += 1;
          throw new Error('the disk is full');
        };
        return { ...real, audit: { ...real.audit, append } };
      },
    });
    say('ann', 'act');
    await until(
      () => tries.count > 0,
      () => 'nothing was recorded',
    );
    await settled();
    expect(runs).toEqual([]);
    expect(store.turns.openCalls(1).size).toBe(0);
  });

  it('that a person decided about names the person and the choice', async () => {
    const { tool } = riskyTool();
    const { store, platform, say, receive, answered } = await askingGateway({ tools: [tool] });
    say('ann', 'remove build dist');
    receive([click(await card(platform, 'ann'), 'once')]);
    receive([click(await card(platform, 'ann', 2), 'deny')]);
    await answered('ann', 1);
    expect(events(store)).toEqual(['ask.decided', 'call.started', 'call.finished', 'ask.decided', 'call.refused']);
    const decided = { by: 'person', decider: 'ann', askedBy: 'risk' };
    expect(facts(store, 'call.started')).toMatchObject([{ ...decided, choice: 'once', arguments: '{"path":"build"}' }]);
    const refused = { ...decided, choice: 'deny', arguments: '{"path":"dist"}', reason: expect.stringContaining('Ann said no') };
    expect(facts(store, 'call.refused')).toMatchObject([refused]);
    expect(facts(store, 'ask.decided')).toMatchObject([
      { choice: 'once', about: 'approval', requester: 'ann', number: 1 },
      { choice: 'deny', number: 2 },
    ]);
    expect(recorded(store)[0]).toMatchObject({ person: 'ann', account: 'fake/main' });
  });

  it('that nobody decided about in time says so', async () => {
    const { tool } = riskyTool();
    const { store, say, answered } = await askingGateway({ tools: [tool], change: { approvals: { approvalMs: 1 } } });
    say('ann', 'remove build');
    await answered('ann', 1);
    expect(facts(store, 'call.refused')).toMatchObject([{ by: 'nobody answered in time', askedBy: 'risk' }]);
  });

  it.each([
    ['approve', ['call.started', 'call.finished'], {}],
    ['deny', ['call.refused'], { choice: 'deny' }],
  ])('that the automatic review decided about (%s) says so', async (word, expected, choice) => {
    const { tool } = riskyTool();
    const model = scriptedModel(calls);
    const models = { get: () => model, choices: [], approver: scriptedModel(() => word), demo: false };
    const { store, say, answered } = await askingGateway({ tools: [tool], change: { agent: { models }, approvals: { mode: 'smart' } } });
    say('ann', 'remove build');
    await answered('ann', 1);
    expect(events(store)).toEqual(expected);
    expect(recorded(store)[0]?.facts).toMatchObject({ by: 'automatic review', ...choice });
  });

  it('that nobody was asked about says which mode, approval or rule let it run, or why it did not', async () => {
    const { tool } = riskyTool();
    const change: SettingsChange = {};
    const platform = createFakePlatform({ config: { allowed_users: ['ann'] } });
    const { store, say, receive, answered } = await askingGateway({ tools: [tool], change, platform });
    const decisions = () =>
      recorded(store).flatMap(({ event, facts: { by, askedBy } }) => (/refused|started/.test(event) ? [[event, by, askedBy]] : []));
    say('ann', 'remove build');
    receive([click(await card(platform, 'ann'), 'session')]);
    await answered('ann', 1);
    say('ann', 'remove build');
    await answered('ann', 2);
    say('ann', '/yolo');
    await answered('ann', 3);
    say('ann', 'remove other');
    await answered('ann', 4);
    say('ann', '/yolo');
    await answered('ann', 5);
    change.approvals = { mode: 'off' };
    say('ann', 'remove other');
    await answered('ann', 6);
    const rule: Rule = { tool: 'remove', decision: 'deny', scope: {}, origin: 'permissions.yaml', line: 7 };
    change.permissions = createPermissions([rule], { home: '/home/owner', realPath: (file) => file });
    say('ann', 'remove other');
    await answered('ann', 7);
    expect(decisions()).toEqual([
      ['call.started', 'person', 'risk'],
      ['call.started', 'remembered approval', undefined],
      ['call.started', '/yolo', undefined],
      ['call.started', 'approvals.mode off', undefined],
      ['call.refused', 'remove: deny (permissions.yaml line 7)', undefined],
    ]);
  });

  it('that may never run is recorded as refused', async () => {
    const { tool } = riskyTool('remove', { level: 'hardline', why: 'It wipes the disk.' });
    const { store, say, answered } = await askingGateway({ tools: [tool] });
    say('ann', 'remove all');
    await answered('ann', 1);
    expect(events(store)).toEqual(['call.refused']);
    expect(facts(store, 'call.refused')).toMatchObject([
      { arguments: '{"path":"all"}', reason: expect.stringContaining('wipes the disk') },
    ]);
  });
});

describe('a call that cannot run as it is', () => {
  it.each([
    ['another tool', 'teleport', '{"to":"mars"}', 'There is no tool "teleport"'],
    ['arguments that are no JSON', 'remove', '{"path":', 'are not valid JSON'],
    ['arguments that it does not take', 'remove', '{"where":"build"}', 'its arguments are invalid'],
  ])('is recorded with why: %s', async (_, name, args, reason) => {
    const { tool, ran } = riskyTool();
    const call = { type: 'call', call: { id: 'c1', name, arguments: args } } as const;
    const model = scriptedModel(({ messages }) => (messages.at(-1)?.role === 'tool' ? 'done' : [call, { type: 'done', finish: 'calls' }]));
    const { store, say, answered } = await startGateway({ tools: [tool], model });
    say('ann', 'go');
    await answered('ann', 1);
    expect(ran).toEqual([]);
    expect(recorded(store)).toMatchObject([
      { event: 'call.invalid', person: 'ann', tool: name, facts: { call: 'c1', arguments: args, reason: expect.stringContaining(reason) } },
    ]);
  });
});

describe('a kill in the middle of a call', () => {
  it('leaves a chain that is in order, and the restart adds how it ended', async () => {
    const points: { home?: string } = {};
    const place: { home?: string } = {};
    const act = countedTool('act', 'external', () => {
      points.home = killedCopy(place.home ?? '');
      return { content: 'acted' };
    });
    const model = scriptedModel(({ messages }) => (messages.at(-1)?.role === 'tool' ? 'done' : { call: 'act' }));
    const first = await startGateway({ tools: [act.tool], model });
    place.home = first.home;
    first.say('ann', 'act');
    await first.answered('ann', 1);
    await first.stop();
    const left = temporaryStore({ home: killedCopy(points.home ?? '') });
    expect(events(left)).toEqual(['call.started']);
    expect(left.audit.check()).toMatchObject({ checked: 1, done: true });
    expect(left.audit.check().problem).toBeUndefined();
    closeQuietly(left);
    const again = await startGateway({ tools: [act.tool], model, home: points.home ?? '', platform: createFakePlatform() });
    await again.answered('ann', 1);
    expect(events(again.store)).toEqual(['call.started', 'call.finished']);
    expect(facts(again.store, 'call.finished')[0]).toMatchObject({ status: 'unknown' });
    expect(facts(again.store, 'call.finished')[0]).not.toHaveProperty('durationMs');
    expect(again.store.audit.check().problem).toBeUndefined();
    expect(act.runs).toHaveLength(1);
  });
});

describe('who is let in', () => {
  const strangers = {
    platform: createFakePlatform({ config: { allowed_users: [] } }),
    access: { unauthorized_dm_behavior: 'pair' },
  } as const;

  it('is recorded: the owner, who was approved by whom, who was turned out', async () => {
    const platform = createFakePlatform({ config: { allowed_users: [] } });
    const { store, daemon, receive, idle } = await startGateway({ ...strangers, platform });
    const boss = { id: 'boss', name: 'The Boss' };
    receive([message(daemon.claimCode ?? '', { chat: 'boss', from: boss })]);
    receive([message('hi', { chat: 'eve', from: { id: 'eve', name: 'Eve' } })]);
    receive([message('hi', { chat: 'bob', from: { id: 'bob', name: 'Bob' } })]);
    await idle();
    receive([click(await card(platform, 'boss'), 'allow', { chat: 'boss', from: boss })]);
    const code = /\*\*([A-Z2-9]{8})\*\*/.exec(platform.texts('bob').join())?.[1] ?? '';
    expect(daemon.people?.approve('fake/main', code, 'admin').done).toBe(true);
    daemon.people?.revoke('fake/main', 'eve');
    expect(daemon.people?.revoke('fake/main', 'nobody').done).toBe(false);
    const rows = recorded(store).map(({ event, account, person, facts: { name, role, by } }) => [event, account, person, name, role, by]);
    expect(rows).toEqual([
      ['owner.claimed', 'fake/main', 'boss', 'The Boss', 'owner', 'boss'],
      ['ask.decided', 'fake/main', 'boss', 'The Boss', undefined, undefined],
      ['pairing.approved', 'fake/main', 'eve', 'Eve', 'user', 'boss'],
      ['pairing.approved', 'fake/main', 'bob', 'Bob', 'admin', 'owner'],
      ['pairing.revoked', 'fake/main', 'eve', 'Eve', undefined, 'owner'],
    ]);
  });
});

describe('codes that are none', () => {
  it('are recorded as often as they count, without the code, and so are requests that are forgotten', async () => {
    const platform = createFakePlatform({ config: { allowed_users: [] } });
    const { store, daemon, receive, idle } = await startGateway({ platform, access: { unauthorized_dm_behavior: 'pair' } });
    const eve = { id: 'eve', name: 'Eve' };
    const codes = ['ABCD2345', 'ABCD2346', 'ABCD2347', 'ABCD2348', 'ABCD2349', 'ABCD234A', 'ABCD234B'];
    for (const code of codes) receive([message(code, { chat: 'eve', from: eve })]);
    await idle();
    const guesses = () => recorded(store).map(({ event, person, facts: { name, of, why } }) => [event, person, name, of, why]);
    expect(guesses()).toEqual(Array.from({ length: 5 }, () => ['pairing.failed', 'eve', 'Eve', 'claim', 'wrong']));
    for (let time = 0; time < 6; time += 1) expect(daemon.people?.approve('fake/main', 'ABCD2345').done).toBe(false);
    const approvals = Array.from({ length: 6 }, (_, index) => ['pairing.failed', 'owner', '', 'approve', index < 5 ? 'wrong' : 'locked']);
    expect(guesses().slice(5)).toEqual(approvals);
    expect(daemon.people?.clear().text).toBe('1 request is forgotten.');
    expect(recorded(store).at(-1)).toMatchObject({
      event: 'pairing.forgotten',
      account: 'fake/main',
      person: 'eve',
      facts: { name: 'Eve', by: 'owner' },
    });
    expect(JSON.stringify(recorded(store))).not.toContain('ABCD23');
  });
});

describe('the control socket', () => {
  it('serves the record to the owner of the home, and refuses what is no question', async () => {
    const { home, store, receive, answered } = await startGateway({ platform: createFakePlatform({ config: { allowed_users: ['ann'] } }) });
    receive([command('yolo')]);
    await answered('ann', 1);
    const ask = (route: string, body: object) =>
      callControl(path.join(home, 'run', 'control.sock'), { method: 'POST', route, body }, AbortSignal.timeout(5000));
    expect(await ask('/api/audit', { limit: 10 })).toEqual({ entries: recorded(store) });
    expect(await ask('/api/audit', { limit: 10, user: 'bob' })).toEqual({ entries: [] });
    expect(await ask('/api/audit/verify', {})).toEqual(store.audit.check());
    for (const wrong of [{}, { limit: 0 }, { limit: 10, before: -1 }, { limit: 10, since: 1 }])
      await expect(ask('/api/audit', wrong)).rejects.toThrow('The audit is asked with');
    await expect(ask('/api/audit/verify', { after: 'x' })).rejects.toThrow('The audit is verified with');
  });
});

describe('commands', () => {
  it('for administrators are recorded when they ran, and any when it was refused; others are not', async () => {
    const platform = createFakePlatform({ config: { allowed_users: ['ann'] } });
    const { store, receive, answered } = await startGateway({ platform });
    receive([command('yolo'), command('sethome'), command('help'), command('yolo', 'x', { chat: 'g', chatType: 'group' })]);
    await answered('ann', 3);
    await answered('g', 1);
    expect(recorded(store).map(({ event, person, facts: { command: name, chat } }) => [event, person, name, chat])).toEqual([
      ['command', 'ann', 'yolo', 'ann'],
      ['command', 'ann', 'sethome', 'ann'],
      ['command.refused', 'ann', 'yolo', 'g'],
    ]);
    expect(facts(store, 'command')[0]).toMatchObject({ reply: expect.stringContaining('I do not ask'), chatType: 'dm' });
    expect(facts(store, 'command.refused')).toMatchObject([{ chatType: 'group', reply: expect.stringMatching(/^\/yolo is for my owner/) }]);
  });
});

describe('what the owner asks for', () => {
  const ask = (home: string, route: string) =>
    callControl(path.join(home, 'run', 'control.sock'), { method: 'POST', route }, AbortSignal.timeout(5000));

  it('at the control surface is recorded: a restart', async () => {
    const asked: string[] = [];
    const { home, store } = await startGateway({ restart: () => void asked.push('restart') });
    await ask(home, '/api/restart');
    await until(
      () => asked.length === 1,
      () => 'nobody restarts',
    );
    expect(recorded(store)).toMatchObject([{ event: 'owner', account: '', person: 'owner', facts: { act: 'restart' } }]);
  });

  it('happens also where it cannot be recorded', async () => {
    const asked: string[] = [];
    const append = () => {
      throw new Error('the disk is full');
    };
    const wrap = (real: Store): Store => ({ ...real, audit: { ...real.audit, append } });
    const { home, log } = await startGateway({ restart: () => void asked.push('restart'), wrap });
    await ask(home, '/api/restart');
    await until(
      () => asked.length === 1,
      () => 'nobody restarts',
    );
    expect(JSON.stringify(log.lines)).toContain('could not be recorded');
  });
});

describe('secrets', () => {
  const canary = 'c4nary"with\\odd/chars-7f3z';
  const token = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';

  async function ran(tools: readonly Tool[], argument: string, name = 'remove'): Promise<Gateway> {
    const model = scriptedModel(({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? 'done'
        : [
            { type: 'call', call: { id: 'c1', name, arguments: argument } },
            { type: 'done', finish: 'calls' },
          ],
    );
    const gateway = await startGateway({ tools, model, secrets: [canary], change: { approvals: { mode: 'off' } } });
    gateway.say('ann', 'go', { from: { id: 'ann', name: `Ann ${canary}` } });
    await gateway.answered('ann', 1);
    return gateway;
  }

  const escaped = [...canary].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

  it.each([
    ['as JSON writes them', JSON.stringify({ path: `a ${canary} ${token} b` })],
    ['with every letter as an escape', `{"path":"a ${escaped} b"}`],
    ['with slashes as escapes', JSON.stringify({ path: `a ${canary} b` }).replaceAll('/', '\\/')],
    [
      'in an address and in base64',
      JSON.stringify({ path: `a ${encodeURIComponent(canary)} ${Buffer.from(canary).toString('base64')} b` }),
    ],
  ])('are nowhere in the audit, written %s', async (_how, argument) => {
    const { tool, ran: paths } = riskyTool();
    const { store } = await ran([tool], argument);
    expect(paths).toHaveLength(1);
    const all = JSON.stringify(recorded(store));
    for (const part of ['c4nary', 'odd', '7f3z', 'YzRuYXJ5', 'abcdefghij']) expect(all).not.toContain(part);
    expect(JSON.parse(String(facts(store, 'call.started')[0]?.['arguments']))).toEqual({
      path: expect.stringMatching(/^a .*\[redacted\].* b$/),
    });
    expect(all).not.toContain('u0063');
    expect(store.audit.check().problem).toBeUndefined();
  });

  it('are taken out of calls that were refused', async () => {
    const { tool } = riskyTool('remove', { level: 'hardline', why: `It contains ${canary}.` });
    const { store } = await ran([tool], JSON.stringify({ path: canary }));
    expect(events(store)).toEqual(['call.refused']);
    expect(JSON.stringify(recorded(store))).not.toContain('c4nary');
  });
});
