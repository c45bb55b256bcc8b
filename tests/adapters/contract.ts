/** What every adapter must do, whatever its platform. Each platform's test file runs this over its own fake. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Adapter,
  type ChatRef,
  DeliveryError,
  type InboundAnswer,
  type OutboundAsk,
  type OutboundText,
} from '../../adapters/adapter.ts';
import type { TestHost } from './host.ts';

/** One account of a platform with its fake behind it, connected. */
export interface ContractRig {
  readonly adapter: Adapter;
  readonly host: TestHost;
  /** A direct chat in which a person and the bot talk. */
  readonly chat: ChatRef;
  /** The person writes. */
  say(text: string): void;
  /** Events that the platform would deliver again, because nobody has acknowledged them. */
  unacknowledged(): number;
  /** The bot's messages as people see them now, markup taken out, oldest first. Cards without their buttons. */
  visible(): readonly string[];
  /** What the buttons of the bot's newest message say. Needed, with `click`, where the adapter has buttons. */
  choices?(): readonly string[];
  /** The person clicks a button of the bot's newest message. */
  click?(label: string): void;
  /** The clicks so far are too old for the platform to show an answer to them. */
  outdateClicks?(): void;
  /** Waits until the predicate holds. */
  until(predicate: () => unknown): Promise<void>;
  /** Stops the connection; resolves when `run` has. */
  stop(): Promise<void>;
  /** Stops what is left and takes the fake down. */
  close(): Promise<void>;
  /** Makes the next send fail in this way. A platform leaves out what it cannot do. */
  readonly faults: {
    /** The platform asks for a pause of 7 s. */
    rateLimit?(): void;
    refuseFormatting?(): void;
    refuseAsTooLong?(): void;
    blockBot?(): void;
    /** The message is accepted, then the connection breaks before the answer. */
    acceptThenDrop?(): void;
    serverError?(): void;
    /** Takes the call and never answers. */
    hang?(): void;
  };
}

export interface AdapterContract {
  readonly name: string;
  setup(): Promise<ContractRig>;
  /** The platform keeps an event until it is acknowledged and offers it again. False where backfill takes that part. */
  readonly redelivers: boolean;
}

const patience = (): AbortSignal => AbortSignal.timeout(8000);

