/** The frames between the page and the adapter, and how they map to the gateway's plain data. Pure. `gateway/web/protocol.ts` mirrors the types. */
import { z } from 'zod';
import type { AskChoice, ChatRef, InboundAnswer, InboundMessage, Outbound, ProgressStep, Quoted } from '../adapter.ts';
import type { MenuCommand } from '../platform.ts';

export const MAIN_CHAT = 'main';
const MAX_TEXT_LENGTH = 100_000;

/** Chat ids become parts of store keys, so their alphabet is closed. */
const chatId = z.string().regex(/^(?:main|[a-z0-9]{12,32})$/);
const clientId = z.string().regex(/^[A-Za-z0-9-]{8,64}$/);
const counter = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const place = counter.min(1);

const clientFrame = z.discriminatedUnion('type', [
  /** Shows a chat. `epoch` and `seen` say what the page has: only what it missed is sent. */
  z.strictObject({ type: z.literal('open'), chat: chatId, epoch: z.string().max(64), seen: counter }),
  /** Entries before `before`, for scrolling up. */
  z.strictObject({ type: z.literal('earlier'), chat: chatId, before: counter }),
  /**
   * `id` is made by the page and stays the same when it sends again. The first message in an unknown chat opens that chat.
   * `replyTo` is the `seq` of a card.
   */
  z.strictObject({
    type: z.literal('message'),
    chat: chatId,
    id: clientId,
    text: z
      .string()
      .max(MAX_TEXT_LENGTH)
      .refine((text) => text.trim() !== ''),
    replyTo: place.exactOptional(),
  }),
  /** A click on the card `seq`. `id` as with a message. */
  z.strictObject({
    type: z.literal('answer'),
    chat: chatId,
    id: clientId,
    seq: place,
    token: z.string().regex(/^[a-z0-9]{16}$/),
    choice: z.string().regex(/^[a-z0-9]{1,12}$/),
  }),
  z.strictObject({ type: z.literal('ping') }),
]);

export type ClientFrame = z.infer<typeof clientFrame>;

interface EntryBase {
  /** Position in the chat, from 1, without gaps. */
  readonly seq: number;
  /** Rises with every change in the chat; an edited entry gets a new one. */
  readonly version: number;
  readonly atMs: number;
}

/** The card that a message replies to. `ask` is the number that people read. */
export interface AskRef {
  readonly seq: number;
  readonly ask: number;
}

export type Entry =
  | (EntryBase & { readonly type: 'user'; readonly id: string; readonly text: string; readonly replyTo?: AskRef })
  | (EntryBase & { readonly type: 'text'; readonly markdown: string; readonly plain?: true })
  | (EntryBase & {
      readonly type: 'progress';
      readonly steps: readonly ProgressStep[];
      readonly earlier?: number;
      readonly notice?: string;
      readonly waiting?: true;
      readonly elapsedMs: number;
      readonly done: boolean;
    })
  | (EntryBase & {
      readonly type: 'ask';
      readonly token: string;
      readonly number: number;
      readonly markdown: string;
      readonly choices: readonly AskChoice[];
      readonly hint: string;
      readonly closed?: string;
      readonly aside?: true;
    });

export type AskEntry = Entry & { readonly type: 'ask' };

type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
export type EntryBody = Without<Entry, keyof EntryBase>;

export interface ChatSummary {
  readonly chat: string;
  readonly title: string;
  readonly updatedAtMs: number;
}

export type ServerFrame =
  | { readonly type: 'welcome'; readonly epoch: string; readonly chats: readonly ChatSummary[]; readonly menu: readonly MenuCommand[] }
  | { readonly type: 'chats'; readonly chats: readonly ChatSummary[] }
  /** The answer to `open`. `reset`: forget what you have, this replaces it. */
  | {
      readonly type: 'opened';
      readonly chat: string;
      readonly epoch: string;
      readonly version: number;
      readonly reset: boolean;
      readonly entries: readonly Entry[];
    }
  | { readonly type: 'earlier'; readonly chat: string; readonly entries: readonly Entry[] }
  | { readonly type: 'entry'; readonly chat: string; readonly entry: Entry }
  /** On disk and accepted. */
  | { readonly type: 'ack'; readonly id: string }
  /** Not accepted now: keep it and send it again. */
  | { readonly type: 'retry'; readonly id: string }
  /** Never accepted: sending it again does not help. */
  | { readonly type: 'refused'; readonly id: string; readonly reason: string }
  /** The answer as far as it has come: keep the first `at` units of what you have and add `text`. */
  | { readonly type: 'preview'; readonly chat: string; readonly key: string; readonly at: number; readonly text: string }
  | { readonly type: 'typing'; readonly chat: string }
  /** One sentence about what was just clicked here. */
  | { readonly type: 'toast'; readonly text: string }
  | { readonly type: 'pong' };

