import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replaceText } from '../../../tools/files/replace.ts';
import { type Bench, createBench } from '../support.ts';

interface Case {
  readonly what: string;
  readonly text: string;
  readonly old: string;
  readonly new: string;
  readonly all?: true;
  readonly result: string;
  readonly tolerance?: string;
}

const exact: readonly Case[] = [
  { what: 'a word', text: 'one two three', old: 'two', new: '2', result: 'one 2 three' },
  { what: 'a line', text: 'a\nb\nc\n', old: 'b\n', new: 'B\n', result: 'a\nB\nc\n' },
  { what: 'several lines', text: 'a\nb\nc\nd\n', old: 'b\nc', new: 'x\ny\nz', result: 'a\nx\ny\nz\nd\n' },
  { what: 'the whole text', text: 'abc', old: 'abc', new: 'x', result: 'x' },
  { what: 'the first line', text: 'a\nb', old: 'a\n', new: '', result: 'b' },
  { what: 'the last line without a line end', text: 'a\nb', old: 'b', new: 'c', result: 'a\nc' },
  { what: 'by nothing', text: 'keep drop keep', old: ' drop', new: '', result: 'keep keep' },
  { what: 'by more of itself', text: 'x', old: 'x', new: 'xxx', result: 'xxx' },
  {
    what: 'with replacement patterns of regular expressions taken literally',
    text: 'a.b',
    old: 'a.b',
    new: "$& $1 $$ $'",
    result: "$& $1 $$ $'",
  },
  { what: 'with regular expression characters', text: 'f(x)[0]*+?', old: 'f(x)[0]*+?', new: 'y', result: 'y' },
  { what: 'unicode', text: 'größe 日本 🎉 ok', old: '日本 🎉', new: 'ñ', result: 'größe ñ ok' },
  { what: 'every occurrence', text: 'a b a b a', old: 'a', new: 'x', all: true, result: 'x b x b x' },
  { what: 'every occurrence of what overlaps itself', text: 'aaaa', old: 'aa', new: 'b', all: true, result: 'bb' },
  { what: 'one occurrence with replace_all', text: 'a b', old: 'a', new: 'x', all: true, result: 'x b' },
  { what: 'only where the case is right', text: 'Foo foo', old: 'foo', new: 'bar', result: 'Foo bar' },
  {
    what: 'inside a long line',
    text: `${'x'.repeat(9_000)}needle${'y'.repeat(9_000)}`,
    old: 'needle',
    new: '',
    result: 'x'.repeat(9_000) + 'y'.repeat(9_000),
  },
  { what: 'a tab', text: 'a\tb', old: '\t', new: ' ', result: 'a b' },
  { what: 'blank lines', text: 'a\n\n\nb', old: '\n\n\n', new: '\n', result: 'a\nb' },
  { what: 'keeping a byte order mark', text: '\ufeffa\nb', old: 'b', new: 'c', result: '\ufeffa\nc' },
  {
    what: 'an exact place although looser ones exist',
    text: 'if (a) {\n  if (a) {',
    old: '  if (a) {',
    new: '  if (b) {',
    result: 'if (a) {\n  if (b) {',
  },
];

const lineEnds: readonly Case[] = [
  { what: 'LF quoted from a CRLF file', text: 'a\r\nb\r\nc\r\n', old: 'a\nb', new: 'x\ny', result: 'x\r\ny\r\nc\r\n' },
  { what: 'CRLF quoted from a CRLF file', text: 'a\r\nb\r\n', old: 'a\r\nb', new: 'x\r\ny', result: 'x\r\ny\r\n' },
  { what: 'CRLF quoted from an LF file', text: 'a\nb\n', old: 'a\r\nb', new: 'x\r\ny', result: 'x\ny\n' },
  { what: 'a word in a CRLF file by several lines', text: 'a\r\nb\r\n', old: 'b', new: 'x\ny', result: 'a\r\nx\r\ny\r\n' },
  { what: 'in a mixed file what is LF by LF', text: 'a\r\nb\nc\nd\r\n', old: 'b\nc', new: 'x\ny', result: 'a\r\nx\ny\nd\r\n' },
  { what: 'in a mixed file what is CRLF by CRLF', text: 'a\nb\r\nc\nd\ne\n', old: 'b\nc', new: 'x\ny', result: 'a\nx\r\ny\nd\ne\n' },
  { what: 'keeping every other line end of a mixed file', text: 'a\r\nb\nc\r\nd\n', old: 'c', new: 'x', result: 'a\r\nb\nx\r\nd\n' },
  { what: 'every occurrence in a CRLF file', text: 'a\r\na\r\n', old: 'a\n', new: 'b\nc\n', all: true, result: 'b\r\nc\r\nb\r\nc\r\n' },
  { what: 'leaving a lone carriage return alone', text: 'a\rb\nc', old: 'c', new: 'd', result: 'a\rb\nd' },
  { what: 'a removed line of a CRLF file', text: 'a\r\nb\r\nc\r\n', old: 'b\n', new: '', result: 'a\r\nc\r\n' },
];

