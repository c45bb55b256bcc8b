import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { useBench } from './bench.ts';
import { chromiumPath, connected, needsChromium, say, sees } from './browser.ts';

const panel = (page: Page): Locator => page.getByRole('dialog', { name: 'Gateway' });
const opener = (page: Page): Locator => page.getByRole('button', { name: 'Gateway: status and restart' });
const press = (page: Page, name: string): Promise<void> => panel(page).getByRole('button', { name, exact: true }).click();

describe.skipIf(chromiumPath === undefined)(`the gateway on the page, in a browser${needsChromium}`, { timeout: 40_000 }, () => {
  const bench = useBench();

  it('tells how it is', async () => {
    const page = await bench.open();
    await opener(page).click();
    const text = await panel(page).innerText();
    for (const part of ['0.0.0-test', 'echo', '0 turns', 'Telegram degraded', 'Somebody else polls.', 'A private note.']) {
      expect(text.replaceAll(/\s+/g, ' ')).toContain(part);
    }
  });

  it('restarts once it was asked for twice, and says so when the page is connected again', async () => {
    const page = await bench.open();
    await opener(page).click();
    await panel(page).getByRole('button', { name: 'Restart the gateway' }).dblclick();
    await press(page, 'Cancel');
    expect(bench.gateway.restarts).toBe(0);
    await press(page, 'Restart the gateway');
    await panel(page).getByText('Nothing is at work now.').waitFor();
    await press(page, 'Restart now');
    await panel(page).getByText('has restarted, and this page is connected again').waitFor();
    await connected(page);
    expect(bench.gateway.restarts).toBe(1);
    await page.keyboard.press('Escape');
    await say(page, 'still there?');
    await sees(page, ['still there?', 'You said: still there?']);
  });

  it('tells whoever closed the panel meanwhile', async () => {
    const page = await bench.open();
    await opener(page).click();
    await press(page, 'Restart the gateway');
    await press(page, 'Restart now');
    await press(page, 'Close');
    await page.getByRole('alert').getByText('has restarted').waitFor();
    expect(await panel(page).isVisible()).toBe(false);
  });

  it('says why, where nothing could start it again', async () => {
    const page = await bench.open({ restarts: false });
    await opener(page).click();
    await press(page, 'Restart the gateway');
    await press(page, 'Restart now');
    await panel(page).getByText('cannot be restarted from here').waitFor();
    await panel(page).getByRole('button', { name: 'Restart the gateway' }).waitFor();
  });

  it('says that it does not answer', async () => {
    const page = await bench.open();
    await bench.gateway.stop();
    await opener(page).click();
    await panel(page).getByText('does not answer now').waitFor();
    await press(page, 'Close');
    await bench.gateway.start();
    await connected(page);
    expect(bench.gateway.restarts).toBe(0);
  });

  it('is worked by keyboard: asks with the focus on Cancel, and gives it back to where it came from', async () => {
    const page = await bench.open();
    await opener(page).press('Enter');
    await panel(page).waitFor();
    await panel(page).getByRole('button', { name: 'Restart the gateway' }).press('Enter');
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Cancel');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Restart the gateway');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await panel(page).waitFor({ state: 'hidden' });
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Gateway: status and restart');
    await opener(page).press('Enter');
    await panel(page).waitFor();
    expect(await panel(page).getByRole('button', { name: 'Restart now' }).isVisible()).toBe(false);
    expect(bench.gateway.restarts).toBe(0);
  });
});
