import type { AccountStatus, GatewayStatus } from '../api.ts';
import { button, h, setAttribute } from '../dom.ts';
import { createDialog } from './dialog.ts';
import { accountTitle } from './platform-name.ts';

/** `idle`: nothing was asked for. `asked`: the owner is asked whether they mean it. */
export type RestartStage = 'idle' | 'asked' | 'restarting';

export interface GatewayViewPorts {
  restart(): void;
}

/** How the gateway is, and its restart, over the rest of the page. */
export class GatewayView {
  readonly #facts = h('dl', { class: 'facts' });
  readonly #accounts = h('ul', { class: 'accounts', 'aria-label': 'Accounts' });
  readonly #notes = h('ul', { class: 'notes', 'aria-label': 'Notes' });
  readonly #said = h('p', { class: 'gateway-said', role: 'status' });
  readonly #question = h('p', { id: 'restart-question' });
  readonly #ask = button({ label: 'Restart the gateway', class: 'secondary' }, () => this.#askFirst(), 'Restart…');
  readonly #cancel = button({ label: 'Cancel', class: 'secondary' }, () => this.stage('idle'), 'Cancel');
  readonly #sure: HTMLElement;
  readonly element: HTMLDialogElement;
  #working = 0;

  constructor(ports: GatewayViewPorts) {
    const now = button({ label: 'Restart now', class: 'primary' }, () => ports.restart(), 'Restart now');
    // Cancel comes to stand where the first button was: a double click restarts nothing.
    const buttons = h('div', { class: 'dialog-buttons' }, this.#cancel, now);
    this.#sure = h('div', { role: 'group', 'aria-labelledby': 'restart-question', hidden: true }, this.#question, buttons);
    const body = [this.#facts, this.#accounts, this.#notes, this.#said, this.#ask, this.#sure];
    this.element = createDialog('gateway', 'Gateway', ...body);
    this.element.addEventListener('close', () => {
      if (!this.#sure.hidden) this.stage('idle');
    });
  }

  /** Undefined: not known now. */
  show(status: GatewayStatus | undefined): void {
    this.#working = status?.work.turnsRunning ?? 0;
    this.#facts.replaceChildren(...(status === undefined ? [] : facts(status)));
    this.#accounts.replaceChildren(...(status?.accounts ?? []).map(account));
    this.#notes.replaceChildren(...(status?.notes ?? []).map((note) => h('li', {}, note)));
    for (const list of [this.#accounts, this.#notes]) list.hidden = list.childElementCount === 0;
    if (!this.element.open) this.element.showModal();
  }

  say(text: string): void {
    this.#said.textContent = text;
  }

  stage(stage: RestartStage): void {
    const inside = this.element.contains(document.activeElement);
    this.#ask.hidden = stage === 'asked';
    this.#sure.hidden = stage !== 'asked';
    setAttribute(this.#ask, 'aria-disabled', stage === 'restarting' ? 'true' : undefined);
    if (stage === 'asked') {
      this.say('');
      this.#question.textContent = questionOf(this.#working);
    }
    if (inside && this.element.open) (stage === 'asked' ? this.#cancel : this.#ask).focus();
  }

  #askFirst(): void {
    if (this.#ask.getAttribute('aria-disabled') === null) this.stage('asked');
  }
}

function questionOf(working: number): string {
  const work = working === 1 ? 'One turn is at work; it goes on' : `${working} turns are at work; they go on`;
  return `Restart the gateway? ${working === 0 ? 'Nothing is at work now.' : `${work} afterwards.`} Messages that come meanwhile are not lost.`;
}

function facts({ version, model, startedAtMs, work }: GatewayStatus): HTMLElement[] {
  const rows = [
    ['Version', version],
    ['Model', model.name],
    ['Running since', new Date(startedAtMs).toLocaleString()],
    ['At work', work.turnsRunning === 1 ? '1 turn' : `${work.turnsRunning} turns`],
  ];
  return rows.map(([name = '', value = '']) => h('div', {}, h('dt', {}, name), h('dd', {}, value)));
}

function account({ platform, account: name, state, detail }: AccountStatus): HTMLElement {
  return h(
    'li',
    { 'data-state': state },
    h('b', {}, accountTitle(platform, name)),
    ' ',
    h('span', { class: 'account-state' }, state),
    ...(detail === undefined ? [] : [h('p', {}, detail)]),
  );
}
