import { describe, expect, it, vi } from 'vitest';
import { createFakePlatform } from '../../fakes/platform.ts';
import type { Gateway } from '../support/gateway.ts';
import { click, message, replyTo } from '../support/inbound.ts';
import { lastText, type Script, scriptedModel } from '../support/model.ts';
import { askingGateway, calls, card, questionTool, riskyTool } from './support.ts';

/** What comes while a question is open, in a chat where a message interrupts. */

const interrupting = { display: { busyMode: 'interrupt' } } as const;
const group = { chat: 'g', chatType: 'group' } as const;
const bob = { ...group, from: { id: 'bob', name: 'Bob' } };
const ann = { ...group, from: { id: 'ann', name: 'Ann' } };
const photo = [{ kind: 'image', handle: 'x' }] as const;

/** All of the group share one conversation. */
const shared = { rules: { keys: { group_sessions_per_user: false, thread_sessions_per_user: false } }, change: interrupting };

/** What was said besides is heard, and no call. */
const script: Script = (request, signal) => (/hello|look/.test(lastText(request.messages)) ? 'heard' : calls(request, signal));

const openIn = ({ store }: Gateway): number => store.asks.open().length;

describe('a question that is open', () => {
  it.each([
    ['words', message('hello', bob)],
    ['a photo', message('look', { ...bob, attachments: photo })],
  ])('is not taken back by %s of somebody else, who is heard next', async (_, other) => {
    const platform = createFakePlatform({ config: { group_allowed_chats: ['g'], group_allow_admin_from: ['ann'] } });
    const { tool, ran } = riskyTool();
    const model = scriptedModel(script);
    const gateway = await askingGateway({ platform, model, tools: [tool], ...shared });
    gateway.receive([message('remove build', ann)]);
    const asked = await card(platform, 'g');
    gateway.receive([other]);
    expect(openIn(gateway)).toBe(1);
    gateway.receive([click(asked, 'once', ann)]);
    await gateway.idle();
    expect([ran, gateway.answers('g')]).toEqual([['build'], ['ok: removed build', 'heard']]);
  });

  it('is not taken back by a photo of whoever was asked, which goes with the answer', async () => {
    const model = scriptedModel(script);
    const gateway = await askingGateway({ model, tools: [questionTool()], change: interrupting });
    gateway.say('ann', 'clarify Which?');
    const asked = await card(gateway.platform, 'ann');
    gateway.receive([message('look', { attachments: photo })]);
    expect(openIn(gateway)).toBe(1);
    gateway.receive([message('the one on the photo', { replyTo: replyTo(asked) })]);
    await gateway.idle();
    const [answer, , said] = model.requests[1]?.messages.slice(-3) ?? [];
    expect(answer).toMatchObject({ role: 'tool', content: expect.stringContaining('the one on the photo') });
    expect(said).toMatchObject({ role: 'user', interjected: true });
  });

  it('is taken back by other words of whoever was asked', async () => {
    const { tool, ran } = riskyTool();
    const gateway = await askingGateway({ tools: [tool], change: interrupting });
    gateway.say('ann', 'remove build');
    await card(gateway.platform, 'ann');
    gateway.say('ann', 'leave it');
    await vi.waitFor(() => expect(openIn(gateway)).toBe(0));
    await gateway.idle();
    expect(ran).toEqual([]);
  });
});
