import { button, h, icon, setAttribute } from '../dom.ts';
import type { AskRef, MenuCommand } from '../protocol.ts';
import { CommandMenu } from './command-menu.ts';

export interface ComposerPorts {
  send(text: string, replyTo: AskRef | undefined): void;
  stop(): void;
  /** Kept while the page is open, so that a reload or another chat loses nothing. */
  draft(text: string): void;
  commands(): readonly MenuCommand[];
}

/** The gateway takes no longer text in one message. */
const MAX_LENGTH = 100_000;

/** Nothing of a turn is alive this long after a stop. */
const STOPPING_MS = 5000;

export class Composer {
  readonly #ports: ComposerPorts;
  readonly #text = h('textarea', {
    id: 'message',
    rows: 1,
    maxlength: MAX_LENGTH,
    placeholder: 'Message Hermes',
    'aria-label': 'Message',
    'aria-describedby': 'hint',
    enterkeyhint: 'send',
    autocomplete: 'off',
  });
  readonly #send = h('button', { type: 'submit', class: 'send', 'aria-label': 'Send', title: 'Send', disabled: true }, icon('send'));
  readonly #stop = button({ label: 'Stop', class: 'stop', hidden: true }, () => this.#stopOnce(), icon('stop'));
  #stopTimer: number | undefined;
  readonly #replyText = h('span');
  readonly #reply = h(
    'p',
    { class: 'replying', hidden: true },
    icon('reply'),
    this.#replyText,
    button({ label: 'Do not reply to it', class: 'quiet' }, () => this.#dropReply(), icon('cross')),
  );
  readonly #menu: CommandMenu;
  #replyTo: AskRef | undefined;
  readonly element: HTMLFormElement;

  constructor(ports: ComposerPorts) {
    this.#ports = ports;
    this.#menu = new CommandMenu(this.#text, (command) => this.#complete(command));
    const box = h('div', { class: 'composer-box' }, this.#text, this.#stop, this.#send);
    const hint = h(
      'p',
      { class: 'hint', id: 'hint' },
      h('kbd', {}, 'Enter'),
      ' sends, ',
      h('kbd', {}, 'Shift'),
      ' + ',
      h('kbd', {}, 'Enter'),
      ' starts a new line',
    );
    this.element = h('form', { class: 'composer', 'aria-label': 'Write a message' }, this.#menu.element, this.#reply, box, hint);
    this.element.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.#text.addEventListener('keydown', (event) => this.#key(event));
    this.#text.addEventListener('input', () => this.#changed());
    this.#text.addEventListener('blur', () => this.#menu.close());
  }

  focus(): void {
    this.#text.focus();
  }

  /** Another chat is shown: its draft, and nothing of the one before. */
  open(draft: string): void {
    this.#stopped();
    this.reply(undefined);
    this.#fill(draft);
    this.focus();
  }

  /** What is sent next answers this card. */
  reply(to: AskRef | undefined): void {
    this.#replyTo = to;
    this.#reply.hidden = to === undefined;
    this.#replyText.textContent = to === undefined ? '' : `Reply to #${to.ask}`;
  }

  working(working: boolean): void {
    this.#stop.hidden = !working;
    if (!working) this.#stopped();
  }

  /** Returns whether there was something to close. */
  escape(): boolean {
    if (this.#menu.close()) return true;
    if (this.#replyTo === undefined) return false;
    this.#dropReply();
    return true;
  }

  /** One press is one stop, however often one presses; where it did not help it can be pressed again after a while. */
  #stopOnce(): void {
    if (this.#stopTimer !== undefined) return;
    setAttribute(this.#stop, 'aria-disabled', 'true');
    this.#stopTimer = window.setTimeout(() => this.#stopped(), STOPPING_MS);
    this.#ports.stop();
  }

  #stopped(): void {
    window.clearTimeout(this.#stopTimer);
    this.#stopTimer = undefined;
    setAttribute(this.#stop, 'aria-disabled', undefined);
  }

  #dropReply(): void {
    this.reply(undefined);
    this.focus();
  }

  #fill(text: string): void {
    this.#text.value = text;
    this.#changed();
    this.#menu.close();
  }

  #submit(): void {
    const text = this.#text.value.trim();
    if (text === '') return;
    const replyTo = this.#replyTo;
    this.#fill('');
    this.reply(undefined);
    this.#ports.send(text, replyTo);
    this.focus();
  }

  #key(event: KeyboardEvent): void {
    // An input method uses Enter to choose a word.
    if (event.isComposing || this.#menu.key(event)) return;
    if (event.key !== 'Enter' || event.shiftKey || event.altKey) return;
    event.preventDefault();
    this.#submit();
  }

  #complete(command: MenuCommand): void {
    this.#fill(`/${command.name} `);
    this.focus();
  }

  #changed(): void {
    const { value } = this.#text;
    setAttribute(this.#send, 'disabled', value.trim() === '');
    this.#text.style.height = 'auto';
    this.#text.style.height = `${this.#text.scrollHeight}px`;
    this.#menu.show(value, this.#ports.commands());
    this.#ports.draft(value);
  }
}
