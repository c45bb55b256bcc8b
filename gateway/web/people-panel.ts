import { type Approval, approve, fetchPeople, forgetStrangers, type Outcome, type Person, revoke } from './people.ts';
import { PeopleView } from './views/people-view.ts';

const POLL_MS = 5000;

export interface PeoplePanelPorts {
  /** So many ask to be let in. */
  strangers(count: number): void;
}

/** The owner sees who is let in and who waits, and decides about both. Looked at anew for as long as it is open. */
export class PeoplePanel {
  readonly #ports: PeoplePanelPorts;
  readonly #view = new PeopleView({
    approve: (approval) => this.#approve(approval),
    revoke: (person) => this.#revoke(person),
    forget: () => void this.#decided(forgetStrangers()),
    closed: () => this.#rest(),
  });
  /** Only the newest list counts: one that was asked for before a decision does not know of it. */
  #round = 0;
  #timer: number | undefined;
  readonly #look = (): void => {
    if (!document.hidden) void this.#refresh();
  };

  constructor(ports: PeoplePanelPorts) {
    this.#ports = ports;
  }

  get element(): HTMLDialogElement {
    return this.#view.element;
  }

  open(): void {
    this.#view.open();
    this.#rest();
    this.#timer = window.setInterval(this.#look, POLL_MS);
    document.addEventListener('visibilitychange', this.#look);
    void this.#refresh();
  }

  /** Nobody looks: what is still on its way is not shown any more. */
  #rest(): void {
    this.#round += 1;
    window.clearInterval(this.#timer);
    document.removeEventListener('visibilitychange', this.#look);
  }

  async #refresh(): Promise<void> {
    const round = ++this.#round;
    const found = await fetchPeople();
    if (round !== this.#round || !this.element.open) return;
    this.#view.show(found);
    if (typeof found !== 'string') this.#ports.strangers(found.requests.length);
  }

  /** A wrong code is told where it was typed; who is let in, in the list. */
  async #approve(approval: Approval): Promise<string | undefined> {
    const { done, text } = await approve(approval);
    if (done) this.#view.say(text);
    await this.#refresh();
    return done ? undefined : text;
  }

  #revoke(person: Person): Promise<void> {
    return this.#decided(revoke(person));
  }

  async #decided(outcome: Promise<Outcome>): Promise<void> {
    this.#view.say((await outcome).text);
    await this.#refresh();
  }
}
