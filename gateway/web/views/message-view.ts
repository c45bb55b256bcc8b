import { button, h, icon } from '../dom.ts';
import { copyButton } from '../markdown/blocks.ts';
import { MarkdownView } from '../markdown/markdown-view.ts';
import type { UnsentMessage } from '../outbox.ts';
import type { AskEntry, AskRef, Entry } from '../protocol.ts';
import { AskView } from './ask-view.ts';
import { ProgressView } from './progress-view.ts';

/** One row of the conversation. */
export interface RowView {
  readonly element: HTMLElement;
  /** False: this row cannot become that; it is to be made anew. */
  update(entry: Entry): boolean;
  /** On a card: this choice is on its way, or none. */
  sending?(choice: string | undefined): void;
  remove(): void;
}

export interface RowPorts {
  choose(entry: AskEntry, choice: string): void;
  reply(entry: AskEntry): void;
}

export function entryRow(entry: Entry, ports: RowPorts): RowView {
  switch (entry.type) {
    case 'user':
      return fixedRow(userBubble(entry));
    case 'text':
      return answerRow(entry);
    case 'progress':
      return progressRow(entry);
    case 'ask':
      return askRow(entry, ports);
  }
}

function fixedRow(element: HTMLElement): RowView {
  return { element, update: () => false, remove: () => element.remove() };
}

function userBubble({ text, atMs, replyTo }: Entry & { readonly type: 'user' }): HTMLElement {
  return h(
    'article',
    { class: 'row row-user', 'aria-label': 'You' },
    ...quote(replyTo),
    h('div', { class: 'bubble' }, text),
    meta(() => text, atMs),
  );
}

function answerRow(entry: Entry & { readonly type: 'text' }): RowView {
  const view = new MarkdownView();
  const plain = h('div', { class: 'plain' });
  let text = entry.markdown;
  const element = h(
    'article',
    { class: 'row row-agent', 'aria-label': 'Hermes' },
    h('div', { class: 'bubble' }, entry.plain ? plain : view.element),
    meta(() => text, entry.atMs),
  );
  const show = (next: typeof entry): void => {
    text = next.markdown;
    if (next.plain) plain.textContent = text;
    else view.show(text);
  };
  show(entry);
  return {
    element,
    update(next) {
      if (next.type !== 'text' || next.plain !== entry.plain) return false;
      show(next);
      return true;
    },
    remove: () => element.remove(),
  };
}

function quote(replyTo: AskRef | undefined): HTMLElement[] {
  return replyTo === undefined ? [] : [h('p', { class: 'quote' }, icon('reply'), `Reply to #${replyTo.ask}`)];
}

function askRow(entry: AskEntry, ports: RowPorts): RowView {
  let shown = entry;
  const view = new AskView(entry, { choose: (choice) => ports.choose(shown, choice), reply: () => ports.reply(shown) });
  const element = h(
    'article',
    { class: 'row row-agent', 'aria-label': `Question #${entry.number}` },
    view.element,
    meta(() => shown.markdown, entry.atMs),
  );
  return {
    element,
    update(next) {
      if (next.type !== 'ask' || next.number !== shown.number) return false;
      shown = next;
      view.update(next);
      return true;
    },
    sending: (choice) => view.sending(choice),
    remove: () => element.remove(),
  };
}

function progressRow(entry: Entry & { readonly type: 'progress' }): RowView {
  const view = new ProgressView(entry);
  const element = h('div', { class: 'row row-progress' }, view.element);
  return {
    element,
    update(next) {
      if (next.type !== 'progress') return false;
      view.update(next);
      return true;
    },
    remove() {
      view.remove();
      element.remove();
    },
  };
}

function meta(text: () => string, atMs: number): HTMLElement {
  const at = new Date(atMs);
  const clock = h(
    'time',
    { datetime: at.toISOString(), title: at.toLocaleString() },
    at.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' }),
  );
  return h('footer', { class: 'meta' }, clock, copyButton('Copy message', text));
}

/** A message that the gateway does not have yet. */
export function unsentRow(message: UnsentMessage, connected: boolean, discard: () => void): HTMLElement {
  const waits = connected ? 'Sending…' : 'Waits for the connection';
  const note = h('footer', { class: message.refused ? 'meta meta-failed' : 'meta meta-shown' }, message.refused ?? waits);
  if (message.refused) note.append(button({ label: 'Discard this message', class: 'copy' }, discard, icon('cross')));
  return h(
    'article',
    { class: 'row row-user row-unsent', 'aria-label': 'You, not sent yet' },
    ...quote(message.replyTo),
    h('div', { class: 'bubble' }, message.text),
    note,
  );
}

/** The answer while it is written. */
export class PreviewRow {
  readonly #view = new MarkdownView();
  readonly element = h(
    'article',
    { class: 'row row-agent row-preview', 'aria-label': 'Hermes, writing', 'aria-busy': 'true' },
    h('div', { class: 'bubble' }, this.#view.element),
  );

  show(markdown: string): void {
    this.#view.show(markdown);
  }
}

export function typingRow(): HTMLElement {
  const dots = [h('i'), h('i'), h('i')];
  return h(
    'div',
    { class: 'row row-agent row-typing' },
    h('div', { class: 'bubble' }, h('span', { class: 'visually-hidden' }, 'Hermes is working'), ...dots),
  );
}
