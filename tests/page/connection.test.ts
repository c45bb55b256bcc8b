import { describe, expect, it, vi } from 'vitest';
import { useBench } from './bench.ts';
import { chromiumPath, needsChromium, newTab, SLOW, say, sees, shown } from './browser.ts';
import { pause } from './echo-gateway.ts';

describe.skipIf(chromiumPath === undefined)(`the connection of the page, in a browser${needsChromium}`, { timeout: 40_000 }, () => {
  const bench = useBench();

  describe('a bad connection', () => {
    it('loses nothing and doubles nothing when the gateway restarts while one writes', async () => {
      const page = await bench.open();
      await say(page, 'before');
      await sees(page, ['before', 'You said: before']);
      await bench.gateway.stop();
      await page.locator('.state[data-state=offline], .state[data-state=connecting]').waitFor();
      await say(page, 'while away 1');
      await say(page, 'while away 2');
      await sees(page, ['before', 'You said: before', 'while away 1', 'while away 2']);
      await bench.gateway.start();
      await vi.waitFor(async () => expect((await shown(page)).filter((text) => text.startsWith('You said'))).toHaveLength(3), SLOW);
      expect(bench.gateway.inbox.map(({ text }) => text)).toEqual(['before', 'while away 1', 'while away 2']);
      expect((await shown(page)).filter((text) => !text.startsWith('You said'))).toEqual(['before', 'while away 1', 'while away 2']);
      expect(await page.locator('.row-unsent').count()).toBe(0);
    });

    it('sends what was not sent although the tab was closed in between', async () => {
      const page = await bench.open();
      await bench.gateway.stop();
      await say(page, 'do not forget me');
      await vi.waitFor(
        async () => expect(await page.evaluate('localStorage.getItem("hermes.unsent")')).toContain('do not forget me'),
        SLOW,
      );
      await page.close();
      await bench.gateway.start();
      const { page: later } = await newTab(bench.context, bench.gateway);
      await later.goto(bench.gateway.url);
      await sees(later, ['do not forget me', 'You said: do not forget me']);
      expect(bench.gateway.inbox).toHaveLength(1);
      await vi.waitFor(async () => expect(await later.evaluate('localStorage.getItem("hermes.unsent")')).toBeNull(), SLOW);
    });

    it('shows what was answered meanwhile', async () => {
      const page = await bench.open();
      await say(page, 'hello');
      await sees(page, ['hello', 'You said: hello']);
      await bench.gateway.stop();
      await bench.gateway.start();
      const first = bench.gateway.inbox[0];
      if (first) await bench.gateway.talkIn(first.chat).send('Something new.');
      await sees(page, ['hello', 'You said: hello', 'Something new.']);
    });

    it('tries again when the gateway could not store a message', async () => {
      const page = await bench.open();
      bench.gateway.broken = true;
      await say(page, 'hello');
      await vi.waitFor(async () => expect(await shown(page)).toEqual(['hello']), SLOW);
      await pause(500);
      expect(bench.gateway.inbox).toHaveLength(0);
      bench.gateway.broken = false;
      await sees(page, ['hello', 'You said: hello']);
      expect(bench.gateway.inbox).toHaveLength(1);
    });

    it('shows the sign-in when the session ended meanwhile', async () => {
      const page = await bench.open();
      for (const key of bench.gateway.sessions.keys()) if (key.startsWith('session/')) bench.gateway.sessions.put({ [key]: undefined });
      await bench.gateway.stop();
      await bench.gateway.start();
      await page.getByRole('heading', { name: 'Sign in to Hermes' }).waitFor({ timeout: 15_000 });
    });
  });

  describe('two tabs', () => {
    it('show the same, whoever writes', async () => {
      const [one, other] = [await bench.open(), await bench.open()];
      await say(one, 'from one');
      await sees(other, ['from one', 'You said: from one']);
      await say(other, 'from the other');
      const all = ['from one', 'You said: from one', 'from the other', 'You said: from the other'];
      await sees(one, all);
      await sees(other, all);
      expect(bench.gateway.inbox).toHaveLength(2);
    });
  });
});
