import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../agent/events.ts';
import type { ToolContext } from '../../agent/tool.ts';
import { createChildren } from '../../gateway/children.ts';
import { createFakePlatform } from '../fakes/platform.ts';
import { card, closedCard } from './asks/support.ts';
import { type Gateway, settled, startGateway, until } from './support/gateway.ts';
import { click, message, replyTo } from './support/inbound.ts';
import { lastText, type Script, scriptedModel } from './support/model.ts';
import { countedTool } from './support/tools.ts';

const usage = { inputTokens: 0, outputTokens: 0 };
const finished: AgentEvent = { type: 'finished', outcome: { status: 'completed', text: '', steps: 1, usage } };
const speaks: AgentEvent = { type: 'text.delta', text: 'hm' };

/** A call that has child agents at work, until it is cut or they are told to end. */
async function delegating(options: { readonly children?: number; readonly change?: object; readonly buttons?: false } = {}) {
  const { children = 2, change = {} } = options;
  let ctx: ToolContext | undefined;
  const end = Promise.withResolvers<void>();
  const { tool, runs } = countedTool('delegate', 'external', async (_args, context) => {
    ctx = context;
    for (let child = 0; child < children; child += 1) context.child(`child-${child}`, speaks);
    const cut = new Promise<void>((resolve) => context.signal.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([end.promise, cut]);
    return { content: 'what the children found' };
  });
  const script: Script = (request) =>
    lastText(request.messages) === 'work' && request.messages.at(-1)?.role === 'user'
      ? { call: 'delegate' }
      : `echo: ${lastText(request.messages)}`;
  const platform = createFakePlatform({ capabilities: options.buttons === false ? ['edit'] : ['edit', 'buttons'] });
  const gateway = await startGateway({
    platform,
    model: scriptedModel(script),
    tools: [tool],
    change: { display: { busyMode: 'interrupt' }, everywhere: { busyAck: true }, ...change },
  });
  gateway.say('ann', 'work');
  await until(
    () => runs.length === 1,
    () => 'the children have not begun',
  );
  return { gateway, end: () => end.resolve(), childEnds: (child: number) => ctx?.child(`child-${child}`, finished) };
}

const shownCards = (gateway: Gateway) => gateway.platform.cards('ann');

describe('a message while child agents are at work', () => {
  it('waits instead of interrupting, is told so with a button, and comes next', async () => {
    const { gateway, end } = await delegating();
    gateway.say('ann', 'and then this');
    const shown = await card(gateway.platform, 'ann');
    expect(shown.markdown).toBe('⏳ 2 agents are at work for me, so I read this when that is done. (/stop ends it.)');
    expect(shown.choices.map(({ label }) => label)).toEqual(['⚡ Interrupt now']);
    end();
    expect(await gateway.answered('ann', 2)).toEqual(['echo: work', 'echo: and then this']);
    expect(await closedCard(gateway.platform, 'ann')).toBe('⏹ That is done.');
  });

  it('interrupts after all when its button is used, once', async () => {
    const { gateway } = await delegating();
    gateway.say('ann', 'this instead');
    const shown = await card(gateway.platform, 'ann');
    gateway.receive([click(shown, 'interrupt')]);
    expect(await gateway.answered('ann', 1)).toEqual(['echo: this instead']);
    expect(await closedCard(gateway.platform, 'ann')).toBe('⚡ Ann interrupted it.');
    gateway.receive([click(shown, 'interrupt')]);
    await until(
      () => gateway.platform.responses.length === 2,
      () => 'the second click has no answer',
    );
    expect(gateway.platform.responses[1]).toContain('Too late');
    await gateway.idle();
    expect(gateway.answers('ann')).toHaveLength(1);
  });

  it.each(['1', 'interrupt'])('interrupts after all by the reply %s where there are no buttons', async (word) => {
    const { gateway } = await delegating({ buttons: false });
    gateway.say('ann', 'this instead');
    const shown = await card(gateway.platform, 'ann');
    gateway.receive([message(word, { replyTo: replyTo(shown) })]);
    expect(await gateway.answered('ann', 1)).toEqual(['echo: this instead']);
  });

  it("is nobody else's to interrupt with", async () => {
    const { gateway, end } = await delegating();
    gateway.say('ann', 'this instead');
    const shown = await card(gateway.platform, 'ann');
    gateway.receive([click(shown, 'interrupt', { from: { id: 'mallory', name: 'Mallory' } })]);
    await until(
      () => gateway.platform.responses.length === 1,
      () => 'the click has no answer',
    );
    expect(gateway.platform.responses).toEqual(['Only Ann may answer this.']);
    end();
    expect(await gateway.answered('ann', 2)).toEqual(['echo: work', 'echo: this instead']);
  });

  it('is kept by /stop and comes next', async () => {
    const { gateway } = await delegating();
    gateway.say('ann', 'and then this');
    await card(gateway.platform, 'ann');
    gateway.say('ann', '/stop');
    await until(
      () => gateway.answers('ann').includes('echo: and then this'),
      () => gateway.answers('ann').join(),
    );
  });

  it('interrupts as ever once the children are done', async () => {
    const { gateway, childEnds } = await delegating();
    childEnds(0);
    childEnds(1);
    await settled();
    gateway.say('ann', 'this instead');
    expect((await gateway.answered('ann', 1)).at(-1)).toBe('⚡ I stop what I was doing and read this.');
    expect(shownCards(gateway)).toEqual([]);
  });

  it('is spared an acknowledgement where those are off, and waits all the same', async () => {
    const { gateway, end } = await delegating({ change: { everywhere: { busyAck: false } } });
    gateway.say('ann', 'and then this');
    end();
    expect(await gateway.answered('ann', 2)).toEqual(['echo: work', 'echo: and then this']);
    expect(shownCards(gateway)).toEqual([]);
  });
});

describe('children at work', () => {
  const event = (child: string, of: AgentEvent, callId = 'call'): AgentEvent => ({ type: 'child.event', callId, child, event: of });

  it('are those that have begun and not finished, each in its lane', () => {
    const children = createChildren();
    for (const child of ['a', 'b', 'a']) children.handle('one', event(child, speaks));
    children.handle('two', event('a', speaks));
    children.handle('one', event('b', finished));
    expect(['one', 'two', 'three'].map(children.running)).toEqual([1, 1, 0]);
  });

  it('end with their call and with their turn, also when nobody said so', () => {
    const children = createChildren();
    children.handle('one', event('a', speaks, 'first'));
    children.handle('one', event('b', speaks, 'second'));
    children.handle('one', { type: 'tool.finished', callId: 'first', name: 'delegate', status: 'ok', elapsedMs: 1 });
    expect(children.running('one')).toBe(1);
    children.over('one');
    expect(children.running('one')).toBe(0);
  });
});
