import { button, h, place } from '../dom.ts';
import { copyButton } from '../markdown/blocks.ts';
import type { Approval, PeopleList, Person, Stranger } from '../people.ts';
import { createDialog } from './dialog.ts';
import { PersonItem } from './person-item.ts';
import { StrangersView } from './strangers-view.ts';

export interface PeopleViewPorts {
  /** Resolves with the sentence that says why not. */
  approve(approval: Approval): Promise<string | undefined>;
  revoke(person: Person): Promise<void>;
  forget(): void;
  closed(): void;
}

const CLAIM =
  'You are not known on any chat platform yet. Write this code to the bot in a direct message, wherever you want to talk to it: whoever does that first is its owner. Show it to nobody. It works once.';
const NOBODY_WAITS =
  'Nobody waits. Whoever writes to the bot in a direct message and is not known to it gets a code; they read it out to you, and you type it here.';
const NOBODY = 'Nobody yet. Whom the configuration names (allowed_users) may talk to the bot all the same, and is not listed here.';

/** Who is let in and who waits for it, over the rest of the page. What is typed and asked stays while the list changes around it. */
export class PeopleView {
  readonly #ports: PeopleViewPorts;
  readonly #code = h('code', { class: 'claim-code' });
  readonly #claim = section('Become the owner', h('p', {}, CLAIM), this.#claimRow());
  readonly #groups = h('div', { class: 'strangers' });
  readonly #forget = button({ label: 'Forget requests', class: 'secondary' }, () => this.#ports.forget(), 'Forget requests');
  readonly #nobodyWaits = h('p', { class: 'people-none' }, NOBODY_WAITS);
  readonly #waiting = section('Waiting to be let in', this.#nobodyWaits, this.#groups, this.#forget);
  readonly #list = h('ul', { class: 'people', 'aria-label': 'Let in' });
  readonly #nobody = h('p', { class: 'people-none' }, NOBODY);
  readonly #known = section('Let in', this.#nobody, this.#list);
  readonly #problem = h('p', { class: 'people-problem', role: 'alert' });
  readonly #said = h('p', { class: 'people-said', role: 'status' });
  readonly #lists = h('div', { hidden: true }, this.#claim, this.#waiting, this.#known);
  readonly element = createDialog('people', 'People', this.#problem, this.#lists, this.#said);
  readonly #strangers = new Map<string, StrangersView>();
  readonly #people = new Map<string, PersonItem>();

  constructor(ports: PeopleViewPorts) {
    this.#ports = ports;
    this.element.addEventListener('close', () => ports.closed());
  }

  /** Nothing is begun: a question that was asked last time is not asked any more. */
  open(): void {
    this.#strangers.clear();
    this.#people.clear();
    this.#lists.hidden = true;
    this.#problem.textContent = '';
    this.say('');
    if (!this.element.open) this.element.showModal();
  }

  say(text: string): void {
    this.#said.textContent = text;
  }

  /** A string: why it is not known. What was known stays. */
  show(found: PeopleList | string): void {
    this.#problem.textContent = typeof found === 'string' ? found : '';
    if (typeof found === 'string') return;
    const hadFocus = this.#lists.contains(document.activeElement);
    this.#lists.hidden = false;
    this.#claim.hidden = found.claimCode === undefined;
    if (this.#code.textContent !== (found.claimCode ?? '')) this.#code.textContent = found.claimCode ?? '';
    this.#showStrangers(found.requests);
    this.#showPeople(found.people);
    // What had it is gone: whoever uses the keyboard goes on from the list in which the outcome stands.
    const now = document.activeElement;
    if (hadFocus && !(this.#lists.contains(now) && now?.checkVisibility())) this.#known.querySelector('h3')?.focus();
  }

  #claimRow(): HTMLElement {
    return h(
      'div',
      { class: 'claim-row' },
      this.#code,
      copyButton('Copy code', () => this.#code.textContent ?? ''),
    );
  }

  /** By account: a code is good for one of them, whoever of its strangers was given it. */
  #showStrangers(requests: readonly Stranger[]): void {
    const accounts = [...new Set(requests.map(({ account }) => account))];
    for (const account of this.#strangers.keys()) if (!accounts.includes(account)) this.#strangers.delete(account);
    const views = accounts.map((account) => {
      const view = this.#strangers.get(account) ?? new StrangersView(account, (approval) => this.#ports.approve(approval));
      this.#strangers.set(account, view);
      view.show(requests.filter((request) => request.account === account));
      return view.element;
    });
    place(this.#groups, views);
    this.#nobodyWaits.hidden = views.length > 0;
    this.#forget.hidden = views.length === 0;
  }

  #showPeople(people: readonly Person[]): void {
    const owners = people.filter(({ role }) => role === 'owner').length;
    const shown = new Map(people.map((person) => [`${person.account}/${person.person}`, person]));
    for (const key of this.#people.keys()) if (!shown.has(key)) this.#people.delete(key);
    const items = [...shown].map(([key, person]) => {
      const item = this.#people.get(key) ?? new PersonItem((gone) => this.#ports.revoke(gone));
      this.#people.set(key, item);
      item.show(person, person.role === 'owner' && owners === 1);
      return item.element;
    });
    place(this.#list, items);
    this.#nobody.hidden = items.length > 0;
    this.#list.hidden = items.length === 0;
  }
}

function section(title: string, ...content: readonly HTMLElement[]): HTMLElement {
  return h('section', { class: 'people-section' }, h('h3', { tabindex: -1 }, title), ...content);
}
