import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../gateway/config/load.ts';
import { loadPermissions } from '../../../gateway/permissions/load.ts';
import { ruleOrigin, ruleText } from '../../../gateway/permissions/rule.ts';
import { shippedRules } from '../../../gateway/permissions/shipped.ts';
import { temporaryHome } from '../support/home.ts';
import { parse, platforms } from './support.ts';

describe('a rule that is not understood', () => {
  it.each([
    [
      'terminal(git push *: ask',
      'line 1: "terminal(git push *" is no rule: expected a tool (terminal), a toolset (browser.*) or a tool with a pattern (terminal(git push *))',
    ],
    ['a: ask\nterminal: perhaps', 'line 2: "terminal": expected allow, ask or deny, but it is "perhaps"'],
    ['terminal:', 'line 1: "terminal": expected allow, ask or deny, but it is missing'],
    ['terminal: true', 'line 1: "terminal": expected allow, ask or deny, but it is "true"'],
    ['terminal:\n  rm: deny', 'line 1: "terminal": expected allow, ask or deny, but it is a map'],
    ['terminal(): ask', 'line 1: "terminal()" has an empty pattern: write terminal alone for whatever its argument is'],
    ['"terminal(a\\u0007b)": ask', 'line 1: "terminal": its pattern has characters that nobody can see'],
    ['"terminal(a\\u202eb)": ask', 'line 1: "terminal": its pattern has characters that nobody can see'],
    [
      'file.write($HOME/notes/**): deny',
      'line 1: "file.write($HOME/notes/**)": no variable and nobody else\'s home is looked up here; write the whole path, or ~/ for your home',
    ],
    ['read_file(~bob/x): deny', expect.stringContaining("nobody else's home is looked up here")],
    ['overrides: {}', 'line 1: overrides: expected a list (lines that begin with "- "), but it is a map'],
    ['overrides:\n  - x', 'line 2: an override is platform, chat_type, chat, role and rules, but this is a single value'],
    ['overrides:\n  - rules: { a: ask }', 'line 2: an override says where it holds: platform, chat_type, chat, role'],
    ['overrides:\n  - role: user', 'line 2: rules: expected rules such as "terminal(git push *): ask", one a line, but it is missing'],
    [
      'overrides:\n  - roles: user\n    chat: 1\n    rules: { a: ask }',
      'line 2: "roles" is no condition; did you mean role? Rules stand below "rules:".',
    ],
    ['overrides:\n  - role: boss\n    rules: { a: ask }', 'line 2: role: expected owner, admin or user, but it is "boss"'],
    ['overrides:\n  - chat_type: [dm, room]\n    rules: { a: ask }', 'line 2: chat_type: expected dm, group or channel, but it is "room"'],
    [
      'overrides:\n  - platform: telegrm\n    rules: { a: ask }',
      'line 2: platform: expected one of telegram, slack, fake, web, telegram:work, but it is "telegrm"',
    ],
    [
      'overrides:\n  - platform: [telegram:work, telegram:wrok]\n    rules: { a: deny }',
      expect.stringContaining('but it is "telegram:wrok"'),
    ],
    ['overrides:\n  - platform: [slack:main, slack:work]\n    rules: { a: deny }', expect.stringContaining('but it is "slack:work"')],
    ['overrides:\n  - role: user\n    rules:\n      a: maybe', 'line 4: "a": expected allow, ask or deny, but it is "maybe"'],
    ['shipped_rules: perhaps', 'line 1: shipped_rules: expected true or false'],
    ['a: ask\na: deny', 'line 2, column 1: this key is there twice: remove one'],
    ['*: deny', expect.stringContaining('line 1')],
    ['- a: ask', expect.stringContaining('line 1')],
  ])('%j is a problem', (text, expected) => {
    const { problems } = parse(text);
    expect(problems.map((problem) => problem.replace(/^permissions\.yaml /, ''))).toContainEqual(expected);
  });
});

/** Each line names the one before nine times. */
const bomb = [
  'a0: &a0 [x, x]',
  ...Array.from({ length: 8 }, (_, index) => `a${index + 1}: &a${index + 1} [${`*a${index}, `.repeat(9)}]`),
].join('\n');

