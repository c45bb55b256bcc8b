import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPlainText } from '../../../adapters/shared/markdown.ts';
import { splitMarkdown } from '../../../adapters/shared/split.ts';
import { toTelegramHtml, visibleText } from '../../../adapters/telegram/html.ts';
import { splitForTelegram } from '../../../adapters/telegram/platform.ts';
import { parseTelegramHtml } from '../../fakes/telegram-html.ts';

/** More of them than a quick run has room for: `PROPERTY_RUNS=1000 npx vitest run ...`. */
const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 30);

/** A platform that counts the source as it is, markup and fences included. */
const raw = (limit: number) => ({ limit, measure: (part: string) => part.length });
/** A small Telegram. */
const rendered = (limit: number) => ({ limit, measure: (part: string) => visibleText(toTelegramHtml(part)).length });

/** Lines that are fences, and whether the text ends inside one. Written against CommonMark, not against the splitter. */
function fences(text: string): { open: boolean; withoutFences: string } {
  let open: string | undefined;
  const kept: string[] = [];
  for (const line of text.split('\n')) {
    const [, marks = '', info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    const opens = open === undefined && marks !== '' && !(marks.startsWith('`') && info.includes('`'));
    const closes = open !== undefined && marks !== '' && marks[0] === open[0] && marks.length >= open.length && info.trim() === '';
    if (opens) open = marks;
    else if (closes) open = undefined;
    else kept.push(line);
  }
  return { open: open !== undefined, withoutFences: kept.join('\n') };
}

const words = (text: string): string => fences(text).withoutFences.replace(/\s+/g, '');

const CHARACTERS = ['a', 'é', '漢', 'の', '👩‍👩‍👧‍👦', '🇩🇪', '👍🏽', 'ก็', '한', 'ﷺ', 'x', '7', 'Zu', 'e\u0301'];
const word = fc.array(fc.constantFrom(...CHARACTERS), { minLength: 1, maxLength: 8 }).map((list) => list.join(''));
const sentence = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 12 }), fc.constantFrom('.', '!', '?', '。', '…', ''))
  .map(([list, end]) => list.join(' ') + end);
const link = fc.tuple(word, fc.nat()).map(([label, id]) => `[${label}](https://example.org/${id}?a=1&b=2)`);
const code = fc.tuple(word, fc.nat()).map(([text, id]) => `\`${text} + ${id}\``);
const piece = fc.oneof(
  { weight: 6, arbitrary: sentence },
  { weight: 1, arbitrary: link },
  { weight: 1, arbitrary: code },
  { weight: 1, arbitrary: sentence.map((text) => `**${text}**`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('\\*', '&amp;', 'a < b && c > d', '<br>', '||hidden||', '~~old~~', 'https://example.org/x_y', 'snake_case'),
  },
);
const paragraph = fc.array(piece, { minLength: 1, maxLength: 8 }).map((list) => list.join(' '));
const info = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('', 'js', 'python', 'c++', 'ts title="a b"') },
  { weight: 1, arbitrary: fc.constant('i'.repeat(10_240)) },
  { weight: 1, arbitrary: fc.constant(`js ${'meta '.repeat(2048)}`.trimEnd()) },
);
const codeLine = fc.oneof(
  fc.constantFrom('', '    indented', 'if (a < b) { return "&"; }', '# no heading', '- no list', '`` ` ``', '| no | table |'),
  word,
  fc.constant('y'.repeat(300)),
);
const fenced = fc
  .tuple(info, fc.array(codeLine, { minLength: 1, maxLength: 30 }), fc.constantFrom('```', '~~~', '`````'))
  .map(([name, lines, marks]) => `${marks}${name}\n${lines.join('\n')}\n${marks}`);
