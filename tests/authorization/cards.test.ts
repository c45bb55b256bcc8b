/** Every kind of card, driven by people who may not decide it and by the one who may. A new kind does not compile without an entry here. */
import { describe, expect, it } from 'vitest';
import type { AskChoice } from '../../adapters/adapter.ts';
import { offerInterrupt } from '../../gateway/asks/offer.ts';
import type { AskBody } from '../../gateway/store/schema.ts';
import { createFakePlatform } from '../fakes/platform.ts';
import { askingGateway, card, questionTool, riskyTool } from '../gateway/asks/support.ts';
import { type Gateway, startGateway, until } from '../gateway/support/gateway.ts';
import { click, message, replyTo, type Said } from '../gateway/support/inbound.ts';
import { effectsOf } from './state.ts';

interface Opened {
  readonly gateway: Gateway;
  readonly card: { readonly id: string; readonly token: string; readonly choices: readonly AskChoice[] };
  /** Where the card is, and who may decide it. */
  readonly right: Said & { readonly from: { readonly id: string; readonly name: string } };
  /** What the choices would have changed beside the database. */
  readonly done: readonly string[];
}

const room = { chat: 'room', chatType: 'group' } as const;
const ann = { ...room, from: { id: 'ann', name: 'Ann' } };
const letIn = ['ann', 'bob', 'robot'];
const platformOf = (allowed: readonly string[] = letIn) =>
  createFakePlatform({ config: { allowed_users: allowed, group_allow_admin_from: ['ann'] } });

/** The newest card of a gateway in which somebody said this. */
async function asked(allowed: readonly string[]): Promise<Opened> {
  const { tool, ran } = riskyTool();
  const gateway = await askingGateway({ tools: [tool], platform: platformOf(allowed) });
  gateway.receive([message('remove build', ann)]);
  return { gateway, card: await card(gateway.platform, 'room'), right: ann, done: ran };
}

const openers: Readonly<Record<AskBody['kind'], (allowed: readonly string[]) => Promise<Opened>>> = {
  approval: asked,
  question: async (allowed) => {
    const gateway = await askingGateway({ tools: [questionTool(['red', 'blue'])], platform: platformOf(allowed) });
    gateway.receive([message('clarify which', ann)]);
    return { gateway, card: await card(gateway.platform, 'room'), right: ann, done: [] };
  },
  interrupt: async (allowed) => {
    const opened = await asked(allowed);
    const { store, platform } = opened.gateway;
    const target = { chat: { platform: 'fake', account: 'main', chat: 'room' }, chatType: 'group' } as const;
    const [lane = ''] = store.turns.runningLanes();
    store.durable(() =>
      offerInterrupt({ store, now: Date.now }, lane, { target, by: { id: 'ann', name: 'Ann' }, markdown: 'This waits.' }),
    );
    opened.gateway.receive([message('/queue one more', ann)]); // sends what waits
    return { ...opened, card: await card(platform, 'room', 2) };
  },
  pairing: async (allowed) => {
    const gateway = await startGateway({
      platform: platformOf(allowed.filter((id) => id !== 'ann')),
      access: { unauthorized_dm_behavior: 'pair' },
    });
    const right = { chat: 'ann', from: { id: 'ann', name: 'Ann' } };
    gateway.receive([message(gateway.daemon.claimCode ?? '', right)]);
    await gateway.idle();
    gateway.receive([message('let me in', { chat: 'eve', from: { id: 'eve', name: 'Eve' } })]);
    return { gateway, card: await card(gateway.platform, 'ann'), right, done: [] };
  },
};

/** What a decision changes; that a click was heard and answered is none of it. */
function decided(gateway: Gateway): object {
  return effectsOf(gateway.home);
}

async function toldBy(gateway: Gateway, act: () => void): Promise<string> {
  const before = gateway.platform.responses.length;
  act();
  await until(
    () => gateway.platform.responses.length > before,
    () => 'who clicked was told nothing',
  );
  return gateway.platform.responses[before] ?? '';
}

const kinds = Object.entries(openers);