const tolerant: readonly Case[] = [
  {
    what: 'blanks at line ends of the file',
    text: 'a  \nb\t\nc',
    old: 'a\nb',
    new: 'x\ny',
    result: 'x\ny\nc',
    tolerance: 'blanks at line ends',
  },
  {
    what: 'blanks at line ends of the quotation',
    text: 'a\nb\nc',
    old: 'a  \nb ',
    new: 'x\ny',
    result: 'x\ny\nc',
    tolerance: 'blanks at line ends',
  },
  {
    what: 'typographic quotes in the quotation',
    text: "say 'hi'",
    old: 'say ‘hi’',
    new: 'x',
    result: 'x',
    tolerance: 'typographic characters',
  },
  {
    what: 'typographic quotes in the file',
    text: 'say “hi”, he',
    old: 'say "hi"',
    new: 'x',
    result: 'x, he',
    tolerance: 'typographic characters',
  },
  { what: 'a dash', text: 'a – b', old: 'a - b', new: 'c', result: 'c', tolerance: 'typographic characters' },
  { what: 'a non-breaking space', text: 'a\u00a0b', old: 'a b', new: 'c', result: 'c', tolerance: 'typographic characters' },
  {
    what: 'missing indentation, which the replacement gets',
    text: 'f() {\n    a();\n    b();\n}\n',
    old: 'a();\nb();',
    new: 'a();\nc();\nb();',
    result: 'f() {\n    a();\n    c();\n    b();\n}\n',
    tolerance: 'indentation',
  },
  {
    what: 'too much indentation',
    text: 'a();\nb();\n',
    old: '    a();\n    b();',
    new: '    a();\n    c();',
    result: 'a();\nc();\n',
    tolerance: 'indentation',
  },
  {
    what: 'other indentation, with deeper lines kept deeper',
    text: '    if (x) {\n      y();\n    }\n',
    old: 'if (x) {\n  y();\n}',
    new: 'if (x) {\n  if (z) {\n    y();\n  }\n}',
    result: '    if (x) {\n      if (z) {\n        y();\n      }\n    }\n',
    tolerance: 'indentation',
  },
  {
    what: 'tabs in the file where the quotation has spaces',
    text: '\tif (x) {\n\t\ty();\n\t}\n',
    old: '  if (x) {\n    y();\n  }',
    new: '  if (x) {\n    z();\n  }',
    result: '\tif (x) {\n\t\tz();\n\t}\n',
    tolerance: 'indentation',
  },
  {
    what: 'spaces in the file where the quotation has tabs',
    text: '  a\n    b\n',
    old: '\ta\n\t\tb',
    new: '\ta\n\t\tc',
    result: '  a\n    c\n',
    tolerance: 'indentation',
  },
  {
    what: 'a blank line in the replacement, left blank',
    text: '    a\n    b\n',
    old: 'a\nb',
    new: 'a\n\nb',
    result: '    a\n\n    b\n',
    tolerance: 'indentation',
  },
  { what: 'indentation and a line end that the quotation has', text: '    a\n    b\n', old: 'a\n', new: 'x\n', result: '    x\n    b\n' },
  {
    what: 'indentation in a line that ends the file without a line end',
    text: 'z\n    a  ',
    old: 'a\n',
    new: 'x\n',
    result: 'z\n    x',
    tolerance: 'indentation',
  },
  {
    what: 'spacing inside a line',
    text: 'a   =  b;\n',
    old: 'a = b;',
    new: 'a = c;',
    result: 'a = c;\n',
    tolerance: 'spacing inside lines',
  },
  {
    what: 'aligned columns',
    text: 'x:   1\ny:  22\n',
    old: 'x: 1\ny: 22',
    new: 'x: 2\ny: 3',
    result: 'x: 2\ny: 3\n',
    tolerance: 'spacing inside lines',
  },
  { what: 'line breaks written as \\n', text: 'a\nb\nc', old: 'a\\nb', new: 'x\\ny', result: 'x\ny\nc', tolerance: 'escaped characters' },
  {
    what: 'quotes written as \\"',
    text: 'say "hi" now',
    old: 'say \\"hi\\"',
    new: 'say \\"ho\\"',
    result: 'say "ho" now',
    tolerance: 'escaped characters',
  },
  {
    what: 'blank lines around the quotation',
    text: 'a\nb\nc',
    old: '\n\nb\n\n',
    new: '\n\nx\n\n',
    result: 'a\nx\nc',
    tolerance: 'blank lines around the text',
  },
  {
    what: 'every occurrence with other indentation',
    text: '  a;\nb;\n    a;\n',
    old: '\ta;',
    new: '\tc;',
    all: true,
    result: '  c;\nb;\n    c;\n',
    tolerance: 'indentation',
  },
  {
    what: 'trailing blanks in a CRLF file',
    text: 'a  \r\nb\r\n',
    old: 'a\nb',
    new: 'x\ny',
    result: 'x\r\ny\r\n',
    tolerance: 'blanks at line ends',
  },
  {
    what: 'the middle of a block, of which what did not change stays as it is',
    text: 'x\nbegin {\n  const total = sum(items); // all\n  done(total);\n}\n',
    old: 'begin {\n  const total = sum(items);\n  done(total);\n}',
    new: 'begin {\n  const total = sum(items);\n  done(total);\n  close();\n}',
    result: 'x\nbegin {\n  const total = sum(items); // all\n  done(total);\n  close();\n}\n',
    tolerance: 'the middle of the block',
  },
  {
    what: 'typographic quotes in lines that did not change',
    text: 'a = “x”;  \nb = 1;\n',
    old: 'a = "x";\nb = 1;',
    new: 'a = "x";\nb = 2;',
    result: 'a = “x”;  \nb = 2;\n',
    tolerance: 'blanks at line ends',
  },
  {
    what: 'a letter that the file has in two parts',
    text: 'cafe\u0301 = 1\n',
    old: 'caf\u00e9 = 1',
    new: 'caf\u00e9 = 2',
    result: 'caf\u00e9 = 2\n',
    tolerance: 'typographic characters',
  },
  {
    what: 'blanks at the end of the first line behind a byte order mark',
    text: '\ufeffa  \nb\n',
    old: 'a\nb',
    new: 'x\nb',
    result: '\ufeffx\nb\n',
    tolerance: 'blanks at line ends',
  },
  {
    what: 'a byte order mark in the quotation',
    text: '\ufeffa\nb\n',
    old: '\ufeffa\nb',
    new: '\ufeffx\nb',
    result: '\ufeffx\nb\n',
  },
  {
    what: 'the one of two places that has the same shape',
    text: 'if a:\n    b\n    c\nif d:\n    b\n  c\n',
    old: 'b\nc',
    new: 'b\nq',
    result: 'if a:\n    b\n    q\nif d:\n    b\n  c\n',
    tolerance: 'indentation',
  },
  {
    what: 'levels of two blanks in a file that has four',
    text: 'f {\n    a {\n        b\n    }\n}\n',
    old: '  a {\n    b\n  }',
    new: '  a {\n    if {\n      b\n    }\n  }',
    result: 'f {\n    a {\n        if {\n            b\n        }\n    }\n}\n',
    tolerance: 'indentation',
  },
  {
    what: 'several lines by none',
    text: 'a\n  b \n  c\nd\n',
    old: 'b\nc\n',
    new: '',
    result: 'a\nd\n',
    tolerance: 'indentation',
  },
];

