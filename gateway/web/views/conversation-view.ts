import { type Conversation, entriesOf, isStepping, isWaitedFor } from '../chats.ts';
import { button, h, icon, place } from '../dom.ts';
import type { UnsentMessage } from '../outbox.ts';
import type { AskEntry, Entry } from '../protocol.ts';
import { entryRow, PreviewRow, type RowPorts, type RowView, typingRow, unsentRow } from './message-view.ts';

export interface ConversationPorts extends RowPorts {
  /** The reader came near the beginning of what is shown. */
  earlier(before: number): void;
  discard(id: string): void;
  /** What was chosen on this card and has no outcome yet. */
  sending(entry: AskEntry): string | undefined;
}

export interface ConversationState {
  readonly conversation: Conversation;
  readonly unsent: readonly UnsentMessage[];
  readonly connected: boolean;
  /** Shown when nothing was said yet. */
  readonly empty: HTMLElement;
}

interface ShownRow {
  readonly view: RowView;
  version: number;
}

const NEAR_PX = 80;

/** The scrolling part: brings what is shown to what is known, row by row, and follows the end only where the reader is at the end. */
export class ConversationView {
  readonly #column = h('div', { class: 'column' });
  readonly #log = h('section', { class: 'log', role: 'log', 'aria-live': 'off', 'aria-label': 'Conversation', tabindex: 0 }, this.#column);
  readonly #jump = button({ label: 'Go to the newest message', class: 'jump', hidden: true }, () => this.toEnd(), icon('down'));
  readonly element = h('div', { class: 'conversation' }, this.#log, this.#jump);
  readonly #ports: ConversationPorts;
  #rows = new Map<number, ShownRow>();
  #unsent = new Map<string, HTMLElement>();
  readonly #typing = typingRow();
  #preview: { readonly key: string; readonly row: PreviewRow } | undefined;
  #conversation: Conversation | undefined;
  #follows = true;

  constructor(ports: ConversationPorts) {
    this.#ports = ports;
    this.#log.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    // The column grows when a font, a fold or the keyboard of a phone changes it, too.
    new ResizeObserver(() => this.#settle()).observe(this.#column);
    new ResizeObserver(() => this.#settle()).observe(this.#log);
  }

  show(state: ConversationState): void {
    if (state.conversation !== this.#conversation) this.#clear(state.conversation);
    const entries = entriesOf(state.conversation);
    const keep = this.#anchor();
    this.#showEntries(entries);
    this.#showTail(state, entries);
    keep();
    this.#settle();
  }

  toEnd(): void {
    this.#follows = true;
    this.#settle();
  }

  #clear(conversation: Conversation): void {
    this.#conversation = conversation;
    for (const row of this.#rows.values()) row.view.remove();
    this.#rows = new Map();
    this.#column.replaceChildren();
    this.#unsent = new Map();
    this.#preview = undefined;
    this.#follows = true;
  }

  #showEntries(entries: readonly Entry[]): void {
    const wanted = new Set(entries.map((entry) => entry.seq));
    for (const [seq, row] of this.#rows) {
      if (wanted.has(seq)) continue;
      row.view.remove();
      this.#rows.delete(seq);
    }
    let next = this.#column.firstElementChild;
    for (const entry of entries) {
      const { view } = this.#row(entry);
      const { element } = view;
      if (entry.type === 'ask') view.sending?.(this.#ports.sending(entry));
      if (element === next) next = element.nextElementSibling;
      else this.#column.insertBefore(element, next);
    }
  }

  #row(entry: Entry): ShownRow {
    const known = this.#rows.get(entry.seq);
    if (known && (known.version === entry.version || known.view.update(entry))) {
      known.version = entry.version;
      return known;
    }
    known?.view.remove();
    const row = { view: entryRow(entry, this.#ports), version: entry.version };
    this.#rows.set(entry.seq, row);
    return row;
  }

  /** What comes after the log: the answer being written, messages on their way. */
  #showTail({ conversation, unsent, connected, empty }: ConversationState, entries: readonly Entry[]): void {
    const arrived = new Set(entries.map((entry) => (entry.type === 'user' ? entry.id : '')));
    const rows = this.#unsentRows(
      unsent.filter((message) => !arrived.has(message.id)),
      connected,
    );
    const preview = this.#previewRow(conversation);
    if (preview) rows.unshift(preview);
    else if (conversation.typingUntilMs > Date.now() && !isStepping(entries) && !entries.slice(-1).some(isWaitedFor))
      rows.unshift(this.#typing);
    if (rows.length === 0 && entries.length === 0 && (conversation.loaded || !connected)) rows.push(empty);
    place(this.#column, rows, entries.length);
  }

  /** Made anew only where one says something else now. */
  #unsentRows(unsent: readonly UnsentMessage[], connected: boolean): HTMLElement[] {
    const before = this.#unsent;
    this.#unsent = new Map();
    return unsent.map((message) => {
      const says = JSON.stringify([message.id, message.refused ?? connected]);
      const row = before.get(says) ?? unsentRow(message, connected, () => this.#ports.discard(message.id));
      this.#unsent.set(says, row);
      return row;
    });
  }

  #previewRow({ preview }: Conversation): HTMLElement | undefined {
    if (!preview) this.#preview = undefined;
    else {
      if (this.#preview?.key !== preview.key) this.#preview = { key: preview.key, row: new PreviewRow() };
      this.#preview.row.show(preview.markdown);
    }
    return this.#preview?.row.element;
  }

  /** Rows that come in above must not move what is being read. Returns what restores the place. */
  #anchor(): () => void {
    const first = this.#column.firstElementChild;
    const before = first?.getBoundingClientRect().top;
    return () => {
      if (this.#follows || !first?.isConnected || before === undefined) return;
      this.#log.scrollTop += first.getBoundingClientRect().top - before;
    };
  }

  #settle(): void {
    if (this.#follows) this.#log.scrollTop = this.#log.scrollHeight;
    this.#jump.hidden = this.#follows;
  }

  #scrolled(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#log;
    this.#follows = scrollHeight - scrollTop - clientHeight < NEAR_PX;
    this.#jump.hidden = this.#follows;
    const first = Math.min(...this.#rows.keys());
    if (scrollTop < NEAR_PX * 5 && Number.isFinite(first) && first > 1) this.#ports.earlier(first);
  }
}
