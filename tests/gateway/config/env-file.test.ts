import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseEnvFile } from '../../../gateway/config/env-file.ts';

function values(text: string): Record<string, string> {
  return Object.fromEntries([...parseEnvFile(text).entries].map(([name, entry]) => [name, entry.value]));
}

test.each([
  ['A=1', { A: '1' }],
  ['export A=1\n  B = two words  # comment\n', { A: '1', B: 'two words' }],
  ['A=a#b\nB=#all comment\nC="#in" # out', { A: 'a#b', B: '', C: '#in' }],
  ["A='it is $HOME \\n'", { A: 'it is $HOME \\n' }],
  ['A="a\\nb \\"c\\" \\\\ d"', { A: 'a\nb "c" \\ d' }],
  ['A="first\nsecond"\nB=1', { A: 'first\nsecond', B: '1' }],
  ['A=1\r\nB=2\r\n', { A: '1', B: '2' }],
  ['A=1\nA=2', { A: '2' }],
  ['A=\n', { A: '' }],
  ['A=b=c==', { A: 'b=c==' }],
])('%j is read as a shell would', (text, expected) => {
  expect(values(text)).toEqual(expected);
});

test('lines that cannot be understood are told by number, without their content, and the others are read', () => {
  const file = parseEnvFile('A=1\nsecret stuff\nB="never closed\nC=3');
  expect(file.problems).toEqual([
    '.env line 2: expected NAME=value; the line is ignored',
    '.env line 3: the quote after B= is never closed; the line is ignored',
  ]);
  expect([...file.entries.keys()]).toEqual(['A', 'C']);
  expect(file.entries.get('C')?.line).toBe(4);
});

test('a value in double quotes comes back as it was, whatever it holds', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      fc.pre(!value.includes('\r'));
      const quoted = value.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
      expect(values(`A="${quoted}"\nB=1`)).toEqual({ A: value, B: '1' });
    }),
  );
});
