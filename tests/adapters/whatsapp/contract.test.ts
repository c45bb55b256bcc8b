import { ANN } from '../../fakes/whatsapp-line.ts';
import { adapterContract } from '../contract.ts';
import { startRig } from './rig.ts';

adapterContract({
  name: 'WhatsApp',
  redelivers: true,
  async setup() {
    const { fake, host, adapter, kept, stop, until } = startRig({ config: { reply_only: false } });
    await until(() => host.states.some(({ state }) => state === 'connected'));
    return {
      adapter,
      host,
      chat: { platform: 'whatsapp', account: 'main', chat: ANN },
      say: (text) => void fake.say(text),
      // WhatsApp was told at once; what is written down and not struck out would be asked for at the phone.
      unacknowledged: () => [...kept.keys()].filter((key) => key.startsWith('window:')).length,
      visible: () => fake.messages(ANN).map(({ text }) => text),
      until,
      stop,
      close: stop,
      faults: {
        refuseAsTooLong: () => fake.fail({ refuse: 413 }),
        blockBot: () => fake.fail({ refuse: 463 }),
        acceptThenDrop: () => fake.fail('accept-then-drop'),
        serverError: () => fake.fail({ refuse: 500 }),
        hang: () => fake.fail('hang'),
      },
    };
  },
});
