import { button, h, icon, setAttribute } from '../dom.ts';
import { keepWords } from '../markdown/keep-words.ts';
import { MarkdownView } from '../markdown/markdown-view.ts';
import type { AskChoice, AskEntry } from '../protocol.ts';

export interface AskPorts {
  choose(choice: string): void;
  reply(): void;
}

/** A card that asks to decide; closed, it says who decided what. */
export class AskView {
  readonly element = h('div', { class: 'bubble ask', tabindex: -1 });
  readonly #ports: AskPorts;
  readonly #text = new MarkdownView();
  readonly #foot = h('div', { class: 'ask-foot' });
  #choices: HTMLElement = h('div');
  #sending: string | undefined;

  constructor(entry: AskEntry, ports: AskPorts) {
    this.#ports = ports;
    this.element.append(h('p', { class: 'ask-number' }, `#${entry.number}`), this.#text.element, this.#choices, this.#foot);
    this.update(entry);
  }

  update(entry: AskEntry): void {
    const focused = this.element.contains(document.activeElement);
    const closed = entry.closed !== undefined;
    setAttribute(this.element, 'data-state', closed ? 'closed' : 'open');
    this.#text.show(entry.markdown);
    keepWords(this.#text.element, 'pre > code');
    const choices = choiceButtons(`Answers to question #${entry.number}`, closed ? [] : entry.choices, (choice) => this.#choose(choice));
    this.#choices.replaceWith(choices);
    this.#choices = choices;
    this.#foot.replaceChildren(...(closed ? [line('ask-closed', entry.closed)] : this.#hint(entry)));
    this.sending(this.#sending);
    // The button that had the focus is gone; the reader stays where the decision is told.
    if (focused && !this.element.contains(document.activeElement)) this.element.focus({ preventScroll: true });
  }

  /** `choice` is on its way: nothing else can be chosen until its outcome is known. */
  sending(choice: string | undefined): void {
    this.#sending = choice;
    showSending(this.#choices, choice);
  }

  #choose(choice: string): void {
    // At once: the second click of two comes before the page is drawn again.
    this.sending(choice);
    this.#ports.choose(choice);
  }

  #hint({ hint, number }: AskEntry): HTMLElement[] {
    const reply = button({ label: `Reply to question #${number}`, class: 'reply' }, () => this.#ports.reply(), icon('reply'), 'Reply');
    return hint === '' ? [reply] : [line('ask-hint', hint), reply];
  }
}

function line(name: string, markdown: string): HTMLElement {
  const view = new MarkdownView();
  view.show(markdown);
  view.element.classList.add(name);
  return view.element;
}

/** Labels are text, whatever they say. */
export function choiceButtons(label: string, choices: readonly AskChoice[], choose: (choice: string) => void): HTMLElement {
  const buttons = choices.map((choice) => {
    const element = h('button', { type: 'button', class: 'choice', 'data-choice': choice.id }, choice.label);
    element.addEventListener('click', () => {
      if (element.getAttribute('aria-disabled') !== 'true') choose(choice.id);
    });
    return element;
  });
  return h('div', { class: 'choices', role: 'group', 'aria-label': label, hidden: buttons.length === 0 }, ...buttons);
}

/** `aria-disabled` and not `disabled`, which would take the focus away from who uses the keyboard. */
export function showSending(choices: HTMLElement, choice: string | undefined): void {
  for (const element of choices.querySelectorAll('button')) {
    setAttribute(element, 'aria-disabled', choice === undefined ? undefined : 'true');
    setAttribute(element, 'aria-busy', choice !== undefined && element.dataset['choice'] === choice ? 'true' : undefined);
  }
}
