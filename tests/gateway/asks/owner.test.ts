import { describe, expect, it } from 'vitest';
import { offerInterrupt } from '../../../gateway/asks/offer.ts';
import { ownersAsks } from '../../../gateway/asks/owner.ts';
import type { OpenAsk } from '../../../gateway/status.ts';
import { createFakePlatform } from '../../fakes/platform.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { message } from '../support/inbound.ts';
import { askingGateway, card, riskyTool } from './support.ts';

const nobody = { decide: () => ({ text: 'Nothing is decided here.', after: () => undefined }) };
const listed = ({ store }: Gateway): readonly OpenAsk[] => ownersAsks(store, nobody).asks();

/** A gateway with an owner, to which a stranger of this name writes. */
async function strangerAt(name: string): Promise<Gateway> {
  const platform = createFakePlatform({ config: { allowed_users: [] } });
  const gateway = await startGateway({ platform, access: { unauthorized_dm_behavior: 'pair' } });
  gateway.receive([message(gateway.daemon.claimCode ?? '', { chat: 'boss', from: { id: 'boss', name: 'The Boss' } })]);
  await gateway.idle();
  gateway.receive([message('hi', { chat: 'mallory-chat', from: { id: 'mallory', name } })]);
  await gateway.idle();
  return gateway;
}

describe('the questions that wait for the owner', () => {
  it.each([
    ['Mallory', 'Mallory'],
    ['', 'mallory'],
  ])('name the stranger (%j) who wants to be let in and where they write, not the owner who is asked', async (name, person) => {
    const gateway = await strangerAt(name);
    expect(gateway.platform.cards('boss')).toHaveLength(1);
    expect(listed(gateway)).toMatchObject([
      {
        onPage: false,
        platform: 'fake',
        chat: 'mallory-chat',
        chatType: 'dm',
        person,
        markdown: expect.stringContaining('wants to talk to me'),
      },
    ]);
    expect(listed(gateway)[0]?.choices.map(({ label }) => label)).toEqual(['✅ Let in', '❌ No']);
  });

  it('name whose turn asks, and leave out what is only offered to whoever wrote', async () => {
    const { tool } = riskyTool();
    const gateway = await askingGateway({ tools: [tool] });
    gateway.say('ann', 'remove build');
    await card(gateway.platform, 'ann');
    const [lane] = gateway.store.turns.runningLanes();
    const chat = { platform: 'fake', account: 'main', chat: 'ann' };
    gateway.store.durable(() =>
      offerInterrupt({ store: gateway.store, now: Date.now }, lane ?? '', {
        target: { chat, chatType: 'dm' },
        by: { id: 'ann', name: 'Ann' },
        markdown: 'This waits.',
      }),
    );
    expect(gateway.store.asks.open()).toHaveLength(2);
    expect(listed(gateway)).toMatchObject([{ platform: 'fake', chat: 'ann', person: 'Ann', markdown: expect.stringContaining('remove') }]);
  });
});

describe('a card', () => {
  it('that no turn waits for says so; one that a turn waits for does not', async () => {
    const gateway = await strangerAt('Mallory');
    expect(gateway.platform.cards('boss')).toMatchObject([{ aside: true }]);
    const { tool } = riskyTool();
    const asking = await askingGateway({ tools: [tool] });
    asking.say('ann', 'remove build');
    expect(await card(asking.platform, 'ann')).not.toHaveProperty('aside');
  });
});
