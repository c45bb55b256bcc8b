import { describe, expect, it, vi } from 'vitest';
import { useBench } from './bench.ts';
import { chromiumPath, connected, needsChromium, SLOW, say, sees } from './browser.ts';

describe.skipIf(chromiumPath === undefined)(`the look of the page, in a browser${needsChromium}`, { timeout: 40_000 }, () => {
  const bench = useBench();

  describe('scrolling', () => {
    const long = Array.from({ length: 60 }, (_, index) => `Line ${index + 1}`).join('\n\n');

    it('follows the end only where the reader is at the end', async () => {
      const page = await bench.open({ answer: (_message, talk) => talk.send(long) });
      const gap = () => page.locator('.log').evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight);
      await say(page, 'much');
      await sees(page, ['much', expect.stringContaining('Line 60')]);
      await vi.waitFor(async () => expect(await gap()).toBeLessThan(4), SLOW);
      await page.locator('.log').evaluate((log) => log.scrollTo({ top: 100 }));
      await page.getByRole('button', { name: 'Go to the newest message' }).waitFor();
      const first = bench.gateway.inbox[0];
      if (first) await bench.gateway.talkIn(first.chat).send('news');
      await page.locator('.row-agent', { hasText: 'news' }).waitFor({ state: 'attached' });
      expect(await page.locator('.log').evaluate((log) => log.scrollTop)).toBe(100);
      await page.getByRole('button', { name: 'Go to the newest message' }).click();
      await vi.waitFor(async () => expect(await gap()).toBeLessThan(4), SLOW);
    });

    it('fetches what was said earlier, without moving what is read', async () => {
      const chat = { platform: 'web', account: 'main', chat: 'main' };
      for (let count = 1; count <= 180; count++) await bench.gateway.talkIn(chat).send(`Entry ${count}`);
      const page = await bench.open();
      await vi.waitFor(async () => expect(await page.locator('.row-agent').count()).toBe(100), SLOW);
      await page.locator('.log').evaluate((log) => log.scrollTo({ top: 0 }));
      await vi.waitFor(async () => expect(await page.locator('.row-agent').count()).toBe(180), SLOW);
      expect(await page.locator('.row-agent').first().innerText()).toContain('Entry 1');
      expect(await page.getByText('Entry 81', { exact: true }).isVisible()).toBe(true);
    });
  });

  describe('the look', () => {
    it('fits a phone: nothing is wider than the screen, fields do not zoom, the chats are a drawer', async () => {
      await bench.context.close();
      bench.context = await bench.browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
      const wide = `| a | b |\n|---|---|\n| ${'wide '.repeat(60)} | ${'x'.repeat(200)} |\n\n\`\`\`\n${'code '.repeat(80)}\n\`\`\`\n\n${'y'.repeat(300)}`;
      const page = await bench.open({ answer: (_message, talk) => talk.send(wide) });
      await say(page, 'z'.repeat(300));
      await page.locator('.row-agent table').waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
      expect(await page.locator('.log').evaluate((log) => log.scrollWidth - log.clientWidth)).toBe(0);
      expect(await page.evaluate('getComputedStyle(document.querySelector("#message")).fontSize')).toBe('16px');
      expect(await page.locator('.sidebar').isVisible()).toBe(false);
      await page.getByRole('button', { name: 'Chats' }).click();
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      await page.keyboard.press('Escape');
      await page.locator('.sidebar').waitFor({ state: 'hidden' });
    });

    it('lays a small table and a step with its arguments out within a phone', async () => {
      await bench.context.close();
      bench.context = await bench.browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
      const table =
        '| Command | What it does | Exit |\n|---|---|--:|\n| `docker compose up --detach` | starts every service in the background | 0 |';
      const step = { tool: 'terminal', preview: 'npm test -- --reporter=verbose --coverage', state: 'ok', arguments: '{}' } as const;
      const page = await bench.open({
        answer: async (_message, talk) => {
          await talk.progress([step]);
          await talk.send(table);
        },
      });
      await say(page, 'work');
      await page.locator('.table').waitFor();
      expect(await page.locator('.table').evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
      const words = await page.locator('.table .word').evaluateAll((found) => found.map((word) => word.getClientRects().length));
      expect(words).toEqual([1, 1, 1, 1]);
      const tops = await Promise.all(['.step-tool', '.step-preview', '.step-arguments'].map((part) => page.locator(part).boundingBox()));
      const [tool, preview, args] = tops.map((box) => (box === null ? 0 : box.y + box.height / 2));
      expect(Math.abs((tool ?? 0) - (preview ?? 99))).toBeLessThan(6);
      expect((args ?? 0) - (tool ?? 0)).toBeGreaterThan(10);
    });

    it('follows the system between light and dark until told otherwise', async () => {
      const page = await bench.open();
      const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
      await page.emulateMedia({ colorScheme: 'light' });
      const light = await ground();
      await page.emulateMedia({ colorScheme: 'dark' });
      const dark = await ground();
      expect(dark).not.toBe(light);
      await page.getByRole('button', { name: 'Theme: system' }).click();
      expect(await ground()).toBe(light);
      await page.reload();
      await connected(page);
      expect(await ground()).toBe(light);
      await page.getByRole('button', { name: 'Theme: light' }).click();
      expect(await ground()).toBe(dark);
    });

    it('says that it is a demo and how to get out of it', async () => {
      const page = await bench.open({ model: { name: 'demo', demo: true } });
      const note = page.getByRole('complementary', { name: 'Demo' });
      expect(await note.innerText()).toContain('OPENAI_API_KEY');
      expect(await note.innerText()).toContain('/home/somebody/.hermes/.env');
      await page.getByRole('button', { name: 'Hide this note' }).click();
      await page.reload();
      await connected(page);
      expect(await note.count()).toBe(0);
    });

    it('says nothing of a demo with a real model', async () => {
      const page = await bench.open();
      expect(await page.getByRole('complementary', { name: 'Demo' }).count()).toBe(0);
    });
  });
});
