import { existsSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { createFakePlatform } from '../fakes/platform.ts';
import { startGateway } from './support/gateway.ts';
import { message } from './support/inbound.ts';
import { scriptedModel } from './support/model.ts';
import type { SettingsChange } from './support/settings.ts';
import { transcriptOf } from './support/transcript.ts';

const dayMs = 86_400_000;

it('what is settled is forgotten after a week with the files of its turn; what is open and the transcripts stay', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
  const gateway = await startGateway();
  gateway.say('ann', 'look', { event: 'old', attachments: [{ kind: 'file', handle: 'x' }] });
  await gateway.idle();
  const files = path.join(gateway.home, 'media', '1');
  gateway.store.inbox.add({ event: message('open', { event: 'open' }), lane: 'nobody', state: 'claimed' });
  const again = (event: string) => gateway.store.inbox.add({ event: message('x', { event }), lane: 'nobody', state: 'done' });
  await vi.advanceTimersByTimeAsync(6 * dayMs);
  expect([existsSync(files), again('old')]).toEqual([true, undefined]);
  await vi.advanceTimersByTimeAsync(2 * dayMs);
  await vi.waitFor(() => expect(existsSync(files)).toBe(false));
  expect([again('open'), gateway.store.inbox.countOpen()]).toEqual([undefined, 1]);
  expect(again('old')).toBeTypeOf('number');
  expect(transcriptOf(gateway.store, 'ann')).toHaveLength(2);
});

it('a conversation whose images are removed begins its requests anew, and no other', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
  const model = scriptedModel(() => 'ok', { vision: true });
  const gateway = await startGateway({ model, platform: createFakePlatform({ files: { x: () => Readable.from(['image']) } }) });
  gateway.say('ann', 'look', { attachments: [{ kind: 'image', handle: 'x', mime: 'image/png' }] });
  gateway.say('bob', 'hello');
  await gateway.idle();
  await vi.advanceTimersByTimeAsync(8 * dayMs);
  for (const chat of ['ann', 'bob']) gateway.say(chat, 'and now?');
  await gateway.idle();
  const builds = ['ann', 'bob'].map(
    (chat) => gateway.store.prompts.get(gateway.store.sessions.open(`agent:main:fake:dm:${chat}`)?.id ?? '')?.builds,
  );
  expect(builds).toEqual([2, 1]);
});

it('what was done is on record for as long as the configuration says, for ever with 0, and the rest of the record stays whole', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
  const change: SettingsChange = { audit: { retentionMs: 0 } };
  const { store } = await startGateway({ change });
  const append = (event: string) => store.audit.append({ event, account: '', person: '', tool: '', facts: {} });
  const events = () => store.audit.read({ limit: 10 }).entries.map(({ event }) => event);
  append('first');
  await vi.advanceTimersByTimeAsync(9 * dayMs);
  append('second');
  await vi.advanceTimersByTimeAsync(2 * dayMs);
  expect(events()).toEqual(['second', 'first']);
  change.audit = { retentionMs: 3 * dayMs };
  await vi.advanceTimersByTimeAsync(dayMs);
  expect(events()).toEqual(['second']);
  expect(store.audit.check()).toMatchObject({ checked: 1, last: { id: 2 } });
  expect(store.audit.check().problem).toBeUndefined();
});
