import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSendMessage } from '../../tools/send-message.ts';
import { createFakePlatform } from '../fakes/platform.ts';
import { type Gateway, type GatewayOptions, startGateway, until } from './support/gateway.ts';
import { click, message, type Said } from './support/inbound.ts';
import { lastResults, lastText, scriptedModel } from './support/model.ts';

/** "send {...}" calls the tool; its result is the answer. Everything else is answered with what the model reads. */
function startSending(options: GatewayOptions = {}): Promise<Gateway> {
  const model = scriptedModel(({ messages }) => {
    const [result] = lastResults(messages);
    if (result !== undefined) return result;
    const text = lastText(messages);
    const asked = /send (\{.*\})/s.exec(text)?.[1];
    return asked === undefined ? `read: ${text}` : { call: 'send_message', args: JSON.parse(asked) as unknown };
  });
  const platform = createFakePlatform({ config: { allow_admin_from: ['boss'] } });
  return startGateway({ model, platform, tools: ({ messenger }) => [createSendMessage(messenger)], ...options });
}

async function talk(gateway: Gateway, chat: string, text: string, said: Said = {}): Promise<string> {
  const before = gateway.answers(chat).length;
  gateway.receive([message(text, { chat, from: { id: chat, name: chat }, ...said })]);
  return (await gateway.answered(chat, before + 1)).at(-1) ?? '';
}

async function lastCard(gateway: Gateway, chat: string) {
  const isOpen = ({ choices }: { readonly choices: readonly unknown[] }): boolean => choices.length > 0;
  await until(
    () => gateway.platform.cards(chat).some(isOpen),
    () => 'no card',
  );
  const card = gateway.platform.cards(chat).findLast(isOpen);
  if (card === undefined) throw new Error('no card');
  return card;
}

/** The owner's or administrator's call, approved once. */
async function approved(gateway: Gateway, chat: string, args: object): Promise<string> {
  const before = gateway.answers(chat).length;
  gateway.receive([message(`send ${JSON.stringify(args)}`, { chat, from: { id: chat, name: chat } })]);
  const card = await lastCard(gateway, chat);
  gateway.receive([click(card, 'once', { chat, from: { id: chat } })]);
  return (await gateway.answered(chat, before + 1)).at(-1) ?? '';
}

describe('a message into another chat', () => {
  it('is asked about, arrives there, and is known to the conversation there', async () => {
    const gateway = await startSending();
    await talk(gateway, 'ann', 'hello');
    expect(await approved(gateway, 'boss', { target: 'fake:ann', message: 'The *train* is late.' })).toMatch(
      /ok: Delivered to ann \(fake:ann\)/,
    );
    expect(gateway.answers('ann')).toEqual(['read: hello', 'The *train* is late.']);
    expect(await talk(gateway, 'ann', 'thanks')).toBe(
      'read: [note: from another conversation you have sent into this chat: "The *train* is late."]\nthanks',
    );
    expect(await talk(gateway, 'ann', 'again')).toBe('read: again'); // told once
  });

  it('goes out once where a card is refused: never', async () => {
    const gateway = await startSending();
    await talk(gateway, 'ann', 'hello');
    gateway.receive([message('send {"target":"fake:ann","message":"no"}', { chat: 'boss', from: { id: 'boss' } })]);
    const card = await lastCard(gateway, 'boss');
    gateway.receive([click(card, 'deny', { chat: 'boss', from: { id: 'boss' } })]);
    expect((await gateway.answered('boss', 1))[0]).toMatch(/refused/);
    expect(gateway.answers('ann')).toEqual(['read: hello']);
  });

  it('needs no approval where it is the chat at hand', async () => {
    const gateway = await startSending();
    gateway.receive([message('send {"target":"fake:ann","message":"by the way"}', { chat: 'ann', from: { id: 'ann', name: 'ann' } })]);
    expect(await gateway.answered('ann', 2)).toEqual(['by the way', expect.stringMatching(/^ok: Delivered/)]);
  });

  it('is written by a name, by the home chat of a platform, and not by a name that two chats have', async () => {
    const gateway = await startSending();
    const inGroup = (chat: string): Said => ({ chat, chatType: 'group', from: { id: 'ann' }, chatName: '#General' });
    await talk(gateway, 'g1', 'hello', inGroup('g1'));
    expect(await approved(gateway, 'boss', { target: 'fake:#general', message: 'one' })).toMatch(/Delivered to #General \(fake:g1\)/);
    await talk(gateway, 'g2', 'hello', inGroup('g2'));
    expect(await talk(gateway, 'boss', 'send {"target":"fake:#general","message":"two"}')).toMatch(
      /error: Several chats.*fake:g[12], fake:g[12]/,
    );
    await talk(gateway, 'boss', '/sethome');
    expect(await talk(gateway, 'boss', 'send {"action":"send","target":"fake","message":"three"}')).toBe('three');
  });

  it('reaches for everybody but an administrator only chats in which they have talked themselves', async () => {
    const gateway = await startSending();
    await talk(gateway, 'ann', 'hello');
    await talk(gateway, 'bob', 'hello');
    await talk(gateway, 'g1', 'hello', { chat: 'g1', chatType: 'group', from: { id: 'bob' } });
    expect(await talk(gateway, 'bob', 'send {"target":"fake:ann","message":"psst"}')).toMatch(/error: There is no chat fake:ann/);
    const listed = await talk(gateway, 'bob', 'send {"action":"list"}');
    expect(listed).toMatch(/fake:g1 \(group\)[\s\S]*fake:bob \(dm\) bob, this chat|fake:bob \(dm\) bob, this chat[\s\S]*fake:g1/);
    expect(listed).not.toContain('ann');
    expect(await talk(gateway, 'boss', 'send {"action":"list"}')).toMatch(/ann/);
  });

  it('says what is wrong with a target, and what is near', async () => {
    const gateway = await startSending();
    await talk(gateway, 'ann', 'hello');
    expect(await talk(gateway, 'boss', 'send {"target":"fake:anm","message":"x"}')).toMatch(/error: .*did you mean fake:ann\?/);
    expect(await talk(gateway, 'boss', 'send {"target":"telegram:1","message":"x"}')).toMatch(/error: There is no chat telegram:1/);
    expect(await talk(gateway, 'boss', 'send {"message":"x"}')).toMatch(/error: .*target and message are needed/);
  });

  it('takes files of the working directory with it, and nothing is sent when one cannot be', async () => {
    const gateway = await startSending();
    await talk(gateway, 'ann', 'hello');
    await talk(gateway, 'boss', 'hello');
    const workspace = gateway.store.sessions.open('agent:main:fake:dm:boss')?.workspace ?? '';
    writeFileSync(path.join(workspace, 'report.pdf'), 'PDF');
    await approved(gateway, 'boss', { target: 'fake:ann', message: 'Here.\nMEDIA:report.pdf' });
    const files = gateway.platform.shown.flatMap(({ message: sent }) => (sent.type === 'file' ? [`${sent.chat.chat} ${sent.name}`] : []));
    expect(files).toEqual(['ann report.pdf']);
    expect(await approved(gateway, 'boss', { target: 'fake:ann', message: 'Here.\nMEDIA:/etc/passwd' })).toMatch(/error: /);
    expect(gateway.answers('ann').filter((text) => text === 'Here.')).toHaveLength(1);
  });
});