const block = fc.oneof(
  { weight: 5, arbitrary: paragraph },
  { weight: 3, arbitrary: fenced },
  { weight: 1, arbitrary: word.map((text) => `## ${text}`) },
  { weight: 2, arbitrary: fc.array(sentence, { minLength: 1, maxLength: 6 }).map((list) => list.map((text) => `- ${text}`).join('\n')) },
  { weight: 1, arbitrary: fc.tuple(sentence, sentence).map(([one, two]) => `1. ${one}\n   - ${two}\n2. ${two}`) },
  { weight: 1, arbitrary: fc.tuple(word, word).map(([one, two]) => `| a | b |\n|---|--:|\n| ${one} | ${two} |\n| ${two} | x |`) },
  { weight: 1, arbitrary: fc.constantFrom('---', '<p>html</p>', '> quote\n> > deeper') },
);
const document = fc.array(block, { minLength: 1, maxLength: 12 }).map((list) => list.join('\n\n'));
/** Nothing but trouble. */
const noise = fc
  .array(
    fc.constantFrom(
      '`',
      '```',
      '~~~',
      '*',
      '_',
      '[',
      '](',
      ')',
      '<',
      '>',
      '&',
      '#',
      '-',
      '|',
      '\n',
      ' ',
      '    ',
      '1. ',
      '漢',
      '👍🏽',
      'word',
      '\\',
      '||',
      'http://a.b',
    ),
    {
      maxLength: 400,
    },
  )
  .map((list) => list.join(''));

