/** The real daemon on WhatsApp: questions are answered in words, and a crash repeats nothing that people see. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../adapters/adapter.ts';
import type { Platform } from '../../../adapters/platform.ts';
import { connectWhatsApp } from '../../../adapters/whatsapp/index.ts';
import { whatsappPlatform } from '../../../adapters/whatsapp/platform.ts';
import { createFakePlatform } from '../../fakes/platform.ts';
import { ANN, BOT, createFakeWhatsApp } from '../../fakes/whatsapp-line.ts';
import { calls, questionTool, riskyTool } from '../../gateway/asks/support.ts';
import { startGateway } from '../../gateway/support/gateway.ts';
import { scriptedModel } from '../../gateway/support/model.ts';
import { QUICK, until } from './rig.ts';

const LINKED: Readonly<Record<string, Json>> = {
  'link:accepted': true,
  'auth:creds': { account: {}, me: { id: BOT.phone, lid: BOT.lid } },
};

async function talking(changes: Readonly<Record<string, unknown>> = {}) {
  const whatsapp = createFakeWhatsApp();
  const config = whatsappPlatform.schema.parse({
    enabled: true,
    allowed_users: ['*'],
    jitter_ms: [0, 0],
    pacing: { chat_interval_ms: 0, group_per_minute: 0, per_second: 0 },
    ...changes,
  });
  const load: Platform['load'] = async () => ({
    create: (_config, host, menu) =>
      connectWhatsApp({ config, host, menu, timing: QUICK, client: async () => whatsapp.open, now: () => Date.now(), random: () => 0 }),
  });
  // The harness looks at the platform and its configuration; everything else of the fake platform stays unused.
  const platform = { ...createFakePlatform(), config, platform: { ...whatsappPlatform, load } as Platform };
  const risky = riskyTool();
  const gateway = await startGateway({
    platform,
    model: scriptedModel(calls),
    tools: [risky.tool, questionTool(['tea', 'coffee'])],
    before: (store) => store.accounts.open('whatsapp/main').put(LINKED),
  });
  await until(() => whatsapp.line !== undefined);
  const shown = () => whatsapp.messages(ANN).map(({ text }) => text);
  const card = async (index: number) => {
    await until(() => whatsapp.messages(ANN).filter(({ text }) => text.startsWith('*#')).length > index);
    return whatsapp.messages(ANN).filter(({ text }) => text.startsWith('*#'))[index];
  };
  const replyTo = (id: string | undefined, text: string) =>
    whatsapp.say('', {
      message: {
        extendedTextMessage: { text, contextInfo: { stanzaId: id, participant: BOT.phone, quotedMessage: { conversation: 'the card' } } },
      },
    });
  return { whatsapp, gateway, shown, card, replyTo, ran: risky.ran };
}

describe('a question on WhatsApp, which has no buttons', () => {
  it('lists its choices and is answered by a reply with the number of one', async () => {
    const { whatsapp, gateway, card, replyTo, ran, shown } = await talking();
    whatsapp.say('remove build');
    const asked = await card(0);
    expect(asked?.text).toMatch(/^\*#1\* \*May I run this\?\*/);
    expect(asked?.text).toMatch(/\n1\. .*Once.*\n2\. /);
    replyTo(asked?.id, '1');
    await until(() => shown().some((text) => text.includes('removed build')));
    expect(ran).toEqual(['build']);
    await until(() =>
      whatsapp
        .messages(ANN)
        .find(({ id }) => id === asked?.id)
        ?.text.includes('allowed it once'),
    );
    await gateway.stop();
  });

  it('is answered by a word, and by /deny with its number', async () => {
    const { whatsapp, gateway, card, replyTo, ran, shown } = await talking();
    whatsapp.say('clarify drink');
    replyTo((await card(0))?.id, 'tea');
    await until(() => shown().some((text) => text.includes('They said: tea')));
    whatsapp.say('remove src');
    await card(1);
    whatsapp.say('/deny 2');
    await until(() => whatsapp.messages(ANN).some(({ text }) => text.includes('said no')));
    expect(ran).toEqual([]);
    await gateway.stop();
  });
});

describe('a number that replies to nothing', () => {
  it('decides nothing and does not end the work: it is told how to decide, without words about buttons', async () => {
    const { whatsapp, gateway, card, replyTo, ran, shown } = await talking();
    whatsapp.say('remove build');
    const asked = await card(0);
    whatsapp.say('1');
    await until(() => shown().length > 1);
    expect(shown()[1]).toBe('Reply to #1 with your choice, or write /approve 1 or /deny 1.');
    replyTo(asked?.id, '1');
    await until(() => shown().some((text) => text.includes('removed build')));
    expect(ran).toEqual(['build']);
    await gateway.stop();
  });
});

describe('a stranger on WhatsApp', () => {
  it('is answered although nobody may be written to first: he has written', async () => {
    const { whatsapp, gateway, shown } = await talking({ allowed_users: ['49999999'], unauthorized_dm_behavior: 'pair' });
    whatsapp.say('let me in');
    await until(() => shown().length > 0);
    expect(shown()[0]).not.toContain('nothing to do');
    await gateway.stop();
  });
});
