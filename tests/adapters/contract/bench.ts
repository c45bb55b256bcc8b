/** The account under test, which may be stopped and started anew, and what all parts of the contract say to it. */
import { expect } from 'vitest';
import { DeliveryError, type Inbound, type OutboundAsk, type OutboundText, type SentRef } from '../../../adapters/adapter.ts';
import type { AdapterContract, ContractRig } from './rig.ts';

export const TOKEN = 'abcdefgh12345678';

export const patience = (): AbortSignal => AbortSignal.timeout(8000);

export class Bench {
  readonly contract: AdapterContract;
  #rigs: ContractRig[] = [];

  constructor(contract: AdapterContract) {
    this.contract = contract;
  }

  get rig(): ContractRig {
    const current = this.#rigs.at(-1);
    if (current === undefined) throw new Error('No account is set up.');
    return current;
  }

  async open(): Promise<void> {
    this.#rigs = [await this.contract.setup()];
  }

  /** From now on `rig` is another adapter with another host, for the same account. */
  async restart(): Promise<void> {
    await this.rig.stop();
    this.#rigs.push(await this.rig.startAnew());
  }

  async close(): Promise<void> {
    for (const rig of this.#rigs.toReversed()) await rig.close();
  }

  text(markdown: string): OutboundText {
    return { type: 'text', chat: this.rig.chat, markdown };
  }

  ask(more: Partial<OutboundAsk> = {}): OutboundAsk {
    return {
      type: 'ask',
      chat: this.rig.chat,
      token: TOKEN,
      number: 3,
      markdown: 'May I look around?',
      choices: [
        { id: 'once', label: 'Allow once' },
        { id: 'deny', label: 'Deny' },
      ],
      hint: 'Or answer /approve or /deny.',
      ...more,
    };
  }

  send(markdown: string, key = 'key'): Promise<SentRef> {
    return this.rig.adapter.send(this.text(markdown), key, patience());
  }

  sendAsk(): Promise<SentRef> {
    return this.rig.adapter.send(this.ask(), 'key', patience());
  }

  /** Waits until so many events were taken. What they say, in order; one that came twice counts once, as in the inbox. */
  async heard(count: number): Promise<readonly string[]> {
    const { host, until } = this.rig;
    const taken = (): Map<string, Inbound> => new Map(host.received.map((event) => [event.event, event]));
    await until(() => taken().size >= count);
    return [...taken().values()].map((event) => (event.type === 'message' ? event.text : event.type));
  }

  async failure(attempt: Promise<unknown>): Promise<DeliveryError> {
    const error: unknown = await attempt.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(DeliveryError);
    return error as DeliveryError;
  }
}
