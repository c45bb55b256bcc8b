import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Touch, UNKNOWN } from '../../../agent/risk.ts';
import type { Place, RuleDecision } from '../../../gateway/permissions/rule.ts';
import { commands, fileCall, judged, ownersChat, permissionsOf, terminalCall } from './support.ts';

const write = (name: string): Touch => ({ kind: 'write', name });
const command = (name: string): Touch => ({ kind: 'command', name });

describe('rules', () => {
  it.each([
    ['terminal(git push *): ask', commands('git push x'), 'ask by terminal(git push *): ask'],
    ['terminal(git push *): ask', commands('git pull'), 'none'],
    ['terminal: deny', commands('ls'), 'deny by terminal: deny'],
    ['terminal.terminal: deny', commands('ls'), 'deny by terminal.terminal: deny'],
    ['terminal.*: deny', commands('ls'), 'deny by terminal.*: deny'],
    ['"*": deny', commands('ls'), 'deny by *: deny'],
    ['terminal(*): allow', commands('ls', UNKNOWN), 'allow by terminal: allow'],
    ['browser.*: deny', commands('ls'), 'none'],
    ['file.write(~/notes/**): allow', fileCall('write', '/home/ann/notes/a/b.md'), 'allow by file.write(~/notes/**): allow'],
    ['file.write(~/notes/**): allow', fileCall('read', '/home/ann/notes/a'), 'none'],
    ['file.write(~/notes/**): allow', fileCall('write', '/home/ann/notes.txt'), 'none'],
    ['write_file(/srv/*): deny', fileCall('write', '/srv/a'), 'deny by write_file(/srv/*): deny'],
    ['patch(/srv/*): deny', fileCall('write', '/srv/a'), 'none'],
    ['file.read(out/**): deny', fileCall('read', '/ws/out/a'), 'deny by file.read(out/**): deny'],
    ['file.read(./out/**): deny', fileCall('read', '/ws/out/a'), 'deny by file.read(./out/**): deny'],
    ['file.read(out/**): deny', fileCall('read', '/elsewhere/out/a'), 'none'],
    ['file.read(~/x/../y/*): deny', fileCall('read', '/home/ann/y/a'), 'deny by file.read(~/x/../y/*): deny'],
    ['file: deny', fileCall('read', '/a'), 'deny by file: deny'],
    ['file: allow', fileCall('read', '/a'), 'none'],
  ])('%s', (rules, call, expected) => {
    expect(judged(permissionsOf(rules), call)).toBe(expected);
  });

  it('decide by the last one that matches', () => {
    const rules = 'terminal: deny\nterminal(git *): allow\nterminal(git push *): ask\n';
    expect(judged(permissionsOf(rules), commands('ls'))).toBe('deny by terminal: deny');
    expect(judged(permissionsOf(rules), commands('git log'))).toBe('allow by terminal(git *): allow');
    expect(judged(permissionsOf(rules), commands('git push'))).toBe('ask by terminal(git push *): ask');
    expect(judged(permissionsOf('terminal(git push *): ask\nterminal: deny'), commands('git push'))).toBe('deny by terminal: deny');
  });

  it('allow a call only if they allow every part of it, and the strictest part decides', () => {
    const rules = permissionsOf('terminal(git push *): allow\nterminal(curl *): ask\nterminal(rm *): deny');
    expect(judged(rules, commands('git push x', 'git push y'))).toBe('allow by terminal(git push *): allow');
    expect(judged(rules, commands('git push x', 'ls'))).toBe('none');
    expect(judged(rules, commands('git push x', 'curl y'))).toBe('ask by terminal(curl *): ask');
    expect(judged(rules, commands('curl y', 'git push x', 'rm -rf /'))).toBe('deny by terminal(rm *): deny');
    expect(judged(rules, terminalCall(command('git push'), write('/etc/passwd')))).toBe('none');
    expect(judged(rules, terminalCall(command('git push'), { ...write('/ws/x'), implied: true }))).toBe(
      'allow by terminal(git push *): allow',
    );
    expect(judged(rules, terminalCall({ ...write('/ws/x'), implied: true }))).toBe('none');
    expect(judged(rules, { ...commands(), risk: { subjects: [] } })).toBe('none');
  });

  it('for files are also about what redirections write, and for commands are not', () => {
    const both = terminalCall(command('echo x'), write('/etc/passwd'));
    expect(judged(permissionsOf('file.write(/etc/**): deny'), both)).toBe('deny by file.write(/etc/**): deny');
    expect(judged(permissionsOf('terminal(/etc/*): deny'), both)).toBe('none');
    expect(judged(permissionsOf('terminal(echo *): allow\nfile.write(/etc/*): allow'), both)).toBe('allow by terminal(echo *): allow');
    expect(judged(permissionsOf('terminal: allow'), both)).toBe('allow by terminal: allow');
  });

  it('allow by real names only, and forbid by any name', () => {
    const linked = fileCall('write', '/etc/passwd', ['/home/ann/notes/link']);
    expect(judged(permissionsOf('file.write(~/notes/**): allow'), linked)).toBe('none');
    expect(judged(permissionsOf('file.write(~/notes/**): deny'), linked)).toMatch(/^deny/);
    const git = terminalCall({ kind: 'command', name: './git push', also: ['git push'] });
    expect(judged(permissionsOf('terminal(git push *): allow'), git)).toBe('none');
    expect(judged(permissionsOf('terminal(git push *): deny'), git)).toMatch(/^deny/);
  });

  it('follow the links of the directories that they name', () => {
    const real = (file: string) => file.replace(/^\/home\/ann\/notes/, '/mnt/[no*tes]').replace(/^\/ws/, '/mnt/ws');
    const rules = permissionsOf('file.write(~/notes/**): allow\nfile.write(out/*): deny', real);
    expect(judged(rules, fileCall('write', '/mnt/[no*tes]/a', ['/home/ann/notes/a']))).toMatch(/^allow/);
    expect(judged(rules, fileCall('write', '/mnt/[noXtes]/a'))).toBe('none');
    expect(judged(rules, fileCall('write', '/mnt/ws/out/a'))).toMatch(/^deny/);
  });

  it('about reading are about searching, too, and a search is about all that lies below', () => {
    const rules = permissionsOf('file.read(~/private/**): deny');
    expect(judged(rules, fileCall('search', '/home/ann/private'))).toMatch(/^deny/);
    expect(judged(rules, fileCall('search', '/home/ann'))).toMatch(/^ask .*, maybe$/);
    expect(judged(rules, fileCall('search', '/'))).toMatch(/^ask .*, maybe$/);
    expect(judged(rules, fileCall('search', '/home/ann/public'))).toBe('none');
    expect(judged(permissionsOf('file.search(/srv/*): allow'), fileCall('search', '/srv/a'))).toBe('none');
    expect(judged(permissionsOf('file.search(/srv/**): allow'), fileCall('search', '/srv/a'))).toMatch(/^allow/);
    expect(judged(permissionsOf('file.read(/srv/**): allow'), fileCall('search', '/srv/a'))).toBe('none');
  });

  it('ask where it only shows later whether they forbid, unless a later rule is certain', () => {
    const call = commands(`git ${UNKNOWN}`);
    expect(judged(permissionsOf('terminal(git push *): deny'), call)).toBe('ask by terminal(git push *): deny, maybe');
    expect(judged(permissionsOf('terminal(git push *): allow'), call)).toBe('none');
    expect(judged(permissionsOf('terminal: allow\nterminal(git push *): deny'), call)).toBe('ask by terminal(git push *): deny, maybe');
    expect(judged(permissionsOf('terminal(git push *): deny\nterminal(git *): allow'), call)).toBe('allow by terminal(git *): allow');
    expect(judged(permissionsOf('terminal: deny\nterminal(git push *): ask'), call)).toBe('deny by terminal: deny');
  });
});

