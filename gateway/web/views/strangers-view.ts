import { h, place, setAttribute } from '../dom.ts';
import type { Approval, Role, Stranger } from '../people.ts';
import { nameOf, whereOf } from './person-item.ts';
import { timeLeft } from './waiting-view.ts';

type Approve = (approval: Approval) => Promise<string | undefined>;

/** Who waits on one account, and where their code is typed. */
export class StrangersView {
  readonly #account: string;
  readonly #approve: Approve;
  readonly #list = h('ul', { class: 'people' });
  readonly #label: HTMLElement;
  readonly #code: HTMLInputElement;
  readonly #role = h(
    'select',
    { 'aria-label': 'Let in as' },
    option('user', 'as user'),
    option('admin', 'as admin'),
    option('owner', 'as owner'),
  );
  readonly #submit = h('button', { type: 'submit', class: 'primary' }, 'Approve');
  readonly #problem = h('p', { class: 'people-problem', role: 'alert' });
  readonly #items = new Map<string, StrangerItem>();
  readonly element: HTMLElement;

  /** `approve` resolves with the sentence that says why not. */
  constructor(account: string, approve: Approve) {
    this.#account = account;
    this.#approve = approve;
    const id = `code-${account}`;
    const typing = { autocomplete: 'off', autocapitalize: 'characters', spellcheck: 'false' };
    this.#code = h('input', { id, type: 'text', required: true, maxlength: 32, placeholder: 'ABCD EFGH', ...typing });
    this.#label = h('label', { for: id });
    const form = h('form', {}, this.#label, h('div', { class: 'code-row' }, this.#code, this.#role, this.#submit), this.#problem);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#send();
    });
    this.element = h('div', { class: 'strangers-group' }, this.#list, form);
  }

  show(strangers: readonly Stranger[]): void {
    const wanted = new Set(strangers.map(({ id }) => id));
    for (const id of this.#items.keys()) if (!wanted.has(id)) this.#items.delete(id);
    place(
      this.#list,
      strangers.map((stranger) => {
        const item = this.#items.get(stranger.id) ?? createItem(stranger);
        this.#items.set(stranger.id, item);
        item.left.textContent = timeLeft(stranger.expiresAtMs - Date.now());
        return item.element;
      }),
    );
    const [first, ...more] = strangers;
    const who = first === undefined || more.length > 0 ? 'one of them' : nameOf(first);
    this.#label.replaceChildren('The code that ', h('bdi', {}, who), ' reads out to you');
  }

  /** A code that was right is of no use any more; one that was not is there to be mended. */
  async #send(): Promise<void> {
    const code = this.#code.value.trim();
    if (code === '' || this.#submit.getAttribute('aria-disabled') !== null) return;
    setAttribute(this.#submit, 'aria-disabled', 'true');
    const problem = await this.#approve({ account: this.#account, code, role: roleOf(this.#role.value) });
    setAttribute(this.#submit, 'aria-disabled', undefined);
    this.#problem.textContent = problem ?? '';
    setAttribute(this.#code, 'aria-invalid', problem === undefined ? undefined : 'true');
    if (problem === undefined) this.#code.value = '';
    else if (this.element.isConnected) this.#code.select();
  }
}

interface StrangerItem {
  readonly element: HTMLElement;
  readonly left: HTMLElement;
}

function createItem(stranger: Stranger): StrangerItem {
  const left = h('span', { class: 'stranger-left' });
  const name = h('p', { class: 'person-name' }, h('b', {}, h('bdi', {}, nameOf(stranger))), ' ', left);
  return { element: h('li', {}, name, h('p', { class: 'person-where' }, ...whereOf(stranger))), left };
}

function option(value: Role, text: string): HTMLElement {
  return h('option', { value }, text);
}

function roleOf(value: string): Role {
  return value === 'owner' || value === 'admin' ? value : 'user';
}
