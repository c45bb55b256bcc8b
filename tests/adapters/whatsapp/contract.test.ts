import type { Json } from '../../../adapters/adapter.ts';
import { whatsappPlatform } from '../../../adapters/whatsapp/platform.ts';
import { ANN, BOT, type FakeWhatsApp, type Shown, type Spoken } from '../../fakes/whatsapp-line.ts';
import type { ContractRig } from '../contract/rig.ts';
import { adapterContract } from '../contract.ts';
import { startRig, until } from './rig.ts';

const GROUP = '120363001@g.us';

/** In whose account the person and the bot are, and what outlasts the adapter. */
interface Account {
  readonly chat: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly by: Spoken;
  readonly kept: Map<string, Json>;
  readonly said: Map<string, Spoken>;
}

/** A file by its name. */
function shownOf({ text, content }: Shown): string {
  const [part] = Object.values(content) as readonly { readonly fileName?: string }[];
  return part?.fileName ?? text;
}

function quotedBy(message: Shown | undefined): string | undefined {
  const extended = message?.content['extendedTextMessage'] as { readonly contextInfo: { readonly stanzaId?: string } } | undefined;
  return extended?.contextInfo.stanzaId;
}

function places(fake: FakeWhatsApp, { chat, by }: Account): ContractRig['places'] {
  const speak = (spoken: Spoken & { readonly chat: string }) => () => {
    fake.deliver(spoken);
    return () => fake.messages(spoken.chat).map(shownOf);
  };
  const direct = (chat: string) => (text: string) => speak({ ...by, chat, message: { conversation: text } })();
  if (chat !== ANN) return [direct(chat)];
  const group = (text: string) => {
    const mention = { text: `@${BOT.phone.split('@')[0]} ${text}`, contextInfo: { mentionedJid: [BOT.phone] } };
    return speak({ chat: GROUP, from: ANN, message: { extendedTextMessage: mention } })();
  };
  return [direct(ANN), direct('49151333@s.whatsapp.net'), group];
}

async function start(account: Account, on?: FakeWhatsApp): Promise<ContractRig> {
  const { chat, by, kept, said } = account;
  const config = { reply_only: false, ...account.config };
  const { fake, host, adapter, stop } = startRig({ kept, config, ...(on === undefined ? {} : { on }) });
  await until(() => host.states.some(({ state }) => state === 'connected'));
  let answered = fake.resends.length;
  /** The phone sends again what it is asked for. */
  const phone = (): void => {
    for (const { key } of fake.resends.slice(answered)) fake.deliver({ ...said.get(key.id), id: key.id });
    answered = fake.resends.length;
  };
  const say = (message: NonNullable<Spoken['message']>): string => {
    const spoken = { ...by, chat, message };
    const id = fake.deliver(spoken);
    said.set(id, spoken);
    return id;
  };
  return {
    adapter,
    host,
    chat: { platform: 'whatsapp', account: 'main', chat },
    say: (text) => say({ conversation: text }),
    reply: (message, text) => {
      const contextInfo = { stanzaId: message, participant: BOT.phone, quotedMessage: { conversation: 'a card' } };
      say({ extendedTextMessage: { text, contextInfo } });
    },
    places: places(fake, account),
    // WhatsApp was told at once; what is written down and not struck out would be asked for at the phone.
    unacknowledged: () => [...kept.keys()].filter((key) => key.startsWith('window:')).length,
    redeliver: () => {
      for (const [id, spoken] of said) fake.deliver({ ...spoken, id });
    },
    echo: () => {
      for (const { id, content } of fake.messages(chat)) fake.deliver({ id, chat, fromMe: true, message: content });
    },
    visible: () => fake.messages(chat).map(({ text }) => text),
    answered: () => quotedBy(fake.messages(chat).at(-1)),
    written: () => fake.messages().length,
    until: (predicate) =>
      until(() => {
        phone();
        return predicate();
      }),
    stop,
    startAnew: () => start(account, fake),
    close: stop,
    faults: {
      refuseAsTooLong: () => fake.fail({ refuse: 413 }),
      blockBot: () => fake.fail({ refuse: 463 }),
      acceptThenDrop: () => fake.fail('accept-then-drop'),
      serverError: () => fake.fail({ refuse: 500 }),
      hang: () => fake.fail('hang'),
    },
  };
}

adapterContract({
  name: 'WhatsApp',
  platform: whatsappPlatform,
  redelivers: true,
  setup: () => start({ chat: ANN, config: {}, by: {}, kept: new Map(), said: new Map() }),
});

adapterContract({
  name: "WhatsApp in the owner's chat with himself",
  platform: whatsappPlatform,
  redelivers: true,
  setup() {
    const config = { mode: 'self-chat', reply_prefix: '' };
    return start({ chat: BOT.phone, config, by: { fromMe: true }, kept: new Map(), said: new Map() });
  },
});
