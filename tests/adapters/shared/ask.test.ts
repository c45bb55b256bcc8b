import { describe, expect, it } from 'vitest';
import type { OutboundAsk } from '../../../adapters/adapter.ts';
import { askMarkdown, buttonLabel } from '../../../adapters/shared/ask.ts';
import { toTelegramHtml, visibleText } from '../../../adapters/telegram/html.ts';

const card = (labels: readonly string[], more: Partial<OutboundAsk> = {}): OutboundAsk => ({
  type: 'ask',
  chat: { platform: 'any', account: 'main', chat: '1' },
  token: 'abcdefgh12345678',
  number: 3,
  markdown: 'Which **file**?',
  choices: labels.map((label, index) => ({ id: `choice${index}`, label })),
  hint: 'Reply with a number.',
  ...more,
});
const labelsOf = (ask: OutboundAsk): string[] => ask.choices.map((_choice, index) => buttonLabel(ask, index));

describe('a card in words', () => {
  it('numbers its choices where nothing else shows them', () => {
    expect(askMarkdown(card(['All', 'None']), false)).toBe('**#3** Which **file**?\n\n1. All\n2. None\n\nReply with a number.');
    expect(askMarkdown(card(['All', 'None']), true)).toBe('**#3** Which **file**?\n\nReply with a number.');
  });

  it('lists choices that do not fit buttons, which then carry the numbers of the list', () => {
    const long = card(['All', 'None of them, and do not ask me again']);
    expect(askMarkdown(long, true)).toContain('1. All\n2. None of them');
    expect(labelsOf(long)).toEqual(['1', '2']);
    expect(labelsOf(card(['All', 'None']))).toEqual(['All', 'None']);
  });

  it('is as short as it can be without choices', () => {
    expect(askMarkdown(card([]), false)).toBe('**#3** Which **file**?\n\nReply with a number.');
    expect(askMarkdown(card([], { hint: '' }), true)).toBe('**#3** Which **file**?');
  });

  it('says who decided instead of how to answer', () => {
    expect(askMarkdown(card(['All'], { closed: 'Ann chose All.' }), false)).toBe('**#3** Which **file**?\n\nAnn chose All.');
  });

  it.each([
    '__init__.py',
    '*.log and *.tmp',
    '- 1. # x',
    '2. of 3',
    '`a` <b> &amp; [c](https://example.org)',
    'C:\\new | ~old~',
    'two\nlines',
  ])('shows the choice %j in the list as it is', (label) => {
    const shown = visibleText(toTelegramHtml(askMarkdown(card([label]), false)));
    expect(shown.split('\n')).toContain(`1. ${label.replace('\n', ' ')}`);
  });
});
