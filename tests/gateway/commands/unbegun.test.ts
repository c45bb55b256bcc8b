import { expect, it } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { message } from '../support/inbound.ts';
import { echo, scriptedModel } from '../support/model.ts';
import { conversation, patient, reply, startLong } from './support.ts';

const interrupting = { display: { busyMode: 'interrupt' } } as const;

it('/stop takes away what came together with it, and not what came after it', async () => {
  const model = scriptedModel(echo);
  const gateway = await startGateway({ model });
  gateway.receive([message('delete it all'), message('and more'), message('/stop'), message('hello')]);
  await gateway.idle();
  expect(gateway.answers('ann')).toEqual(['🛑 Stopped before I began.', 'echo: hello']);
  expect(model.requests).toHaveLength(1);
});

it.each([
  ['a long text', message('x'.repeat(4000))],
  ['an album', message('look', { album: 'a', attachments: [{ kind: 'image', handle: 'x' }] })],
])('/stop takes away %s that still waits for its rest', async (_, part) => {
  const model = scriptedModel(echo);
  const gateway = await startGateway({ model });
  gateway.receive([part]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(await reply(gateway, '/stop')).toBe('🛑 Stopped before I began.');
  await gateway.idle();
  expect(await reply(gateway, 'hello')).toBe('echo: hello');
  expect(model.requests).toHaveLength(1);
});

it('/stop leaves what waits behind a turn at work', async () => {
  const model = scriptedModel(patient);
  const gateway = await startGateway({ model });
  await startLong(gateway, model);
  gateway.receive([message('hello'), message('/stop')]);
  await gateway.idle();
  expect(gateway.answers('ann')).toContain('🛑 Stopped.');
  expect(gateway.answers('ann').at(-1)).toBe('echo: hello');
});

it('/stop takes away what has only just interrupted a turn, and leaves what was queued', async () => {
  const model = scriptedModel(patient);
  const gateway = await startGateway({ model, change: interrupting });
  await startLong(gateway, model);
  gateway.receive([message('/queue later'), message('delete it all'), message('/stop')]);
  await gateway.idle();
  expect(gateway.answers('ann')).toContain('🛑 Stopped.');
  expect(model.requests).toHaveLength(2);
  expect(gateway.answers('ann').at(-1)).toBe('echo: later');
});

it('/new takes away what came together with it', async () => {
  const model = scriptedModel(echo);
  const gateway = await startGateway({ model });
  gateway.receive([message('hello'), message('/new'), message('one')]);
  await gateway.idle();
  expect(gateway.answers('ann')).toEqual(['✨ New conversation. What can I do for you?', 'echo: one']);
  expect(conversation(gateway)).toEqual(['one', 'echo: one']);
});
