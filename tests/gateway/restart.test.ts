import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../agent/tool.ts';
import { createRestartDesk } from '../../gateway/restart.ts';
import type { NewPart } from '../../gateway/store/outbox.ts';
import { createFakePlatform } from '../fakes/platform.ts';
import { askingGateway, calls, card, questionTool, riskyTool } from './asks/support.ts';
import { type GatewayOptions, startGateway } from './support/gateway.ts';
import { temporaryStore } from './support/home.ts';
import { chatRef, click } from './support/inbound.ts';
import { memoryLog } from './support/log.ts';
import { lastResults, lastText, never, type Script, scriptedModel } from './support/model.ts';
import { expectValid, transcriptOf } from './support/transcript.ts';

const hours = { drainMs: 3_600_000 };

/** Another process takes over the home of one that stopped in order. */
async function takeOver(first: { readonly home: string }, options: GatewayOptions) {
  return startGateway({ ...options, home: first.home });
}

describe('a turn that is cut by a restart', () => {
  it('that waits for an approval is not waited for, and its card still decides afterwards', async () => {
    const { tool, ran } = riskyTool();
    const first = await askingGateway({ tools: [tool], rules: hours });
    first.say('ann', 'remove build');
    const asked = await card(first.platform, 'ann');
    await first.stop();
    const second = await takeOver(first, { platform: first.platform, tools: [tool], model: scriptedModel(calls) });
    second.receive([click(asked, 'once')]);
    expect(await second.answered('ann', 1)).toEqual(['ok: removed build']);
    expect([ran, second.platform.cards('ann').length]).toEqual([['build'], 1]);
    expectValid(transcriptOf(second.store, 'ann'));
  });

  it('that waits for the answer to a question asks it no second time', async () => {
    const tools = [questionTool(['red', 'blue'])];
    const first = await askingGateway({ tools, rules: hours });
    first.say('ann', 'clarify colour?');
    const asked = await card(first.platform, 'ann');
    await first.stop();
    const second = await takeOver(first, { platform: first.platform, tools, model: scriptedModel(calls) });
    second.receive([click(asked, '2')]);
    expect(await second.answered('ann', 1)).toEqual([expect.stringContaining('They said: blue')]);
    expect(second.platform.cards('ann')).toHaveLength(1);
  });

  it.each([
    ['runs its reading call again', 'read', 2, 'ok'],
    ['learns that its writing call was interrupted, and repeats nothing', 'write', 1, 'interrupted'],
  ] as const)('%s', async (_what, effect, runs, status) => {
    const work = { runs: 0, hangs: true };
    const tool = defineTool({
      name: 'work',
      toolset: 'test',
      description: 'Works.',
      args: z.object({}),
      effect,
      preview: () => '',
      run: async (_args, { signal }) => {
        work.runs += 1;
        return work.hangs ? never(signal) : { content: 'done' };
      },
    });
    const script: Script = ({ messages }) => (lastResults(messages).length === 0 ? { call: 'work' } : 'finished');
    const platform = createFakePlatform();
    const gateway = await startGateway({ platform, tools: [tool], model: scriptedModel(script) });
    gateway.say('ann', 'go');
    await vi.waitFor(() => expect(work.runs).toBe(1));
    await gateway.stop();
    work.hangs = false;
    const next = await takeOver(gateway, { platform, tools: [tool], model: scriptedModel(script) });
    expect(await next.answered('ann', 1)).toEqual(['finished']);
    expect(work.runs).toBe(runs);
    const transcript = transcriptOf(next.store, 'ann');
    expectValid(transcript);
    expect(transcript.flatMap((message) => (message.role === 'tool' ? [message.status] : []))).toEqual([status]);
  });
});

describe('a restart', () => {
  it('tells each chat where a turn runs once, and nobody else', async () => {
    const model = scriptedModel((_request, signal) => never(signal));
    const gateway = await startGateway({ model });
    gateway.say('ann', 'work');
    gateway.say('bob', 'work');
    await vi.waitFor(() => expect(model.requests).toHaveLength(2));
    await gateway.daemon.restart(0);
    const told = [expect.stringContaining('I am restarting')];
    expect([gateway.answers('ann'), gateway.answers('bob'), gateway.answers('cy')]).toEqual([told, told, []]);
  });

  it('lets a turn end that ends in time, and keeps what comes meanwhile for afterwards', async () => {
    const gate = Promise.withResolvers<void>();
    const model = scriptedModel(async ({ messages }) => {
      await gate.promise;
      return `echo: ${lastText(messages)}`;
    });
    const gateway = await startGateway({ model });
    gateway.say('ann', 'work');
    await vi.waitFor(() => expect(model.requests).toHaveLength(1));
    const restarted = gateway.daemon.restart(3_600_000);
    gateway.say('ann', 'and then?');
    gateway.say('bob', 'hello');
    gate.resolve();
    await restarted;
    expect([gateway.answers('ann').at(-1), gateway.answers('bob')]).toEqual(['echo: work', []]);
    const next = await takeOver(gateway, {});
    expect([await next.answered('ann', 1), await next.answered('bob', 1)]).toEqual([['echo: and then?'], ['echo: hello']]);
  });
});

describe('whoever asked for a restart', () => {
  const target = (chat: string) => ({ chat: chatRef({ chat }), chatType: 'dm' as const });
  const desk = () => {
    const store = temporaryStore();
    const kicked: string[] = [];
    const outbox = { add: (parts: readonly NewPart[]) => void parts.map(store.outbox.add), kick: (lane: string) => void kicked.push(lane) };
    const shown = () => store.outbox.lanes().map((lane) => [lane, store.outbox.next(lane)?.payload]);
    return {
      store,
      shown,
      desk: createRestartDesk({ store, outbox: { ...outbox, recover: () => undefined, close: async () => undefined }, log: memoryLog() }),
    };
  };

  it('is told once in each chat, at the next start and at no other', () => {
    const { store, desk: restarts, shown } = desk();
    for (const chat of ['ann', 'bob', 'ann']) store.durable(() => restarts.remember(target(chat)));
    restarts.confirm();
    restarts.confirm();
    expect(store.outbox.count().pending).toBe(2);
    expect(shown()).toEqual([
      ['fake/main/ann', { type: 'text', chat: chatRef({ chat: 'ann' }), markdown: '✅ Restarted.' }],
      ['fake/main/bob', { type: 'text', chat: chatRef({ chat: 'bob' }), markdown: '✅ Restarted.' }],
    ]);
    expect(restarts.isAsked()).toBe(false);
  });

  it('is told in the thread where it was asked', () => {
    const { desk: restarts, shown } = desk();
    restarts.remember({ chat: chatRef({ chat: 'room', thread: '7' }), chatType: 'group' });
    restarts.confirm();
    expect(shown()).toEqual([['fake/main/room', expect.objectContaining({ chat: chatRef({ chat: 'room', thread: '7' }) })]]);
  });

  it('has asked for nothing when the command could not be stored', () => {
    const { store, desk: restarts } = desk();
    const failing = () =>
      store.durable(() => {
        restarts.remember(target('ann'));
        throw new Error('disk full');
      });
    expect(failing).toThrow('disk full');
    expect(restarts.isAsked()).toBe(false);
  });
});
