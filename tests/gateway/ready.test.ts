import path from 'node:path';
import { expect, test } from 'vitest';
import { callControl } from '../../gateway/http/control-client.ts';
import { startGateway } from './support/gateway.ts';

const ask = (home: string) =>
  callControl(path.join(home, 'run', 'control.sock'), { method: 'GET', route: '/readyz' }, AbortSignal.timeout(5000));

test('a daemon is ready when its accounts hear something and its store takes what is written', async () => {
  const gateway = await startGateway();
  gateway.say('ann', 'hello');
  await gateway.idle();
  expect(await ask(gateway.home)).toMatchObject({ ready: true });
});

test('a daemon whose store takes nothing is not ready, whatever its accounts hear', async () => {
  const full = (): never => {
    throw new Error('the disk is full');
  };
  const gateway = await startGateway({ wrap: (store) => ({ ...store, meta: { ...store.meta, set: full } }) });
  expect(await ask(gateway.home)).toMatchObject({ ready: false, accounts: [{ state: 'connected' }] });
});
