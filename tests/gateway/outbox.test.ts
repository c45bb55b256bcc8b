import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Adapter, DeliveryError, type DeliveryFacts } from '../../adapters/adapter.ts';
import type { Platform } from '../../adapters/platform.ts';
import type { Store } from '../../gateway/store/index.ts';
import { createFakePlatform, type FakePlatform, type PlatformCall } from '../fakes/platform.ts';
import { type Gateway, settled, startGateway } from './support/gateway.ts';
import { lastText, never, scriptedModel } from './support/model.ts';

const hourMs = 3_600_000;

function failure(facts: DeliveryFacts): DeliveryError {
  return new DeliveryError('the platform said no', facts);
}

const rateLimited = (retryAfterMs: number) => failure({ kind: 'rate_limited', certain: true, retryAfterMs });
const transient = failure({ kind: 'transient', certain: true });
const uncertain = failure({ kind: 'transient', certain: false });
const rejected = failure({ kind: 'rejected', certain: true });
const badFormatting = failure({ kind: 'rejected', certain: true, formatting: true });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  return () => vi.useRealTimers();
});

async function pass(ms: number): Promise<void> {
  await settled();
  await vi.advanceTimersByTimeAsync(ms);
  await settled();
}

function callsTo(platform: FakePlatform, chat: string): readonly PlatformCall[] {
  return platform.calls.filter((call) => call.chat === chat);
}

/** Times of the sends to a chat, from the first on. */
function sendTimes(platform: FakePlatform, chat: string): readonly number[] {
  const sends = callsTo(platform, chat).filter(({ kind }) => kind === 'send');
  return sends.map(({ at }) => at - (sends[0]?.at ?? 0));
}

/** A gateway on a platform without typing, so that every call is a delivery. */
async function plainGateway(options: Parameters<typeof startGateway>[0] = {}): Promise<Gateway> {
  const platform = options.platform ?? createFakePlatform({ capabilities: [] });
  return startGateway({ ...options, platform });
}

/** Sends are over the wire at once and answered after 5.5 s, whatever their signal says. */
function slow({ create }: Awaited<ReturnType<Platform['load']>>): Awaited<ReturnType<Platform['load']>> {
  const answered = async (adapter: Adapter, ...[message, key]: Parameters<Adapter['send']>) => {
    const sent = await adapter.send(message, key, new AbortController().signal);
    await new Promise((resolve) => setTimeout(resolve, 5500));
    return sent;
  };
  return {
    create: (...given) => {
      const adapter = create(...given);
      return { ...adapter, send: (...call) => answered(adapter, ...call) };
    },
  };
}

describe('a part that is refused for its rate', () => {
  it('waits exactly as long as the platform says, and nothing else goes to that chat meanwhile', async () => {
    const gateway = await startGateway();
    gateway.platform.fail({ chat: 'ann', throws: rateLimited(7000) });
    gateway.say('ann', 'one');
    await settled();
    expect(sendTimes(gateway.platform, 'ann')).toHaveLength(1);
    await settled();
    const before = callsTo(gateway.platform, 'ann').length;
    gateway.say('ann', 'two');
    gateway.say('bob', 'hello');
    await pass(6990);
    expect(callsTo(gateway.platform, 'ann')).toHaveLength(before);
    expect(gateway.answers('bob')).toEqual(['echo: hello']);
    await pass(20);
    await gateway.idle();
    expect(gateway.answers('ann')).toEqual(['echo: one', 'echo: two']);
    expect(sendTimes(gateway.platform, 'ann')[1]).toBeGreaterThanOrEqual(7000);
    expect(sendTimes(gateway.platform, 'ann')[1]).toBeLessThan(7010);
  });

  it('keeps its penalty over a restart', async () => {
    const gateway = await startGateway();
    gateway.platform.fail({ throws: rateLimited(60_000) });
    gateway.say('ann', 'one');
    await settled();
    expect(sendTimes(gateway.platform, 'ann')).toHaveLength(1);
    const platform = createFakePlatform();
    const next = await startGateway({ home: gateway.kill(), platform });
    next.say('ann', 'two');
    await pass(59_900);
    expect(platform.calls).toEqual([]);
    await pass(200);
    await next.idle();
    expect(platform.texts('ann')).toEqual(['echo: one', 'echo: two']);
  });

  it('for its typing holds the answer too', async () => {
    const { promise, resolve: answer } = Promise.withResolvers<string>();
    const model = scriptedModel(() => promise);
    const gateway = await startGateway({ model });
    gateway.platform.fail({ on: 'typing', throws: rateLimited(20_000) });
    gateway.say('ann', 'one');
    await pass(1000);
    answer('done');
    await pass(18_000);
    expect(callsTo(gateway.platform, 'ann').map(({ kind }) => kind)).toEqual(['typing']);
    await pass(1100);
    expect(gateway.answers('ann')).toEqual(['done']);
  });

  it('a penalty that comes while an answer waits for its slot holds the answer too', async () => {
    const platform = createFakePlatform({ pacing: { chat_interval_ms: 5000 }, capabilities: ['typing'] });
    const script = ({ messages }: { messages: Parameters<typeof lastText>[0] }, signal: AbortSignal) =>
      lastText(messages) === 'work' ? never(signal) : 'quick';
    const gateway = await startGateway({ platform, model: scriptedModel(script) });
    gateway.say('ann', 'one');
    await settled();
    expect(gateway.answers('ann')).toHaveLength(1);
    platform.fail({ on: 'typing', chat: 'ann', throws: rateLimited(20_000) });
    gateway.say('ann', '/help'); // waits for the slot at 5 s
    gateway.say('ann', 'work'); // types at once and is told to be silent
    await pass(19_000);
    expect(gateway.answers('ann')).toHaveLength(1);
    await pass(2000);
    expect(gateway.answers('ann')).toHaveLength(2);
  });

  it('for longer than a timer can hold does not keep the process busy', async () => {
    const gateway = await plainGateway();
    gateway.platform.fail({ throws: rateLimited(60 * 24 * hourMs) });
    gateway.say('ann', 'one');
    await pass(50_000);
    expect(gateway.platform.calls).toHaveLength(1);
  });
});