describe.each(kinds)('a card of the kind "%s"', (kind, open) => {
  it('is decided by nobody else, nowhere else and with nothing else, whatever the choice', async () => {
    const { gateway, card: shown, right, done } = await open(letIn);
    const before = decided(gateway);
    const { from, ...place } = right;
    for (const { id: choice } of shown.choices) {
      const as = (changes: Said, forged: Partial<typeof shown> = {}, other = choice) =>
        click({ ...shown, ...forged }, other, { ...right, ...changes });
      const attempts: readonly (readonly [string, ReturnType<typeof click>, RegExp])[] = [
        ['a stranger', as({ from: { id: 'mallory', name: from.name } }), /^Sorry, you may not decide this/],
        ['somebody else who is let in', as({ from: { id: 'bob', name: from.name } }), /^Only .* may (?:answer|decide) this/],
        ['a bot that is let in', as({ from: { id: 'robot', name: from.name, isBot: true } }), /^Sorry, you may not decide this/],
        ['another chat', as({ chat: 'elsewhere' }), /belongs to another chat/],
        ['a copy of the card', as({}, { id: '4711' }), /is a copy of the card/],
        ['a token that was never given', as({}, { token: 'z'.repeat(16) }), /do not know this question/],
        ['a choice that is not offered', as({}, {}, 'zzz'), /none of the choices/],
      ];
      for (const [who, event, sentence] of attempts)
        expect([who, await toldBy(gateway, () => gateway.receive([event]))]).toEqual([who, expect.stringMatching(sentence)]);
    }
    expect([decided(gateway), done]).toEqual([before, []]);
    const row = gateway.store.asks.byToken(shown.token);
    for (const word of ['yes', 'no', '1', 'allow', 'interrupt', 'red'])
      gateway.receive([message(word, { ...place, from: { id: 'mallory', name: from.name }, replyTo: replyTo(shown) })]);
    expect([gateway.store.asks.byToken(shown.token), done]).toEqual([row, []]);
  });

  it('is not decided in words by somebody else who is let in', async () => {
    const { gateway, card: shown, right, done } = await open(letIn);
    const before = gateway.store.asks.byToken(shown.token);
    const said = gateway.answers(right.chat ?? '').length;
    const words =
      kind === 'question' ? ['1', 'red', 'green'] : kind === 'interrupt' ? ['1', 'interrupt'] : ['1', 'yes', 'no', 'allow', 'deny'];
    for (const word of words) gateway.receive([message(word, { ...right, from: { id: 'bob', name: 'Ann' }, replyTo: replyTo(shown) })]);
    const texts = await gateway.answered(right.chat ?? '', said + 1);
    expect(texts[said]).toMatch(/^Only .* may (?:answer|decide) this/);
    expect([gateway.store.asks.byToken(shown.token), done]).toEqual([before, []]);
  });

  it('is decided once by the one who may, and a second click changes nothing', async () => {
    const { gateway, card: shown, right } = await open(letIn);
    const choice = shown.choices.at(-1)?.id ?? '';
    gateway.receive([click(shown, choice, right)]);
    await until(
      () => gateway.store.asks.byToken(shown.token)?.state === 'decided',
      () => 'it is open',
    );
    const before = gateway.store.asks.byToken(shown.token)?.decision;
    const other = shown.choices[0]?.id ?? '';
    expect(await toldBy(gateway, () => gateway.receive([click(shown, other, { ...right, event: 'again' })]))).toMatch(/^$|^Too late/);
    expect(gateway.store.asks.byToken(shown.token)?.decision).toEqual(before);
  });

  it('is not decided by the one who might have, once they are not let in any more', async () => {
    const allowed = [...letIn];
    const { gateway, card: shown, right, done } = await open(allowed);
    allowed.length = 0;
    gateway.store.people.remove('fake/main', right.from.id);
    const before = decided(gateway);
    const told = await toldBy(gateway, () => gateway.receive([click(shown, shown.choices[0]?.id ?? '', right)]));
    expect(told).toMatch(/^Sorry, you may not decide this/);
    expect([decided(gateway), done]).toEqual([before, []]);
  });
});
