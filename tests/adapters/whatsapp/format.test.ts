import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toWhatsApp } from '../../../adapters/whatsapp/format.ts';
import { whatsappPlatform } from '../../../adapters/whatsapp/platform.ts';
import { readWhatsApp } from '../../fakes/whatsapp-format.ts';

const sample = readFileSync(path.join(import.meta.dirname, '../sample.md'), 'utf8');
const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 300);

describe("markdown as WhatsApp's marks", () => {
  it.each([
    ['plain words', 'plain words'],
    ['**bold** *italic* ~~gone~~ `code`', '*bold* _italic_ ~gone~ `code`'],
    ['~5 to ~10, 2 * 3 * 4, snake_case_name', '~5 to ~10, 2 * 3 * 4, snake_case_name'],
    ['# Head **line**\ntext', '*Head line*\ntext'],
    ['***both***', '_*both*_'],
    ['**a\nb**', '*a*\n*b*'],
    ['un**believ**able', 'unbelievable'],
    ['[site](https://example.org)', 'site (https://example.org)'],
    ['https://example.org/a_b', 'https://example.org/a_b'],
    ['<me@example.org>', 'me@example.org'],
    ['![chart](https://example.org/c.png)', 'chart (https://example.org/c.png)'],
    ['[x][1]\n\n[1]: https://example.org', 'x (https://example.org)'],
    ['one<br>two', 'one\ntwo'],
    ['```js\nif (a < b) {}\n```', '```\nif (a < b) {}\n```'],
    ['> one\n> > two', '> one\n> > two'],
    ['- a\n  - b\n- [x] c\n- [ ] d', '- a\n  ◦ b\n☑ c\n☐ d'],
    ['3. a\n4. b', '3. a\n4. b'],
    ['[a]: https://example.org', '[a]: https://example.org'],
    ['`` a`b ``', 'a`b'],
    ['---', '———'],
  ])('renders %j', (markdown, text) => {
    expect(toWhatsApp(markdown)).toBe(text);
  });

  it('shows a table in a fixed-width font, without marks in it', () => {
    expect(toWhatsApp('| a | **b** |\n|---|--:|\n| 1 | `2` |')).toBe('```\na │ b\n──┼──\n1 │ 2\n```');
  });

  it('renders the sample', async () => {
    await expect(toWhatsApp(sample)).toMatchFileSnapshot('snapshots/sample.txt');
    const { marked } = readWhatsApp(toWhatsApp(sample));
    expect(new Set(marked.map(([kind]) => kind))).toEqual(new Set(['bold', 'italic', 'struck', 'code', 'quote']));
  });

  it('keeps every word of what people write, with marks that a phone reads', () => {
    const word = fc.stringMatching(/^[a-zäß日本]{1,8}$/u);
    const styled = fc.oneof(
      word.map((text) => ({ markdown: text, kind: undefined, text })),
      word.map((text) => ({ markdown: `**${text}**`, kind: 'bold', text })),
      word.map((text) => ({ markdown: `*${text}*`, kind: 'italic', text })),
      word.map((text) => ({ markdown: `~~${text}~~`, kind: 'struck', text })),
      word.map((text) => ({ markdown: `\`${text}\``, kind: 'code', text })),
    );
    fc.assert(
      fc.property(fc.array(styled, { minLength: 1, maxLength: 12 }), (pieces) => {
        const { visible, marked } = readWhatsApp(toWhatsApp(pieces.map(({ markdown }) => markdown).join(' ')));
        expect(visible).toBe(pieces.map(({ text }) => text).join(' '));
        expect(marked).toEqual(pieces.flatMap(({ kind, text }) => (kind === undefined ? [] : [[kind, text]])));
      }),
      { numRuns: RUNS },
    );
  });

  it('never throws, never makes nothing of something, and its parts fit, whatever comes', () => {
    const fragments = fc.constantFrom(
      '**',
      '_',
      '`',
      '```\n',
      '> ',
      '- ',
      '1. ',
      '| a | b |\n|--|--|\n',
      '[x](',
      ')',
      '\n\n',
      '# ',
      '~~',
      'word ',
      '日本',
      '👩‍👩‍👧',
      '<b>',
      '\ud800',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(fragments, fc.string({ unit: 'grapheme', maxLength: 20 })), { maxLength: 60 }), (pieces) => {
        const markdown = pieces.join('');
        const text = toWhatsApp(markdown);
        if (markdown.trim() !== '') expect(text.trim()).not.toBe('');
        for (const part of whatsappPlatform.split(markdown.repeat(20))) expect(toWhatsApp(part).length).toBeLessThanOrEqual(4000);
      }),
      { numRuns: RUNS / 3 },
    );
  });
});
