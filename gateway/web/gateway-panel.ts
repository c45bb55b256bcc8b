import { fetchStatus, restartGateway } from './api.ts';
import { GatewayView } from './views/gateway-view.ts';

export interface GatewayPanelPorts {
  /** One sentence for whoever has closed the panel meanwhile. */
  toast(text: string): void;
}

/** The owner looks how the gateway is and restarts it, and learns when it is back. */
export class GatewayPanel {
  readonly #ports: GatewayPanelPorts;
  readonly #view = new GatewayView({ restart: () => void this.#restart() });
  /** When the process began that is to end. */
  #ending: number | undefined;

  constructor(ports: GatewayPanelPorts) {
    this.#ports = ports;
  }

  get element(): HTMLDialogElement {
    return this.#view.element;
  }

  async open(): Promise<void> {
    if (this.#ending === undefined) this.#view.say('');
    await this.#look();
  }

  /** The page is connected, perhaps to the same process as before. */
  async connected(): Promise<void> {
    if (this.#ending === undefined) return;
    const answer = await fetchStatus();
    if (answer.kind !== 'status' || answer.status.startedAtMs === this.#ending) return;
    this.#ending = undefined;
    this.#view.stage('idle');
    const text = 'The gateway has restarted, and this page is connected again.';
    this.#view.say(text);
    if (this.element.open) this.#view.show(answer.status);
    else this.#ports.toast(text);
  }

  async #look(): Promise<number | undefined> {
    const answer = await fetchStatus();
    const status = answer.kind === 'status' ? answer.status : undefined;
    this.#view.show(status);
    if (status === undefined) this.#view.say('The gateway does not answer now. This page connects by itself when it is back.');
    return status?.startedAtMs;
  }

  async #restart(): Promise<void> {
    this.#view.stage('restarting');
    this.#view.say('Restarting. What is at work is given up to a minute to come to a good place; this page connects again by itself.');
    const startedAtMs = await this.#look();
    if (startedAtMs === undefined) return this.#view.stage('idle');
    this.#ending = startedAtMs;
    const problem = await restartGateway();
    if (problem === undefined) return;
    this.#ending = undefined;
    this.#view.stage('idle');
    this.#view.say(problem);
  }
}
