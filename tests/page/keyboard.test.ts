import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { ask } from '../gateway/http/fixture.ts';
import { useBench } from './bench.ts';
import { chromiumPath, needsChromium, say, sees } from './browser.ts';

/** The page draws itself anew, as it does by itself every two seconds. */
const redraw = (page: Page): Promise<unknown> =>
  page.evaluate('dispatchEvent(new Event("storage")), new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');

const focused = (page: Page): Promise<unknown> =>
  page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.innerText ?? ""');

describe.skipIf(chromiumPath === undefined)(`the page by keyboard, in a browser${needsChromium}`, { timeout: 40_000 }, () => {
  const bench = useBench();

  it('goes round in the open drawer of a phone and not on behind it, and Escape gives the menu button back', async () => {
    await bench.context.close();
    bench.context = await bench.browser.newContext({ viewport: { width: 390, height: 844 } });
    const page = await bench.open();
    await page.getByRole('button', { name: 'Chats' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('.sidebar').waitFor();
    expect(await focused(page)).toBe('New chat');
    const seen = new Set<unknown>();
    for (let press = 0; press < 12; press++) {
      await page.keyboard.press('Tab');
      seen.add(await page.evaluate('document.activeElement.closest("main") !== null'));
    }
    expect([...seen]).toEqual([false]);
    await page.keyboard.press('Escape');
    await page.locator('.sidebar').waitFor({ state: 'hidden' });
    expect(await focused(page)).toBe('Chats');
  });

  it('gives the conversation back when the phone is turned while the drawer is open', async () => {
    await bench.context.close();
    bench.context = await bench.browser.newContext({ viewport: { width: 390, height: 844 } });
    const page = await bench.open();
    await page.getByRole('button', { name: 'Chats' }).click();
    await page.locator('main[inert]').waitFor();
    await page.setViewportSize({ width: 844, height: 390 });
    await page.locator('main:not([inert])').waitFor();
  });

  it('goes through everything in reading order, always with a ring to be seen', async () => {
    const page = await bench.open({ answer: (_message, talk) => talk.send('```\nls\n```') });
    await say(page, 'about ships');
    await page.locator('.row-agent pre').waitFor();
    await bench.gateway.talkIn({ platform: 'web', account: 'main', chat: 'main' }).ask();
    bench.gateway.asks = [ask];
    await page.evaluate('dispatchEvent(new Event("focus"))');
    await page.locator('.waiting').waitFor();
    await page.getByRole('button', { name: 'New chat' }).focus();
    const seen: unknown[] = [];
    do {
      expect([await focused(page), await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')]).toEqual([
        expect.anything(),
        'solid',
      ]);
      seen.push(await focused(page));
      await page.keyboard.press('Tab');
    } while ((await focused(page)) !== 'Message' && seen.length < 40);
    const stops = ['New chat', 'about ships', 'People: who may talk to Hermes', 'Gateway: status and restart', 'Theme: system', 'Sign out'];
    const waiting = [expect.stringContaining('Waiting for you'), 'Allow once', 'Deny'];
    const log = ['Conversation', 'Copy message', 'ls', 'Copy code', 'Copy message'];
    const card = ['Copy code', 'rm -rf build', 'Allow once', 'Allow in this session', 'Deny', 'Reply to question #3', 'Copy message'];
    expect(seen).toEqual([...stops, ...waiting, ...log, ...card]);
  });

  it('stays where it is when the page draws itself anew', async () => {
    const page = await bench.open();
    await page.locator('.example').nth(1).focus();
    const example = await focused(page);
    await redraw(page);
    expect(await focused(page)).toBe(example);
    await say(page, 'about ships');
    await sees(page, ['about ships', 'You said: about ships']);
    await page.locator('.chats button').focus();
    await redraw(page);
    expect(await focused(page)).toBe('about ships');
    const refused = { chat: 'main', id: 'abcdefgh', text: 'about trains', replyTo: { seq: 99, ask: 9 } };
    await page.evaluate(`localStorage.setItem('hermes.unsent', '${JSON.stringify([refused])}')`);
    await page.reload();
    await page.getByRole('button', { name: 'Discard this message' }).focus();
    await redraw(page);
    expect(await focused(page)).toBe('Discard this message');
  });
});
