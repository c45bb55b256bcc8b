import { beforeEach, describe, expect, it, vi } from 'vitest';
import { DeliveryError } from '../../../adapters/adapter.ts';
import type { ModelEvent } from '../../../agent/model.ts';
import { type Capability, createFakePlatform, type FakePlatform, type FakePlatformOptions } from '../../fakes/platform.ts';
import { type GatewayOptions, settled, startGateway, until } from '../support/gateway.ts';
import type { ScriptedModel } from '../support/model.ts';
import { countedTool } from '../support/tools.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] });
  return () => vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms).then(settled);

const editable: readonly Capability[] = ['edit', 'delete', 'private-previews'];

/** Speaks when the test says so. The end of a piece is the end of an answer, or a call. */
interface Speaker extends ScriptedModel {
  /** Adds to what is being said. */
  say(text: string): void;
  end(call?: string): void;
}

function speaker(): Speaker {
  const queue: ModelEvent[] = [];
  let wake: () => void = () => undefined;
  let calls = 0;
  const push = (...events: readonly ModelEvent[]): void => {
    queue.push(...events);
    wake();
  };
  return {
    name: 'speaker',
    windowTokens: 100_000,
    vision: false,
    requests: [],
    say: (text) => push({ type: 'text.delta', text }),
    end: (call) => {
      if (call !== undefined) push({ type: 'call', call: { id: `call-${++calls}`, name: call, arguments: '{}' } });
      push({ type: 'done', finish: call === undefined ? 'stop' : 'calls' });
    },
    async *stream(_request, signal) {
      for (;;) {
        signal.throwIfAborted();
        const event = queue.shift();
        if (event === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve;
            signal.addEventListener('abort', () => resolve(), { once: true });
          });
          continue;
        }
        yield event;
        if (event.type === 'done') return;
      }
    },
  };
}

const quick: FakePlatformOptions = { capabilities: editable, progress: { editIntervalMs: 20, quietMs: 20 } };

async function talking(options: FakePlatformOptions = {}, gateway: Partial<GatewayOptions> = {}) {
  const platform = gateway.platform ?? createFakePlatform({ ...quick, ...options });
  const model = speaker();
  const look = countedTool('look', 'read');
  const running = await startGateway({ platform, model, tools: [look.tool], ...gateway });
  return { gateway: running, platform, model };
}

const inGroup = { chatType: 'dm', chat: 'g1', from: { id: 'ann' } } as const;

/** What the chat shows; deleted messages are gone. */
const texts = (platform: FakePlatform): readonly string[] => platform.texts('g1');

async function draftShown(platform: FakePlatform, text: string): Promise<void> {
  await pass(2000);
  await until(
    () => texts(platform).includes(text),
    () => JSON.stringify(texts(platform)),
  );
}

/** A turn that shows a draft. */
async function drafting(options: FakePlatformOptions = {}, gateway: Partial<GatewayOptions> = {}) {
  const parts = await talking(options, gateway);
  parts.gateway.say('g1', 'hello', inGroup);
  parts.model.say('The answer');
  await draftShown(parts.platform, 'The answer');
  return parts;
}

const rejected = new DeliveryError('no', { kind: 'rejected', certain: true });
const slower = new DeliveryError('slower', { kind: 'rate_limited', certain: true, retryAfterMs: 10_000 });
const lost = new DeliveryError('lost', { kind: 'transient', certain: false });
const sends = ({ calls }: FakePlatform): number => calls.filter(({ kind }) => kind === 'send').length;

