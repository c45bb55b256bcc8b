import type { Json } from '../../../adapters/adapter.ts';
import { whatsappPlatform } from '../../../adapters/whatsapp/platform.ts';
import { ANN_PHONE, BOT_JID, type FakeWhatsApp, GROUP } from '../../fakes/whatsapp.ts';
import type { ContractRig } from '../contract/rig.ts';
import { adapterContract } from '../contract.ts';
import { until } from './rig.ts';
import { startWire } from './wire-rig.ts';

const BOT = BOT_JID.replace(/:\d+/, '');

function places(fake: FakeWhatsApp): ContractRig['places'] {
  const shown = (chat: string) => () => fake.messages(chat).map(({ text }) => text);
  const direct = (chat: string) => (text: string) => {
    fake.say(text, { chat });
    return shown(chat);
  };
  const group = (text: string) => {
    const mention = { text: `@${BOT.split('@')[0]} ${text}`, contextInfo: { mentionedJid: [BOT] } };
    fake.say('', { chat: GROUP, message: { extendedTextMessage: mention } });
    return shown(GROUP);
  };
  return [direct(ANN_PHONE), direct('49151333@s.whatsapp.net'), group];
}

interface Kept {
  readonly kept: Map<string, Json>;
  readonly said: Map<string, string>;
}

async function start({ kept, said }: Kept, on?: FakeWhatsApp): Promise<ContractRig> {
  const { fake, host, adapter, connected, stop, close } = await startWire({ kept, ...(on === undefined ? {} : { on }) });
  await connected();
  const ours = () => fake.messages(ANN_PHONE);
  return {
    adapter,
    host,
    chat: { platform: 'whatsapp', account: 'main', chat: ANN_PHONE },
    say: (text) => {
      const id = fake.say(text);
      said.set(id, text);
      return id;
    },
    reply: (message, text) => {
      const contextInfo = { stanzaId: message, participant: BOT, quotedMessage: { conversation: 'a card' } };
      fake.say('', { message: { extendedTextMessage: { text, contextInfo } } });
    },
    places: places(fake),
    unacknowledged: () => [...kept.keys()].filter((key) => key.startsWith('window:')).length,
    redeliver: () => {
      for (const [id, text] of said) fake.say(text, { id });
    },
    echo: () => {
      for (const { id, text } of ours()) fake.say(text, { chat: BOT, id });
    },
    visible: () => ours().map(({ text }) => text),
    answered: () => ours().at(-1)?.quotes,
    written: () => fake.messages().length,
    until,
    stop,
    startAnew: () => start({ kept, said }, fake),
    close,
    faults: {
      refuseAsTooLong: () => fake.refuse(413),
      blockBot: () => fake.refuse(463),
      acceptThenDrop: () => fake.dropNext(),
      serverError: () => fake.refuse(500),
      hang: () => fake.hangNext(),
    },
  };
}

adapterContract({
  name: 'WhatsApp with the real client library',
  // Files go over another server, which stands behind the line of the other test.
  platform: { ...whatsappPlatform, limits: { ...whatsappPlatform.limits, uploadBytes: 0 } },
  redelivers: true,
  setup: () => start({ kept: new Map(), said: new Map() }),
});