describe('overrides', () => {
  const rules = permissionsOf(`
overrides:
  - platform: slack
    rules: { terminal: ask }
  - chat_type: [group, channel]
    role: admin
    rules:
      terminal: allow
  - platform: telegram:work
    rules: { terminal: deny }
  - chat: [-100, "C1"]
    rules: { terminal(ls): deny }
shipped_rules: false
terminal(rm *): deny
terminal(pwd): allow
`);
  const at = (place: Partial<Place>): Place => ({ ...ownersChat, ...place });
  it.each([
    [{}, 'none'],
    [{ platform: 'slack' }, 'ask by terminal: ask'],
    [{ chatType: 'group', role: 'admin' }, 'allow by terminal: allow'],
    [{ chatType: 'channel', role: 'admin', platform: 'slack' }, 'allow by terminal: allow'],
    [{ chatType: 'group', role: 'user' }, 'none'],
    [{ role: 'admin' }, 'none'],
    [{ account: 'work' }, 'deny by terminal: deny'],
    [{ account: 'work', platform: 'slack' }, 'ask by terminal: ask'],
    [{ chat: '-100', chatType: 'group', role: 'admin' }, 'deny by terminal(ls): deny'],
    [{ chat: 'C1' }, 'deny by terminal(ls): deny'],
  ] as const)('hold in %j', (place, expected) => {
    expect(judged(rules, commands('ls'), at(place))).toBe(expected);
  });

  it('come after the rules, wherever they stand', () => {
    expect(judged(rules, commands('rm x'), at({ chatType: 'group', role: 'admin' }))).toBe('allow by terminal: allow');
    expect(judged(rules, commands('pwd'), at({ platform: 'slack' }))).toBe('ask by terminal: ask');
  });

  it('know the id of a chat whatever number it looks like', () => {
    const long = permissionsOf('overrides:\n  - chat: 1234567890123456789\n    rules: { terminal: deny }\n');
    expect(judged(long, commands('ls'), at({ chat: '1234567890123456789' }))).toMatch(/^deny/);
    expect(judged(long, commands('ls'), at({ chat: '1234567890123456800' }))).toBe('none');
  });
});

