import { beforeEach, describe, expect, it, vi } from 'vitest';
import { DeliveryError } from '../../../adapters/adapter.ts';
import type { ChatSettings } from '../../../gateway/store/schema.ts';
import { createFakePlatform, type FakePlatform } from '../../fakes/platform.ts';
import { type GatewayOptions, settled, startGateway } from '../support/gateway.ts';
import { lastResults, never, type Script, scriptedModel } from '../support/model.ts';
import { countedTool } from '../support/tools.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] });
  return () => vi.useRealTimers();
});

async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) await vi.advanceTimersByTimeAsync(100).then(settled);
}

/** Three calls of 2 s each, then the answer. */
function slowly(): Pick<GatewayOptions, 'model' | 'tools'> {
  const work = countedTool('work', 'read', async () => {
    await new Promise<void>((resolve) => void setTimeout(resolve, 2000));
    return { content: 'done' };
  });
  const script: Script = ({ messages }) => (lastResults(messages).length < 3 ? { call: 'work' } : 'The answer.');
  return { model: scriptedModel(script), tools: [work.tool] };
}

const bubbleStates = (platform: FakePlatform) =>
  platform
    .bubbles('ann')
    .map(({ deleted, message }) => (deleted ? 'deleted' : message.type === 'progress' && message.done ? 'folded' : 'working'));

describe('a bubble that a process left behind', () => {
  it.each([
    ['deleted', ['edit', 'delete'], 4000],
    ['folded', ['edit'], 6000],
  ] as const)('is %s by the turn that goes on, which shows no second one', async (state, capabilities, elapsedMs) => {
    const platform = createFakePlatform({ capabilities });
    const gateway = await startGateway({ platform, ...slowly() });
    gateway.say('ann', 'hello');
    await pass(4000);
    expect(bubbleStates(platform)).toEqual(['working']);
    const home = gateway.kill();
    await startGateway({ home, platform, ...slowly() });
    await pass(12_000);
    expect([bubbleStates(platform), platform.texts('ann')]).toEqual([[state], ['The answer.']]);
    const shown = platform.bubbles('ann').map(({ message }) => message.type === 'progress' && message.elapsedMs);
    expect(shown).toEqual([elapsedMs]); // since the turn began
  });

  it('is closed at the next start when the answer was there and only its end was missing', async () => {
    const platform = createFakePlatform({ capabilities: ['edit', 'delete'] });
    platform.fail({ on: 'delete', hang: true });
    const gateway = await startGateway({ platform, ...slowly() });
    gateway.say('ann', 'hello');
    await pass(8000);
    expect([bubbleStates(platform), platform.texts('ann')]).toEqual([['working'], ['The answer.']]);
    const home = gateway.kill();
    const next = await startGateway({ home, platform, ...slowly() });
    await pass(1000);
    expect(bubbleStates(platform)).toEqual(['deleted']);
    expect(next.store.turns.leftBubbles(0)).toEqual([]);
  });

  it('is closed when the penalty that kept it is over, also by the next process', async () => {
    const platform = createFakePlatform({ capabilities: ['edit', 'delete'] });
    platform.fail({ on: 'delete', throws: new DeliveryError('slow', { kind: 'rate_limited', certain: true, retryAfterMs: 30_000 }) });
    const gateway = await startGateway({ platform, ...slowly() });
    gateway.say('ann', 'hello');
    await pass(8000);
    const home = gateway.kill();
    const calls = platform.calls.length;
    await startGateway({ home, platform, ...slowly() });
    await pass(20_000);
    expect(platform.calls).toHaveLength(calls);
    await pass(15_000);
    expect(bubbleStates(platform)).toEqual(['deleted']);
  });

  it('of a turn that was stopped before its process died is closed', async () => {
    const platform = createFakePlatform({ capabilities: ['edit', 'delete'] });
    const gateway = await startGateway({ platform, ...slowly() });
    gateway.say('ann', 'hello');
    await pass(4000);
    gateway.store.turns.cut('agent:main:fake:dm:ann', 'stop');
    const home = gateway.kill();
    await startGateway({ home, platform, model: scriptedModel((_request, signal) => never(signal)) });
    await pass(1000);
    expect([bubbleStates(platform), platform.texts('ann')]).toEqual([['deleted'], []]);
  });
});

describe('how much a chat shows', () => {
  it.each([
    ['off', 0, 0],
    ['new', 1, 0],
    ['all', 3, 0],
    ['verbose', 3, 3],
  ] as const)('is what the chat chose: %s', async (progress: ChatSettings['progress'], steps, withArguments) => {
    const platform = createFakePlatform({ capabilities: ['edit'] });
    const gateway = await startGateway({ platform, ...slowly(), change: { display: { progress: 'all' } } });
    gateway.store.chats.set('agent:main:fake:dm:ann', progress === undefined ? {} : { progress });
    gateway.say('ann', 'hello');
    await pass(9000);
    const [message] = platform.bubbles('ann').map((shown) => shown.message);
    const lines = message?.type === 'progress' ? message.steps : [];
    expect([lines.length, lines.filter((line) => line.arguments === '{}').length]).toEqual([steps, withArguments]);
    expect(platform.texts('ann')).toEqual(['The answer.']);
  });

  it('is what its platform says where the chat chose nothing', async () => {
    const platform = createFakePlatform({ capabilities: ['edit'] });
    const gateway = await startGateway({ platform, ...slowly(), change: { display: { progress: 'off' } } });
    gateway.say('ann', 'hello');
    await pass(9000);
    expect(platform.bubbles('ann')).toEqual([]);
  });
});