describe('splitting a long answer', () => {
  it('leaves a short text as it is', () => {
    expect(splitForTelegram('Hello')).toEqual(['Hello']);
    expect(splitForTelegram('**Hello** [you](https://example.org)')).toEqual(['**Hello** [you](https://example.org)']);
  });

  it('makes no part of a blank text', () => {
    expect(splitForTelegram(' \n\n ')).toEqual([]);
  });

  it('keeps every part within the limit as the platform counts it', () => {
    fc.assert(
      fc.property(fc.oneof(document, noise), fc.constantFrom(120, 400, 2000), fc.constantFrom(raw, rendered), (text, limit, count) => {
        const rules = count(limit);
        for (const part of splitMarkdown(text, rules)) expect(rules.measure(part)).toBeLessThanOrEqual(limit);
      }),
      { numRuns: RUNS },
    );
  });

  it('balances the fences of every part', () => {
    fc.assert(
      fc.property(document, fc.constantFrom(150, 600), fc.constantFrom(raw, rendered), (text, limit, count) => {
        for (const part of splitMarkdown(text, count(limit))) expect(fences(part).open).toBe(false);
      }),
      { numRuns: RUNS },
    );
  });

  it('loses nothing but fence markers and white space', () => {
    fc.assert(
      fc.property(document, fc.constantFrom(150, 600), fc.constantFrom(raw, rendered), (text, limit, count) => {
        expect(words(splitMarkdown(text, count(limit)).join('\n'))).toBe(words(text));
      }),
      { numRuns: RUNS },
    );
  });

  it('never cuts inside a character as people see it', () => {
    const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
    fc.assert(
      fc.property(fc.array(word, { minLength: 30, maxLength: 80 }), fc.constantFrom('', ' '), (list, glue) => {
        const text = list.join(glue);
        const whole = [...graphemes.segment(text)].filter(({ segment }) => segment.trim() !== '').length;
        const parts = splitMarkdown(text, raw(100));
        const after = parts.flatMap((part) => [...graphemes.segment(part)]).filter(({ segment }) => segment.trim() !== '').length;
        expect(after).toBe(whole);
      }),
      { numRuns: RUNS },
    );
  });

  it('never cuts inside a link or inline code that fits a part', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(link, code, sentence), { minLength: 5, maxLength: 40 }), (pieces) => {
        const parts = splitMarkdown(pieces.join(' '), raw(160));
        const whole = pieces.filter((text) => /^[[`]/.test(text));
        for (const text of whole) expect(parts.some((part) => part.includes(text))).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  it('makes parts that Telegram accepts', () => {
    fc.assert(
      fc.property(fc.oneof(document, noise), fc.constantFrom(150, 4096), (text, limit) => {
        for (const part of splitMarkdown(text, rendered(limit))) {
          const html = toTelegramHtml(part);
          const { text: seen } = parseTelegramHtml(html);
          expect(seen).toBe(visibleText(html));
          expect(seen.trim()).not.toBe('');
          expect(seen.length).toBeLessThanOrEqual(limit);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('prefers a paragraph, then a line, then a sentence, then a word', () => {
    const cut = (text: string) => splitMarkdown(text, raw(120))[0];
    const tail = ' word'.repeat(20);
    expect(cut(`${'a'.repeat(70)}.\n\nfoo\nbar. baz${tail}`)).toBe(`${'a'.repeat(70)}.`);
    expect(cut(`${'a'.repeat(70)}. b\nfoo bar. baz${tail}`)).toBe(`${'a'.repeat(70)}. b`);
    expect(cut(`${'a'.repeat(70)}. b foo bar${tail}`)).toBe(`${'a'.repeat(70)}.`);
    expect(cut(`${'a'.repeat(70)} foo${'b'.repeat(90)}`)).toBe('a'.repeat(70));
  });

  it('closes code at a cut and opens it again with its language', () => {
    const lines = Array.from({ length: 80 }, (_unused, index) => `line ${index}`);
    const parts = splitMarkdown(`Look:\n\n\`\`\`python\n${lines.join('\n')}\n\`\`\`\n\nDone.`, raw(200));
    expect(parts.length).toBeGreaterThan(2);
    expect(parts[0]).toMatch(/^Look:\n\n```python\nline 0\n[^`]*\n```$/);
    expect(parts[1]).toMatch(/^```python\nline \d+\n[^`]*\n```$/);
    expect(parts.at(-1)).toMatch(/```\n\nDone\.$/);
  });

  it('takes code that is cut out of its list or quote', () => {
    const lines = Array.from({ length: 30 }, (_unused, index) => `  row(${index})`);
    for (const [lead, prefix] of [
      ['- item', '  '],
      ['> said', '> '],
    ] as const) {
      const text = [lead, `${prefix}\`\`\`js`, ...lines.map((line) => prefix + line), `${prefix}\`\`\``, '', 'After.'].join('\n');
      const parts = splitMarkdown(text, raw(200));
      expect(parts[0]?.endsWith(`\n${prefix}\`\`\``)).toBe(true);
      expect(parts[1]).toMatch(/^```js\n {2}row\(\d+\)\n/);
      expect(parts.at(-1)).toMatch(/After\.$/);
      const seen = parts.join('\n').match(/row\(\d+\)/g);
      expect(seen).toEqual(lines.map((line) => line.trim()));
    }
  });

  it('closes the code of an answer that was cut off', () => {
    expect(splitForTelegram('```js\nfoo()')).toEqual(['```js\nfoo()\n```']);
  });

  it('does not repeat an info string that would fill the message', () => {
    const parts = splitMarkdown(`\`\`\`${'i'.repeat(10_240)}\n${'code line\n'.repeat(60)}\`\`\``, raw(200));
    for (const part of parts) expect(part).toMatch(/^```\n(?:code line\n)+```$/);
  });

  it('keeps a list that is cut in its middle a list', () => {
    const items = Array.from({ length: 12 }, (_unused, index) => `    - item number ${index}`);
    const parts = splitMarkdown(`- top\n${items.join('\n')}`, raw(120));
    expect(parts[1]).toMatch(/^- item number \d+\n- item number/);
  });

  it('does not turn words into markup by moving them to the start of a part', () => {
    const text = `${'word '.repeat(23)}minus - 3 # 4 > 5 and so on and on`;
    const parts = splitMarkdown(text, raw(125));
    expect(parts.length).toBe(2);
    expect(parts[1]).not.toMatch(/^[-#>]/);
  });

  it.each([
    ['dashes', '- '.repeat(8000)],
    ['quotes', '> '.repeat(8000)],
    ['brackets', '['.repeat(8000)],
    ['marks on one letter', `a${'\u0301'.repeat(9000)}`],
    ['bars', '|'.repeat(9000)],
    ['emphasis that never ends', '*a **b '.repeat(1000)],
    ['a fence longer than a message', '`'.repeat(9000)],
    ['a fence of tildes longer than a message, with code', `${'~'.repeat(9000)}\n${'code\n'.repeat(2000)}`],
    ['backticks in a line', `a${'`'.repeat(20_000)}`],
  ])('ends after a few looks at each part of %s', (_title, text) => {
    const rules = rendered(4096);
    let looks = 30 * (text.length / 500 + 1);
    const measure = (part: string): number => {
      looks -= 1;
      if (looks < 0) throw new Error('it goes round in circles');
      return rules.measure(part);
    };
    expect(splitMarkdown(text, { ...rules, measure }).length).toBeGreaterThan(0);
  });

  it('looks once at a short text without markup, and parses nothing', () => {
    const text = 'Hello there, how are you? Numbers 1 and 2, and a second sentence to make it longer.';
    const seen: string[] = [];
    splitMarkdown(text, { limit: 4096, measure: (part) => seen.push(part) && part.length });
    expect(seen).toEqual([text]);
    expect(isPlainText(text)).toBe(true);
  });
});
