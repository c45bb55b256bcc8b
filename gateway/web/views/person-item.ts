import { button, h, setAttribute } from '../dom.ts';
import type { Person, Role } from '../people.ts';
import { accountTitle } from './platform-name.ts';

/** Somebody who is let in, and how they are not any more. */
export class PersonItem {
  readonly #facts = h('div', { class: 'person-facts' });
  readonly #question = h('p', {});
  readonly #ask = button({ label: 'Revoke', class: 'secondary' }, () => this.#stage('asked'), 'Revoke…');
  readonly #keep = button({ label: 'Keep', class: 'secondary' }, () => this.#stage('idle'), 'Keep');
  readonly #sure = button({ label: 'Revoke now', class: 'primary' }, () => void this.#revoke(), 'Revoke now');
  // Below the first button and not in its place: a double click revokes nobody.
  readonly #group = h(
    'div',
    { class: 'person-sure', role: 'group', hidden: true },
    this.#question,
    h('div', { class: 'dialog-buttons' }, this.#sure, this.#keep),
  );
  readonly element = h('li', {}, h('div', { class: 'person-row' }, this.#facts, this.#ask), this.#group);
  readonly #revoked: (person: Person) => Promise<void>;
  #person: Person | undefined;
  #shown = '';

  /** `revoke` resolves when its outcome is shown. */
  constructor(revoke: (person: Person) => Promise<void>) {
    this.#revoked = revoke;
  }

  show(person: Person, isOnlyOwner: boolean): void {
    const shown = JSON.stringify([person, isOnlyOwner]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#person = person;
    const name = nameOf(person);
    this.#facts.replaceChildren(
      h('p', { class: 'person-name' }, h('b', {}, h('bdi', {}, name)), ' ', h('span', {}, roleOf(person))),
      h('p', { class: 'person-where' }, ...whereOf(person), `, since ${since(person.approvedAtMs)}`),
    );
    this.#question.replaceChildren('Revoke ', h('bdi', {}, name), `? ${consequence(isOnlyOwner)}`);
    for (const each of [this.#ask, this.#sure, this.#keep]) describe(each, name);
    setAttribute(this.#group, 'aria-label', `Revoke ${name}?`);
  }

  #stage(stage: 'idle' | 'asked'): void {
    this.#ask.hidden = stage === 'asked';
    this.#group.hidden = stage !== 'asked';
    (stage === 'asked' ? this.#keep : this.#ask).focus();
  }

  async #revoke(): Promise<void> {
    if (this.#person === undefined || this.#sure.getAttribute('aria-disabled') !== null) return;
    setAttribute(this.#sure, 'aria-disabled', 'true');
    await this.#revoked(this.#person);
    setAttribute(this.#sure, 'aria-disabled', undefined);
    // Still there: it was not done, and why is told.
    if (this.element.isConnected) this.#stage('idle');
  }
}

/** Read out, a button says whom it is about. */
function describe(element: HTMLButtonElement, name: string): void {
  const label = `${(element.textContent ?? '').replace('…', '')} ${name}`;
  for (const attribute of ['aria-label', 'title']) setAttribute(element, attribute, label);
}

function consequence(isOnlyOwner: boolean): string {
  const ends = 'Whatever is at work for them ends now, and the bot does not hear them any more.';
  return isOnlyOwner ? `${ends} The bot then has no owner, and shows a new code here for whoever is to be it.` : ends;
}

/** A person may have no name. */
export function nameOf({ name, person }: Pick<Person, 'name' | 'person'>): string {
  return name.trim() === '' ? person : name;
}

/** The id, too: everybody chooses their name themselves. */
export function whereOf({ account, person }: Pick<Person, 'account' | 'person'>): (string | HTMLElement)[] {
  const [platform = '', name = ''] = account.split('/');
  return [`${accountTitle(platform, name)}, id `, h('bdi', {}, person)];
}

const ROLES: Readonly<Record<Role, string>> = { owner: 'Owner', admin: 'Admin', user: 'User' };

function roleOf({ role, groupRole }: Person): string {
  return role === groupRole ? ROLES[role] : `${ROLES[role]}, in groups ${ROLES[groupRole]}`;
}

function since(ms: number): string {
  return new Date(ms).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
}
