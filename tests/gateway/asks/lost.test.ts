import { expect, it } from 'vitest';
import { DeliveryError } from '../../../adapters/adapter.ts';
import { createFakePlatform } from '../../fakes/platform.ts';
import { until } from '../support/gateway.ts';
import { click } from '../support/inbound.ts';
import { askingGateway, card, questionTool, riskyTool } from './support.ts';

/** Cards that the platform does not take. */

it('a card whose formatting is refused is shown without, and can be answered', async () => {
  const platform = createFakePlatform();
  platform.fail({ throws: new DeliveryError('bad entities', { kind: 'rejected', certain: true, formatting: true }) });
  const { tool } = riskyTool();
  const gateway = await askingGateway({ platform, tools: [tool] });
  gateway.say('ann', 'remove build');
  const asked = await card(platform, 'ann');
  expect(asked.plain).toBe(true);
  gateway.receive([click(asked, 'once')]);
  expect(await gateway.answered('ann', 1)).toEqual(['ok: removed build']);
});

it.each([
  ['is refused', new DeliveryError('too long', { kind: 'rejected', certain: true })],
  ['may have been lost twice', new DeliveryError('no answer', { kind: 'transient', certain: false })],
  ['fails by a bug', new Error('a bug')],
])('a card that %s keeps no turn waiting, and is no consent', async (_what, throws) => {
  const platform = createFakePlatform();
  platform.fail({ throws, times: throws instanceof DeliveryError && throws.kind === 'transient' ? 2 : 1 });
  const { tool, ran } = riskyTool();
  const gateway = await askingGateway({ platform, tools: [tool] });
  gateway.say('ann', 'remove build');
  expect(await gateway.answered('ann', 1)).toEqual([expect.stringMatching(/^refused: Refused: the question could not be shown, or/)]);
  expect(ran).toEqual([]);
  expect(gateway.store.asks.open()).toEqual([]);
});

it('a question that cannot be shown is answered by nobody', async () => {
  const platform = createFakePlatform();
  platform.fail({ throws: new DeliveryError('too long', { kind: 'rejected', certain: true }) });
  const gateway = await askingGateway({ platform, tools: [questionTool()] });
  gateway.say('ann', 'clarify Where?');
  expect(await gateway.answered('ann', 1)).toEqual([expect.stringContaining('could not be shown')]);
});

it('a card that was given up just before a crash keeps no turn waiting after the restart', async () => {
  const { tool, ran } = riskyTool();
  const platform = createFakePlatform();
  platform.fail({ throws: new DeliveryError('too long', { kind: 'rejected', certain: true }) });
  const stuck = await askingGateway({
    platform,
    tools: [tool],
    wrap: (store) => ({ ...store, asks: { ...store.asks, byCard: () => undefined } }), // as if the process had ended here
  });
  stuck.say('ann', 'remove build');
  await until(
    () => stuck.store.outbox.count().pending === 0 && stuck.store.asks.open().length === 1,
    () => 'the card is not given up',
  );
  const gateway = await askingGateway({ tools: [tool], home: stuck.kill() });
  expect(await gateway.answered('ann', 1)).toEqual([expect.stringMatching(/^refused: Refused: the question could not be shown, or/)]);
  expect([ran, gateway.store.asks.open()]).toEqual([[], []]);
});
