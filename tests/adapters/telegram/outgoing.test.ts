import { describe, expect, it } from 'vitest';
import type { OutboundAsk, OutboundFile, OutboundProgress } from '../../../adapters/adapter.ts';
import { contentOf, fileMethod, targetOf } from '../../../adapters/telegram/outgoing.ts';
import { parseTelegramHtml } from '../../fakes/telegram-html.ts';

const chat = { platform: 'telegram', account: 'main', chat: '-100123', thread: '77' };
const progress = (steps: OutboundProgress['steps'], more: Partial<OutboundProgress> = {}): OutboundProgress => ({
  type: 'progress',
  chat,
  steps,
  elapsedMs: 12_400,
  done: false,
  ...more,
});
const shown = (message: OutboundProgress): string => parseTelegramHtml(contentOf(message, false).text).text;

describe('messages to Telegram', () => {
  it('stay in the chat and topic that they were captured with', () => {
    expect(targetOf(chat, '9')).toEqual({
      chat_id: -100_123,
      message_thread_id: 77,
      reply_parameters: { message_id: 9, allow_sending_without_reply: true },
    });
    expect(targetOf({ platform: 'telegram', account: 'main', chat: '5' })).toEqual({ chat_id: 5 });
  });

  it('are HTML, or plain where Telegram refused it', () => {
    const text = { type: 'text', chat, markdown: '**a** < b' } as const;
    expect(contentOf(text, false)).toEqual({ text: '<b>a</b> &lt; b', parse_mode: 'HTML' });
    expect(contentOf({ ...text, plain: true }, false)).toEqual({ text: '**a** < b' });
    expect(contentOf(text, true)).toMatchObject({ link_preview_options: { is_disabled: true } });
  });

  it('fit as plain text although their source does not', () => {
    const markdown = `[x](https://example.org/${'y'.repeat(5000)}) and more`;
    expect(contentOf({ type: 'text', chat, markdown, plain: true }, false).text).toBe('x and more');
  });

  it('show progress as one bubble, identical steps as one line, the latest last', () => {
    const message = progress([
      { tool: 'terminal', preview: 'ls <dir>', state: 'ok' },
      { tool: 'read_file', preview: 'a', state: 'failed' },
      { tool: 'read_file', preview: 'a', state: 'failed' },
      { tool: 'terminal', preview: '', state: 'running' },
    ]);
    expect(shown(message)).toBe('Working · 12 s\n✓ terminal: ls <dir>\n✗ read_file: a (×2)\n⏳ terminal');
    expect(shown(progress([], { done: true, elapsedMs: 200_000 }))).toBe('Worked · 3 min 20 s');
  });

  it('show what a step stands for and says, what is not listed, and what a turn waits for', () => {
    const steps = [
      { tool: 'look', preview: 'a', state: 'ok', count: 3 },
      { tool: 'run', preview: 'b', state: 'running', note: '3/7 <calls>', arguments: '{"x": "<y>"}' },
    ] as const;
    const lines = ['Working · 12 s', '… 7 earlier', '✓ look: a (×3)', '⏳ run: b 3/7 <calls>', '    {"x": "<y>"}'];
    expect(shown(progress(steps, { earlier: 7 })).split('\n')).toEqual(lines);
    expect(shown(progress([], { notice: 'It is busy <now>.' }))).toBe('Working · 12 s\nIt is busy <now>.');
    expect(shown(progress([], { notice: 'It is busy.', waiting: true }))).toBe('Working · 12 s\n❓ Waiting for your answer');
  });

  it('keep a long list of steps and long previews within a message', () => {
    const steps = Array.from({ length: 300 }, (_unused, index) => ({
      tool: 't',
      preview: `${index} ${'👍🏽'.repeat(200)}`,
      state: 'ok' as const,
    }));
    const text = shown(progress(steps));
    expect(text.length).toBeLessThan(4096);
    expect(text).toContain('… 288 earlier');
    expect(text).toContain('299 ');
  });

  const card = (labels: readonly string[], more: Partial<OutboundAsk> = {}): OutboundAsk => ({
    type: 'ask',
    chat,
    token: 'abcdefgh12345678',
    number: 3,
    markdown: 'May I run `rm *.log`?',
    choices: labels.map((label, index) => ({ id: `choice${index}`, label })),
    hint: 'Or /approve 3.',
    ...more,
  });
  const rows = (ask: OutboundAsk): string[][] =>
    contentOf(ask, false).reply_markup?.inline_keyboard.map((row) => row.map(({ text }) => text)) ?? [['no markup at all']];

  it('show a card with two buttons a row, and each long one in a row of its own', () => {
    expect(rows(card(['Once', 'This session', 'Always', 'Deny']))).toEqual([
      ['Once', 'This session'],
      ['Always', 'Deny'],
    ]);
    expect(rows(card(['Once', 'Always this very command', 'No', 'Never']))).toEqual([
      ['Once'],
      ['Always this very command'],
      ['No', 'Never'],
    ]);
    expect(rows(card(['Allow it this time only', 'No']))).toEqual([['Allow it this time only'], ['No']]);
  });

  it('number the buttons of a card whose choices do not fit them, and list the choices', () => {
    const long = card(['Keep all of it as it is, and tell nobody', 'Drop']);
    expect(rows(long)).toEqual([['1', '2']]);
    expect(contentOf(long, false).text).toContain('1. Keep all of it as it is, and tell nobody\n2. Drop');
    expect(contentOf(card(['Keep', 'Drop']), false).text).not.toContain('1. Keep');
  });

  it('carry the token and the choice in each button, within 64 bytes', () => {
    const choices = Array.from({ length: 8 }, (_unused, index) => ({ id: 'twelve'.repeat(2), label: `L${index}` }));
    const data = contentOf(card([], { choices }), false).reply_markup?.inline_keyboard.flat() ?? [];
    expect(data).toHaveLength(8);
    for (const { callback_data: sent } of data) expect(sent).toBe('abcdefgh12345678:twelvetwelve');
  });

  it('take the buttons of a card away when it is closed, and say so explicitly', () => {
    const closed = contentOf(card(['Once', 'Deny'], { closed: 'Denied by Ann.' }), true);
    expect(closed).toEqual({
      text: '<b>#3</b> May I run <code>rm *.log</code>?\n\nDenied by Ann.',
      parse_mode: 'HTML',
      reply_markup: { inline_keyboard: [] },
      link_preview_options: { is_disabled: true },
    });
  });

  it('show a card without formatting as it would be read with it, buttons included', () => {
    const plain = card(['Once', 'Deny'], { plain: true });
    expect(contentOf(plain, false)).not.toHaveProperty('parse_mode');
    expect(contentOf(plain, false).text).toBe('#3 May I run rm *.log?\n\nOr /approve 3.');
    expect(rows(plain)).toEqual([['Once', 'Deny']]);
  });

  it('never break a card for half a character', () => {
    const broken = contentOf(card(['half \ud83d'], { markdown: 'half \ud83d' }), false);
    expect(JSON.stringify(broken)).not.toContain('\\ud83d');
    expect(rows(card(['half \ud83d']))).toEqual([['half \ufffd']]);
  });

  it.each([
    ['image', 'image/png', 1000, 'sendPhoto'],
    ['image', 'image/png', 10_000_001, 'sendDocument'],
    ['file', 'image/png', 1000, 'sendDocument'],
    ['image', 'image/gif', 1000, 'sendAnimation'],
    ['image', 'image/svg+xml', 1000, 'sendDocument'],
    ['voice', 'audio/ogg', 1000, 'sendVoice'],
    ['audio', 'audio/ogg', 1000, 'sendDocument'],
    ['audio', 'audio/mpeg', 1000, 'sendAudio'],
    ['voice', 'audio/mpeg', 1000, 'sendAudio'],
    ['video', 'video/mp4', 1000, 'sendVideo'],
    ['file', 'application/pdf', 1000, 'sendDocument'],
  ] as const)('send %s of type %s and %i bytes by %s', (kind, mime, sizeBytes, method) => {
    const file: OutboundFile = { type: 'file', chat, path: '/x', name: 'x', mime, kind };
    expect(fileMethod(file, sizeBytes)).toBe(method);
  });
});