const refused: readonly { what: string; text: string; old: string; new: string; all?: true; why: RegExp }[] = [
  { what: 'an empty quotation', text: 'a', old: '', new: 'b', why: /old_string is empty/u },
  { what: 'an empty quotation with replace_all', text: 'a', old: '', new: 'b', all: true, why: /old_string is empty/u },
  { what: 'a change that changes nothing', text: 'a', old: 'a', new: 'a', why: /nothing would change/u },
  { what: 'a change of line ends only', text: 'a\nb', old: 'a\nb', new: 'a\r\nb', why: /nothing would change/u },
  { what: 'two places, with their lines', text: 'x\na\ny\na\n', old: 'a', new: 'b', why: /found at 2 places \(lines 2, 4\)\. Quote more/u },
  { what: 'two places in one line', text: 'a a', old: 'a', new: 'b', why: /2 times in line 1/u },
  { what: 'two places that overlap', text: 'aaa', old: 'aa', new: 'b', why: /2 times in line 1/u },
  {
    what: 'many places, of which some are named',
    text: 'a\n'.repeat(40),
    old: 'a',
    new: 'b',
    why: /40 places \(lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, \.\.\.\)/u,
  },
  {
    what: 'two places that differ only in indentation',
    text: '  a();\n    a();\n',
    old: '\ta();',
    new: 'b();',
    why: /2 places \(lines 1, 2\)/u,
  },
  { what: 'two places in a CRLF file', text: 'a\r\nb\r\na\r\n', old: 'a', new: 'c', why: /lines 1, 3/u },
  { what: 'what is not there', text: 'a\nb\n', old: 'completely different', new: 'x', why: /not in the file\. Read the file again/u },
  {
    what: 'what is not there, with the most similar line',
    text: 'one\nconst total = sum(items);\n',
    old: 'const total = sum(item);\nreturn',
    new: 'x',
    why: /most similar line is 2: const total = sum\(items\);/u,
  },
  { what: 'a change that is made already', text: 'new text here', old: 'old text', new: 'new text', why: /seems to be made already/u },
  { what: 'blanks only, where no such blanks are', text: 'a\nb', old: '   \n   ', new: 'x', why: /not in the file/u },
  {
    what: 'a block of which only the ends are right',
    text: 'begin {\n  one();\n}\n',
    old: 'begin {\n  something(quite, different);\n}',
    new: 'x',
    why: /not in the file/u,
  },
  {
    what: 'two blocks with the same ends that are alike',
    text: 'begin {\n  total(items);\n}\nbegin {\n  total(itemz);\n}\n',
    old: 'begin {\n  total(item);\n}',
    new: 'x',
    why: /2 places \(lines 1, 4\)/u,
  },
  { what: 'what is found at too many places', text: 'a'.repeat(200_000), old: 'a', new: 'b', all: true, why: /more than 100000 places/u },
  {
    what: 'two places, with what stands above each',
    text: 'def f():\n    return 1\ndef g():\n    return 1\n',
    old: 'return 1',
    new: 'return 2',
    why: /\n2\| return 1 {3}\(below 1\| def f\(\):\)\n4\| return 1 {3}\(below 3\| def g\(\):\)$/u,
  },
  { what: 'a quotation in an empty file', text: '', old: 'a', new: 'b', why: /not in the file/u },
];

