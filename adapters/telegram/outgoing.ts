/** Our messages to method and payload of the Bot API. Pure. https://core.telegram.org/bots/api#sendmessage */
import type { ChatRef, OutboundAsk, OutboundFile, OutboundProgress, OutboundText, ProgressStep } from '../adapter.ts';
import { askMarkdown, buttonLabel } from '../shared/ask.ts';
import { escapeHtml, toTelegramHtml, visibleText } from './html.ts';
import { PHOTO_LIMIT_BYTES, TEXT_LIMIT } from './platform.ts';

export interface TargetPayload {
  readonly chat_id: number;
  readonly message_thread_id?: number;
  readonly reply_parameters?: { readonly message_id: number; readonly allow_sending_without_reply: true };
}

export interface TextContent {
  readonly text: string;
  readonly parse_mode?: 'HTML';
  readonly link_preview_options?: { readonly is_disabled: true };
  /** Cards have one, if need be an empty one: an edit without buttons takes them away. */
  readonly reply_markup?: { readonly inline_keyboard: Button[][] };
}

interface Button {
  readonly text: string;
  /** 1 to 64 bytes. */
  readonly callback_data: string;
}

export type FileMethod = 'sendPhoto' | 'sendVoice' | 'sendAudio' | 'sendVideo' | 'sendAnimation' | 'sendDocument';

/** Where a message goes: the chat and topic it was captured with, never another. */
export function targetOf(chat: ChatRef, replyTo?: string): TargetPayload {
  return {
    chat_id: Number(chat.chat),
    ...(chat.thread === undefined ? {} : { message_thread_id: Number(chat.thread) }),
    // The message may have been deleted meanwhile: the answer is worth more than its anchor.
    ...(replyTo === undefined ? {} : { reply_parameters: { message_id: Number(replyTo), allow_sending_without_reply: true } }),
  };
}

export function contentOf(message: OutboundText | OutboundProgress | OutboundAsk, disableLinkPreviews: boolean): TextContent {
  const preview = disableLinkPreviews ? { link_preview_options: { is_disabled: true } as const } : {};
  if (message.type === 'progress') return { text: progressHtml(message).toWellFormed(), parse_mode: 'HTML', ...preview };
  if (message.type === 'ask') return { ...askContent(message), ...preview };
  // Half a surrogate pair would cost the whole message: Telegram takes nothing that is not UTF-8.
  const markdown = message.markdown.toWellFormed();
  if (message.plain === true) return { text: plainText(markdown), ...preview };
  return { text: toTelegramHtml(markdown), parse_mode: 'HTML', ...preview };
}

function askContent(ask: OutboundAsk): TextContent {
  const html = toTelegramHtml(askMarkdown(ask, true).toWellFormed());
  const buttons = { reply_markup: { inline_keyboard: ask.closed === undefined ? buttonRows(ask) : [] } };
  // Plain, the marks are left out too: a command must read as it will run.
  return ask.plain === true ? { text: visibleText(html), ...buttons } : { text: html, parse_mode: 'HTML', ...buttons };
}

/** What half a row shows on a telephone. */
const HALF_ROW_UNITS = 18;

/** Two a row; a label that half a row would cut has a row of its own. */
function buttonRows(ask: OutboundAsk): Button[][] {
  const rows: Button[][] = [];
  let open = false;
  for (const [index, { id }] of ask.choices.entries()) {
    const button = { text: buttonLabel(ask, index).toWellFormed(), callback_data: `${ask.token}:${id}` };
    const short = button.text.length <= HALF_ROW_UNITS;
    if (open && short) rows.at(-1)?.push(button);
    else rows.push([button]);
    open = short && !open;
  }
  return rows;
}

/** A part was measured as it is rendered; its source can be longer than a message may be. Then the rendered words go out. */
function plainText(markdown: string): string {
  return markdown.length <= TEXT_LIMIT ? markdown : visibleText(toTelegramHtml(markdown));
}

const MARKS: Readonly<Record<ProgressStep['state'], string>> = { running: '⏳', ok: '✓', failed: '✗' };
const SHOWN_STEPS = 12;
const SHOWN_PREVIEW = 80;
const SHOWN_ARGUMENTS = 200;
const SHOWN_NOTICE = 300;

function progressHtml({ steps, earlier = 0, notice, waiting, elapsedMs, done }: OutboundProgress): string {
  const lines = collapsed(steps.map(stepLine));
  const hidden = Math.max(0, lines.length - SHOWN_STEPS);
  const before = earlier + hidden;
  const head = `<i>${done ? 'Worked' : 'Working'} · ${duration(elapsedMs)}</i>`;
  const foot = waiting === true ? '❓ <i>Waiting for your answer</i>' : notice && `<i>${escapeHtml(oneLine(notice, SHOWN_NOTICE))}</i>`;
  return [head, ...(before === 0 ? [] : [`… ${before} earlier`]), ...lines.slice(hidden), ...(foot ? [foot] : [])].join('\n');
}

function stepLine({ tool, preview, state, count = 1, arguments: args = '', note = '' }: ProgressStep): string {
  const shown = oneLine(preview, SHOWN_PREVIEW);
  const line = `${MARKS[state]} ${escapeHtml(tool.slice(0, 64))}${shown === '' ? '' : `: <code>${escapeHtml(shown)}</code>`}`;
  const beside = [count === 1 ? '' : `(×${count})`, note === '' ? '' : `<i>${escapeHtml(oneLine(note, SHOWN_PREVIEW))}</i>`];
  const below = args === '' ? '' : `\n    <code>${escapeHtml(oneLine(args, SHOWN_ARGUMENTS))}</code>`;
  return `${[line, ...beside].filter((part) => part !== '').join(' ')}${below}`;
}

function oneLine(text: string, characters: number): string {
  const words = [...text.replace(/\s+/g, ' ').trim()];
  return words.length > characters ? `${words.slice(0, characters).join('')}…` : words.join('');
}

function collapsed(lines: readonly string[]): string[] {
  const groups: { line: string; count: number }[] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    if (last?.line === line) last.count += 1;
    else groups.push({ line, count: 1 });
  }
  return groups.map(({ line, count }) => (count === 1 ? line : `${line} (×${count})`));
}

function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Telegram shows each kind in its own way and refuses what does not fit; a document is always right. */
export function fileMethod({ mime, kind }: OutboundFile, sizeBytes: number): FileMethod {
  if (mime === 'image/gif') return 'sendAnimation';
  if (/^image\/(?:png|jpe?g|webp)$/.test(mime)) return kind !== 'file' && sizeBytes <= PHOTO_LIMIT_BYTES ? 'sendPhoto' : 'sendDocument';
  if (kind === 'voice' && /^audio\/(?:ogg|opus)$/.test(mime)) return 'sendVoice';
  if (/^audio\/(?:mpeg|mp3|mp4|x-m4a|m4a)$/.test(mime) && kind !== 'file') return 'sendAudio';
  return mime === 'video/mp4' && kind !== 'file' ? 'sendVideo' : 'sendDocument';
}
