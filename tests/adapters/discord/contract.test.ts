import { adapterContract } from '../contract.ts';
import { PERSON, startRig } from './rig.ts';

adapterContract({
  name: 'Discord',
  redelivers: false,
  async setup() {
    const { fake, host, adapter, stop, close } = await startRig();
    const channel = fake.dm(PERSON);
    const newest = () => fake.messages(channel).at(-1);
    const post = 'POST /channels';
    return {
      adapter,
      host,
      chat: { platform: 'discord', account: 'main', chat: channel },
      say: (text) => void fake.say({ channel, text }),
      unacknowledged: () => 0,
      choices: () => (newest()?.buttons ?? []).map(({ label }) => label),
      click: (label) => void fake.click({ channel, message: newest()?.id ?? '' }, label),
      outdateClicks: () => fake.expireInteractions(),
      visible: () => fake.visible(channel),
      until: (predicate) => fake.waitFor(predicate),
      stop,
      close,
      faults: {
        rateLimit: () =>
          fake.fail(post, {
            status: 429,
            message: 'You are being rate limited.',
            headers: { 'retry-after': '7' },
            extra: { retry_after: 7, global: false },
          }),
        refuseAsTooLong: () => fake.fail(post, { status: 400, code: 50_035, message: 'Invalid Form Body' }),
        blockBot: () => fake.fail(post, { status: 403, code: 50_007, message: 'Cannot send messages to this user' }),
        acceptThenDrop: () => fake.fail(post, 'reset-after'),
        serverError: () => fake.fail(post, { status: 500 }),
        hang: () => fake.fail(post, 'hang'),
      },
    };
  },
});