describe('a part that is refused for good', () => {
  it('for its formatting is sent once more as plain text', async () => {
    const gateway = await plainGateway();
    gateway.platform.fail({ throws: badFormatting });
    gateway.say('ann', '*one*');
    await gateway.idle();
    expect(gateway.platform.calls.map(({ message }) => message?.type === 'text' && message.plain)).toEqual([undefined, true]);
    expect(gateway.answers('ann')).toEqual(['echo: *one*']);
  });

  it('also as plain text becomes one notice', async () => {
    const gateway = await plainGateway();
    gateway.platform.fail({ throws: badFormatting, times: 2 });
    gateway.say('ann', '*one*');
    await gateway.idle();
    expect(gateway.platform.calls).toHaveLength(3);
    expect(gateway.answers('ann')).toEqual(['⚠️ I could not deliver a part of my last answer. Please ask again if you need it.']);
  });

  it('becomes one notice, and the next turn’s model is told once', async () => {
    const model = scriptedModel(({ messages }) => `echo: ${lastText(messages).split('\n').at(-1)}`);
    const gateway = await plainGateway({ model });
    gateway.platform.fail({ throws: rejected });
    for (const text of ['one', 'two', 'three']) {
      gateway.say('ann', text);
      await gateway.idle();
    }
    expect(gateway.answers('ann')).toEqual([expect.stringContaining('I could not deliver'), 'echo: two', 'echo: three']);
    const told = model.requests.map(({ messages }) => lastText(messages));
    expect(told).toEqual([
      'one',
      '[note: your last answer, or a part of it, did not reach the person: the platform said no]\ntwo',
      'three',
    ]);
  });

  it('with all the parts of its answer becomes one notice', async () => {
    const platform = createFakePlatform({ capabilities: [], partUnits: 4 });
    platform.fail({ throws: rejected, times: 3 });
    const gateway = await plainGateway({ platform, model: scriptedModel(() => 'aaaabbbbcccc') });
    gateway.say('ann', 'one');
    await gateway.idle();
    expect(gateway.answers('ann')).toEqual([expect.stringContaining('I could not deliver')]);
  });

  it('where the notice is refused too ends there', async () => {
    const gateway = await plainGateway();
    gateway.platform.fail({ throws: rejected, times: 99 });
    gateway.say('ann', 'one');
    await gateway.idle();
    expect(gateway.platform.calls).toHaveLength(2);
  });

  it('does not hold back the parts behind it', async () => {
    const platform = createFakePlatform({ capabilities: [], partUnits: 4 });
    platform.fail({ throws: rejected });
    const gateway = await plainGateway({ platform, model: scriptedModel(() => 'aaaabbbbcccc') });
    gateway.say('ann', 'one');
    await gateway.idle();
    expect(gateway.answers('ann').slice(0, 2)).toEqual(['bbbb', 'cccc']);
  });
});

