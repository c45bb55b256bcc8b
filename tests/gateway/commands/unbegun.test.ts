import { expect, it } from 'vitest';
import { backgroundLane } from '../../../gateway/background.ts';
import { startGateway } from '../support/gateway.ts';
import { message } from '../support/inbound.ts';
import { echo, scriptedModel } from '../support/model.ts';
import { conversation, keyOf, patient, reply, startLong } from './support.ts';

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

it.each(['/stop', '/agents stop'])('%s and its id ends a background run that still waits for its rest', async (stop) => {
  const gateway = await startGateway();
  const [id = ''] = /bg_\w+/.exec(await reply(gateway, `/background ${'x'.repeat(4000)}`)) ?? [];
  expect(await reply(gateway, `${stop} ${id}`, { chat: 'bob', from: { id: 'bob' } })).toContain(
    `There is no run "${id.replaceAll('_', '\\_')}" here.`,
  );
  expect(await reply(gateway, `${stop} ${id}`)).toBe(`🛑 Stopped ${id} before it began.`);
  expect(gateway.store.sessions.open(backgroundLane({ id, chat: keyOf() }))).toBeUndefined();
  expect(gateway.store.inbox.countOpen()).toBe(0);
});

it('/new takes away what came together with it', async () => {
  const model = scriptedModel(echo);
  const gateway = await startGateway({ model });
  gateway.receive([message('hello'), message('/new'), message('one')]);
  await gateway.idle();
  expect(gateway.answers('ann')).toEqual(['✨ New conversation. What can I do for you?', 'echo: one']);
  expect(conversation(gateway)).toEqual(['one', 'echo: one']);
});
