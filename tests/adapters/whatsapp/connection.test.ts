import { afterEach, describe, expect, it, vi } from 'vitest';
import { closeVerdict } from '../../../adapters/whatsapp/closes.ts';
import { TIMING } from '../../../adapters/whatsapp/connection.ts';
import { createStormWatch } from '../../../adapters/whatsapp/storm.ts';
import { startRig, until } from './rig.ts';

afterEach(() => {
  vi.useRealTimers();
});

const HOUR_MS = 3_600_000;

/** A day of a WhatsApp that ends every connection at once with this code. */
async function day(code: number, lastsMs = 0) {
  vi.useFakeTimers();
  const attempts: number[] = [];
  const start = Date.now();
  const rig = startRig({
    timing: TIMING,
    random: () => 1,
    before: (fake) => {
      fake.onConnect = (line) => {
        attempts.push(Date.now() - start);
        if (lastsMs > 0) line.emit({ type: 'open' });
        setTimeout(() => line.close(code), lastsMs);
      };
    },
  });
  await vi.advanceTimersByTimeAsync(24 * HOUR_MS);
  void rig.stop();
  await vi.advanceTimersByTimeAsync(10);
  return { attempts, rig };
}

describe('24 hours of a WhatsApp that accepts and closes', () => {
  it('are met with capped, growing pauses', async () => {
    const { attempts } = await day(428);
    const pauses = attempts.slice(1).map((at, index) => Math.floor((at - (attempts[index] ?? 0)) / 1000) * 1000);
    expect(attempts.length).toBeLessThan(310);
    expect(pauses.slice(0, 5)).toEqual([2000, 4000, 8000, 16_000, 32_000]);
    expect(Math.max(...pauses)).toBe(300_000);
    expect(pauses.slice(8).every((pause) => pause === 300_000)).toBe(true);
  });

  it('begin anew only after a connection that was useful', async () => {
    const short = await day(428, 60_000);
    const pauses = short.attempts.slice(1).map((at, index) => at - (short.attempts[index] ?? 0) - 60_000);
    expect(pauses.at(-1)).toBe(300_000);
    const useful = await day(428, 600_000);
    expect(new Set(useful.attempts.slice(1).map((at, index) => at - (useful.attempts[index] ?? 0)))).toEqual(new Set([602_000]));
  });

  it.each([405, 440, 402])('are left alone for long with %i', async (code) => {
    const { attempts, rig } = await day(code);
    expect(attempts.length).toBeLessThan(12);
    expect(rig.host.states.at(-1)?.state).toBe('down');
  });

  it('are not spent on restarts that WhatsApp asks for ever', async () => {
    expect((await day(515)).attempts.length).toBeLessThan(320);
  });
});

describe('the end of a connection', () => {
  it.each([
    [401, 'logged-out'],
    [402, 'slowly'],
    [403, 'fatal'],
    [405, 'slowly'],
    [406, 'logged-out'],
    [408, 'retry'],
    [411, 'fatal'],
    [428, 'retry'],
    [440, 'replaced'],
    [500, 'retry'],
    [503, 'retry'],
    [515, 'restart'],
    [599, 'retry'],
    [undefined, 'retry'],
  ] as const)('with %s means %s', (code, action) => {
    const verdict = closeVerdict({ code, message: 'why' }, true);
    expect(verdict.action).toBe(action);
    expect(verdict.sentence).toMatch(/WhatsApp.*\.$/);
  });

  it.each([401, 408])('with %s before a phone has agreed is nothing to log out of', (code) => {
    expect(closeVerdict({ code, message: 'why' }, false).action).toBe('unlinked');
  });

  it('is told and over as soon as WhatsApp is back', async () => {
    const rig = startRig();
    await until(() => rig.host.states.at(-1)?.state === 'connected');
    rig.fake.line?.close(503);
    await until(() => rig.host.states.some(({ state }) => state === 'degraded'));
    await until(() => rig.host.states.at(-1)?.state === 'connected');
    expect(rig.fake.opened).toBe(2);
    await rig.stop();
  });

  it('comes when nothing comes', async () => {
    const rig = startRig({
      before: (fake) => {
        fake.onConnect = () => undefined;
      },
      timing: { openMs: 20 },
    });
    await until(() => rig.fake.opened >= 2);
    expect(rig.host.alives).toBe(0);
    expect(rig.host.states.at(-1)?.detail).toContain('in time');
    await rig.stop();
  });

  it('says that WhatsApp has restricted the account while it has', async () => {
    const rig = startRig();
    await until(() => rig.host.states.at(-1)?.state === 'connected');
    rig.fake.line?.emit({ type: 'restricted', active: true });
    expect(rig.host.states.at(-1)).toMatchObject({ state: 'degraded', detail: expect.stringContaining('no new chats') });
    rig.fake.line?.emit({ type: 'restricted', active: false });
    expect(rig.host.states.at(-1)?.state).toBe('connected');
    await rig.stop();
  });
});

describe('messages that cannot be decrypted', () => {
  it('cost one line a minute, a warning and no memory, however many they are', async () => {
    const rig = startRig();
    await until(() => rig.host.states.at(-1)?.state === 'connected');
    const before = rig.host.logged.length;
    const keys = rig.kept.size;
    for (let count = 0; count < 10_000; count += 1) rig.fake.deliver({ id: `X${count}`, stub: 2 });
    expect(rig.host.logged.length - before).toBeLessThan(3);
    expect(rig.kept.size).toBe(keys);
    expect(rig.host.received).toEqual([]);
    rig.fake.line?.emit({ type: 'alive' });
    expect(rig.host.states.at(-1)).toMatchObject({ state: 'degraded', detail: expect.stringContaining('10000 messages') });
    rig.fake.say('still here');
    expect(rig.host.received).toHaveLength(1);
    await rig.stop();
  });

  it('are told once a minute while it lasts, and forgotten after it', () => {
    const lines: string[] = [];
    const clock = { ms: 0 };
    const storm = createStormWatch({ log: { info() {}, warn: (_facts, line) => void lines.push(line) }, now: () => clock.ms });
    for (let second = 0; second < 600; second += 1) {
      clock.ms = second * 1000;
      storm.undecryptable();
    }
    expect(lines.length).toBeGreaterThanOrEqual(9);
    expect(lines.length).toBeLessThanOrEqual(10);
    expect(storm.warning()).toContain('60 messages a minute');
    clock.ms += 180_000;
    expect(storm.warning()).toBeUndefined();
  });
});
