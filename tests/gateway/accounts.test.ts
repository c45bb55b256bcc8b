import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Adapter, FatalAdapterError, type Host } from '../../adapters/adapter.ts';
import type { Platform } from '../../adapters/platform.ts';
import { createAccounts } from '../../gateway/accounts.ts';
import { createGuard } from '../../gateway/guarded-adapter.ts';
import { createFakePlatform } from '../fakes/platform.ts';
import { settled } from './support/gateway.ts';
import { temporaryHome, temporaryStore } from './support/home.ts';
import { memoryLog } from './support/log.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
  vi.spyOn(Math, 'random').mockReturnValue(1);
  return () => vi.useRealTimers();
});

async function pass(ms: number): Promise<void> {
  await settled();
  await vi.advanceTimersByTimeAsync(ms);
  await settled();
}

type Run = (signal: AbortSignal, host: Host) => Promise<void>;

/** Accounts on platforms whose connection is scripted; `starts` counts its starts. */
async function accountsOf(runs: Readonly<Record<string, Run>>, home = temporaryHome()) {
  const alerts: string[] = [];
  const starts: Record<string, number> = {};
  const log = memoryLog();
  const store = temporaryStore({ home });
  const accounts = createAccounts({
    store,
    log,
    now: Date.now,
    receive: () => undefined,
    alert: (account, sentence) => void alerts.push(`${account}: ${sentence}`),
    guard: createGuard({ redact: (text) => text, mediaRoot: home }),
  });
  for (const [name, run] of Object.entries(runs)) {
    const fake = createFakePlatform();
    const load: Platform['load'] = async () => ({
      create: (_config, host): Adapter => ({
        run: (signal) => {
          starts[name] = (starts[name] ?? 0) + 1;
          return run(signal, host);
        },
        send: () => Promise.reject(new Error('unused')),
      }),
    });
    await accounts.add({ platform: { ...fake.platform, name, label: name, load }, config: fake.config }, []);
  }
  const stop = new AbortController();
  return { accounts, alerts, starts, log, store, stop, start: () => accounts.run(stop.signal) };
}

const healthy: Run = (signal, host) => {
  host.state('connected');
  host.alive();
  const poll = setInterval(() => host.alive(), 10_000);
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(clearInterval(poll)), { once: true });
  });
};

describe('a connection that fails', () => {
  it.each<[string, Run]>([
    ['rejects', () => Promise.reject(new Error('the network is down'))],
    [
      'throws at once',
      () => {
        throw new Error('a bug');
      },
    ],
    ['ends by itself', async () => undefined],
  ])('and %s is started again after growing pauses, and the others never notice', async (_title, run) => {
    const { starts, accounts, start } = await accountsOf({ bad: run, good: healthy });
    void start();
    await pass(0);
    expect(starts).toEqual({ bad: 1, good: 1 });
    await pass(2000);
    expect(starts['bad']).toBe(2);
    await pass(3999);
    expect(starts['bad']).toBe(2);
    await pass(1);
    expect(starts['bad']).toBe(3);
    await pass(24 * 3_600_000);
    expect(starts['bad']).toBeLessThan(300);
    expect(starts['good']).toBe(1);
    expect(accounts.statuses().find(({ platform }) => platform === 'bad')?.restarts).toBeGreaterThan(200);
  });

  it('after it had been useful begins with short pauses again', async () => {
    let lasts = 0;
    const { starts, start } = await accountsOf({
      bad: () => new Promise((_resolve, reject) => setTimeout(() => reject(new Error('cut')), lasts)),
    });
    void start();
    await pass(60_000);
    lasts = 200_000;
    await pass(300_000);
    const before = starts['bad'] ?? 0;
    lasts = 0;
    await pass(210_000);
    expect((starts['bad'] ?? 0) - before).toBeGreaterThan(3);
  });

  it('for good is not started again, and the owner is told once', async () => {
    const { starts, alerts, accounts, start } = await accountsOf({
      bad: () => Promise.reject(new FatalAdapterError('The token is wrong.')),
      good: healthy,
    });
    void start();
    await pass(3_600_000);
    expect(starts).toEqual({ bad: 1, good: 1 });
    expect(alerts).toEqual(['bad/main: bad is stopped: The token is wrong.']);
    expect(accounts.statuses()[0]).toMatchObject({ state: 'stopped', detail: 'The token is wrong.' });
    expect(accounts.all().map((account) => account.isStopped())).toEqual([true, false]);
    expect(accounts.ready()).toBe(false);
  });

  it('for good runs again once a person has acted, and only then', async () => {
    let linked = false;
    const phone: Run = (signal, host) => (linked ? healthy(signal, host) : Promise.reject(new FatalAdapterError('Logged out.')));
    const { starts, accounts, start, stop } = await accountsOf({ phone });
    const running = start();
    await pass(3_600_000);
    expect(starts).toEqual({ phone: 1 });
    linked = true;
    accounts.revive('phone/main');
    await pass(0);
    expect(starts).toEqual({ phone: 2 });
    expect(accounts.all()[0]?.isStopped()).toBe(false);
    accounts.revive('phone/main');
    await pass(0);
    expect(starts).toEqual({ phone: 2 });
    stop.abort();
    await running;
  });

  it('out of a timer is started again alone', async () => {
    vi.useRealTimers();
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const caught: boolean[] = [];
    const { starts, accounts, start, stop } = await accountsOf({
      bad: (signal, host) => {
        setTimeout(() => caught.push(accounts.crashed(new Error('thrown in a timer'))), 5);
        return healthy(signal, host);
      },
      good: healthy,
    });
    const running = start();
    await vi.waitFor(() => expect(starts).toEqual({ bad: 2, good: 1 }), 5000);
    expect(caught[0]).toBe(true);
    expect(accounts.crashed(new Error('thrown elsewhere'))).toBe(false);
    stop.abort();
    await running;
  });
});