describe.each([
  ['exactly', exact],
  ['keeping line ends', lineEnds],
  ['forgiving', tolerant],
] as const)('replaces %s', (_, cases) => {
  it.each(cases)('$what', (given) => {
    const replaced = replaceText(given.text, { old: given.old, new: given.new, all: given.all ?? false });
    expect(replaced).toMatchObject({
      kind: 'replaced',
      text: given.result,
      ...(given.tolerance === undefined ? {} : { tolerance: given.tolerance }),
    });
  });
});

describe('refuses', () => {
  it.each(refused)('$what', (given) => {
    expect(replaceText(given.text, { old: given.old, new: given.new, all: given.all ?? false })).toMatchObject({
      kind: 'refused',
      why: expect.stringMatching(given.why),
    });
  });
});

it('the table has at least 60 cases', () => {
  expect(exact.length + lineEnds.length + tolerant.length + refused.length).toBeGreaterThanOrEqual(60);
});

describe('whatever is replaced', () => {
  const line = fc.constantFrom('a', 'b', '  a', 'c d', '', '\t', '“x”');
  const text = fc
    .array(fc.tuple(line, fc.constantFrom('\n', '\r\n')), { maxLength: 12 })
    .map((parts) => parts.map(([content, end]) => content + end).join(''));

  it('everything outside of the passage stays byte for byte', () => {
    fc.assert(
      fc.property(text, text, fc.constantFrom('NEEDLE', 'NEEDLE\nTWO'), fc.string(), (before, after, old, replacement) => {
        const replaced = replaceText(`${before}${old}${after}`, { old, new: replacement, all: false });
        fc.pre(replaced.kind === 'replaced');
        expect(replaced.text.startsWith(before)).toBe(true);
        expect(replaced.text.endsWith(after)).toBe(true);
      }),
    );
  });

  it('it never throws and never changes anything when it refuses', () => {
    fc.assert(
      fc.property(text, text, text, fc.boolean(), (raw, old, replacement, all) =>
        ['replaced', 'refused'].includes(replaceText(raw, { old, new: replacement, all }).kind),
      ),
    );
  });
});