describe('a part that cannot be sent now', () => {
  it('is tried again after growing pauses, and what is behind it waits its turn', async () => {
    const gateway = await plainGateway();
    gateway.platform.fail({ chat: 'ann', throws: transient, times: 4 });
    gateway.say('ann', 'one');
    gateway.say('ann', 'two');
    gateway.say('bob', 'hello');
    await pass(20_000);
    await gateway.idle();
    expect(gateway.answers('ann')).toEqual(['echo: one', 'echo: two']);
    expect(gateway.answers('bob')).toEqual(['echo: hello']);
    const pauses = sendTimes(gateway.platform, 'ann').slice(0, 5);
    for (const [index, expected] of [0, 1000, 3000, 7000, 15_000].entries()) {
      expect(pauses[index]).toBeGreaterThanOrEqual(expected);
      expect(pauses[index]).toBeLessThan(expected + 100);
    }
  });

  it('is given up after 24 hours, with a notice once the chat works again', async () => {
    const gateway = await plainGateway();
    gateway.platform.fail({ throws: transient, times: 291 + 8 });
    gateway.say('ann', 'one');
    await pass(24 * hourMs);
    expect(gateway.store.outbox.count().pending).toBe(1);
    await pass(hourMs);
    await gateway.idle();
    expect(gateway.answers('ann')).toEqual([expect.stringContaining('I could not deliver')]);
  });

  it('and never comes back is repeated once after its deadline, and does not hold back its chat for ever', async () => {
    const gateway = await plainGateway();
    gateway.platform.fail({ hang: true, times: 1 });
    gateway.say('ann', 'one');
    await pass(11 * 60_000);
    await gateway.idle();
    expect(gateway.answers('ann')).toEqual(['echo: one']);
    expect(gateway.store.outbox.count().unknown).toBe(1);
  });

  it('and whose outcome is unknown is repeated at most once where the platform knows no key, and counted', async () => {
    const gateway = await plainGateway();
    gateway.platform.fail({ throws: uncertain, arrived: true, times: 2 });
    gateway.say('ann', 'one');
    await gateway.idle();
    expect(gateway.answers('ann').filter((text) => text === 'echo: one')).toHaveLength(2);
    expect(gateway.store.outbox.count().unknown).toBe(1);
    gateway.say('ann', 'two');
    await gateway.idle();
    expect(gateway.answers('ann').at(-1)).toContain('two');
  });

  it('and whose outcome is unknown is repeated freely where the platform knows our key, and shown once', async () => {
    const platform = createFakePlatform({ capabilities: ['idempotent'] });
    platform.fail({ throws: uncertain, arrived: true, times: 5 });
    const gateway = await plainGateway({ platform });
    gateway.say('ann', 'one');
    await pass(60_000);
    await gateway.idle();
    expect(platform.calls).toHaveLength(6);
    expect(new Set(platform.calls.map(({ key }) => key)).size).toBe(1);
    expect(gateway.answers('ann')).toEqual(['echo: one']);
  });
});

describe('an adapter with a bug', () => {
  it.each([
    ['throws', { throws: new TypeError('undefined is not a function') }],
    ['rejects with an ordinary error', { throws: new Error('ECONNRESET at /home/me/x.ts') }],
  ])('that %s costs that part, tells the person, and the chat goes on', async (_title, fault) => {
    const gateway = await plainGateway();
    gateway.platform.fail(fault);
    gateway.say('ann', 'one');
    gateway.say('ann', 'two');
    await gateway.idle();
    expect(gateway.answers('ann')).toContainEqual(expect.stringContaining('two'));
    expect(gateway.answers('ann')).toContain('⚠️ I could not deliver a part of my last answer. Please ask again if you need it.');
    expect(gateway.answers('ann').join()).not.toContain('ECONNRESET');
  });
});

