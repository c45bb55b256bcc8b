import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toTelegramHtml, visibleText } from '../../../adapters/telegram/html.ts';
import { parseTelegramHtml } from '../../fakes/telegram-html.ts';

const types = (markdown: string) => parseTelegramHtml(toTelegramHtml(markdown)).entities.map(({ type }) => type);

describe('markdown as Telegram HTML', () => {
  it.each([
    ['plain words & <tags>', 'plain words &amp; &lt;tags&gt;'],
    ['**bold** *italic* ~~gone~~ `a < b`', '<b>bold</b> <i>italic</i> <s>gone</s> <code>a &lt; b</code>'],
    ['~5 to ~10', '~5 to ~10'],
    ['# Head **line**\ntext', '<b>Head </b><b>line</b>\ntext'],
    ['**see `x` here**', '<b>see </b><code>x</code><b> here</b>'],
    ['[site](https://example.org/?a=1&b="2")', '<a href="https://example.org/?a=1&amp;b=&quot;2&quot;">site</a>'],
    ['[**b** `c`](tg://user?id=1)', '<a href="tg://user?id=1"><b>b</b> c</a>'],
    ['https://example.org/a_b', 'https://example.org/a_b'],
    ['<me@example.org>', 'me@example.org'],
    ['![chart](https://example.org/c.png)', '<a href="https://example.org/c.png">chart</a>'],
    ['[x](javascript:alert(1))', 'x (javascript:alert(1))'],
    ['[x][1]\n\n[1]: https://example.org', '<a href="https://example.org">x</a>'],
    ['it is ||a secret||', 'it is <tg-spoiler>a secret</tg-spoiler>'],
    ['a || b || c', 'a || b || c'],
    ['one<br>two', 'one\ntwo'],
    ['a  \nb', 'a\nb'],
    ['---', '———'],
    ['```js\nif (a < b) {}\n```', '<pre><code class="language-js">if (a &lt; b) {}</code></pre>'],
    ['```"><script>\nx\n```', '<pre>x</pre>'],
    ['> one\n> > two', '<blockquote>one\n&gt; two</blockquote>'],
    ['- a\n  - b\n- [x] c\n- [ ] d', '• a\n  ◦ b\n☑ c\n☐ d'],
    ['3. a\n4. b\n   more', '3. a\n4. b\n  more'],
    ['- a\n\n  second\n\n- b', '• a\n\n  second\n\n• b'],
    ['[a]: https://example.org', '[a]: https://example.org'],
    ['&copy; \\*x\\*', '© *x*'],
  ])('renders %j', (markdown, html) => {
    expect(toTelegramHtml(markdown)).toBe(html);
  });

  it('aligns a table by the width of its characters', () => {
    const html = toTelegramHtml('| name | n |\n|---|--:|\n| 漢字 | 1 |\n| **ab** | 100 |');
    expect(parseTelegramHtml(html).text.split('\n')).toEqual(['name │   n', '─────┼────', '漢字 │   1', 'ab   │ 100']);
    expect(types('| a |\n|---|\n| 1 |')).toEqual(['pre']);
  });

  it('does not pad a table for one long cell', () => {
    const { text } = parseTelegramHtml(toTelegramHtml(`| a | b |\n|---|---|\n| ${'x'.repeat(500)} | 1 |\n${'| y | z |\n'.repeat(20)}`));
    expect(text.length).toBeLessThan(2000);
  });

  it('keeps code out of other tags and quotes out of quotes, as Telegram demands', () => {
    const markdown = '***`x`*** > no\n\n> a **b** `c`\n>\n> > d\n>\n> ```js\n> e\n> ```';
    expect(types(markdown)).toEqual(['code', 'bold', 'code', 'code', 'pre', 'blockquote']);
  });

  it('is accepted and shows the same text for any input', () => {
    const trouble = fc.constantFrom(
      '*',
      '_',
      '`',
      '```',
      '[',
      '](',
      ')',
      '<b>',
      '</b>',
      '<',
      '>',
      '&',
      '&lt;',
      '"',
      '#',
      '- ',
      '\n',
      '\n\n',
      '|',
      '||',
      '~~',
      '> ',
      '1. ',
      '    ',
      'word',
      '漢',
      'https://a.b/c?d=e&f',
      '[^1]',
      '\\',
    );
    fc.assert(
      fc.property(fc.array(trouble, { maxLength: 60 }), (list) => {
        const html = toTelegramHtml(list.join(''));
        expect(parseTelegramHtml(html).text).toBe(visibleText(html));
      }),
      { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 300) },
    );
  });

  it('never renders words to nothing', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        if (text.trim() !== '') expect(visibleText(toTelegramHtml(text)).trim()).not.toBe('');
      }),
    );
  });
});
