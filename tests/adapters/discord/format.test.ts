import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toDiscord } from '../../../adapters/discord/format.ts';
import { discordPlatform, TEXT_LIMIT } from '../../../adapters/discord/platform.ts';
import { type MarkdownNode, parseMarkdown } from '../../../adapters/shared/markdown.ts';
import { renderDiscord } from '../../fakes/discord-markdown.ts';

const shown = (markdown: string): string => renderDiscord(toDiscord(markdown)).text;
const kinds = (markdown: string): readonly string[] => renderDiscord(toDiscord(markdown)).kinds;

describe("markdown as Discord's markdown", () => {
  it.each([
    ['plain words & <tags>', 'plain words & <tags>'],
    ['**bold** *italic* ~~gone~~ `a < b`', '**bold** _italic_ ~~gone~~ `a < b`'],
    ['un*believ*able', 'un*believ*able'],
    ['**a***b*', '**a**\u200b_b_'],
    ['*a snake_case b*', '_a snake\\_case b_'],
    ['snake_case and __init__.py', 'snake_case and **init**.py'],
    ['snake_case is *in*, not *über*', 'snake_case is _in_, not *über*'],
    ['~5 to ~10', '~5 to ~10'],
    ['2 * 3 * 4', '2 * 3 * 4'],
    ['\\*not bold\\*', '\\*not bold\\*'],
    ['a || b || c', 'a \\|\\| b \\|\\| c'],
    ['it is ||a secret||', 'it is ||a secret||'],
    ['# Head **line**\ntext', '# Head **line**\ntext'],
    ['#### Deep', '**Deep**'],
    ['# In C#', '# In C\\#'],
    ['\\# no heading\n1\\. no list\n\\- none either', '\\# no heading\n1\\. no list\n\\- none either'],
    ['[site](https://example.org/a_(b))', '[site](https://example.org/a%5F%28b%29)'],
    ['[x](javascript:alert(1))', 'x (javascript:alert(1))'],
    ['[https://bank.example](https://evil.example)', 'https://bank.example (https://evil.example)'],
    ['https://example.org/a_b and <https://example.org>.', 'https://example.org/a_b and <https://example.org>.'],
    ['see https://example.org/a```b', 'see https://example.org/a%60%60%60b'],
    ['<me@example.org>', 'me@example.org'],
    ['![chart](https://example.org/c.png)', '[chart](https://example.org/c.png)'],
    ['one<br>two', 'one\ntwo'],
    ['---', '———'],
    ['```js\nif (a < b) {}\n```', '```js\nif (a < b) {}\n```'],
    ['````\na ``` b\n````', '```\na `\u200b`` b\n```'],
    ['``a ` b``', '``a ` b``'],
    ['`a``b`', '``a`\u200b`b``'],
    ['`run ```js x`', '``run `\u200b`\u200b`js x``'],
    ['> one\n> > two', '> one\n> \\> two'],
    ['- a\n  - b\n- [x] c\n- [ ] d', '- a\n  - b\n- ☑ c\n- ☐ d'],
    ['3. a\n4. b\n   more', '3. a\n4. b\n  more'],
    ['1. a\n\n   ```\n   x\n\n   y\n   ```\n2. b', '1. a\n```\nx\n\ny\n```\n2. b'],
    ['[a]: https://example.org', '[a]: https://example.org'],
    ['say <@123> and <#45>', 'say \\<@123> and \\<#45>'],
  ])('renders %j', (markdown, discord) => {
    expect(toDiscord(markdown)).toBe(discord);
  });

  it('aligns a table in a fixed-width font, by the width of its characters', () => {
    const table = '| name | n |\n|---|--:|\n| 漢字 | 1 |\n| **ab** | 100 |';
    expect(kinds(table)).toEqual(['code']);
    expect(shown(table).split('\n')).toEqual(['name │   n', '─────┼────', '漢字 │   1', 'ab   │ 100']);
  });

  it('keeps every kind of formatting that Discord has', () => {
    const all = '# a\n\n**b** *c* ~~d~~ `e` [f](https://g.example)\n\n> h\n\n- i\n\n```\nj\n```';
    expect(kinds(all)).toEqual(['heading1', 'bold', 'italic', 'gone', 'code', 'link', 'quote', 'item', 'code']);
  });

  it('shows the common sample as it was committed', async () => {
    const sample = readFileSync(new URL('../sample.md', import.meta.url), 'utf8');
    const parts = discordPlatform.split(sample).map(toDiscord);
    const text = parts
      .map((part) => `${part}\n\n----- as people read it -----\n\n${renderDiscord(part).text}`)
      .join('\n\n===== next message =====\n\n');
    await expect(`${text}\n`).toMatchFileSnapshot('snapshots/sample.txt');
  });

  const trouble = fc.constantFrom(
    ...[
      '*',
      '**',
      '_',
      '__',
      '`',
      '``',
      '```',
      '```js',
      '[',
      '](',
      ')',
      '](https://a.example/b_c)',
      '<b>',
      '<',
      '>',
      '&',
      '\\',
      '||',
      '~~',
    ],
    ...[
      '# ',
      '- ',
      '-# ',
      '1. ',
      '> ',
      '>>> ',
      '\n',
      '\n\n',
      '    ',
      ' ',
      'W',
      'WW',
      '漢',
      'https://a.example/?d=e&f_g',
      '|',
      '| W |\n|---|',
      '[^1]',
      '<@1>',
    ],
  );

  /** What a person is to read of it: each word once, and each mark that is no formatting. */
  function wordsIn(markdown: string): string {
    const leaves = (nodes: readonly MarkdownNode[]): string =>
      nodes
        .map((node) => {
          if (node.type === 'html' && /^<br\s*\/?>$/.test(node.value)) return '';
          if ('value' in node) return node.value;
          if (node.type === 'image' || node.type === 'imageReference') return node.alt ?? '';
          return 'children' in node ? leaves(node.children) : '';
        })
        .join('');
    return leaves(parseMarkdown(markdown).children).replace(/[^W漢]/g, '');
  }

  it('loses and doubles no word, whatever it is made of', () => {
    fc.assert(
      fc.property(fc.array(trouble, { maxLength: 40 }), (list) => {
        const markdown = list.join('');
        const words = wordsIn(markdown);
        if (words !== '') expect(shown(markdown).replace(/[^W漢]/g, '')).toBe(words);
      }),
      { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 400) },
    );
  });

  it('leaves words that only look like marks as they are', () => {
    const marks = fc.constantFrom('*', '_', '~', '`', '|', '\\', '#', '>', '-', '[', ']', '(', ')', ' ', 'a', '1', '.', '\n', '<', ':');
    fc.assert(
      fc.property(fc.array(marks, { maxLength: 30 }), (list) => {
        // Every mark escaped: the text is meant literally.
        const literal = list.join('').replace(/\s+/g, ' ').trim();
        const markdown = literal.replace(/[!-/:-@[-`{-~]/g, '\\$&');
        if (literal === '' || /\|\|\S/.test(literal)) return;
        expect(shown(markdown).trim()).toBe(literal);
      }),
      { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 400) },
    );
  });

  it('never renders words to nothing', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        if (text.trim() !== '') expect(toDiscord(text).trim()).not.toBe('');
      }),
    );
  });
});

describe('splitting for Discord', () => {
  it('makes parts that fit as they will be sent, marks included', () => {
    const text = `**${'bold word '.repeat(50)}**\n\n`.repeat(20);
    const parts = discordPlatform.split(text);
    expect(parts.length).toBeGreaterThan(4);
    for (const part of parts) expect(toDiscord(part).length).toBeLessThanOrEqual(TEXT_LIMIT);
  });

  it('closes code at the end of a part and opens it again with its language', () => {
    const parts = discordPlatform.split(`\`\`\`ts\n${'const value = 1;\n'.repeat(300)}\`\`\``).map(toDiscord);
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) {
      expect(part).toMatch(/^```ts\n/);
      expect(renderDiscord(part).kinds).toEqual(['code']);
    }
  });

  it('makes parts that Discord takes of any text', () => {
    const pieces = fc.constantFrom(
      '**',
      '```',
      '`',
      '> ',
      '- ',
      '\n',
      '\n\n',
      '| a | b |\n|---|---|\n| c | d |\n',
      '😀'.repeat(40),
      'word '.repeat(30),
      '_',
      '&',
      '<',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), (list) => {
        for (const part of discordPlatform.split(list.join(''))) expect(toDiscord(part).length).toBeLessThanOrEqual(TEXT_LIMIT);
      }),
      { numRuns: 60 },
    );
  });
});
