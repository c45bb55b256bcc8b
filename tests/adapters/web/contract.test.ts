import type { Entry } from '../../../adapters/web/codec.ts';
import { webPlatform } from '../../../adapters/web/platform.ts';
import type { ContractRig } from '../contract/rig.ts';
import { adapterContract } from '../contract.ts';
import { type Kept, startRig, type WebRig } from './rig.ts';

const CHAT = 'main';
const OTHERS = ['anotherchat1', 'anotherchat2'];

/** As the page shows it. */
function shown(entry: Entry): string[] {
  if (entry.type === 'user') return [];
  if (entry.type === 'text') return [entry.markdown];
  if (entry.type === 'progress') return [entry.steps.map(({ preview }) => preview).join(' ')];
  return [`#${entry.number} ${entry.markdown} ${entry.closed ?? entry.hint}`];
}

function places({ page, entries }: WebRig): ContractRig['places'] {
  return [CHAT, ...OTHERS].map((chat) => (text) => {
    page.say(chat, text);
    return () => entries(chat).flatMap(shown);
  });
}

async function start(kept: Kept): Promise<ContractRig> {
  const rig = await startRig(kept);
  const { adapter, host, page, entries, until, stop, close } = rig;
  const card = () => entries(CHAT).findLast((entry) => entry.type === 'ask');
  return {
    adapter,
    host,
    chat: { platform: 'web', account: 'main', chat: CHAT },
    say: (text) => page.say(CHAT, text),
    reply: (message, text) => void page.say(CHAT, text, message),
    places: places(rig),
    unacknowledged: () => page.unacknowledged(),
    redeliver: () => page.repeat(),
    visible: () => entries(CHAT).flatMap(shown),
    written: () => [CHAT, ...OTHERS].flatMap((chat) => entries(chat).flatMap(shown)).length,
    choices: () => card()?.choices.map(({ label }) => label) ?? [],
    click: (label) => {
      const clicked = card();
      if (clicked) page.click(CHAT, clicked, label);
    },
    outdateClicks: () => void page.client.close(),
    until,
    stop,
    startAnew: () => start(kept),
    close,
    faults: {},
  };
}

adapterContract({
  name: 'The browser page',
  platform: webPlatform,
  redelivers: true,
  setup: () => start({ store: new Map(), outbox: new Map(), said: new Map() }),
});