describe('patch', () => {
  let bench: Bench;
  beforeEach(() => {
    bench = createBench();
  });
  afterEach(() => bench.close());
  const file = (name: string) => path.join(bench.workspace, name);

  it('changes the file, keeps its mode and shows what changed', async () => {
    writeFileSync(file('run.sh'), 'a\nb\nc\nd\ne\n', { mode: 0o755 });
    const { content } = await bench.run('patch', { path: 'run.sh', old_string: 'c', new_string: 'C\nC' });
    expect(readFileSync(file('run.sh'), 'utf8')).toBe('a\nb\nC\nC\nd\ne\n');
    expect(statSync(file('run.sh')).mode & 0o777).toBe(0o755);
    expect(content).toBe(`Changed ${file('run.sh')} in one place.\n\n@@ line 3 @@\n a\n b\n-c\n+C\n+C\n d\n e`);
  });

  it('says what it forgave', async () => {
    writeFileSync(file('a.py'), 'def f():\n    return 1\n');
    const { content } = await bench.run('patch', { path: 'a.py', old_string: 'def f():\n  return 1', new_string: 'def f():\n  return 2' });
    expect(content).toMatch(/ignoring differences in indentation: check the result/u);
    expect(readFileSync(file('a.py'), 'utf8')).toBe('def f():\n    return 2\n');
  });

  it('keeps the diff of a large change short', async () => {
    writeFileSync(file('a.txt'), 'a\n'.repeat(50_000));
    const { content } = await bench.run('patch', { path: 'a.txt', old_string: 'a', new_string: 'b', replace_all: true });
    expect(content).toMatch(/^Changed .* in 50000 places\./u);
    expect(content.split('\n').length).toBeLessThan(70);
  });

  it('leaves the file alone when it refuses', async () => {
    writeFileSync(file('a.txt'), 'a a');
    const { content, failed } = await bench.run('patch', { path: 'a.txt', old_string: 'a', new_string: 'b' });
    expect(failed).toBe(true);
    expect(content).toMatch(/was not changed/u);
    expect(readFileSync(file('a.txt'), 'utf8')).toBe('a a');
  });

  it('names similar files when there is none', async () => {
    writeFileSync(file('settings.json'), '{}');
    expect(await bench.run('patch', { path: 'setting.json', old_string: 'a', new_string: 'b' })).toMatchObject({
      failed: true,
      content: expect.stringMatching(/settings\.json/u),
    });
  });

  it('does not touch what is no UTF-8 text', async () => {
    const latin = Buffer.from([0x67, 0x72, 0xf6, 0xdf, 0x65]);
    writeFileSync(file('latin.txt'), latin);
    expect(await bench.run('patch', { path: 'latin.txt', old_string: 'g', new_string: 'G' })).toMatchObject({
      failed: true,
      content: expect.stringMatching(/not UTF-8/u),
    });
    expect(readFileSync(file('latin.txt'))).toEqual(latin);
    writeFileSync(file('x.bin'), Buffer.from([0, 1, 2]));
    expect(await bench.run('patch', { path: 'x.bin', old_string: 'g', new_string: 'G' })).toMatchObject({
      failed: true,
      content: expect.stringMatching(/binary/u),
    });
  });

  it('changes the file behind a link in the workspace and nothing behind one that leads out', async () => {
    writeFileSync(file('real.txt'), 'a');
    symlinkSync('real.txt', file('link.txt'));
    await bench.run('patch', { path: 'link.txt', old_string: 'a', new_string: 'b' });
    expect(readFileSync(file('real.txt'), 'utf8')).toBe('b');
    writeFileSync(path.join(bench.root, 'outside.txt'), 'a');
    symlinkSync(path.join(bench.root, 'outside.txt'), file('out.txt'));
    expect(await bench.run('patch', { path: 'out.txt', old_string: 'a', new_string: 'b' })).toMatchObject({
      failed: true,
      content: expect.stringMatching(/a link leads to .*outside\.txt, which is outside of the workspace/u),
    });
    expect(readFileSync(path.join(bench.root, 'outside.txt'), 'utf8')).toBe('a');
  });
});
