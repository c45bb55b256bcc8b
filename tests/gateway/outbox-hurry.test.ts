import { expect, it } from 'vitest';
import { DeliveryError } from '../../adapters/adapter.ts';
import { createFakePlatform } from '../fakes/platform.ts';
import { startGateway, until } from './support/gateway.ts';
import { echo, scriptedModel } from './support/model.ts';

const down = () => new DeliveryError('not connected at the moment', { kind: 'transient', certain: true });

it('an answer that waits for its next try goes out when its account works again, and not minutes later', async () => {
  const platform = createFakePlatform();
  const gateway = await startGateway({ platform, model: scriptedModel(echo) });
  platform.fail({ throws: down() });
  gateway.say('ann', 'hello');
  const waits = (): boolean => platform.calls.some(({ kind }) => kind === 'send') && gateway.store.outbox.count().pending === 1;
  await until(waits, () => 'nothing waits');
  const part = gateway.store.outbox.next('fake/main/ann');
  if (part === undefined) throw new Error('no part');
  gateway.store.outbox.retry(part.id, { notBefore: Date.now() + 300_000, unknowns: 0, error: 'after many tries' });
  platform.host?.state('degraded');
  platform.host?.state('connected');
  expect(gateway.store.outbox.next('fake/main/ann')?.notBefore).toBe(0);
  expect(await gateway.answered('ann', 1)).toEqual(['echo: hello']);
});

it('a penalty of the platform holds although the account works again', async () => {
  const platform = createFakePlatform();
  const gateway = await startGateway({ platform, model: scriptedModel(echo) });
  platform.fail({ throws: new DeliveryError('slow down', { kind: 'rate_limited', certain: true, retryAfterMs: 60_000 }) });
  gateway.say('ann', 'hello');
  await until(
    () => platform.calls.some(({ kind }) => kind === 'send'),
    () => 'nothing was sent',
  );
  platform.host?.state('degraded');
  platform.host?.state('connected');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(platform.calls.filter(({ kind }) => kind === 'send')).toHaveLength(1);
});