describe('the files', () => {
  const home = () => {
    const directory = temporaryHome();
    const load = (before?: Parameters<typeof loadPermissions>[0]['before']) =>
      loadPermissions({ home: directory, platforms, ...(before === undefined ? {} : { before }) });
    return { directory, write: (name: string, text: string) => writeFileSync(path.join(directory, name), text), load };
  };
  const shown = (rules: ReturnType<typeof loadPermissions>['rules']) => rules.map((rule) => `${ruleOrigin(rule)}: ${ruleText(rule)}`);

  it('need not be there', () => {
    expect(home().load()).toEqual({ rules: shippedRules, hasFile: false });
  });

  it('count in order: config.yaml, permissions.yaml, what is shipped, and then their overrides', () => {
    const { write, load } = home();
    write('config.yaml', 'web: {}\npermissions:\n  terminal(a b): ask\n  overrides:\n    - role: user\n      rules: { b: deny }\n');
    write('permissions.yaml', '# mine\noverrides:\n  - role: admin\n    rules:\n      c: allow\nterminal( d *): Ask\n');
    expect(shown(load().rules)).toEqual([
      'config.yaml line 3: terminal(a b): ask',
      'permissions.yaml line 6: terminal(d *): ask',
      ...shippedRules.map((rule) => `shipped with the gateway: ${ruleText(rule)}`),
      'config.yaml line 6: b: deny',
      'permissions.yaml line 5: c: allow',
    ]);
    write('permissions.yaml', 'shipped_rules: false');
    expect(shown(load().rules)).toEqual(['config.yaml line 3: terminal(a b): ask', 'config.yaml line 6: b: deny']);
  });

  it('are refused as a whole, with every problem', () => {
    const { write, load, directory } = home();
    write('config.yaml', 'permissions:\n  a: x\n');
    write('permissions.yaml', 'b: ask\nc: y\n');
    expect(load).toThrow(ConfigError);
    expect(load).toThrow(/config\.yaml line 2: "a": .*\n.*permissions\.yaml line 2: "c": /);
    write('config.yaml', 'permissions: [a]\n');
    expect(load).toThrow(/config\.yaml line 1: expected rules such as/);
    write('config.yaml', '');
    rmSync(path.join(directory, 'permissions.yaml'));
    mkdirSync(path.join(directory, 'permissions.yaml'));
    expect(load).toThrow(/permissions\.yaml cannot be read \(it is a directory\)/);
  });

  it.each([
    ['a link that leads nowhere', (file: string) => symlinkSync('/nowhere/rules.yaml', file), 'it is a link that leads nowhere'],
    ['a pipe', (file: string) => execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', file]), 'it is no ordinary file'],
    ['a device', (file: string) => symlinkSync('/dev/zero', file), 'it is no ordinary file'],
    [
      'another encoding',
      (file: string) => writeFileSync(file, Buffer.from('terminal(rm \u00fc): deny', 'latin1')),
      'it is no text in UTF-8',
    ],
    [
      'the encoding of Windows',
      (file: string) => writeFileSync(file, Buffer.from('\ufeffterminal: deny', 'utf16le')),
      'it is no text in UTF-8',
    ],
    ['10 MB', (file: string) => writeFileSync(file, 'a(b c): deny # much\n'.repeat(500_000)), 'it has 10000000 bytes, more than the 65536'],
    ['a text that is nested too deeply', (file: string) => writeFileSync(file, '['.repeat(20_000)), 'permissions.yaml line 1, column '],
    ['one alias too many', (file: string) => writeFileSync(file, bomb), 'its aliases (*name) repeat too much'],
    ['a rule that was cut off', (file: string) => writeFileSync(file, 'terminal(rm *): deny\nterminal(git pu'), 'line 2'],
    ['zeros where a crash left no text', (file: string) => writeFileSync(file, '\0'.repeat(300)), 'line 1'],
  ])('that are no rules (%s) are refused: at a start, and where rules hold', (_, put, expected) => {
    const { directory, write, load } = home();
    write('permissions.yaml', 'a: deny');
    const before = load();
    rmSync(path.join(directory, 'permissions.yaml'));
    put(path.join(directory, 'permissions.yaml'));
    for (const given of [undefined, before]) {
      expect(() => load(given)).toThrow(ConfigError);
      expect(() => load(given)).toThrow(expected);
    }
  });

  it('that are gone while they hold are a problem, and without rules are none', () => {
    const { write, load, directory } = home();
    write('permissions.yaml', 'a: deny');
    const before = load();
    rmSync(path.join(directory, 'permissions.yaml'));
    expect(() => load(before)).toThrow(/permissions\.yaml is gone: put it back/);
    expect(load().hasFile).toBe(false);
    write('permissions.yaml', '');
    expect(load(before)).toEqual({ rules: shippedRules, hasFile: true });
  });
});
