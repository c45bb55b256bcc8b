import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { forbiddenImports, importCycles } from './architecture/imports.ts';
import { functions, parseSource, type Source } from './architecture/source.ts';
import { styleChecks } from './architecture/style.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

function read(pattern: string): Source[] {
  return globSync(pattern, { cwd: root })
    .sort()
    .map((path) => parseSource(path, readFileSync(join(root, path), 'utf8')));
}

const sources = read('{gateway,agent,tools,adapters}/**/*.ts');

describe('the sources', () => {
  test('are found', () => {
    expect(sources.map(({ path }) => path)).toEqual(expect.arrayContaining(['agent/run.ts', 'adapters/adapter.ts', 'gateway/status.ts']));
  });

  test('import only what their room may know', () => {
    expect(sources.flatMap(forbiddenImports)).toEqual([]);
  });

  test('have no import cycles, types counted', () => {
    expect(importCycles(sources)).toEqual([]);
  });

  test.each(Object.entries(styleChecks))('%s', (_, check) => {
    expect(sources.flatMap(check)).toEqual([]);
  });

  test('have functions whose sizes are known', () => {
    const sizes = sources.flatMap((source) => functions(source).filter(({ named }) => named));
    const lines = sizes.map((size) => size.lines).sort((left, right) => left - right);
    const files = sources.map(({ text }) => text.split('\n').length - 1).sort((left, right) => left - right);
    console.log(`functions: ${lines.length}, median ${percentile(lines, 0.5)} lines, 90th percentile ${percentile(lines, 0.9)}`);
    console.log(`files: ${files.length}, median ${percentile(files, 0.5)} lines, longest ${files.at(-1)}`);
    expect(lines.length).toBeGreaterThan(0);
  });
});

