import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ChatRef } from '../../../adapters/adapter.ts';
import type { ClientFrame, ServerFrame } from '../../../adapters/web/codec.ts';
import { CARD, EchoGateway } from '../../page/echo-gateway.ts';
import { PageClient } from '../../page/page-client.ts';

const signal = AbortSignal.timeout(60_000);
const chat: ChatRef = { platform: 'web', account: 'main', chat: 'main' };
const click = { type: 'answer', chat: 'main', id: 'answer-01', seq: 1, token: CARD.token, choice: 'once' } as const;

let gateway: EchoGateway;
beforeEach(async () => {
  gateway = await new EchoGateway().start();
});
afterEach(() => gateway.stop());

async function opened(): Promise<PageClient> {
  const client = await PageClient.open(gateway);
  client.send({ type: 'open', chat: 'main', epoch: '', seen: 0 });
  await client.until((frame): frame is ServerFrame => frame.type === 'opened');
  return client;
}

/** What the gateway says to this frame. */
async function told(client: PageClient, frame: ClientFrame & { readonly id: string }): Promise<ServerFrame> {
  client.send(frame);
  return client.until((answer): answer is ServerFrame => 'id' in answer && answer.id === frame.id);
}

const toasts = (client: PageClient) => client.frames.flatMap((frame) => (frame.type === 'toast' ? [frame.text] : []));

async function settled(client: PageClient): Promise<void> {
  const pongs = () => client.frames.filter(({ type }) => type === 'pong').length;
  const before = pongs();
  client.send({ type: 'ping' });
  await vi.waitFor(() => expect(pongs()).toBe(before + 1));
}

describe('a click on a card', () => {
  it('reaches the gateway with the card, the choice and the person, before it is acknowledged', async () => {
    const client = await opened();
    await gateway.talkIn(chat).ask();
    expect(await told(client, click)).toEqual({ type: 'ack', id: 'answer-01' });
    expect(gateway.answers).toMatchObject([
      {
        type: 'answer',
        event: 'answer-01',
        chat,
        chatType: 'dm',
        sender: { id: 'owner' },
        message: '1',
        token: CARD.token,
        choice: 'once',
      },
    ]);
  });

  it('that comes again under its id is the same event, and is acknowledged again', async () => {
    const client = await opened();
    await gateway.talkIn(chat).ask();
    client.send(click);
    client.send(click);
    await vi.waitFor(() => expect(client.frames.filter(({ type }) => type === 'ack')).toHaveLength(2));
    expect(gateway.answers).toHaveLength(1);
  });

  it('that the gateway cannot store is not acknowledged, and goes through when sent again', async () => {
    const client = await opened();
    await gateway.talkIn(chat).ask();
    gateway.broken = true;
    expect(await told(client, click)).toEqual({ type: 'retry', id: 'answer-01' });
    gateway.broken = false;
    client.send(click);
    await client.ack('answer-01');
    expect(gateway.answers).toHaveLength(1);
  });

  it('that is forged, foreign or late is refused with a sentence and never reaches the gateway', async () => {
    const client = await opened();
    const close = await gateway.talkIn(chat).ask();
    await gateway.talkIn({ ...chat, chat: 'abcdefabcdef' }).ask({ token: 'otherotherother1' });
    client.message('message-1', 'not a card');
    await client.ack('message-1');
    const wrong = [
      { token: 'zzzzzzzzzzzzzzzz' },
      { token: 'otherotherother1' },
      { chat: 'abcdefabcdef' },
      { chat: 'nosuchchat00' },
      { seq: 2 },
      { seq: 99 },
      { choice: 'always' },
    ];
    for (const [index, change] of wrong.entries()) {
      expect(await told(client, { ...click, id: `answer-1${index}`, ...change })).toMatchObject({
        type: 'refused',
        reason: expect.stringMatching(/^This question /),
      });
    }
    await close({ choices: [], closed: 'Denied by Ann.' });
    expect(await told(client, { ...click, id: 'answer-20' })).toMatchObject({ type: 'refused', reason: expect.stringContaining('closed') });
    expect(gateway.answers).toEqual([]);
  });

  it('is answered on the page that clicked, and on no other', async () => {
    const [clicker, bystander] = [await opened(), await opened()];
    await gateway.talkIn(chat).ask();
    await told(clicker, click);
    await gateway.adapter.respond?.(gateway.answers[0]?.interaction ?? null, 'You may not decide this.', signal);
    await settled(clicker);
    await settled(bystander);
    expect([toasts(clicker), toasts(bystander)]).toEqual([['You may not decide this.'], []]);
  });

  it('is answered to nobody when the page or the whole gateway is not the same any more', async () => {
    const client = await opened();
    await gateway.talkIn(chat).ask();
    await told(client, click);
    const interaction = gateway.answers[0]?.interaction ?? null;
    await client.close();
    await gateway.adapter.respond?.(interaction, 'Too late.', signal);
    await gateway.stop();
    await gateway.start();
    const later = await opened();
    for (const odd of [interaction, null, 'x', { page: 7 }]) await gateway.adapter.respond?.(odd, 'Too late.', signal);
    await settled(later);
    expect(toasts(later)).toEqual([]);
  });
});

describe('a card', () => {
  it('is closed in place, also for a page that comes back', async () => {
    const client = await opened();
    const close = await gateway.talkIn(chat).ask();
    await close({ choices: [], closed: 'Denied by Ann.' });
    await settled(client);
    const closed = [{ type: 'ask', seq: 1, number: 3, choices: [], closed: 'Denied by Ann.' }];
    expect(client.entries()).toMatchObject(closed);
    expect((await opened()).entries()).toMatchObject(closed);
  });

  it('is quoted by a reply to it, also when the reply reached the gateway after a crash only', async () => {
    const client = await opened();
    await gateway.talkIn(chat).ask();
    gateway.broken = true;
    client.send({ type: 'message', chat: 'main', id: 'message-1', text: 'only the tests', replyTo: 1 });
    await client.until((frame): frame is ServerFrame => frame.type === 'retry');
    expect(client.entries().at(-1)).toMatchObject({ type: 'user', replyTo: { seq: 1, ask: 3 } });
    await gateway.stop();
    gateway.broken = false;
    await gateway.start();
    expect(gateway.inbox).toMatchObject([
      { text: 'only the tests', replyTo: { message: '1', author: 'Hermes', fromBot: true, text: CARD.markdown } },
    ]);
  });

  it('that is not there cannot be replied to', async () => {
    const client = await opened();
    const reply = { type: 'message', chat: 'main', id: 'message-1', text: 'yes', replyTo: 1 } as const;
    expect(await told(client, reply)).toMatchObject({ type: 'refused', reason: expect.stringContaining('not in this chat') });
    expect(gateway.inbox).toEqual([]);
  });
});
