/** Our messages to the arguments of `chat.postMessage` and `chat.update`. Pure. https://docs.slack.dev/reference/methods/chat.postMessage */
import type { ChatRef, OutboundAsk, OutboundProgress, OutboundText } from '../adapter.ts';
import { askMarkdown, buttonLabel } from '../shared/ask.ts';
import { splitMarkdown } from '../shared/split.ts';
import { escapeMrkdwn, toMrkdwn, toPlainWords } from './format.ts';
import { sizeAsWritten, TEXT_LIMIT_BYTES } from './platform.ts';
import { progressMrkdwn } from './progress.ts';

/** Characters of a section's text; the rest of a long card goes into further ones. */
const SECTION_LIMIT = 3000;
/** Characters on a button. */
const BUTTON_LIMIT = 75;

export interface Target {
  readonly channel: string;
  readonly thread_ts?: string;
}

export interface Content {
  readonly text: string;
  readonly blocks?: readonly Block[];
  readonly mrkdwn?: false;
  /** Bare words stay bare: nothing but our own marks links or mentions. */
  readonly parse: 'none';
  readonly link_names: false;
}

export type Block = SectionBlock | ActionsBlock;

interface SectionBlock {
  readonly type: 'section';
  readonly text: { readonly type: 'mrkdwn' | 'plain_text'; readonly text: string };
}

interface ActionsBlock {
  readonly type: 'actions';
  readonly elements: readonly Button[];
}

interface Button {
  readonly type: 'button';
  readonly text: { readonly type: 'plain_text'; readonly text: string };
  /** At most 255 characters, unique in the message. */
  readonly action_id: string;
  /** At most 2,000 characters. */
  readonly value: string;
}

const LITERAL = { parse: 'none', link_names: false } as const;

/** Where a message goes: the channel and thread it was captured with, never another. */
export function targetOf(chat: ChatRef): Target {
  return { channel: chat.chat, ...(chat.thread === undefined ? {} : { thread_ts: chat.thread }) };
}

export function contentOf(message: OutboundText | OutboundProgress | OutboundAsk): Content {
  if (message.type === 'progress') return { text: progressMrkdwn(message), ...LITERAL };
  if (message.type === 'ask') return { ...askContent(message), ...LITERAL };
  const markdown = message.markdown.toWellFormed();
  return message.plain === true ? { text: plainText(markdown), mrkdwn: false, ...LITERAL } : { text: toMrkdwn(markdown), ...LITERAL };
}

/** A part was measured as it is rendered; its source can be longer than a message may be. Then the rendered words go out. */
function plainText(markdown: string): string {
  const source = escapeMrkdwn(markdown);
  return Buffer.byteLength(source) <= TEXT_LIMIT_BYTES ? source : escapeMrkdwn(toPlainWords(markdown));
}

function askContent(ask: OutboundAsk): Pick<Content, 'text' | 'blocks'> {
  const markdown = askMarkdown({ ...ask, hint: typed(ask.hint) }, true).toWellFormed();
  // Plain, the marks are left out too: a command must read as it will run.
  const sections = splitMarkdown(markdown, { limit: SECTION_LIMIT, measure: sizeAsWritten }).map((part): SectionBlock => {
    return {
      type: 'section',
      text: ask.plain === true ? { type: 'plain_text', text: toPlainWords(part) } : { type: 'mrkdwn', text: toMrkdwn(part) },
    };
  });
  const buttons = ask.closed === undefined ? ask.choices.map((_choice, index) => buttonOf(ask, index)) : [];
  const actions: readonly Block[] = buttons.length === 0 ? [] : [{ type: 'actions', elements: buttons }];
  // Beside blocks it is what a notification shows.
  return { text: shortened(toMrkdwn(markdown)), blocks: [...sections, ...actions] };
}

/** What begins with "/" Slack takes for a command of its own, and refuses: here one types "!approve 1". */
function typed(hint: string): string {
  return hint.replace(/(^|\s)\/(?=[a-z])/g, '$1!');
}

function buttonOf(ask: OutboundAsk, index: number): Button {
  const label = buttonLabel(ask, index).toWellFormed();
  return {
    type: 'button',
    text: { type: 'plain_text', text: label.slice(0, BUTTON_LIMIT) || String(index + 1) },
    action_id: `choice:${ask.choices[index]?.id ?? ''}`,
    value: ask.token,
  };
}

const NOTIFIED_UNITS = 900;

function shortened(text: string): string {
  return text.length <= NOTIFIED_UNITS ? text : `${text.slice(0, NOTIFIED_UNITS).replace(/(?:[\ud800-\udbff]|&[a-z]{0,3}|<[^>]*)$/, '')}…`;
}
