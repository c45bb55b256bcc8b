import { describe, expect, it } from 'vitest';
import { useBench } from './bench.ts';
import { chromiumPath, connected, needsChromium, newTab, say, sees } from './browser.ts';

describe.skipIf(chromiumPath === undefined)(`signing in to the page, in a browser${needsChromium}`, { timeout: 40_000 }, () => {
  const bench = useBench();

  it('takes the code out of the address at once and stays signed in', async () => {
    const page = await bench.open();
    expect(page.url()).toBe(bench.gateway.url);
    expect(await page.evaluate('history.length')).toBeLessThanOrEqual(2);
    const cookies = await bench.context.cookies();
    expect(cookies).toMatchObject([{ httpOnly: true, sameSite: 'Strict' }]);
    expect(await page.evaluate('document.cookie')).toBe('');
    await page.reload();
    await connected(page);
  });

  it('explains how to get a link to who has none, and why a used one does not work', async () => {
    const { page } = await newTab(bench.context, bench.gateway);
    await page.goto(bench.gateway.url);
    await page.getByText('hermes gateway link').waitFor();
    const link = bench.gateway.link();
    await page.goto(link);
    await connected(page);
    const stranger = await bench.browser.newContext();
    const replay = await newTab(stranger, bench.gateway);
    await replay.page.goto(link);
    await expect(replay.page.getByRole('alert').innerText()).resolves.toContain('used before');
    expect(replay.page.url()).toBe(bench.gateway.url);
    await stranger.close();
  });

  it('nothing in the address, a message or the storage sends it elsewhere', async () => {
    const evil = 'ws://127.0.0.1:1/ws';
    const page = await bench.open();
    await page.evaluate(`for (const key of ['gatewayUrl', 'hermes.gateway', 'url', 'host']) localStorage.setItem(key, '${evil}')`);
    await page.evaluate(`window.postMessage({ gatewayUrl: '${evil}' }, '*')`);
    const sockets: string[] = [];
    page.on('websocket', (socket) => sockets.push(socket.url()));
    await page.goto(`${bench.gateway.url}?gatewayUrl=${evil}&token=x#gatewayUrl=${evil}`);
    await connected(page);
    expect(sockets).toEqual([`${bench.gateway.url.replace('http', 'ws')}ws`]);
  });

  it('ends by signing out, and the page shows nothing any more', async () => {
    const page = await bench.open();
    await say(page, 'secret words');
    await sees(page, ['secret words', 'You said: secret words']);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Hermes' }).waitFor();
    expect(await page.locator('body').innerText()).not.toContain('secret words');
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in to Hermes' }).waitFor();
  });
});
