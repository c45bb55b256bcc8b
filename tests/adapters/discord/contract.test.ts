import type { Json } from '../../../adapters/adapter.ts';
import { discordPlatform } from '../../../adapters/discord/platform.ts';
import type { FakeDiscord } from '../../fakes/discord.ts';
import type { ContractRig } from '../contract/rig.ts';
import { adapterContract } from '../contract.ts';
import { PERSON, startRig } from './rig.ts';

const GUILD = '300000000000000001';
const CHANNEL = '300000000000000002';
const PLAIN = '300000000000000003';
const THREAD = '300000000000000004';

function furnish(fake: FakeDiscord): void {
  fake.addGuild({ id: GUILD });
  for (const id of [CHANNEL, PLAIN]) fake.addChannel(GUILD, { id });
  fake.addChannel(GUILD, { id: THREAD, type: 11, parent: CHANNEL });
}

/** Direct chats, a thread that is there, a channel where answers open threads and one where they do not. */
function places(fake: FakeDiscord): ContractRig['places'] {
  const shown = (channel: string) => () => {
    const texts = fake.visible(channel);
    return fake.messages(channel).map(({ files: [file] }, index) => file?.filename ?? texts[index] ?? '');
  };
  const direct = (user: string) => (text: string) => shown(fake.say({ channel: fake.dm(user), text }).channel);
  const mention = (channel: string, text: string) => fake.say({ channel, text: `<@${fake.botId}> ${text}` });
  return [
    direct(PERSON),
    direct('200000000000000008'),
    (text) => shown(mention(CHANNEL, text).id),
    (text) => shown(mention(PLAIN, text).channel),
    (text) => shown(mention(THREAD, text).channel),
  ];
}

async function start(kept: Map<string, Json>, on?: FakeDiscord): Promise<ContractRig> {
  const again = on === undefined ? { before: furnish } : { on };
  const { fake, host, adapter, stop, close } = await startRig({ kept, config: { no_thread_chats: [PLAIN], allow_bots: 'all' }, ...again });
  const channel = fake.dm(PERSON);
  const newest = () => fake.messages(channel).at(-1);
  const tell = (ours: boolean): void => {
    for (const message of fake.world.messages.get(channel) ?? [])
      if ((message.author === fake.world.bot) === ours) fake.gateway.dispatch('MESSAGE_CREATE', fake.world.messageJson(message, true));
  };
  const post = 'POST /channels';
  return {
    adapter,
    host,
    chat: { platform: 'discord', account: 'main', chat: channel },
    say: (text) => fake.say({ channel, text }).id,
    reply: (message, text) => void fake.say({ channel, text, replyTo: message }),
    places: places(fake),
    unacknowledged: () => 0,
    redeliver: () => tell(false),
    echo: () => tell(true),
    choices: () => (newest()?.buttons ?? []).map(({ label }) => label),
    click: (label) => void fake.click({ channel, message: newest()?.id ?? '' }, label),
    outdateClicks: () => fake.expireInteractions(),
    visible: () => fake.visible(channel),
    answered: () => newest()?.replyTo,
    written: () => [...fake.world.messages.values()].flat().filter(({ author }) => author === fake.world.bot).length,
    until: (predicate) => fake.waitFor(predicate),
    stop,
    startAnew: () => start(kept, fake),
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
}

adapterContract({
  name: 'Discord',
  platform: discordPlatform,
  redelivers: false,
  setup: () => start(new Map()),
});
