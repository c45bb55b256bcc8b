import { expect, it } from 'vitest';
import type { InboundAnswer } from '../../../adapters/adapter.ts';
import { type Bench, patience, TOKEN } from './bench.ts';

export function asking(bench: Bench): void {
  const hasButtons = (): boolean => bench.rig.adapter.buttons === true;
  const clicked = async (label: string): Promise<InboundAnswer> => {
    const { rig } = bench;
    rig.click?.(label);
    await rig.until(() => rig.host.received.length === 1);
    const [event] = rig.host.received;
    if (event?.type !== 'answer') throw new Error(`expected an answer, but it is ${JSON.stringify(event)}`);
    return event;
  };

  it('shows on a card its number, its question, how to answer and its choices', async () => {
    const { rig } = bench;
    await bench.sendAsk();
    const shown = rig.visible().at(-1) ?? '';
    for (const part of ['#3', 'May I look around?']) expect(shown).toContain(part);
    // As it is typed there: Slack keeps what begins with "/" for itself.
    expect(shown).toMatch(/Or answer ([/!])approve or \1deny\./);
    if (hasButtons()) expect(rig.choices?.()).toEqual(['Allow once', 'Deny']);
    else expect(shown).toContain('1. Allow once\n2. Deny');
  });

  it('hands over a click as an answer that names the card, its chat and who clicked', async () => {
    if (!hasButtons()) return;
    const card = await bench.sendAsk();
    const answer = await clicked('Deny');
    expect(answer).toMatchObject({ token: TOKEN, choice: 'deny', message: card.id, chat: bench.rig.chat, chatType: 'dm' });
    expect(answer.event).not.toBe('');
    expect(answer.sender.isBot).toBe(false);
    expect(JSON.parse(JSON.stringify(answer))).toEqual(answer);
  });

  it('tells two clicks apart, also on the same button', async () => {
    const { rig } = bench;
    if (!hasButtons()) return;
    await bench.sendAsk();
    rig.click?.('Deny');
    rig.click?.('Deny');
    await rig.until(() => rig.host.received.length === 2);
    expect(new Set(rig.host.received.map(({ event }) => event)).size).toBe(2);
  });

  it.runIf(bench.contract.redelivers)('hands over a click again that could not be stored', async () => {
    const { rig } = bench;
    if (!hasButtons()) return;
    await bench.sendAsk();
    rig.host.refusal = new Error('disk full');
    rig.click?.('Deny');
    await rig.until(() => rig.host.offers.length >= 1);
    rig.host.refusal = undefined;
    await rig.until(() => rig.host.received.length === 1);
    expect(new Set(rig.host.offers.flat().map(({ event }) => event)).size).toBe(1);
  });

  it('hands over words in reply to a card as a message that names the card, also after a restart', async () => {
    const other = await bench.rig.adapter.send(bench.ask({ number: 2, token: 'zyxwvuts87654321' }), 'other', patience());
    const card = await bench.sendAsk();
    expect(card.id).not.toBe(other.id);
    bench.rig.reply(card.id, '2');
    await bench.heard(1);
    expect(bench.rig.host.received).toMatchObject([{ type: 'message', text: '2', replyTo: { message: card.id, fromBot: true } }]);
    await bench.restart();
    bench.rig.reply(other.id, '1');
    await bench.heard(1);
    expect(bench.rig.host.received).toMatchObject([{ type: 'message', text: '1', replyTo: { message: other.id, fromBot: true } }]);
  });

  it('takes the choices of a card away when it is closed, and shows who decided what', async () => {
    const { rig } = bench;
    const card = await bench.sendAsk();
    await rig.adapter.edit?.(card, bench.ask({ choices: [], closed: 'Allowed once by Ann.' }), patience());
    if (rig.adapter.edit === undefined) return;
    expect(rig.visible()).toHaveLength(1);
    const [shown] = rig.visible();
    expect(shown).toContain('May I look around?');
    expect(shown).toContain('Allowed once by Ann.');
    expect(shown).not.toContain('/approve');
    expect(rig.choices?.() ?? []).toEqual([]);
  });

  it('keeps the choices of a card that is edited while it is open', async () => {
    const { rig } = bench;
    if (!hasButtons()) return;
    const card = await bench.sendAsk();
    await rig.adapter.edit?.(card, bench.ask({ markdown: 'May I look around now?' }), patience());
    expect(rig.visible()).toEqual([expect.stringContaining('now')]);
    expect(rig.choices?.()).toEqual(['Allow once', 'Deny']);
  });

  it('answers a click, and takes it as done when that is too late to be seen', async () => {
    const { rig } = bench;
    if (!hasButtons() || rig.adapter.respond === undefined) return;
    await bench.sendAsk();
    const { interaction } = await clicked('Allow once');
    await rig.adapter.respond(interaction, 'Allowed once.', patience());
    rig.outdateClicks?.();
    await rig.adapter.respond(interaction, 'Allowed once.', patience());
  });
}
