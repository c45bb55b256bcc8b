import { describe, expect, it } from 'vitest';
import type { Risk } from '../../agent/risk.ts';
import { createPolicy } from '../../gateway/policy.ts';
import { permissionsOf } from './permissions/support.ts';
import { temporaryStore } from './support/home.ts';
import { testSettings } from './support/settings.ts';

const session = { id: 's1', workspace: '/work' };
const call = { id: 'a', name: 'terminal', arguments: '{"command":"rm x"}' };
const risky: Risk = { level: 'ask', why: 'It deletes files.', subjects: ['rm x'] };

function policy({ reachable = true, mode = 'manual' as 'manual' | 'off', rules = '' } = {}) {
  const store = temporaryStore();
  const target = { chat: { platform: 'fake', account: 'main', chat: 'ann' }, chatType: 'dm' } as const;
  const turn = store.turns.create({ sessionId: 's1', lane: 'lane', target, requester: { id: 'ann', name: 'Ann' } });
  const settings = testSettings({ change: { approvals: { mode }, permissions: permissionsOf(rules) }, account: () => undefined });
  return { store, policy: createPolicy({ store, settings: () => settings, reachable: () => reachable, tools: [] }, turn, session) };
}

describe('a call that needs approval', () => {
  it('is refused at once where nobody can be asked, and the model is told not to get around it', () => {
    const { verdict, reason } = policy({ reachable: false }).policy.decide(call, risky, session);
    expect(verdict).toBe('deny');
    expect(reason).toMatch(/nobody can be asked here\. Do not try to get around it/);
  });

  it('is asked about where somebody can, and runs where nothing is asked', () => {
    expect(policy().policy.decide(call, risky, session).verdict).toBe('ask');
    expect(policy({ mode: 'off' }).policy.decide(call, risky, session).verdict).toBe('allow');
  });

  it('is refused after a no, whatever else the call holds and however it is asked, also where it is safe by itself', () => {
    const { policy: turn } = policy({ mode: 'off' });
    turn.refused(['rm x', '/etc/hosts']);
    const chain: Risk = { level: 'ask', why: 'It deletes files.', subjects: ['echo hi', 'rm x'] };
    expect(turn.decide(call, chain, session).verdict).toBe('deny');
    expect(turn.decide(call, { level: 'safe', why: '', subjects: ['/etc/hosts'] }, session).verdict).toBe('deny');
    expect(turn.decide(call, { level: 'safe', why: '', subjects: ['/etc/other'] }, session).verdict).toBe('allow');
  });

  it('that was allowed for the session runs only with the same arguments, byte for byte, and in that session', () => {
    const { store, policy: turn } = policy();
    const key = turn.sessionKey({ call, args: { command: 'rm x' }, preview: '', risk: risky });
    store.approvals.remember({ scope: 's1', key, label: 'rm x', by: { id: 'ann', name: 'Ann' } });
    expect(turn.decide(call, risky, session).verdict).toBe('allow');
    expect(turn.decide({ ...call, arguments: '{"command":"rm  x"}' }, risky, session).verdict).toBe('ask');
    expect(turn.decide({ ...call, name: 'other' }, risky, session).verdict).toBe('ask');
    store.approvals.forget('s1');
    expect(turn.decide(call, risky, session).verdict).toBe('ask');
  });
});

describe('a call that a rule allows', () => {
  const rules = 'terminal(rm *): allow';

  it('runs without being asked about, and says by which rule', () => {
    expect(policy({ rules }).policy.decide(call, risky, session)).toEqual({
      verdict: 'allow',
      reason: '',
      by: 'terminal(rm *): allow (permissions.yaml line 1)',
    });
  });

  it('does not run where it is never allowed, or after a no in the same turn', () => {
    const { policy: turn } = policy({ rules });
    expect(turn.decide(call, { ...risky, level: 'hardline' }, session).verdict).toBe('deny');
    turn.refused(['rm x']);
    expect(turn.decide(call, risky, session).reason).toMatch(/refused before in this turn/);
  });
});

describe('a call that a rule asks about', () => {
  it('is refused at once where nobody can be asked', () => {
    const { verdict, reason } = policy({ rules: 'terminal: ask', reachable: false }).policy.decide(
      call,
      { ...risky, level: 'safe', why: '' },
      session,
    );
    expect(verdict).toBe('deny');
    expect(reason).toMatch(/The rule terminal: ask \(permissions\.yaml line 1\) says to ask about it\. It needs a person's approval/);
  });
});
