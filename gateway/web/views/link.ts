import { button, h } from '../dom.ts';
import type { LinkOffer, PhoneLink } from '../phone-link.ts';
import { qrPicture } from './qr-picture.ts';

export interface LinkPorts {
  accept(link: PhoneLink): void;
  code(link: PhoneLink, phone: string): void;
  /** Not now. */
  later(): void;
}

/** What the owner does so that an account that is a person's phone works: reads a warning, then scans a code or types one. */
export class LinkView {
  readonly element = h('aside', { class: 'link-panel', role: 'dialog', 'aria-labelledby': 'link-title', hidden: true });
  readonly #ports: LinkPorts;
  #shown = '';

  constructor(ports: LinkPorts) {
    this.#ports = ports;
  }

  /** Undefined: there is nothing to do. What is typed into the panel stays while its offer does. */
  show(link: PhoneLink | undefined): void {
    const shown = link === undefined ? '' : JSON.stringify([link.label, link.account, link.offer, link.problem]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.element.hidden = link === undefined;
    if (link !== undefined) this.element.replaceChildren(...this.#content(link));
  }

  #content(link: PhoneLink): HTMLElement[] {
    const name = link.account === 'main' ? link.label : `${link.label} (${link.account})`;
    const title = h('h2', { id: 'link-title' }, `Link ${name}`);
    const problem = link.problem === undefined ? [] : [h('p', { class: 'link-problem', role: 'alert' }, link.problem)];
    return [title, ...problem, ...this.#step(link), h('p', { class: 'link-later' }, this.#later())];
  }

  #later(): HTMLButtonElement {
    return button({ label: 'Not now', class: 'plain' }, () => this.#ports.later(), 'Not now');
  }

  #step(link: PhoneLink): HTMLElement[] {
    const { offer } = link;
    if (offer === undefined) return [h('p', {}, 'A code is being made…')];
    if (offer.type === 'warning') {
      const agree = button({ label: 'I understand', class: 'primary' }, () => this.#ports.accept(link), 'I understand');
      return [h('p', { class: 'link-warning' }, offer.text), agree];
    }
    return offer.type === 'code' ? [...typed(offer.code)] : [...scanned(offer), this.#byNumber(link)];
  }

  #byNumber(link: PhoneLink): HTMLElement {
    const field = h('input', { type: 'tel', id: 'link-phone', autocomplete: 'tel', placeholder: '+49 151 23456789', required: true });
    const form = h(
      'form',
      {},
      h('label', { for: 'link-phone' }, "The phone's number, with the country code"),
      h('div', { class: 'link-row' }, field, h('button', { type: 'submit', class: 'primary' }, 'Get a code')),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#ports.code(link, field.value.replace(/\D/g, '').replace(/^00/, ''));
    });
    return h('details', {}, h('summary', {}, 'No camera? Link with a number instead'), form);
  }
}

const STEPS = 'On the phone: WhatsApp, Linked devices, Link a device';

function scanned(offer: Extract<LinkOffer, { type: 'qr' }>): HTMLElement[] {
  return [h('p', {}, `${STEPS}. Then point the camera here. A new code comes in time.`), qrPicture(offer.rows)];
}

function typed(code: string): HTMLElement[] {
  return [h('p', {}, `${STEPS}, Link with phone number instead. Then type:`), h('p', { class: 'link-code' }, code)];
}
