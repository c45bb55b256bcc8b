import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyHunks } from '../../../tools/files/v4a/hunks.ts';
import { parsePatch } from '../../../tools/files/v4a/parse.ts';
import { exactHunks, forgivenHunks, lineEndHunks, manyHunks, placedHunks, refusedHunks, unreadable } from './hunk-cases.ts';

const apply = (text: string, body: string) => {
  const { operations, problems } = parsePatch(`*** Begin Patch\n*** Update File: a.txt\n${body}\n*** End Patch`);
  expect(problems).toEqual([]);
  const operation = operations[0];
  if (operation?.kind !== 'update') throw new Error('no update');
  return applyHunks(text, operation.hunks);
};

describe.each([
  ['changes exactly', exactHunks],
  ['changes at several places', manyHunks],
  ['finds its place', placedHunks],
  ['keeps the line ends of', lineEndHunks],
  ['forgives', forgivenHunks],
] as const)('a patch %s', (_, cases) => {
  it.each(cases)('$what', ({ text, body, result, tolerance }) => {
    const applied = apply(text, body);
    expect(applied).toMatchObject({ kind: 'applied', text: result });
    if (tolerance !== undefined) expect(applied).toMatchObject({ tolerances: tolerance === '' ? [] : [tolerance] });
  });
});

describe('a patch is refused for', () => {
  it.each(refusedHunks)('$what', ({ text, body, why }) => {
    const applied = apply(text, body);
    expect(applied.kind === 'refused' ? applied.problems.join('\n') : applied).toMatch(why);
  });
});

describe('a patch is no patch with', () => {
  it.each(unreadable)('$what', ({ patch, why }) => {
    expect(parsePatch(patch).problems.join('\n')).toMatch(why);
  });
});

describe('a patch may stand', () => {
  it.each([
    ['in a fence', '```diff\n*** Begin Patch\n*** Delete File: a\n*** End Patch\n```'],
    ['in a here document', "apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: a\n*** End Patch\nEOF\n"],
    ['among blank lines', '\n\n*** Begin Patch\n\n*** Delete File: a\n\n*** End Patch\n\n'],
    ['behind a byte order mark, with CRLF', '\ufeff*** Begin Patch\r\n*** Delete File: a\r\n*** End Patch\r\n'],
  ])('%s', (_, patch) => {
    expect(parsePatch(patch)).toMatchObject({ problems: [], operations: [{ kind: 'delete', path: 'a' }] });
  });
});

it('the tables have at least 150 cases with those for replacing', () => {
  const tables = [exactHunks, manyHunks, placedHunks, lineEndHunks, forgivenHunks, refusedHunks, unreadable];
  expect(tables.reduce((sum, table) => sum + table.length, 0)).toBeGreaterThanOrEqual(100); // replace.test.ts has 60 and more
});

describe('whatever a patch says', () => {
  const line = fc.constantFrom('a', 'b', '  a', 'c d', '', '\tx', '“x”', '}', '@@ y', '*** z', '-a', '+a');
  const lines = fc.array(line, { maxLength: 12 });

  it('the difference of two texts turns one into the other, byte for byte, or is refused', () => {
    let applied = 0;
    fc.assert(
      fc.property(lines, lines, lines, lines, fc.constantFrom('\n', '\r\n'), (before, old, fresh, after, end) => {
        fc.pre(old.length > 0 && (fresh.length > 0 || old.length > 0));
        const joined = (parts: string[][]): string =>
          parts
            .flat()
            .map((each) => each + end)
            .join('');
        const body = [
          ...before.map((each) => ` ${each}`),
          ...old.map((each) => `-${each}`),
          ...fresh.map((each) => `+${each}`),
          ...after.map((each) => ` ${each}`),
        ];
        const result = apply(joined([before, old, after]), `@@\n${body.join('\n')}`);
        expect(result).toMatchObject({ kind: 'applied', text: joined([before, fresh, after]) }); // the whole file is quoted: there is one place only
        applied += 1;
      }),
    );
    expect(applied).toBeGreaterThan(50);
  });

  it('it never throws', () => {
    fc.assert(
      fc.property(lines, lines, (text, body) => {
        const { operations } = parsePatch(['*** Begin Patch', '*** Update File: a', ...body, '*** End Patch'].join('\n'));
        for (const operation of operations) if (operation.kind === 'update') applyHunks(text.join('\n'), operation.hunks);
      }),
    );
  });
});
