import { afterEach, describe, expect, it } from 'vitest';
import { startRig, until, type WhatsAppRig } from './rig.ts';

const rigs: WhatsAppRig[] = [];
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.stop();
});

async function connected(kept?: WhatsAppRig['kept']) {
  const rig = startRig(kept === undefined ? {} : { kept });
  rigs.push(rig);
  await until(() => rig.host.states.at(-1)?.state === 'connected');
  return rig;
}

const stored = ({ kept }: WhatsAppRig) => JSON.stringify([...kept]);
const GROUP = '120363001@g.us';

describe('on disk', () => {
  it('nothing is left of a group message that is not for the bot', async () => {
    const rig = await connected();
    const before = stored(rig);
    rig.fake.say('nobody asked you', { chat: GROUP, from: '49170555@s.whatsapp.net' });
    rig.fake.say('hello');
    expect(rig.host.received).toHaveLength(1);
    expect(stored(rig)).not.toContain('49170555');
    expect(before).not.toContain('49170555');
  });

  it('there are no words of anybody: whether somebody may talk to the bot is not known here', async () => {
    const rig = await connected();
    const id = rig.fake.say('the words of a stranger');
    expect(stored(rig)).not.toContain('of a stranger');
    await rig.stop();
    const again = await connected(rig.kept);
    const { chat } = rig.host.received[0] ?? expect.fail();
    await again.adapter.send({ type: 'text', chat, markdown: 'Well.', replyTo: id }, 'k', AbortSignal.timeout(3000));
    // After a restart the answer still points at the message.
    expect(again.fake.messages()[0]?.content).toMatchObject({ extendedTextMessage: { contextInfo: { stanzaId: id } } });
  });
});