describe('an answer that is streamed by edits', () => {
  it('becomes the whole answer by an edit of the same message', async () => {
    const { gateway, platform, model } = await drafting();
    model.say(' grows');
    await draftShown(platform, 'The answer grows');
    model.say(' to its end.');
    model.end();
    await gateway.idle();
    expect(texts(platform)).toEqual(['The answer grows to its end.']);
    expect(sends(platform)).toBe(1);
  });

  it('goes on with new messages where it needs more than one', async () => {
    const { gateway, platform, model } = await drafting({ partUnits: 10 });
    model.say(' is long.');
    model.end();
    await gateway.idle();
    expect(texts(platform)).toEqual(['The answer', ' is long.']);
  });

  it('is sent anew where the message cannot be edited any more, and the draft is taken back', async () => {
    const { gateway, platform, model } = await drafting();
    platform.fail({ on: 'edit', throws: rejected });
    model.end();
    await gateway.idle();
    await until(
      () => texts(platform).length === 1,
      () => JSON.stringify(platform.shown),
    );
    expect(texts(platform)).toEqual(['The answer']);
    expect([platform.shown.map(({ deleted }) => deleted), sends(platform)]).toEqual([[true, false], 2]);
  });

  it('is sent anew where somebody deleted the draft', async () => {
    const { gateway, platform, model } = await drafting();
    for (const shown of platform.shown) shown.deleted = true;
    model.say(' still');
    model.end();
    await gateway.idle();
    expect(texts(platform)).toEqual(['The answer still']);
  });

  it('is plain where the platform refuses its formatting', async () => {
    const { gateway, platform, model } = await drafting();
    platform.fail({ on: 'edit', throws: new DeliveryError('bad', { kind: 'rejected', certain: true, formatting: true }) });
    model.end();
    await gateway.idle();
    expect(platform.shown.map(({ message }) => message)).toMatchObject([{ markdown: 'The answer', plain: true }]);
  });

  it('is edited again when nobody can tell what became of the last edit, and is never there twice', async () => {
    const { gateway, platform, model } = await drafting();
    platform.fail({ on: 'edit', arrived: true, throws: lost, times: 4 });
    model.end();
    await pass(30_000);
    await gateway.idle();
    expect([texts(platform), sends(platform)]).toEqual([['The answer'], 1]);
    expect(gateway.store.outbox.count().unknown).toBe(0);
  });

  it('is sent anew where nobody can tell what the draft shows, because an old edit may still arrive', async () => {
    const { gateway, platform, model } = await drafting();
    platform.fail({ on: 'edit', throws: lost });
    model.say(' grows');
    await pass(2000);
    model.say(' to its end.');
    await pass(2000);
    expect(platform.calls.filter(({ kind }) => kind === 'edit')).toHaveLength(1);
    model.end();
    await gateway.idle();
    await pass(100);
    expect([texts(platform), sends(platform)]).toEqual([['The answer grows to its end.'], 2]);
  });

  it('waits for the end of a penalty, and nothing is called before', async () => {
    const { gateway, platform, model } = await drafting();
    platform.fail({ on: 'edit', throws: new DeliveryError('slow', { kind: 'rate_limited', certain: true, retryAfterMs: 400 }) });
    model.say(' grows.');
    await until(
      () => platform.calls.some(({ kind }) => kind === 'edit'),
      () => 'no edit',
    );
    const limited = platform.calls.length;
    model.end();
    await pass(350);
    expect(platform.calls).toHaveLength(limited);
    await gateway.idle();
    expect([texts(platform), sends(platform)]).toEqual([['The answer grows.'], 1]);
  });

  it('comes as a whole where a penalty kept the draft from being sent', async () => {
    const { gateway, platform, model } = await talking();
    platform.fail({ throws: slower });
    gateway.say('g1', 'hello', inGroup);
    model.say('The answer');
    await pass(2500);
    expect(sends(platform)).toBe(1);
    model.say(' is whole.');
    model.end();
    await pass(12_000);
    await gateway.idle();
    expect(texts(platform)).toEqual(['The answer is whole.']);
    expect(platform.calls.map(({ kind }) => kind)).not.toContain('edit');
  });

  it('is not overtaken by an edit that was still on its way', async () => {
    const { gateway, platform, model } = await drafting();
    platform.fail({ on: 'edit', hang: true });
    model.say(' grows');
    await until(
      () => platform.calls.some(({ kind }) => kind === 'edit'),
      () => 'no edit',
    );
    model.end();
    await until(
      () => gateway.store.turns.runningLanes().length === 0,
      () => 'the turn goes on',
    );
    await pass(50);
    expect(platform.calls.filter(({ kind }) => kind === 'edit')).toHaveLength(1);
  });

  it('that is silence in the end is taken back', async () => {
    const { gateway, platform, model } = await drafting({}, { change: { everywhere: { interim: false } } });
    model.end('look');
    model.say('[SILENT]');
    model.end();
    await gateway.idle();
    await until(
      () => texts(platform).length === 0,
      () => JSON.stringify(texts(platform)),
    );
  });

  it('keeps what was said until a stop in the same message', async () => {
    const { gateway, platform } = await drafting();
    gateway.say('g1', '/stop', inGroup);
    await gateway.idle();
    expect(texts(platform).filter((text) => text.startsWith('The answer'))).toEqual(['The answer\n\n✂️ _(stopped)_']);
  });

  it('is not streamed where that is switched off', async () => {
    const { gateway, platform, model } = await talking({}, { change: { display: { streaming: false } } });
    gateway.say('g1', 'hello', inGroup);
    model.say('The answer');
    await pass(2300);
    expect(sends(platform)).toBe(0);
    model.end();
    await gateway.idle();
    expect(texts(platform)).toEqual(['The answer']);
  });
});

