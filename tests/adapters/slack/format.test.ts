import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toMrkdwn, visibleText } from '../../../adapters/slack/format.ts';
import { splitForSlack, TEXT_LIMIT_BYTES } from '../../../adapters/slack/platform.ts';
import { parseMrkdwn } from '../../fakes/slack-mrkdwn.ts';

const sample = readFileSync(path.join(import.meta.dirname, '../sample.md'), 'utf8');
const marked = (markdown: string) => parseMrkdwn(toMrkdwn(markdown)).marked;
const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 300);

describe('markdown as mrkdwn', () => {
  it.each([
    ['plain words & <tags>', 'plain words &amp; &lt;tags&gt;'],
    ['**bold** *italic* ~~gone~~ `a < b`', '*bold* _italic_ ~gone~ `a &lt; b`'],
    ['~5 to ~10', '~5 to ~10'],
    ['# Head **line**\ntext', '*Head* *line*\ntext'],
    ['**see `x` here**', '*see* `x` *here*'],
    ['***both***', '_*both*_'],
    ['[site](https://example.org/?a=1&b="2|3>")', '<https://example.org/?a=1&amp;b="2%7C3%3E"|site>'],
    ['[**b** `c` | d](https://a.org)', '<https://a.org|*b* c ¦ d>'],
    ['**[b](https://a.org)**', '*<https://a.org|b>*'],
    ['https://example.org/a_b', '<https://example.org/a_b>'],
    ['<me@example.org>', '<mailto:me@example.org>'],
    ['![chart](https://example.org/c.png)', '<https://example.org/c.png|chart>'],
    ['[x](javascript:alert(1))', 'x (javascript:alert(1))'],
    ['[x][1]\n\n[1]: https://example.org', '<https://example.org|x>'],
    ['one<br>two', 'one\ntwo'],
    ['a  \nb', 'a\nb'],
    ['**a\nb**', '*a*\n*b*'],
    ['---', '———'],
    ['```js\nif (a < b) {}\n```', '```\nif (a &lt; b) {}\n```'],
    ['> one\n> > two', '> one\n> &gt; two'],
    ['- a\n  - b\n- [x] c\n- [ ] d', '• a\n    ◦ b\n☑ c\n☐ d'],
    ['3. a\n4. b\n   more', '3. a\n4. b\n    more'],
    ['[a]: https://example.org', '[a]: https://example.org'],
    ['&copy; \\*x\\*', '© *x*'],
    ['`` a`b ``', '`aˋb`'],
  ])('renders %j', (markdown, mrkdwn) => {
    expect(toMrkdwn(markdown)).toBe(mrkdwn);
    expect(() => parseMrkdwn(mrkdwn)).not.toThrow();
  });

  it.each([
    '<!channel>',
    '<@U012ABCDEF>',
    '<!subteam^S1|@ops>',
    '`<!here>`',
    '```\n<!everyone>\n```',
    '[x](<!channel>)',
    '[<!here>](https://a.org)',
    '![<@U1>](b)',
  ])('lets %j ring with nobody', (markdown) => {
    expect(parseMrkdwn(toMrkdwn(markdown)).mentions).toEqual([]);
  });

  it('marks words that touch others, which Slack does not see by itself', () => {
    expect(marked('这是**重点**内容')).toEqual([['bold', '重点']]);
    expect(marked('un**believ**able and *x*y')).toEqual([
      ['bold', 'believ'],
      ['italic', 'x'],
    ]);
    expect(toMrkdwn('plain **bold**, and')).not.toContain('\u200b');
  });

  it('keeps fences in code from ending it', () => {
    const [pre] = marked('````\na\n```\nb\n````');
    expect(pre).toEqual(['pre', 'a\n`\u200b``\nb']);
  });

  it('aligns a table by the width of its characters', () => {
    const { text, marked: found } = parseMrkdwn(toMrkdwn('| name | n |\n|---|--:|\n| 漢字 | 1 |\n| **a`b`** | 100 |'));
    expect(text.trim().split('\n')).toEqual(['name │   n', '─────┼────', '漢字 │   1', 'ab   │ 100']);
    expect(found.map(([kind]) => kind)).toEqual(['pre']);
  });

  it('shows the sample as a person would like to read it', async () => {
    const mrkdwn = toMrkdwn(sample);
    expect(parseMrkdwn(mrkdwn).mentions).toEqual([]);
    await expect(mrkdwn).toMatchFileSnapshot('snapshots/sample.mrkdwn');
    await expect(parseMrkdwn(mrkdwn).text).toMatchFileSnapshot('snapshots/sample.txt');
  });

  const trouble = fc.constantFrom(
    ...['*', '_', '`', '```', '[', '](', ')', '<!channel>', '<@U1>', '<', '>', '&', '&lt;', '"', '#', '- ', '\n', '\n\n', '|', '~~', '~'],
    ...[
      '> ',
      '1. ',
      '    ',
      'word',
      '漢',
      '👩‍👧',
      'https://a.b/c?d=e&f|g',
      '[^1]',
      '\\',
      '| a | b |\n|---|---|\n',
      '<b>',
      '---\n',
      '\u2028',
      '\u0000',
    ],
  );

  it('is accepted by a strict reading and rings with nobody, whatever comes in', () => {
    fc.assert(
      fc.property(fc.array(trouble, { maxLength: 60 }), (list) => {
        const parsed = parseMrkdwn(toMrkdwn(list.join('')));
        expect(parsed.mentions).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  it('never renders words to nothing', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        if (text.trim() !== '') expect(visibleText(toMrkdwn(text)).trim()).not.toBe('');
      }),
      { numRuns: RUNS },
    );
  });

  it('is cut so that each part may be posted and edited, escapes and bytes counted', () => {
    const long = fc.array(fc.oneof(trouble, fc.constantFrom('&'.repeat(900), '漢'.repeat(700), `\`\`\`${'i'.repeat(10_000)}\n`)), {
      maxLength: 25,
    });
    fc.assert(
      fc.property(long, (list) => {
        for (const part of splitForSlack(list.join('').toWellFormed())) {
          const mrkdwn = toMrkdwn(part);
          expect(Buffer.byteLength(mrkdwn)).toBeLessThanOrEqual(TEXT_LIMIT_BYTES);
          parseMrkdwn(mrkdwn);
        }
      }),
      { numRuns: Math.ceil(RUNS / 20) },
    );
  });
});