describe('the shipped rules', () => {
  const group: Place = { ...ownersChat, chatType: 'group', role: 'user' };
  it.each([
    [{ ...group }, 'ask by terminal.*: ask', 'ask by file.write: ask'],
    [{ ...group, chatType: 'channel' }, 'ask by terminal.*: ask', 'ask by file.write: ask'],
    [{ ...group, role: 'admin' }, 'none', 'none'],
    [{ ...group, chatType: 'dm' }, 'none', 'none'],
  ] as const)('in %j', (place, terminal, file) => {
    expect(judged(permissionsOf(''), commands('ls'), place)).toBe(terminal);
    expect(judged(permissionsOf(''), fileCall('write', '/ws/a'), place)).toBe(file);
    expect(judged(permissionsOf(''), fileCall('read', '/ws/a'), place)).toBe('none');
  });

  it('make stricter what holds everywhere, never looser, and an override for groups comes after them', () => {
    const all = 'terminal(ls): allow\nterminal(rm *): deny\n';
    expect(judged(permissionsOf(all), commands('ls'), group)).toBe('ask by terminal.*: ask');
    expect(judged(permissionsOf(all), commands('rm x'), group)).toBe('deny by terminal(rm *): deny');
    expect(judged(permissionsOf(`${all}overrides: [{ chat_type: group, rules: { terminal(ls): allow } }]`), commands('ls'), group)).toMatch(
      /^allow/,
    );
    expect(judged(permissionsOf(`${all}shipped_rules: false`), commands('ls'), group)).toMatch(/^allow/);
  });

  it('do not take back a doubt', () => {
    expect(judged(permissionsOf('terminal(git push *): deny'), commands(`git ${UNKNOWN}`), group)).toBe(
      'ask by terminal(git push *): deny, maybe',
    );
  });
});

describe('any set of rules', () => {
  const words = fc.constantFrom('a', 'b', 'a b', 'a b c', 'b a', UNKNOWN, `a ${UNKNOWN}`, `${UNKNOWN} b`);
  const files = fc.constantFrom('/ws/a', '/ws/b/c', '/etc/a', '/home/ann/.x/a', `/ws/${UNKNOWN}`, UNKNOWN);
  const touch: fc.Arbitrary<Touch> = fc.oneof(
    fc.record({ kind: fc.constant('command' as const), name: words }),
    fc.record({ kind: fc.constantFrom('read' as const, 'write' as const, 'search' as const), name: files }),
  );
  const pattern = fc.constantFrom('', '(a *)', '(a)', '(* b)', '(?)', '(/ws/*)', '(/ws/**)', '(b/**)', '(~/**)', '(/**)', '(*a)');
  const tool = fc.constantFrom('terminal', 'terminal.*', 'file.write', 'file.read', 'file.*', '*', 'other', 'file.search');
  const decision = fc.constantFrom<RuleDecision[]>('allow', 'ask', 'deny');
  const rules = fc.uniqueArray(fc.tuple(tool, pattern, decision), { maxLength: 6, selector: ([name, over]) => name + over });
  const text = (list: readonly (readonly [string, string, RuleDecision])[]) =>
    list.map(([name, over, what]) => `"${name}${over}": ${what}`).join('\n');

  it('never allows a call with a part that no rule allows by itself', () => {
    fc.assert(
      fc.property(rules, fc.array(touch, { minLength: 1, maxLength: 4 }), (list, touches) => {
        // with a command that is allowed, as every call of the terminal has one
        const decisionOf = (all: typeof list, parts: readonly Touch[]) =>
          permissionsOf(`${text(all)}\nterminal(probe): allow`).judge(terminalCall(command('probe'), ...parts), ownersChat).decision;
        if (decisionOf(list, touches) !== 'allow') return;
        const allowing = list.filter(([, , what]) => what === 'allow');
        for (const one of touches) expect(decisionOf(allowing, [one])).toBe('allow');
      }),
      { numRuns: 3000 },
    );
  });

  it('is no looser about what is added to a call', () => {
    const rank = { allow: 0, none: 1, ask: 2, deny: 3 };
    fc.assert(
      fc.property(rules, fc.array(touch, { minLength: 1, maxLength: 3 }), words, (list, touches, more) => {
        const permissions = permissionsOf(text(list));
        const with_ = (all: readonly Touch[]) => rank[permissions.judge(terminalCall(command('a'), ...all), ownersChat).decision ?? 'none'];
        expect(with_([...touches, command(more)])).toBeGreaterThanOrEqual(with_(touches));
      }),
      { numRuns: 2000 },
    );
  });
});
