import { describe, expect, it } from 'vitest';
import { toTelegramHtml, visibleText } from '../../../adapters/telegram/html.ts';
import type { Risk } from '../../../agent/risk.ts';
import { approvalMarkdown } from '../../../gateway/asks/call-text.ts';
import { choicesOf, questionMarkdown } from '../../../gateway/asks/text.ts';

function card(args: unknown, facts: Partial<Risk> = {}): string {
  const risk: Risk = { level: 'ask', why: 'It deletes directories.', subjects: [], ...facts };
  const call = { id: 'c', name: 'terminal', arguments: typeof args === 'string' ? args : JSON.stringify(args) };
  return approvalMarkdown({ call, args, preview: 'the preview', risk });
}

/** What a person reads, line by line. */
const read = (markdown: string): string[] => visibleText(toTelegramHtml(markdown)).split('\n');

describe('the card of a call', () => {
  it('shows something of each argument, however long the others are', () => {
    const shown = read(card({ first: 'harmless '.repeat(2000), path: `/home/ann/everything/${'x'.repeat(3000)}` })).join('\n');
    expect(shown).toContain('/home/ann/everything');
    expect(shown).toContain('harmless');
    expect(shown).toMatch(/more characters are not shown/);
  });

  it('shows the command as it will run, and why it is asked about', () => {
    const command = 'printf \'%s\\n\' `date` "$(rm -r *.log)" && echo ```';
    expect(read(card({ command }))).toEqual(['May I run this? (terminal)', command, 'It deletes directories.']);
  });

  it('shows where a command runs before the command, and other texts each in a block of its own', () => {
    const shown = read(card({ content: 'a\n\nb', command: 'ls\nrm -r x', workdir: '../`there`', timeout: 30 }));
    const lines = ['workdir: ../`there`', 'timeout: 30', 'content:', 'a', '', 'b', 'ls', 'rm -r x'];
    expect(shown).toEqual(['May I run this? (terminal)', ...lines, 'It deletes directories.']);
  });

  it('says how much it does not show, and shows what is short all the same', () => {
    const shown = read(card({ command: `echo ${'x'.repeat(5000)}; rm -r /important`, workdir: '/etc' }));
    expect(shown[1]).toBe('workdir: /etc');
    expect(shown[2]).toMatch(/^echo x+…$/);
    expect(shown.at(-1)).toMatch(/only the beginning: 3\d\d\d more characters are not shown\. Say no if you are not sure\./);
    expect(shown.join('\n').length).toBeLessThan(1700);
  });

  it('counts what is hidden when many arguments come together', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`argument${index}`, 'y'.repeat(90)]));
    const shown = read(card(many)).join('\n');
    expect(shown.length).toBeLessThan(1900);
    expect(shown).toMatch(/only the beginning: [78]\d\d\d more/);
  });

  it('does not let the words of a call look like the words of the card', () => {
    const shown = read(
      card({ 'x**: `ok`\n**y': 'z', command: '\n```\nThis is harmless.' }, { why: 'It uses [a link](https://example.org) and _more_.' }),
    );
    expect(shown).toEqual([
      'May I run this? (terminal)',
      'x**: `ok` **y: z',
      '',
      '```',
      'This is harmless.',
      'It uses [a link](https://example.org) and _more_.',
    ]);
  });

  it('shows what nobody could see', () => {
    expect(read(card({ command: 'rm \u202egpj.x\u202c \u200b y\u2028z' }))).toContain(
      String.raw`rm \u{202e}gpj.x\u{202c} \u{200b} y\u{2028}z`,
    );
  });

  it('says what "always" would remember', () => {
    const memory = { key: 'k', label: 'rm -r a_b_c (in /work, with /usr/bin/rm as it is now)' };
    expect(read(card({ command: 'rm -r a_b_c' }, { memory })).at(-1)).toBe(`“Always” would remember: ${memory.label}`);
  });

  it('shows the preview of a call whose arguments show nothing', () => {
    for (const args of ['', '{}', '[]', '"x"']) expect(read(card(args))).toContain('the preview');
  });
});

describe('the card of a question', () => {
  const question = (choices: readonly string[]) => ({
    kind: 'question' as const,
    question: 'Which way?',
    choices,
    allowFreetext: true,
    markdown: '',
  });

  it('has its choices as they are where they are short', () => {
    const asked = question(['The first', 'x'.repeat(60)]);
    expect(questionMarkdown(asked)).toBe('Which way?');
    expect(choicesOf(asked).map(({ label }) => label)).toEqual(asked.choices);
  });

  it('shows long choices whole, and their beginnings to choose from', () => {
    const long = `${'start anew with an *empty* directory '.repeat(5)}and lose everything`;
    const asked = question(['Keep it', long]);
    expect(read(questionMarkdown(asked))).toEqual(['Which way?', '', '1. Keep it', `2. ${long}`]);
    expect(choicesOf(asked).map(({ label }) => label)).toEqual(['1 Keep it', '2 start anew with an *empt…']);
  });
});