test('no test replaces a module of our own by a mock', () => {
  const tests = globSync('tests/**/*.ts', { cwd: root }).map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
  const mocking = /\bvi\s*\.\s*(?:do)?mock\(\s*['"`]\./i;
  expect(tests.filter(({ text }) => mocking.test(text)).map(({ path }) => path)).toEqual([]);
});

function percentile(sorted: readonly number[], part: number): number | undefined {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

describe('the checks', () => {
  test.each([
    ['agent/loop.ts', "import '../gateway/lanes.ts';"],
    ['agent/loop.ts', "import type { A } from '../adapters/adapter.ts';"],
    ['agent/loop.ts', "type A = import('../tools/index.ts').A;"],
    ['agent/models/x.ts', "const x = await import('../../gateway/x.ts');"],
    ['adapters/adapter.ts', "import type { A } from './shared/a.ts';"],
    ['adapters/index.ts', "import { a } from './telegram/index.ts';"],
    ['adapters/telegram/index.ts', "import { a } from '../web/codec.ts';"],
    ['adapters/telegram/index.ts', "import { a } from '../index.ts';"],
    ['adapters/telegram/index.ts', "export { a } from '../../agent/message.ts';"],
    ['adapters/shared/split.ts', "import { a } from '../telegram/codec.ts';"],
    ['tools/files/read.ts', "import { a } from '../terminal/index.ts';"],
    ['tools/todo.ts', "import { a } from './terminal/index.ts';"],
    ['tools/files/read.ts', "import { a } from '../index.ts';"],
    ['tools/shared/fetch.ts', "import { a } from '../files/read.ts';"],
    ['tools/files/read.ts', "import { a } from '../../gateway/x.ts';"],
    ['gateway/turn.ts', "import { a } from '../tools/shared/a.ts';"],
    ['gateway/turn.ts', "import { a } from '../adapters/telegram/platform.ts';"],
    ['gateway/turn.ts', "import { a } from '../adapters/index.ts';"],
    ['gateway/turn.ts', "import { a } from './main.ts';"],
    ['gateway/turn.ts', "import { a } from './web/view.ts';"],
    ['gateway/turn.ts', "import { a } from '../tests/a.ts';"],
    ['gateway/main.ts', "import { a } from '../tools/terminal/index.ts';"],
    ['gateway/main.ts', "import { a } from '../adapters/telegram/index.ts';"],
    ['gateway/web/main.ts', "import { a } from '../status.ts';"],
  ])('%s may not contain %s', (path, text) => {
    expect(forbiddenImports(parseSource(path, text))).toHaveLength(1);
  });

  test.each([
    ['agent/loop.ts', "import { z } from 'zod'; import './models/x.ts';"],
    ['adapters/telegram/index.ts', "import './codec.ts'; import '../shared/split.ts'; import '../adapter.ts';"],
    ['adapters/index.ts', "import './telegram/platform.ts';"],
    ['tools/todo.ts', "import '../agent/tool.ts'; import './shared/a.ts'; import './todo/list.ts';"],
    ['gateway/main.ts', "import '../tools/index.ts'; import '../adapters/index.ts'; import '../tools/shared/a.ts'; import './daemon.ts';"],
    ['gateway/config/load.ts', "import '../nearest.ts'; import '../../agent/model.ts'; import '../../adapters/adapter.ts';"],
  ])('%s may contain %s', (path, text) => {
    expect(forbiddenImports(parseSource(path, text))).toEqual([]);
  });

  test('find a cycle made of type imports, and not one that is broken by a lazy import', () => {
    const a = parseSource('agent/a.ts', "import type { B } from './b.ts';");
    const b = parseSource('agent/b.ts', "export { C } from './models/c.ts';");
    const closed = parseSource('agent/models/c.ts', "type A = import('../a.ts').A;");
    const lazy = parseSource('agent/models/c.ts', "const a = () => import('../a.ts');");
    expect(importCycles([a, b, closed])).toEqual(['agent/a.ts -> agent/b.ts -> agent/models/c.ts -> agent/a.ts']);
    expect(importCycles([a, b, lazy])).toEqual([]);
  });

  const long = (lines: number) => `{\n${'  a();\n'.repeat(lines - 2)}}`;
  test.each([
    ['files are at most 300 lines long', 'a file of 301 lines', '// a\n'.repeat(301), '// a\n'.repeat(300)],
    ['functions are at most 45 lines long', 'a function declaration', `function f() ${long(46)}`, `function f() ${long(45)}`],
    [
      'functions are at most 45 lines long',
      'a method, of a class that is long itself',
      `class A { m() ${long(46)} }`,
      `class A {\n${`  m() {\n${'  a();\n'.repeat(40)}}\n`.repeat(3)}}`,
    ],
    [
      'functions are at most 45 lines long',
      'an arrow function, and no braces in a text',
      `const f = async (a) => ${long(46)}`,
      `const text = \`}\n${'\n'.repeat(60)}\`; const f = () => 1;`,
    ],
    [
      'functions are at most 45 lines long',
      'a getter, and no braces in a comment',
      `export const o = { get m() ${long(46)} }`,
      `// {\n${'\n'.repeat(60)}function f() {} // }`,
    ],
    [
      'functions take at most three parameters before the signal',
      'a function, the signal not counted',
      'function f(a, b, c, d) {}',
      'function f(a, b, c, signal) {}',
    ],
    [
      'functions take at most three parameters before the signal',
      'a constructor',
      'class A { constructor(a, b, c, d) {} }',
      'const f = (a, b, c) => a;',
    ],
    ['modules hold no state', 'an exported variable', 'export let a = 1;', 'function f() { let a = 1; return a; }'],
    ['modules hold no state', 'a declared variable', 'var a;', 'declare let a: string;'],
    ['modules hold no state', 'a map', 'const cache = new Map<string, string>();', "const known = new Set(['a']);"],
    ['modules hold no state', 'a list', 'const queue = [];', 'const f = () => [];'],
    ['exports have names', 'a default export', 'export default function f() {}', 'export function f() {}'],
    ['there are no enums and no namespaces', 'an enum', 'const enum A { B }', "type A = 'b';"],
    ['no type is any and nothing is asserted to be there', 'an assertion to any', 'const a = (b as any);', 'const any = !b;'],
    ['no type is any and nothing is asserted to be there', 'a non-null assertion', 'a!.b();', 'a?.b();'],
    [
      'contracts have at most six required methods',
      'seven methods, optional ones not counted',
      'interface A { a(): 1; b(): 1; c(): 1; d: () => 1; e(): 1; f(): 1; g(): 1 }',
      'interface A { a(): 1; b(): 1; c(): 1; d?: () => 1; e?(): 1; f(): 1; g(): 1; h: string; i(): 1 }',
    ],
    ['modules hold no state', 'an empty set', 'const seen = new Set();', 'const none: readonly string[] = [];'],
    [
      'only the two registries do nothing but pass on',
      'all of another file',
      "export * from './a.ts'; const a = 1;",
      'const a = 1; export { a };',
    ],
    [
      'only the two registries do nothing but pass on',
      'names of another file',
      "import { b } from './b.ts'; export { a } from './a.ts'; export { b };",
      "export { a } from './a.ts'; const b = 1;",
    ],
  ])('%s: %s', (name, _what, bad, good) => {
    expect(styleChecks[name]?.(parseSource('agent/x.ts', bad))).toHaveLength(1);
    expect(styleChecks[name]?.(parseSource('agent/x.ts', good))).toEqual([]);
  });

  test('file names are kebab-case: a camel is refused', () => {
    expect(styleChecks['file names are kebab-case']?.(parseSource('agent/fooBar.ts', ''))).toEqual(['agent/fooBar.ts']);
    expect(styleChecks['file names are kebab-case']?.(parseSource('agent/foo-bar2.ts', ''))).toEqual([]);
  });
});
