import type { Json } from '../../../adapters/adapter.ts';
import { slackPlatform } from '../../../adapters/slack/platform.ts';
import type { FakeSlack } from '../../fakes/slack.ts';
import type { ContractRig } from '../contract/rig.ts';
import { adapterContract } from '../contract.ts';
import { CHANNEL, chatOf, DIRECT, startRig } from './rig.ts';

/** Direct chats, a thread in one, a channel where answers open threads, and a thread that is there. */
function places(fake: FakeSlack): ContractRig['places'] {
  const shown = (channel: string, thread?: string) => () =>
    fake
      .messages(channel)
      .filter((message) => message.thread === thread)
      .map(({ text, files: [file] }) => (file === undefined ? text : String(file['name'])));
  const direct = (channel: string, user: string) => (text: string) => {
    fake.say(text, { channel, user });
    return shown(channel);
  };
  const inThread = (channel: string, lead: string) => {
    let root: string | undefined;
    return (text: string) => {
      root ??= fake.say('the first of a thread', { channel, quietly: true });
      fake.say(`${lead}${text}`, { channel, thread: root });
      return shown(channel, root);
    };
  };
  const mention = `<@${fake.botUser}> `;
  return [
    direct(DIRECT, 'U0PERSON1'),
    direct('D0DIRECT2', 'U0PERSON2'),
    inThread(DIRECT, ''),
    (text) => shown(CHANNEL, fake.say(`${mention}${text}`, { channel: CHANNEL })),
    inThread(CHANNEL, mention),
  ];
}

async function start(kept: Map<string, Json>, on?: FakeSlack): Promise<ContractRig> {
  const { fake, host, adapter, connected, stop, close } = await startRig({
    kept,
    timing: { callMs: 3000 },
    config: { allow_bots: 'all' },
    ...(on === undefined ? {} : { on }),
  });
  await connected();
  const last = () => fake.messages(DIRECT).at(-1);
  const posts = ['chat.postMessage', 'files.completeUploadExternal'];
  return {
    adapter,
    host,
    chat: chatOf(DIRECT),
    say: (words) => fake.say(words),
    reply: (message, words) => void fake.say(words, { thread: message }),
    places: places(fake),
    unacknowledged: () => fake.unacknowledged(),
    redeliver: () => {
      for (const envelope of fake.envelopes) fake.again(envelope);
    },
    echo: () => {
      for (const { wire, ts } of fake.messages(DIRECT)) {
        const place = { channel: DIRECT, channel_type: 'im', event_ts: ts };
        fake.event({ ...wire, ...place });
        fake.event({ type: 'message', subtype: 'message_changed', hidden: true, message: wire, ts: `${ts}1`, ...place });
      }
    },
    choices: () => (last()?.buttons ?? []).map(({ text }) => text),
    click: (label) => void fake.click({ channel: DIRECT, ts: last()?.ts ?? '' }, label),
    outdateClicks: () => fake.expireResponses(),
    visible: () => fake.messages(DIRECT).map(({ text }) => text),
    written: () => fake.calls.filter(({ method, error }) => posts.includes(method) && error === undefined).length,
    until: (predicate) => fake.waitFor(predicate),
    stop,
    startAnew: () => start(kept, fake),
    close,
    faults: {
      rateLimit: () => fake.fail('chat.postMessage', { status: 429, retryAfter: 7 }),
      refuseFormatting: () => fake.fail('chat.postMessage', { error: 'invalid_blocks' }),
      refuseAsTooLong: () => fake.fail('chat.postMessage', { error: 'msg_too_long' }),
      blockBot: () => fake.fail('chat.postMessage', { error: 'is_archived' }),
      acceptThenDrop: () => fake.fail('chat.postMessage', 'reset-after'),
      serverError: () => fake.fail('chat.postMessage', { error: 'internal_error' }),
      hang: () => fake.fail('chat.postMessage', 'hang'),
    },
  };
}

adapterContract({
  name: 'Slack',
  platform: slackPlatform,
  redelivers: true,
  setup: () => start(new Map()),
});