export function adapterContract({ name, setup, redelivers }: AdapterContract): void {
  describe(`${name} as an adapter`, () => {
    let rig: ContractRig;
    beforeEach(async () => {
      rig = await setup();
    });
    afterEach(async () => {
      await rig.close();
    });

    const text = (markdown: string): OutboundText => ({ type: 'text', chat: rig.chat, markdown });
    const send = (markdown: string, key = 'key') => rig.adapter.send(text(markdown), key, patience());
    const failure = async (attempt: Promise<unknown>): Promise<DeliveryError> => {
      const error: unknown = await attempt.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(DeliveryError);
      return error as DeliveryError;
    };

    it('hands over what a person wrote, as plain data that is fit for a table', async () => {
      rig.say('hello there');
      await rig.until(() => rig.host.received.length === 1);
      const [event] = rig.host.received;
      expect(event).toMatchObject({
        type: 'message',
        text: 'hello there',
        chat: rig.chat,
        chatType: 'dm',
        mentioned: true,
        attachments: [],
      });
      expect(JSON.parse(JSON.stringify(event))).toEqual(event);
      expect(event?.event).not.toBe('');
      expect(event?.sender.isBot).toBe(false);
    });

    it('acknowledges only after the events are stored', async () => {
      rig.say('first');
      await rig.until(() => rig.host.received.length === 1);
      await rig.until(() => rig.unacknowledged() === 0);
    });

    it.runIf(redelivers)('does not acknowledge what could not be stored, and hands it over again under the same id', async () => {
      rig.host.refusal = new Error('disk full');
      rig.say('keep me');
      await rig.until(() => rig.host.offers.length >= 1);
      expect(rig.unacknowledged()).toBe(1);
      rig.host.refusal = undefined;
      await rig.until(() => rig.host.received.length === 1);
      const ids = rig.host.offers.flat().map(({ event }) => event);
      expect(ids.length).toBeGreaterThan(1);
      expect(new Set(ids).size).toBe(1);
      await rig.until(() => rig.unacknowledged() === 0);
    });

    it('keeps the order in which a person wrote', async () => {
      for (let index = 0; index < 10; index += 1) rig.say(`message ${index}`);
      await rig.until(() => rig.host.received.length === 10);
      expect(rig.host.received.map((event) => (event.type === 'message' ? event.text : ''))).toEqual(
        Array.from({ length: 10 }, (_unused, index) => `message ${index}`),
      );
    });

    it('shows evidence of progress and says that it is connected', async () => {
      await rig.until(() => rig.host.alives > 0);
      expect(rig.host.states.map(({ state }) => state)).toContain('connected');
    });

    it('sends a text and answers with a reference', async () => {
      const ref = await send('**Hello** you');
      expect(ref.chat).toEqual(rig.chat);
      expect(ref.id).not.toBe('');
      expect(JSON.parse(JSON.stringify(ref))).toEqual(ref);
      expect(rig.visible().at(-1)).toContain('Hello');
    });

    it('edits what it sent', async () => {
      const ref = await send('first');
      await rig.adapter.edit?.(ref, text('second'), patience());
      if (rig.adapter.edit !== undefined) expect(rig.visible()).toEqual(['second']);
    });

    it('takes an edit that changes nothing as done', async () => {
      const ref = await send('same');
      await rig.adapter.edit?.(ref, text('same'), patience());
      expect(rig.visible()).toEqual(['same']);
    });

    it('deletes what it sent, also when it is gone already', async () => {
      if (rig.adapter.delete === undefined) return;
      const ref = await send('away');
      await rig.adapter.delete(ref, patience());
      expect(rig.visible()).toEqual([]);
      await rig.adapter.delete(ref, patience());
    });

    it('rejects with the reason of a signal that is aborted already, and sends nothing', async () => {
      const reason = new Error('not any more');
      await expect(rig.adapter.send(text('late'), 'key', AbortSignal.abort(reason))).rejects.toBe(reason);
      expect(rig.visible()).toEqual([]);
    });

    it('tells a rate limit with the pause that was asked for', async () => {
      if (rig.faults.rateLimit === undefined) return;
      rig.faults.rateLimit();
      expect(await failure(send('slow'))).toMatchObject({ kind: 'rate_limited', certain: true, retryAfterMs: 7000 });
    });

    it('tells refused formatting apart, because plain text may work', async () => {
      if (rig.faults.refuseFormatting === undefined) return;
      rig.faults.refuseFormatting();
      expect(await failure(send('**x**'))).toMatchObject({ kind: 'rejected', certain: true, formatting: true });
    });

    it('rejects for good what will never work', async () => {
      for (const fault of [rig.faults.refuseAsTooLong, rig.faults.blockBot]) {
        if (fault === undefined) continue;
        fault();
        expect(await failure(send('never'))).toMatchObject({ kind: 'rejected', certain: true, formatting: false });
      }
    });

    it('does not claim to know what became of a message when the connection broke before the answer', async () => {
      if (rig.faults.acceptThenDrop === undefined) return;
      rig.faults.acceptThenDrop();
      expect(await failure(send('maybe'))).toMatchObject({ kind: 'transient', certain: false });
    });

    it("takes the platform's own failure as passing", async () => {
      if (rig.faults.serverError === undefined) return;
      rig.faults.serverError();
      expect(await failure(send('again'))).toMatchObject({ kind: 'transient' });
      await send('again');
      expect(rig.visible()).toEqual(['again']);
    });

    it('gives up a call that hangs as soon as it is told to', async () => {
      if (rig.faults.hang === undefined) return;
      rig.faults.hang();
      const reason = new Error('the turn was stopped');
      const stop = new AbortController();
      const attempt = rig.adapter.send(text('stuck'), 'key', stop.signal);
      setTimeout(() => stop.abort(reason), 50);
      await expect(attempt).rejects.toBe(reason);
    });

    const ask = (more: Partial<OutboundAsk> = {}): OutboundAsk => ({
      type: 'ask',
      chat: rig.chat,
      token: 'abcdefgh12345678',
      number: 3,
      markdown: 'May I look around?',
      choices: [
        { id: 'once', label: 'Allow once' },
        { id: 'deny', label: 'Deny' },
      ],
      hint: 'Or answer /approve or /deny.',
      ...more,
    });
    const closed = () => ask({ choices: [], closed: 'Allowed once by Ann.' });
    const sendAsk = () => rig.adapter.send(ask(), 'key', patience());
    const clicked = async (label: string): Promise<InboundAnswer> => {
      rig.click?.(label);
      await rig.until(() => rig.host.received.length === 1);
      const [event] = rig.host.received;
      if (event?.type !== 'answer') throw new Error(`expected an answer, but it is ${JSON.stringify(event)}`);
      return event;
    };
    const hasButtons = (): boolean => rig.adapter.buttons === true;

    it('shows on a card its number, its question, how to answer and its choices', async () => {
      await sendAsk();
      const shown = rig.visible().at(-1) ?? '';
      for (const part of ['#3', 'May I look around?', 'Or answer /approve or /deny.']) expect(shown).toContain(part);
      if (hasButtons()) expect(rig.choices?.()).toEqual(['Allow once', 'Deny']);
      else expect(shown).toContain('1. Allow once\n2. Deny');
    });

    it('hands over a click as an answer that names the card, its chat and who clicked', async () => {
      if (!hasButtons()) return;
      const card = await sendAsk();
      const answer = await clicked('Deny');
      expect(answer).toMatchObject({ token: 'abcdefgh12345678', choice: 'deny', message: card.id, chat: rig.chat, chatType: 'dm' });
      expect(answer.event).not.toBe('');
      expect(answer.sender.isBot).toBe(false);
      expect(JSON.parse(JSON.stringify(answer))).toEqual(answer);
    });

    it('tells two clicks apart, also on the same button', async () => {
      if (!hasButtons()) return;
      await sendAsk();
      rig.click?.('Deny');
      rig.click?.('Deny');
      await rig.until(() => rig.host.received.length === 2);
      expect(new Set(rig.host.received.map(({ event }) => event)).size).toBe(2);
    });

    it.runIf(redelivers)('hands over a click again that could not be stored', async () => {
      if (!hasButtons()) return;
      await sendAsk();
      rig.host.refusal = new Error('disk full');
      rig.click?.('Deny');
      await rig.until(() => rig.host.offers.length >= 1);
      rig.host.refusal = undefined;
      await rig.until(() => rig.host.received.length === 1);
      expect(new Set(rig.host.offers.flat().map(({ event }) => event)).size).toBe(1);
    });

    it('takes the choices of a card away when it is closed, and shows who decided what', async () => {
      const card = await sendAsk();
      await rig.adapter.edit?.(card, closed(), patience());
      if (rig.adapter.edit === undefined) return;
      expect(rig.visible()).toHaveLength(1);
      const [shown] = rig.visible();
      expect(shown).toContain('May I look around?');
      expect(shown).toContain('Allowed once by Ann.');
      expect(shown).not.toContain('/approve');
      expect(rig.choices?.() ?? []).toEqual([]);
    });

    it('keeps the choices of a card that is edited while it is open', async () => {
      if (!hasButtons()) return;
      const card = await sendAsk();
      await rig.adapter.edit?.(card, ask({ markdown: 'May I look around now?' }), patience());
      expect(rig.visible()).toEqual([expect.stringContaining('now')]);
      expect(rig.choices?.()).toEqual(['Allow once', 'Deny']);
    });

    it('answers a click, and takes it as done when that is too late to be seen', async () => {
      if (!hasButtons() || rig.adapter.respond === undefined) return;
      await sendAsk();
      const { interaction } = await clicked('Allow once');
      await rig.adapter.respond(interaction, 'Allowed once.', patience());
      rig.outdateClicks?.();
      await rig.adapter.respond(interaction, 'Allowed once.', patience());
    });

    it('stops when it is told to and receives nothing after that', async () => {
      await rig.until(() => rig.host.alives > 0);
      await rig.stop();
      const before = rig.host.offers.length;
      rig.say('too late');
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(rig.host.offers.length).toBe(before);
    });
  });
}