describe('a store that refuses to write while something is sent', () => {
  /** Fails the given calls of one method of the outbox's store. */
  function failing(method: 'sending' | 'sent' | 'retry', times: number): (store: Store) => Store {
    let left = times;
    return (store) => ({
      ...store,
      outbox: {
        ...store.outbox,
        [method]: (...args: never[]) => {
          left -= 1;
          if (left >= 0) throw new Error('database or disk is full');
          (store.outbox[method] as (...args: never[]) => void)(...args);
        },
      },
    });
  }

  it('before the send: nothing is sent, nobody is starved, and it goes out once there is room', async () => {
    const gateway = await plainGateway({ wrap: failing('sending', 3) });
    gateway.say('ann', 'one');
    await pass(500);
    expect(gateway.platform.calls).toEqual([]);
    await pass(60_000);
    await gateway.idle();
    expect(gateway.answers('ann')).toEqual(['echo: one']);
  });

  it('after the send: the part is not sent again, and what is behind it follows', async () => {
    const gateway = await plainGateway({ wrap: failing('sent', 3) });
    gateway.say('ann', 'one');
    gateway.say('ann', 'two');
    await pass(60_000);
    await gateway.idle();
    expect(gateway.answers('ann')).toEqual(['echo: one', 'echo: two']);
    expect(gateway.store.outbox.count()).toEqual({ pending: 0, unknown: 0 });
  });

  it('after a refusal: the wait that the platform asked for is kept all the same', async () => {
    const gateway = await plainGateway({ wrap: failing('retry', 2) });
    gateway.platform.fail({ throws: rateLimited(30_000) });
    gateway.say('ann', 'one');
    await pass(29_000);
    expect(gateway.platform.calls).toHaveLength(1);
    await pass(60_000);
    await gateway.idle();
    expect(gateway.answers('ann')).toEqual(['echo: one']);
  });
});

describe('a stop', () => {
  it('waits for what is on its way and sends the rest at the next start', async () => {
    const platform = createFakePlatform({ capabilities: [] });
    platform.fail({ chat: 'ann', throws: transient });
    const gateway = await plainGateway({ platform });
    gateway.say('ann', 'one');
    gateway.say('bob', 'hello');
    await settled();
    expect(platform.calls).toHaveLength(2);
    await gateway.stop();
    const next = await plainGateway({ platform, home: gateway.home });
    await pass(2000);
    await next.idle();
    expect([platform.texts('ann'), platform.texts('bob')]).toEqual([['echo: one'], ['echo: hello']]);
  });

  it('keeps a receipt that comes while the gateway gives up waiting, and never sends that part again', async () => {
    const server = createFakePlatform({ capabilities: [] });
    const slowly: Platform = { ...server.platform, load: async () => slow(await server.platform.load()) };
    const platform = { ...server, platform: slowly };
    const gateway = await plainGateway({ platform });
    gateway.say('ann', 'one');
    await settled();
    const stopped = gateway.stop();
    await pass(7000);
    await stopped;
    const next = await plainGateway({ platform: server, home: gateway.home });
    await next.idle();
    expect(server.texts('ann')).toEqual(['echo: one']);
  });

  it('does not wait for penalties and back-offs', async () => {
    const gateway = await plainGateway();
    gateway.platform.fail({ chat: 'ann', throws: rateLimited(hourMs) });
    gateway.platform.fail({ chat: 'bob', throws: transient });
    gateway.say('ann', 'one');
    gateway.say('bob', 'one');
    await settled();
    const startedAt = Date.now();
    await gateway.stop(); // on a clock that stands still
    expect(Date.now()).toBe(startedAt);
    vi.setSystemTime(startedAt + hourMs);
    const next = await plainGateway({ platform: gateway.platform, home: gateway.home });
    await next.idle();
    expect([next.answers('ann'), next.answers('bob')]).toEqual([['echo: one'], ['echo: one']]);
  });
});

describe('a part that is changed before it is sent', () => {
  it('goes out as it is when its slot comes, or not at all', async () => {
    const platform = createFakePlatform({ capabilities: [], pacing: { chat_interval_ms: 5000 } });
    const gateway = await plainGateway({ platform });
    const { outbox } = gateway.store;
    const chat = { platform: 'fake', account: 'main', chat: 'ann' };
    const payload = (markdown: string) => ({ type: 'text', chat, markdown }) as const;
    const add = (markdown: string) => outbox.add({ lane: 'fake/main/ann', group: false, purpose: 'notice', payload: payload(markdown) });
    const [, second, third] = ['one', 'two', 'three', 'four'].map(add);
    gateway.say('ann', 'five');
    await pass(4000);
    expect(gateway.answers('ann')).toEqual(['one']);
    expect(outbox.replace(second ?? 0, payload('two, changed'))).toBe(true);
    await pass(5000);
    outbox.giveUp(third ?? 0, 'failed', 'not needed any more');
    await pass(12_000);
    expect(gateway.answers('ann')).toEqual(['one', 'two, changed', 'four', 'echo: five']);
  });
});
