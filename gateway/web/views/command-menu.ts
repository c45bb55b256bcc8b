import { h, setAttribute } from '../dom.ts';
import type { MenuCommand } from '../protocol.ts';

/** The commands that fit what was typed after a slash (the combobox pattern of WAI-ARIA: the focus stays in the text). */
export class CommandMenu {
  readonly element = h('ul', { class: 'commands', id: 'commands', role: 'listbox', 'aria-label': 'Commands', hidden: true });
  readonly #field: HTMLTextAreaElement;
  readonly #choose: (command: MenuCommand) => void;
  #fitting: readonly MenuCommand[] = [];
  #active = 0;

  constructor(field: HTMLTextAreaElement, choose: (command: MenuCommand) => void) {
    this.#field = field;
    this.#choose = choose;
    for (const [name, value] of Object.entries({
      role: 'combobox',
      'aria-controls': 'commands',
      'aria-autocomplete': 'list',
      'aria-expanded': 'false',
    })) {
      field.setAttribute(name, value);
    }
  }

  show(text: string, commands: readonly MenuCommand[]): void {
    const typed = /^\/(\S*)$/.exec(text)?.[1];
    this.#fitting = typed === undefined ? [] : commands.filter(({ name }) => name.startsWith(typed.toLowerCase()));
    this.#active = 0;
    this.#draw();
  }

  close(): boolean {
    const open = this.#fitting.length > 0;
    this.#fitting = [];
    this.#draw();
    return open;
  }

  /** True: the key was for the menu. */
  key(event: KeyboardEvent): boolean {
    const chosen = this.#fitting[this.#active];
    if (!chosen) return false;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') this.#move(event.key === 'ArrowDown' ? 1 : -1);
    else if (event.key === 'Tab' && !event.shiftKey) this.#choose(chosen);
    else if (event.key === 'Enter' && this.#field.value !== `/${chosen.name}`) this.#choose(chosen);
    else return false;
    event.preventDefault();
    return true;
  }

  #move(by: number): void {
    this.#active = (this.#active + by + this.#fitting.length) % this.#fitting.length;
    this.#draw();
  }

  #draw(): void {
    this.element.hidden = this.#fitting.length === 0;
    this.#field.setAttribute('aria-expanded', String(this.#fitting.length > 0));
    setAttribute(this.#field, 'aria-activedescendant', this.#fitting.length > 0 ? `command-${this.#active}` : undefined);
    this.element.replaceChildren(...this.#fitting.map((command, index) => this.#option(command, index)));
    this.element.children[this.#active]?.scrollIntoView({ block: 'nearest' });
  }

  #option(command: MenuCommand, index: number): HTMLElement {
    const option = h(
      'li',
      { id: `command-${index}`, role: 'option', 'aria-selected': String(index === this.#active) },
      h('b', {}, `/${command.name}`),
      h('span', {}, command.description),
    );
    // Not "click": the field would lose the focus, and with it the menu, before.
    option.addEventListener('pointerdown', (event) => {
      event.preventDefault();
      this.#choose(command);
    });
    return option;
  }
}
