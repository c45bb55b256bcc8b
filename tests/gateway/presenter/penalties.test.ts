import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type ChatType, DeliveryError } from '../../../adapters/adapter.ts';
import type { Pacing } from '../../../adapters/platform.ts';
import { telegramPlatform } from '../../../adapters/telegram/platform.ts';
import { type Capability, createFakePlatform, type FakePlatform, type PlatformCall } from '../../fakes/platform.ts';
import { type GatewayOptions, settled, startGateway } from '../support/gateway.ts';
import { message } from '../support/inbound.ts';
import { lastResults, lastText, type Script, scriptedModel } from '../support/model.ts';
import { countedTool } from '../support/tools.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] });
  return () => vi.useRealTimers();
});

/** In steps, so that what needs turns of the event loop happens at its time. */
async function pass(ms: number, stepMs = 100): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) await vi.advanceTimersByTimeAsync(stepMs).then(settled);
}

const telegram: Pacing = { chat_interval_ms: 1000, chat_burst: 3, group_per_minute: 20, per_second: 30 };
const all: readonly Capability[] = ['edit', 'delete', 'typing', 'private-previews'];

/** Works for so long, a second a call, and answers. */
function worker(seconds: number): Pick<GatewayOptions, 'model' | 'tools' | 'maxSteps'> {
  const work = countedTool('work', 'read', async (_args, { signal }) => {
    await new Promise<void>((resolve) => {
      setTimeout(resolve, 1000);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    return { content: 'done' };
  });
  const script: Script = ({ messages }) =>
    lastResults(messages).length < seconds
      ? { call: 'work', args: { n: lastResults(messages).length } }
      : `answer to ${lastText(messages)}`;
  return { model: scriptedModel(script), tools: [work.tool], maxSteps: 500 };
}

const display = { progress: 'all' } as const;
const visible = ({ calls }: FakePlatform): readonly PlatformCall[] => calls.filter(({ kind }) => kind === 'send' || kind === 'edit');

/** Most calls in any window. */
function most(calls: readonly PlatformCall[], windowMs: number): number {
  return Math.max(0, ...calls.map(({ at: from }) => calls.filter(({ at }) => at >= from && at < from + windowMs).length));
}

/** Every penalty is longer than the one before; where it begins and ends. */
function escalating(platform: FakePlatform): readonly { readonly from: number; readonly to: number }[] {
  const penalties: { from: number; to: number }[] = [];
  const next = (): void => {
    const retryAfterMs = 2000 * 2 ** penalties.length;
    const on = (['edit', 'typing', 'send'] as const)[penalties.length % 3] ?? 'edit';
    platform.fail({
      on,
      throws: new DeliveryError('slower', { kind: 'rate_limited', certain: true, retryAfterMs }),
      after: () => {
        penalties.push({ from: Date.now(), to: Date.now() + retryAfterMs });
        if (penalties.length < 5) next();
      },
    });
  };
  next();
  return penalties;
}

describe('a platform whose penalties escalate', () => {
  it('is not called once during any of them, shows one bubble, and gets the answer once', async () => {
    const platform = createFakePlatform({ capabilities: all, pacing: telegram, progress: telegramPlatform.progress });
    const penalties = escalating(platform);
    const gateway = await startGateway({ platform, ...worker(100), change: { display } });
    gateway.say('ann', 'hello');
    await pass(180_000);
    expect(penalties.length).toBeGreaterThanOrEqual(3);
    const during = platform.calls.filter(({ at }) => penalties.some(({ from, to }) => at > from && at < to));
    expect(during).toEqual([]);
    expect([platform.texts('ann'), platform.bubbles('ann').map(({ deleted }) => deleted)]).toEqual([['answer to hello'], [true]]);
  });

  it('is left alone by the next process too', async () => {
    const platform = createFakePlatform({ capabilities: all, pacing: telegram, progress: telegramPlatform.progress });
    const gateway = await startGateway({ platform, ...worker(20), change: { display } });
    gateway.say('ann', 'hello');
    await pass(5000);
    platform.fail({ on: 'edit', throws: new DeliveryError('slower', { kind: 'rate_limited', certain: true, retryAfterMs: 60_000 }) });
    const before = platform.calls.length;
    await pass(5000);
    const limitedAt = platform.calls.at(-1)?.at ?? 0;
    expect(platform.calls.length).toBeGreaterThan(before);
    const calls = platform.calls.length;
    const home = gateway.kill();
    await startGateway({ home, platform, ...worker(20), change: { display } });
    await pass(50_000);
    expect(platform.calls).toHaveLength(calls);
    await pass(20_000);
    expect(platform.calls[calls]?.at).toBeGreaterThanOrEqual(limitedAt + 60_000);
    expect([platform.texts('ann'), platform.bubbles('ann').map(({ deleted }) => deleted)]).toEqual([['answer to hello'], [true]]);
  });
});

describe('fifty sessions in one chat', () => {
  async function fifty(chatType: ChatType, ms: number) {
    const platform = createFakePlatform({
      capabilities: all,
      pacing: telegram,
      progress: telegramPlatform.progress,
      config: { group_allowed_chats: ['g1'] },
    });
    const gateway = await startGateway({ platform, ...worker(30), change: { display } });
    for (let person = 0; person < 50; person += 1) {
      const said = { chat: 'g1', chatType, from: { id: `p${person}` }, ...(chatType === 'dm' ? { thread: `${person}` } : {}) };
      gateway.receive([message(`${person}`, said)]);
    }
    await pass(ms, 500);
    return { platform, gateway };
  }

  it('stay below a message a second, and all are answered', { timeout: 30_000 }, async () => {
    const { platform } = await fifty('dm', 120_000);
    expect(new Set(platform.texts('g1')).size).toBe(50);
    expect(most(visible(platform), 60_000)).toBeLessThanOrEqual(62); // one a second, and the burst that may come first
    expect(most(visible(platform), 10_000)).toBeLessThanOrEqual(12);
  });

  it('stay below 20 messages a minute in a group, where answers come before progress', { timeout: 30_000 }, async () => {
    const { platform } = await fifty('group', 240_000);
    expect(new Set(platform.texts('g1')).size).toBe(50);
    expect(most(visible(platform), 60_000)).toBeLessThanOrEqual(20);
    const texts = visible(platform).filter(({ message: sent }) => sent?.type === 'text');
    const [first, last] = [texts[0]?.at ?? 0, texts.at(-1)?.at ?? 0];
    const between = visible(platform).filter(({ at, message: sent }) => sent?.type === 'progress' && at > first && at < last);
    expect(between.length).toBeLessThanOrEqual(2);
    expect(platform.bubbles('g1').every(({ deleted }) => deleted)).toBe(true);
  });
});
