import { describe, expect, it, vi } from 'vitest';
import type { Json } from '../../../adapters/adapter.ts';
import { createLinkDesk } from '../../../adapters/whatsapp/linking.ts';
import { createTestHost } from '../host.ts';
import { startRig, until } from './rig.ts';

const patience = () => AbortSignal.timeout(3000);

function desk(kept = new Map<string, Json>()) {
  const clock = { ms: 1_000_000 };
  return { clock, kept, desk: createLinkDesk({ store: createTestHost(kept).store, now: () => clock.ms }) };
}

describe('linking', () => {
  it('connects to nothing before the owner has read the warning, and says what to do', async () => {
    const rig = startRig({ fresh: true });
    await until(() => rig.host.states.at(-1)?.state === 'down');
    expect(rig.host.states.at(-1)?.detail).toContain('hermes whatsapp link');
    const offer = rig.adapter.linking?.offer();
    expect(offer).toMatchObject({ type: 'warning' });
    for (const word of ['ban', 'GPL-3.0', 'libsignal']) expect(JSON.stringify(offer)).toContain(word);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(rig.fake.opened).toBe(0);
    rig.adapter.linking?.accept();
    await until(() => rig.fake.opened === 1);
    await rig.stop();
    // Agreed to once, for good.
    const again = startRig({ fresh: true, kept: rig.kept, on: rig.fake });
    expect(again.adapter.linking?.offer()).toBeUndefined();
    await again.stop();
  });

  it('is not shown as half of a connection while WhatsApp cannot be reached and no phone has agreed', async () => {
    const rig = startRig({
      fresh: true,
      before: (fake) => {
        fake.onConnect = (line) => line.close(503);
      },
    });
    rig.adapter.linking?.accept();
    await until(() => rig.fake.opened > 1);
    expect(rig.host.states.map(({ state }) => state)).not.toContain('degraded');
    expect(rig.host.states.some(({ detail }) => detail?.includes('503'))).toBe(true);
    await rig.stop();
  });

  it('asks WhatsApp for codes only while somebody looks', async () => {
    const { desk: one, clock } = desk();
    one.accept();
    await one.wanted(patience());
    clock.ms += 31_000;
    const waiting = one.wanted(patience());
    const settled = vi.fn();
    void waiting.then(settled);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(settled).not.toHaveBeenCalled();
    one.offer();
    await waiting;
  });

  it('shows the newest code, and none that has run out', () => {
    const { desk: one, clock } = desk();
    one.accept();
    one.showQr('first', 60_000);
    one.showQr('second', 20_000);
    expect(one.offer()).toEqual({ type: 'qr', qr: 'second', expiresAtMs: clock.ms + 20_000 });
    clock.ms += 20_001;
    expect(one.offer()).toBeUndefined();
  });

  it('leaves a code that is being typed alone when the next one to scan comes', async () => {
    const { desk: one } = desk();
    one.accept();
    one.pairing(async (digits) => `CODE-${digits}`);
    expect(await one.code('+49 151 2345678', patience())).toBe('CODE-491512345678');
    one.showQr('next', 20_000);
    expect(one.offer()).toMatchObject({ type: 'code' });
    one.pairing(undefined);
    expect(one.offer()).toBeUndefined();
  });

  it('gives a code as soon as there is a connection, and says why there is none', async () => {
    const { desk: one } = desk();
    await expect(one.code('491512345678', patience())).rejects.toThrow('warning');
    one.accept();
    await expect(one.code('my phone', patience())).rejects.toThrow('country code');
    const code = one.code('491512345678', patience());
    one.pairing(async () => 'ABCD-EFGH');
    expect(await code).toBe('ABCD-EFGH');
  });

  it('asks the owner again after WhatsApp has thrown us out', () => {
    const { desk: one, kept } = desk();
    one.accept();
    one.revoke('WhatsApp has logged this device out.');
    expect(one.offer()).toMatchObject({ type: 'warning', text: expect.stringMatching(/^WhatsApp has logged this device out\./) });
    expect(desk(kept).desk.offer()).toMatchObject({ type: 'warning' });
    one.accept();
    expect(one.offer()).toBeUndefined();
  });
});
