import { ANN_PHONE } from '../../fakes/whatsapp.ts';
import { adapterContract } from '../contract.ts';
import { until } from './rig.ts';
import { startWire } from './wire-rig.ts';

adapterContract({
  name: 'WhatsApp with the real client library',
  redelivers: true,
  async setup() {
    const { fake, host, adapter, kept, connected, stop, close } = await startWire();
    await connected();
    return {
      adapter,
      host,
      chat: { platform: 'whatsapp', account: 'main', chat: ANN_PHONE },
      say: (text) => void fake.say(text),
      unacknowledged: () => [...kept.keys()].filter((key) => key.startsWith('window:')).length,
      visible: () => fake.messages(ANN_PHONE).map(({ text }) => text),
      until,
      stop,
      close,
      faults: {
        refuseAsTooLong: () => fake.refuse(413),
        blockBot: () => fake.refuse(463),
        acceptThenDrop: () => fake.dropNext(),
        serverError: () => fake.refuse(500),
        hang: () => fake.hangNext(),
      },
    };
  },
});