describe('what was streamed before a call', () => {
  it('becomes a message of its own, and the answer another', async () => {
    const { gateway, platform, model } = await drafting();
    model.say(' comes soon.');
    model.end('look');
    await draftShown(platform, 'The answer comes soon.');
    model.say('Here it is');
    await draftShown(platform, 'Here it is');
    model.end();
    await gateway.idle();
    expect([texts(platform), sends(platform) - platform.bubbles('g1').length]).toEqual([['The answer comes soon.', 'Here it is'], 2]);
  });

  it('gives way to the answer where such messages are switched off', async () => {
    const { gateway, platform, model } = await drafting({}, { change: { everywhere: { interim: false } } });
    model.end('look');
    model.say('Here it is');
    model.end();
    await gateway.idle();
    expect(texts(platform)).toEqual(['Here it is']);
  });
});

describe('a draft that a crash left behind', () => {
  it('becomes the answer of the turn that goes on', async () => {
    const first = await drafting();
    const home = first.gateway.kill();
    const { gateway, platform, model } = await talking({}, { home, platform: first.platform });
    model.say('Another answer');
    model.end();
    await gateway.idle();
    expect([texts(platform), sends(platform)]).toEqual([['Another answer'], 1]);
  });

  it('is left where it was cut before the receipt, and the answer is a message of its own', async () => {
    const { gateway, platform, model } = await talking();
    platform.fail({ arrived: true, hang: true });
    gateway.say('g1', 'hello', inGroup);
    model.say('The answer');
    await draftShown(platform, 'The answer');
    const home = gateway.kill();
    const second = await talking({}, { home, platform });
    second.model.say('Another answer');
    second.model.end();
    await second.gateway.idle();
    expect(texts(platform)).toEqual(['The answer', 'Another answer']);
  });

  it('is not sent any more where it had not reached the chat', async () => {
    const { gateway, platform, model } = await talking();
    platform.fail({ throws: slower });
    gateway.say('g1', 'hello', inGroup);
    model.say('The answer');
    await pass(2500);
    const home = gateway.kill();
    const second = await talking({}, { home, platform });
    await pass(15_000);
    expect(sends(platform)).toBe(1);
    second.model.say('Another answer');
    second.model.end();
    await second.gateway.idle();
    expect([texts(platform), sends(platform)]).toEqual([['Another answer'], 2]);
  });

  it('is not edited again once it was the answer', async () => {
    const { gateway, platform, model } = await drafting();
    platform.fail({ on: 'edit', arrived: true, hang: true });
    model.say(' is whole.');
    model.end();
    await draftShown(platform, 'The answer is whole.');
    const home = gateway.kill();
    const second = await talking({}, { home, platform });
    await second.gateway.idle();
    expect([texts(platform), sends(platform)]).toEqual([['The answer is whole.'], 1]);
    expect(second.gateway.store.outbox.count()).toEqual({ pending: 0, unknown: 1 });
  });
});

describe('the interim text of a gateway that is killed', () => {
  it.each(['before', 'after'])('is there once when it was killed %s its delivery', async (when) => {
    const platform = createFakePlatform(quick);
    if (when === 'before') platform.fail({ hang: true });
    const { gateway, model } = await talking(
      {},
      {
        platform,
        change: { display: { streaming: false } },
        tools: [countedTool('look', 'read', () => new Promise(() => undefined)).tool],
      },
    );
    gateway.say('g1', 'hello', inGroup);
    model.say('I look.');
    model.end('look');
    await until(
      () => platform.calls.some(({ message }) => message?.type === 'text'),
      () => 'nothing said',
    );
    await until(
      () => gateway.store.turns.openCalls(1).size === 1,
      () => 'the tool has not begun',
    );
    const home = gateway.kill();
    const second = await talking({}, { home, platform: when === 'before' ? createFakePlatform(quick) : platform });
    second.model.say('Seen.');
    second.model.end();
    await second.gateway.idle();
    expect(texts(second.platform)).toEqual(['I look.', 'Seen.']);
  });
});
