import { describe, expect, it, vi } from 'vitest';
import { createLanes, type Work } from '../../gateway/lanes.ts';
import { createFakePlatform } from '../fakes/platform.ts';
import { startGateway } from './support/gateway.ts';
import { message } from './support/inbound.ts';
import { memoryLog } from './support/log.ts';
import { echo, lastText, never, scriptedModel } from './support/model.ts';

interface Job {
  readonly lane: string;
  readonly number: number;
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** Lanes over queues in memory. */
function lanesOf(queues: ReadonlyMap<string, Job[]>) {
  const log = memoryLog();
  const next = (lane: string): Work | undefined => {
    const job = queues.get(lane)?.shift();
    return job === undefined ? undefined : { type: 'run', run: job.run };
  };
  return { log, lanes: createLanes(next, log) };
}

const tick = (ms = 1) => new Promise((resolve) => setTimeout(resolve, ms));

describe('lanes', () => {
  it('run one turn at a time each, in order, and side by side between them', async () => {
    const done: string[] = [];
    let running = 0;
    let most = 0;
    const busy = new Set<string>();
    const queues = new Map<string, Job[]>();
    for (let lane = 0; lane < 200; lane += 1) {
      const name = `lane-${lane}`;
      const jobs = [0, 1, 2].map(
        (number): Job => ({
          lane: name,
          number,
          run: async () => {
            expect(busy.has(name)).toBe(false);
            busy.add(name);
            running += 1;
            most = Math.max(most, running);
            await tick(5);
            running -= 1;
            busy.delete(name);
            done.push(`${name}/${number}`);
          },
        }),
      );
      queues.set(name, jobs);
    }
    const { lanes } = lanesOf(queues);
    for (const lane of queues.keys()) for (let time = 0; time < 3; time += 1) lanes.kick(lane);
    await vi.waitFor(() => expect(done).toHaveLength(600));
    expect(most).toBe(200);
    expect(done).toHaveLength(600);
    for (const lane of queues.keys()) {
      expect(done.filter((entry) => entry.startsWith(`${lane}/`))).toEqual([`${lane}/0`, `${lane}/1`, `${lane}/2`]);
    }
  });

  it('a kick while a lane is about to leave is not lost', async () => {
    const queues = new Map<string, Job[]>([['a', []]]);
    const ran: number[] = [];
    const { lanes } = lanesOf(queues);
    for (let number = 0; number < 50; number += 1) {
      queues.get('a')?.push({ lane: 'a', number, run: async () => void ran.push(number) });
      lanes.kick('a');
      for (let turn = 0; turn < number % 5; turn += 1) await Promise.resolve();
    }
    await vi.waitFor(() => expect(ran).toHaveLength(50));
  });

  it('a turn that throws is logged, and the lane goes on after a while', async () => {
    vi.useFakeTimers();
    try {
      const queues = new Map<string, Job[]>();
      const ran: number[] = [];
      queues.set('a', [
        { lane: 'a', number: 0, run: () => Promise.reject(new Error('a bug')) },
        { lane: 'a', number: 1, run: async () => void ran.push(1) },
      ]);
      const { lanes, log } = lanesOf(queues);
      lanes.kick('a');
      await vi.advanceTimersByTimeAsync(1999);
      expect(ran).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
      expect(ran).toEqual([1]);
      expect(log.lines.map(({ level }) => level)).toEqual(['error']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('a store that cannot be read is asked again with growing pauses, never in a tight loop', async () => {
    vi.useFakeTimers();
    try {
      let asked = 0;
      const lanes = createLanes(() => {
        asked += 1;
        throw new Error('disk I/O error');
      }, memoryLog());
      lanes.kick('a');
      await vi.advanceTimersByTimeAsync(60_000);
      expect(asked).toBeGreaterThan(3);
      expect(asked).toBeLessThan(8);
      lanes.cut('a', 'stop');
      await vi.advanceTimersByTimeAsync(1);
      const afterStop = asked;
      await vi.advanceTimersByTimeAsync(1);
      expect(asked).toBe(afterStop);
      await lanes.close(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('closing waits for what runs, cuts what takes longer, and starts nothing more', async () => {
    const reasons: unknown[] = [];
    const ran: string[] = [];
    const queues = new Map<string, Job[]>();
    const cut = async (signal: AbortSignal) => {
      await never(signal).catch((reason: unknown) => reasons.push(reason));
    };
    queues.set('short', [
      { lane: 'short', number: 0, run: () => tick(10).then(() => void ran.push('first')) },
      { lane: 'short', number: 1, run: async () => void ran.push('second') },
    ]);
    queues.set('long', [{ lane: 'long', number: 0, run: cut }]);
    const { lanes } = lanesOf(queues);
    for (const lane of queues.keys()) lanes.kick(lane);
    await tick();
    await lanes.close(50);
    lanes.kick('short');
    await tick();
    expect([ran, reasons]).toEqual([['first'], ['shutdown']]);
  });
});

describe('many chats', () => {
  it('200 at once are each answered once, with their own answer', async () => {
    const model = scriptedModel(echo);
    const gateway = await startGateway({ model });
    gateway.receive(Array.from({ length: 200 }, (_, chat) => message(`canary-${chat}`, { chat: `chat-${chat}` })));
    await gateway.idle();
    for (let chat = 0; chat < 200; chat += 1) expect(gateway.answers(`chat-${chat}`)).toEqual([`echo: canary-${chat}`]);
    for (const request of model.requests) expect(JSON.stringify(request).match(/canary-/g)).toHaveLength(1);
  });

  it('a chat whose turn hangs holds up nobody else', async () => {
    const model = scriptedModel((request, signal) => (lastText(request.messages) === 'hang' ? never(signal) : echo(request, signal)));
    const gateway = await startGateway({ model });
    gateway.say('ann', 'hang');
    gateway.say('ann', 'behind it');
    gateway.say('bob', 'hello');
    expect(await gateway.answered('bob', 1)).toEqual(['echo: hello']);
    expect(gateway.answers('ann')).toEqual([]);
  });

  it('messages of one chat are answered in the order in which they came', async () => {
    const gateway = await startGateway();
    gateway.receive(Array.from({ length: 100 }, (_, number) => message(`${number}`, { chat: 'ann' })));
    await gateway.idle();
    expect(gateway.answers('ann')).toEqual(Array.from({ length: 100 }, (_, number) => `echo: ${number}`));
  });

  it('50 parts that cannot be delivered at the head of one chat’s queue do not delay a real message', async () => {
    const platform = createFakePlatform();
    platform.fail({ chat: 'blocked', hang: true, times: 50 });
    const gateway = await startGateway({
      platform,
      before: (store) => {
        const chat = { platform: 'fake', account: 'main', chat: 'blocked' };
        const payload = { type: 'text', chat, markdown: 'old' } as const;
        for (let part = 0; part < 50; part += 1) store.outbox.add({ lane: 'fake/main/blocked', group: false, purpose: 'notice', payload });
        const gone = { ...chat, platform: 'gone' };
        for (let part = 0; part < 50; part += 1)
          store.outbox.add({ lane: 'gone/main/x', group: false, purpose: 'notice', payload: { ...payload, chat: gone } });
        for (let row = 0; row < 50; row += 1) store.inbox.add({ event: message('x'), lane: 'agent:main:fake:dm:ann', state: 'claimed' });
      },
    });
    gateway.say('ann', 'hello');
    expect(await gateway.answered('ann', 1)).toEqual(['echo: hello']);
    const tried = platform.calls.filter(({ kind, chat }) => kind === 'send' && chat === 'blocked');
    expect(tried).toHaveLength(1); // it still hangs
  });
});
