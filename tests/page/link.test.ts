import { describe, expect, it, vi } from 'vitest';
import type { LinkState } from '../../gateway/link-state.ts';
import { useBench } from './bench.ts';
import { chromiumPath, needsChromium, SLOW } from './browser.ts';

const account = { platform: 'whatsapp', account: 'main', label: 'WhatsApp', state: 'down' } as const;
const later = 4_000_000_000_000;

describe.skipIf(chromiumPath === undefined)(`linking a phone on the page${needsChromium}`, { timeout: 40_000 }, () => {
  const bench = useBench();

  it('shows the warning first, then a code to scan, or one to type, and nothing once the phone has agreed', async () => {
    let now: LinkState = { ...account, offer: { type: 'warning', text: 'The number may be banned.' } };
    const asked: string[] = [];
    bench.gateway.links = {
      all: () => [now],
      accept: () => {
        now = { ...account, offer: { type: 'qr', qr: '2@reference,noise,identity,secret,1', expiresAtMs: later } };
        return true;
      },
      code: (_place, phone) => {
        asked.push(phone);
        now = { ...account, offer: { type: 'code', code: 'ABCD-EFGH', expiresAtMs: later } };
        return true;
      },
    };
    const page = await bench.open();
    await page.getByText('The number may be banned.').waitFor();
    expect(await page.getByRole('img', { name: /scan/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'I understand' }).click();
    await page.getByRole('img', { name: /scan/ }).waitFor();
    expect((await page.locator('.link-qr path').getAttribute('d'))?.startsWith('M4 4h1v1h-1z')).toBe(true);
    await page.getByText('Link with a number instead').click();
    await page.fill('#link-phone', '+49 151 2345-6789');
    await page.getByRole('button', { name: 'Get a code' }).click();
    await page.getByText('ABCD-EFGH').waitFor();
    expect(asked).toEqual(['4915123456789']);
    now = { ...account, state: 'connected' };
    await vi.waitFor(async () => expect(await page.locator('.link-panel').isVisible()).toBe(false), SLOW);
  });

  it('says why there is no code, keeps what is being typed, and goes away when it is not wanted now', async () => {
    const now: LinkState = { ...account, offer: { type: 'qr', qr: 'x', expiresAtMs: later }, problem: 'That is no number.' };
    bench.gateway.links = { all: () => [now], accept: () => true, code: () => true };
    const page = await bench.open();
    await page.getByRole('alert').getByText('That is no number.').waitFor();
    await page.getByText('Link with a number instead').click();
    await page.fill('#link-phone', '+49');
    await page.waitForTimeout(2500);
    expect(await page.inputValue('#link-phone')).toBe('+49');
    await page.getByRole('button', { name: 'Not now' }).click();
    await page.locator('.link-panel').waitFor({ state: 'hidden' });
  });
});
