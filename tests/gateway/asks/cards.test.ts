import { beforeEach, describe, expect, it, vi } from 'vitest';
import { DeliveryError } from '../../../adapters/adapter.ts';
import { createFakePlatform, type FakePlatform, type FakePlatformOptions } from '../../fakes/platform.ts';
import { settled } from '../support/gateway.ts';
import { click } from '../support/inbound.ts';
import { askingGateway, card, riskyTool } from './support.ts';

/** How a card of a closed question gets to show it, on a platform that limits and refuses. */

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] });
  return () => vi.useRealTimers();
});

async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 50) await vi.advanceTimersByTimeAsync(50).then(settled);
}

async function asking(options: FakePlatformOptions = {}) {
  const platform = createFakePlatform({ capabilities: ['edit', 'buttons'], progress: { quietMs: 1_000_000 }, ...options });
  return { platform, gateway: await askingGateway({ platform, tools: [riskyTool().tool] }) };
}

const cardEdits = ({ calls }: FakePlatform) => calls.filter(({ kind, message }) => kind === 'edit' && message?.type === 'ask');

describe('the card of a question that was closed', () => {
  it('waits for the end of a penalty, which holds for everything else in the chat too', async () => {
    const { platform, gateway } = await asking();
    gateway.say('ann', 'remove build');
    const asked = await card(platform, 'ann');
    platform.fail({ on: 'edit', throws: new DeliveryError('slower', { kind: 'rate_limited', certain: true, retryAfterMs: 20_000 }) });
    gateway.receive([click(asked, 'once')]);
    await pass(1000);
    const limitedAt = cardEdits(platform)[0]?.at ?? 0;
    gateway.say('ann', 'hello');
    await pass(18_500);
    const during = platform.calls.filter(({ at, kind }) => at > limitedAt && at < limitedAt + 20_000 && kind !== 'respond');
    expect([cardEdits(platform).length, during]).toEqual([1, []]);
    await pass(3000);
    expect(platform.cards('ann')[0]?.closed).toBe('✅ Ann allowed it once.');
  });

  it('takes a slot of the chat for its edit, however many are closed at once', async () => {
    const { platform, gateway } = await asking({ pacing: { chat_interval_ms: 300 } });
    for (let thread = 0; thread < 8; thread += 1) gateway.say('ann', `remove build${thread}`, { thread: `${thread}` });
    await card(platform, 'ann', 8);
    await pass(1000);
    gateway.receive(platform.cards('ann').map((asked, thread) => click(asked, 'deny', { thread: `${thread}` })));
    await pass(20_000);
    const at = cardEdits(platform).map((call) => call.at);
    expect(at).toHaveLength(8);
    for (const [index, time] of at.entries()) if (index > 0) expect(time - (at[index - 1] ?? 0)).toBeGreaterThanOrEqual(300);
  });

  it('is tried again after a bug of the adapter, which the log tells', async () => {
    const { platform, gateway } = await asking();
    gateway.say('ann', 'remove build');
    const asked = await card(platform, 'ann');
    platform.fail({ on: 'edit', throws: new TypeError('a bug') });
    gateway.receive([click(asked, 'once')]);
    await pass(3000);
    expect(platform.cards('ann')[0]?.closed).toBe('✅ Ann allowed it once.');
    expect(gateway.log.lines).toContainEqual(
      expect.objectContaining({ level: 'error', message: expect.stringContaining('did not explain') }),
    );
  });

  it('is shown without formatting where the platform refuses that', async () => {
    const { platform, gateway } = await asking();
    gateway.say('ann', 'remove build');
    const asked = await card(platform, 'ann');
    platform.fail({ on: 'edit', throws: new DeliveryError('bad', { kind: 'rejected', certain: true, formatting: true }) });
    gateway.receive([click(asked, 'once')]);
    await pass(2000);
    expect(platform.cards('ann')[0]).toMatchObject({ closed: '✅ Ann allowed it once.', plain: true });
  });
});
