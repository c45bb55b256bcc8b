import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findDeliverables } from '../../../gateway/presenter/deliverable.ts';

describe('the files of an answer', () => {
  it.each<[string, string, readonly string[]]>([
    ['Here.\nMEDIA:chart.png', 'Here.', ['chart.png']],
    ['MEDIA:chart.png', '', ['chart.png']],
    ['MEDIA: /tmp/a b.pdf \nDone.', 'Done.', ['/tmp/a b.pdf']],
    ['MEDIA:"a b.pdf"\nMEDIA:`c.txt`', '', ['a b.pdf', 'c.txt']],
    ['one\nMEDIA:a\ntwo\nMEDIA:b\nthree', 'one\ntwo\nthree', ['a', 'b']],
    ['Write MEDIA:x in a line.', 'Write MEDIA:x in a line.', []],
    ['`MEDIA:x`', '`MEDIA:x`', []],
    ['MEDIA:', 'MEDIA:', []],
    ['MEDIA:   ', 'MEDIA:   ', []],
    ['media:x', 'media:x', []],
    ['nothing', 'nothing', []],
    ['', '', []],
  ])('%j', (answer, text, paths) => {
    expect(findDeliverables(answer)).toEqual({ text, paths });
  });

  it.each([
    '```\nMEDIA:x\n```',
    '~~~\nMEDIA:x\n~~~',
    '````\n```\nMEDIA:x\n```\n````',
    '```md\n~~~\nMEDIA:x\n```',
    '```\nMEDIA:x',
    '  ```\n  MEDIA:x\n  ```',
    '- step:\n\n  ```sh\n  MEDIA:x\n  ```',
    '```\n```js\nMEDIA:x\n```',
  ])('are not looked for in code: %j', (answer) => {
    expect(findDeliverables(answer)).toEqual({ text: answer, paths: [] });
  });

  it('are found whatever stands in their names', () => {
    // In time that grows with the square of the length this would take minutes.
    const name = `a${' '.repeat(500_000)}b`;
    expect(findDeliverables(`MEDIA: ${name} `).paths).toEqual([name]);
  });

  it('are found behind code that has ended', () => {
    expect(findDeliverables('```\ncode\n```\nMEDIA:x').paths).toEqual(['x']);
    expect(findDeliverables('````\n```\n````\nMEDIA:x').paths).toEqual(['x']);
  });

  it('are all that is taken out of the text', () => {
    const line = fc.constantFrom('MEDIA:a', 'text', '```', '~~~~', '````', '', '  MEDIA: b', '```js');
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const { text, paths } = findDeliverables(lines.join('\n'));
        const words = (all: readonly string[]) => all.flatMap((each) => each.split('\n')).filter((each) => each.trim() !== '');
        expect(words([text]).length + paths.length).toBe(words(lines).length);
      }),
    );
  });
});
