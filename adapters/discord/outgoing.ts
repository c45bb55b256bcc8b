/** Our messages to the fields of Discord's API. Pure. https://docs.discord.com/developers/resources/message#create-message */
import { createHash } from 'node:crypto';
import type { OutboundAsk, OutboundFile, OutboundProgress, OutboundText } from '../adapter.ts';
import { askMarkdown, buttonLabel } from '../shared/ask.ts';
import { escapeText } from './escape.ts';
import { toDiscord } from './format.ts';
import { TEXT_LIMIT } from './platform.ts';
import { progressText } from './progress.ts';

/** Nobody is ever pinged by what a model writes. */
const NOBODY = { parse: [], replied_user: false } as const;
const SUPPRESS_EMBEDS = 1 << 2;

interface Button {
  readonly type: 2;
  readonly style: 2;
  readonly label: string;
  /** At most 100 characters. */
  readonly custom_id: string;
}

interface Row {
  readonly type: 1;
  readonly components: readonly Button[];
}

export interface Content {
  readonly content: string;
  readonly allowed_mentions: typeof NOBODY;
  readonly flags?: number;
  /** Cards have them, if need be none: an edit without buttons takes them away. */
  readonly components?: readonly Row[];
}

export interface Send {
  readonly nonce: string;
  readonly enforce_nonce: true;
  readonly message_reference?: { readonly message_id: string; readonly fail_if_not_exists: false };
}

export function contentOf(message: OutboundText | OutboundProgress | OutboundAsk, suppressEmbeds: boolean): Content {
  const base = { allowed_mentions: NOBODY, ...(suppressEmbeds ? { flags: SUPPRESS_EMBEDS } : {}) };
  switch (message.type) {
    case 'progress':
      return { ...base, content: progressText(message).toWellFormed() };
    case 'ask':
      return { ...base, content: askText(message), components: message.closed === undefined ? rows(message) : [] };
    case 'text':
      return {
        ...base,
        content: message.plain === true ? plainText(message.markdown.toWellFormed()) : toDiscord(message.markdown.toWellFormed()),
      };
    default:
      return message satisfies never;
  }
}

/**
 * The same key gives the same nonce, by which Discord knows a message that it has already: for some minutes, which covers a retry, but
 * not a repetition hours later.
 */
export function sendFields(key: string, replyTo: string | undefined): Send {
  return {
    nonce: nonceOf(key),
    enforce_nonce: true,
    // The message may have been deleted meanwhile: the answer is worth more than its anchor.
    ...(replyTo === undefined ? {} : { message_reference: { message_id: replyTo, fail_if_not_exists: false } }),
  };
}

/** At most 25 characters. */
function nonceOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 24);
}

/** A part was measured as it is rendered; literal, it can be longer than a message may be. Then its source goes out. */
function plainText(markdown: string): string {
  const literal = escapeText(markdown);
  return literal.length <= TEXT_LIMIT ? literal : markdown.slice(0, TEXT_LIMIT).toWellFormed();
}

function askText(ask: OutboundAsk): string {
  const markdown = askMarkdown(ask, true).toWellFormed();
  return ask.plain === true ? plainText(markdown) : toDiscord(markdown);
}

const MOST_IN_A_ROW = 4;

function rows(ask: OutboundAsk): Row[] {
  const buttons = ask.choices.map(({ id }, index): Button => {
    const label = buttonLabel(ask, index).toWellFormed();
    return { type: 2, style: 2, label, custom_id: `${ask.token}:${id}` };
  });
  return Array.from({ length: Math.ceil(buttons.length / MOST_IN_A_ROW) }, (_unused, row) => ({
    type: 1,
    components: buttons.slice(row * MOST_IN_A_ROW, (row + 1) * MOST_IN_A_ROW),
  }));
}

const EXTENSIONS: Readonly<Record<string, RegExp>> = {
  'image/gif': /\.gif$/i,
  'image/png': /\.png$/i,
  'image/jpeg': /\.jpe?g$/i,
  'image/webp': /\.webp$/i,
  'video/mp4': /\.mp4$/i,
};

/** Discord tells by the name's ending what it shows and plays. */
export function fileName({ name, mime }: OutboundFile): string {
  const ending = EXTENSIONS[mime];
  const plain = name.replace(/[\\/\0]/g, '_') || 'file';
  return ending === undefined || ending.test(plain) ? plain : `${plain}.${mime.split('/')[1]}`;
}
