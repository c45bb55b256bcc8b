import type { ChatSummary, Entry, MenuCommand, ServerFrame } from './protocol.ts';

export interface Conversation {
  readonly chat: string;
  epoch: string;
  /** The last change that this page has. */
  version: number;
  readonly entries: Map<number, Entry>;
  preview: { readonly key: string; readonly markdown: string } | undefined;
  typingUntilMs: number;
  /** The log was fetched at least once. */
  loaded: boolean;
}

const TYPING_MS = 8000;

/** What the page knows of the chats: a copy of the gateway's log as far as it was fetched. */
export class Chats {
  summaries: readonly ChatSummary[] = [];
  menu: readonly MenuCommand[] = [];
  readonly unread = new Set<string>();
  readonly #conversations = new Map<string, Conversation>();

  conversation(chat: string): Conversation {
    const known = this.#conversations.get(chat);
    if (known) return known;
    const fresh: Conversation = { chat, epoch: '', version: 0, entries: new Map(), preview: undefined, typingUntilMs: 0, loaded: false };
    this.#conversations.set(chat, fresh);
    return fresh;
  }

  titleOf(chat: string): string {
    return this.summaries.find((summary) => summary.chat === chat)?.title || 'New chat';
  }

  apply(frame: ServerFrame): void {
    switch (frame.type) {
      case 'welcome':
        this.summaries = frame.chats;
        this.menu = frame.menu;
        break;
      case 'chats':
        this.summaries = frame.chats;
        break;
      case 'opened':
        this.#opened(frame);
        break;
      case 'earlier':
        for (const entry of frame.entries) this.#keep(this.conversation(frame.chat), entry);
        break;
      case 'entry':
        this.#entry(this.conversation(frame.chat), frame.entry);
        break;
      case 'preview':
        this.#preview(this.conversation(frame.chat), frame);
        break;
      case 'typing':
        this.conversation(frame.chat).typingUntilMs = Date.now() + TYPING_MS;
        break;
      case 'ack':
      case 'retry':
      case 'refused':
      case 'toast':
      case 'pong':
        break;
    }
  }

  /** A preview that comes now is sent anew, from its beginning. */
  disconnected(): void {
    for (const conversation of this.#conversations.values()) {
      conversation.preview = undefined;
      conversation.typingUntilMs = 0;
    }
  }

  #opened(frame: ServerFrame & { readonly type: 'opened' }): void {
    const conversation = this.conversation(frame.chat);
    if (frame.reset) conversation.entries.clear();
    for (const entry of frame.entries) this.#keep(conversation, entry);
    conversation.epoch = frame.epoch;
    conversation.version = frame.version;
    conversation.loaded = true;
  }

  /** Of a chat that was not opened only the news is kept: its log is fetched when it is opened. */
  #entry(conversation: Conversation, entry: Entry): void {
    if (conversation.loaded) {
      this.#keep(conversation, entry);
      conversation.version = Math.max(conversation.version, entry.version);
    }
    // As the gateway does: its next text ends what was being written, a message of one's own does not.
    if (entry.type === 'text') {
      conversation.preview = undefined;
      conversation.typingUntilMs = 0;
    }
    if (entry.type === 'text' || isOpenAsk(entry)) this.unread.add(conversation.chat);
  }

  #keep(conversation: Conversation, entry: Entry): void {
    const known = conversation.entries.get(entry.seq);
    if (!known || known.version < entry.version) conversation.entries.set(entry.seq, entry);
  }

  #preview(conversation: Conversation, { key, at, text }: ServerFrame & { readonly type: 'preview' }): void {
    const before = conversation.preview?.key === key ? conversation.preview.markdown : '';
    // What came before this part was missed; the next connection or the final text brings it.
    if (at > before.length) return;
    conversation.preview = { key, markdown: before.slice(0, at) + text };
  }
}

/** Oldest first. */
export function entriesOf(conversation: Conversation): readonly Entry[] {
  return [...conversation.entries.values()].sort((one, other) => one.seq - other.seq);
}

/** Something is being done for this chat right now. */
export function isWorking(conversation: Conversation): boolean {
  if (conversation.preview || conversation.typingUntilMs > Date.now()) return true;
  const entries = entriesOf(conversation);
  // What is said between two tools stands below the steps, which go on all the same.
  return isOpenProgress(entries.findLast(({ type }) => type === 'progress')) || entries.some(isWaitedFor);
}

function isOpenProgress(entry: Entry | undefined): boolean {
  return entry?.type === 'progress' && !entry.done;
}

/** Cards come and close between the steps. */
export function isStepping(entries: readonly Entry[]): boolean {
  return isOpenProgress(entries.findLast(({ type }) => type !== 'ask'));
}

function isOpenAsk(entry: Entry): boolean {
  return entry.type === 'ask' && entry.closed === undefined;
}

/** A turn goes on with the answer. */
export function isWaitedFor(entry: Entry): boolean {
  return entry.type === 'ask' && entry.closed === undefined && entry.aside !== true;
}

/** What a screen reader says of a new entry. */
export function spoken(entry: Entry): string | undefined {
  if (entry.type === 'text') return entry.markdown;
  if (entry.type !== 'ask') return undefined;
  return `Question #${entry.number}: ${entry.closed ?? entry.markdown}`;
}
