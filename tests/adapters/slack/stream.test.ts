import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChatRef, Json } from '../../../adapters/adapter.ts';
import type { SlackFault } from '../../fakes/slack.ts';
import { CHANNEL, chatOf, DIRECT, type SlackRig, startRig } from './rig.ts';

const signal = (): AbortSignal => AbortSignal.timeout(8000);

let kept: Map<string, Json>;
let rig: SlackRig;
let place: ChatRef;
beforeEach(async () => {
  kept = new Map();
  rig = await startRig({ kept });
  await rig.connected();
  const root = rig.fake.say('Chat started', { extra: { subtype: 'assistant_app_thread' }, quietly: true });
  rig.fake.event({
    type: 'assistant_thread_started',
    assistant_thread: { user_id: 'U0PERSON1', context: {}, channel_id: DIRECT, thread_ts: root },
    event_ts: root,
  });
  await rig.fake.waitFor(() => rig.fake.unacknowledged() === 0);
  place = chatOf(DIRECT, root);
});
afterEach(() => rig.close());

const preview = (markdown: string, key = 'answer') => rig.adapter.preview?.(place, key, markdown, signal());
const send = (markdown: string) => rig.adapter.send({ type: 'text', chat: place, markdown }, 'k', signal());
const shown = () => rig.fake.messages(DIRECT).map(({ text, streaming }) => `${text}${streaming ? ' …' : ''}`);
const calls = (method: string) => rig.fake.calls.filter((call) => call.method === method).length;

describe("an answer in a thread of Slack's assistant", () => {
  it('is shown while it grows', async () => {
    await preview('Let me');
    await preview('Let me see **what');
    await preview('Let me see **what** there is');
    expect(shown()).toEqual(['Let me see **what** there is …']);
    expect([calls('chat.startStream'), calls('chat.appendStream')]).toEqual([1, 2]);
  });

  it('takes the place of what was shown of it, so that nobody reads it twice', async () => {
    await preview('Let me see');
    await send('Let me see. **Done.**');
    expect(shown()).toEqual(['Let me see. *Done.*'.replaceAll('*', '')]);
    await preview('The next one', 'next');
    expect(shown()).toEqual(['Let me see. Done.', 'The next one …']);
  });

  it('is shown anew when it begins anew', async () => {
    await preview('I will look it up.');
    await preview('Here is', 'answer');
    expect(shown()).toEqual(['Here is …']);
  });

  it('is taken back when it became silence', async () => {
    await preview('NO');
    await preview('');
    expect(shown()).toEqual([]);
    expect([...kept.keys()].filter((key) => key.startsWith('stream:'))).toEqual([]);
  });

  it('rings with nobody, wherever its pieces are cut', async () => {
    await preview('Hello <');
    await preview('Hello <!channel> <@U0PERSON1');
    expect(rig.fake.messages(DIRECT)[0]?.source).not.toMatch(/<[!@]/);
    expect(rig.fake.messages(DIRECT)[0]?.source.replaceAll('\u200b', '')).toBe('Hello <!channel> <@U0PERSON1');
  });

  it('stops growing before Slack refuses it', async () => {
    await preview('x'.repeat(10_000));
    await preview('x'.repeat(50_000));
    await preview('x'.repeat(60_000));
    expect(rig.fake.messages(DIRECT)[0]?.source).toHaveLength(11_000);
  });

  it('that a crash cut off is taken away at the next start', async () => {
    await preview('half an ans');
    await rig.stop();
    expect(shown()).toEqual(['half an ans …']);
    const again = await startRig({ on: rig.fake, kept });
    await rig.fake.waitFor(() => shown().length === 0);
    await again.close();
  });

  it('is given also to what was asked there while nobody listened', async () => {
    await rig.stop();
    const words = (text: string, thread: string) => rig.fake.say(text, { thread, quietly: true });
    words('in the thread we knew', place.thread ?? '');
    words(
      'in a new one',
      rig.fake.say('Chat started', { extra: { subtype: 'assistant_app_thread' }, user: rig.fake.botUser, quietly: true }),
    );
    const again = await startRig({ on: rig.fake, kept });
    await rig.fake.waitFor(() => again.host.received.length === 2);
    expect(again.host.received.map((event) => event.type === 'message' && event.text).toSorted()).toEqual([
      'in a new one',
      'in the thread we knew',
    ]);
    await again.close();
  });

  it.each<[string, SlackFault]>([
    ['hangs', 'hang'],
    ['is refused for now', { status: 429, retryAfter: 60 }],
  ])('comes although taking the preview away %s, which is done later', async (_title, how) => {
    await preview('Let me');
    rig.fake.fail('chat.stopStream', how);
    await send('The answer.');
    expect(shown()).toContain('The answer.');
    await send('One more.');
    expect(shown()).toEqual(['The answer.', 'One more.']);
  });

  it('is not shown beside what could not be taken away, which goes with time', async () => {
    await rig.stop();
    const again = await startRig({ on: rig.fake, kept, timing: { auditMs: 60 } });
    await again.connected();
    await again.adapter.preview?.(place, 'answer', 'Let me', signal());
    rig.fake.fail('chat.stopStream', { status: 503 }, 1);
    await again.adapter.preview?.(place, 'next', 'Something else', signal());
    expect(calls('chat.startStream')).toBe(1);
    await rig.fake.waitFor(() => shown().length === 0);
    await again.close();
  });

  it('is not shown any more where Slack has no streams', async () => {
    rig.fake.fail('chat.startStream', { error: 'unknown_method' }, 10);
    await expect(preview('x')).rejects.toThrow();
    expect(rig.adapter.previews?.(place)).toBe(false);
    await preview('xy');
    expect(calls('chat.startStream')).toBe(1);
  });

  it('is shown in such threads only, also after a restart', async () => {
    expect(rig.adapter.previews?.(place)).toBe(true);
    for (const other of [chatOf(DIRECT), chatOf(DIRECT, '1700000000.000001'), chatOf(CHANNEL, place.thread)]) {
      expect(rig.adapter.previews?.(other)).toBe(false);
      await rig.adapter.preview?.(other, 'k', 'x', signal());
    }
    expect(calls('chat.startStream')).toBe(0);
    const again = await startRig({ on: rig.fake, kept });
    expect(again.adapter.previews?.(place)).toBe(true);
    const off = await startRig({ on: rig.fake, kept, config: { streaming: false } });
    expect(off.adapter.previews?.(place)).toBe(false);
    await again.close();
    await off.close();
  });
});