describe('an account that hears nothing', () => {
  it('is not ready after 90 seconds without evidence, although it says that it is connected, and the owner is told once', async () => {
    const { accounts, alerts, start } = await accountsOf({
      deaf: (signal, host) => {
        host.state('connected');
        host.alive();
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      },
    });
    void start();
    await pass(89_000);
    expect([accounts.ready(), alerts]).toEqual([true, []]);
    await pass(1000);
    expect(accounts.ready()).toBe(false);
    await pass(3_600_000);
    expect(alerts).toEqual(['deaf/main: deaf has received nothing for a while. It keeps trying.']);
  });
});

describe('a stop', () => {
  it('ends every connection and every wait for the next one', async () => {
    const { starts, stop, start } = await accountsOf({ bad: () => Promise.reject(new Error('down')), good: healthy });
    let ended = false;
    void start().then(() => {
      ended = true;
    });
    await pass(100);
    stop.abort();
    await settled();
    expect(ended).toBe(true);
    await pass(600_000);
    expect(starts).toEqual({ bad: 1, good: 1 });
  });
});

describe('a penalty', () => {
  it('holds until its time, is not shortened by a shorter one, and survives a restart', async () => {
    const home = temporaryHome();
    const first = await accountsOf({ some: healthy }, home);
    const account = first.accounts.get('some/main');
    account?.penalise('some/main/ann', 60_000);
    account?.penalise('some/main/ann', 1000);
    expect([account?.penaltyMs('some/main/ann'), account?.penaltyMs('some/main/bob')]).toEqual([60_000, 0]);
    first.store.close();
    await pass(20_000);
    const second = await accountsOf({ some: healthy }, home);
    expect(second.accounts.get('some/main')?.penaltyMs('some/main/ann')).toBe(40_000);
    await pass(40_000);
    expect(second.accounts.get('some/main')?.penaltyMs('some/main/ann')).toBe(0);
  });

  it('holds even when it cannot be stored', async () => {
    const { accounts, store, log } = await accountsOf({ some: healthy });
    store.close();
    accounts.get('some/main')?.penalise('some/main/ann', 60_000);
    expect(accounts.get('some/main')?.penaltyMs('some/main/ann')).toBe(60_000);
    expect(log.lines.at(-1)?.message).toContain('could not be stored');
  });
});