/** Undefined for anything that is not a frame of ours. */
export function parseClientFrame(data: string): ClientFrame | undefined {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return undefined;
  }
  return clientFrame.safeParse(value).data;
}

export function isChatId(chat: string): boolean {
  return chatId.safeParse(chat).success;
}

/** Undefined: the page cannot show it. */
export function bodyOf(message: Outbound): EntryBody | undefined {
  switch (message.type) {
    case 'text':
      return { type: 'text', markdown: message.markdown, ...(message.plain ? { plain: true } : {}) };
    case 'progress': {
      const { chat: _chat, replyTo: _replyTo, ...shown } = message;
      return shown;
    }
    case 'ask': {
      const { token, number, markdown, choices, hint, closed, aside } = message;
      const facts = { ...(closed === undefined ? {} : { closed }), ...(aside === undefined ? {} : { aside }) };
      return { type: 'ask', token, number, markdown, choices, hint, ...facts };
    }
    case 'file':
      return undefined;
  }
}

/** What a page sent: `seq` is its own entry (a message) or the card that was clicked. */
interface Arrival {
  readonly chat: ChatRef;
  readonly person: string;
  /** Made by the page. */
  readonly id: string;
  readonly seq: number;
  readonly atMs: number;
}

export function inboundOf(arrival: Arrival, text: string, card: AskEntry | undefined): InboundMessage {
  return {
    type: 'message',
    ...originOf(arrival),
    text,
    mentioned: true,
    ...(card === undefined ? {} : { replyTo: quoted(card) }),
    attachments: [],
  };
}

/** `page` comes back with the toast. */
export function answerOf(arrival: Arrival, { token, choice }: Pick<InboundAnswer, 'token' | 'choice'>, page: string): InboundAnswer {
  return { type: 'answer', ...originOf(arrival), token, choice, interaction: { page } };
}

function originOf({ chat, person, id, seq, atMs }: Arrival) {
  return {
    event: id,
    chat,
    chatType: 'dm',
    sender: { id: person, aliases: [], name: person, isBot: false, roles: [] },
    sentAtMs: atMs,
    message: String(seq),
  } as const;
}

function quoted({ seq, markdown }: AskEntry): Quoted {
  return { message: String(seq), author: 'Hermes', fromBot: true, text: markdown };
}

const interaction = z.object({ page: z.string() });

/** The page that an interaction of ours names; undefined for one of another make. */
export function pageOf(value: unknown): string | undefined {
  return interaction.safeParse(value).data?.page;
}

/** Why a click changes nothing, for the person who clicked; undefined: it counts. */
export function refusalOf(card: AskEntry | undefined, { token, choice }: Pick<InboundAnswer, 'token' | 'choice'>): string | undefined {
  if (card?.token !== token) return 'This question is not in this chat.';
  if (card.closed !== undefined) return 'This question is closed already; the card says what was decided.';
  if (!card.choices.some(({ id }) => id === choice)) return 'This question does not offer that choice.';
  return undefined;
}

/** The first line of a chat's first message, short enough for a list. */
export function titleOf(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  const characters = [...new Intl.Segmenter().segment(line)];
  if (characters.length <= 60) return line;
  return `${characters
    .slice(0, 59)
    .map((part) => part.segment)
    .join('')}…`;
}

/** What to send so that a page that has `before` comes to have `after`. */
export function previewDelta(before: string, after: string): { readonly at: number; readonly text: string } {
  return after.startsWith(before) ? { at: before.length, text: after.slice(before.length) } : { at: 0, text: after };
}
