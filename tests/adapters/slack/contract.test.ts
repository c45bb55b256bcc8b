import { adapterContract } from '../contract.ts';
import { chatOf, DIRECT, startRig } from './rig.ts';

adapterContract({
  name: 'Slack',
  redelivers: true,
  async setup() {
    const { fake, host, adapter, connected, stop, close } = await startRig();
    await connected();
    const last = () => fake.messages(DIRECT).at(-1);
    return {
      adapter,
      host,
      chat: chatOf(DIRECT),
      say: (words) => void fake.say(words),
      unacknowledged: () => fake.unacknowledged(),
      choices: () => (last()?.buttons ?? []).map(({ text }) => text),
      click: (label) => void fake.click({ channel: DIRECT, ts: last()?.ts ?? '' }, label),
      outdateClicks: () => fake.expireResponses(),
      visible: () => fake.messages(DIRECT).map(({ text }) => text),
      until: (predicate) => fake.waitFor(predicate),
      stop,
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
  },
});
