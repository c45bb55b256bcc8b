import { describe, expect, it, vi } from 'vitest';
import { useBench } from './bench.ts';
import { chromiumPath, connected, needsChromium, SLOW, say, sees } from './browser.ts';
import { echo, pause } from './echo-gateway.ts';

describe.skipIf(chromiumPath === undefined)(`talking on the page, in a browser${needsChromium}`, { timeout: 40_000 }, () => {
  const bench = useBench();

  describe('talking', () => {
    it('sends with Enter, breaks a line with Shift and Enter, and shows the answer', async () => {
      const page = await bench.open();
      await page.locator('#message').pressSequentially('first');
      await page.press('#message', 'Shift+Enter');
      await page.locator('#message').pressSequentially('second');
      await page.press('#message', 'Enter');
      await sees(
        page,
        ['first\nsecond', 'You said: first\nsecond'].map((text, index) => (index === 0 ? text : text.replace('\n', ' '))),
      );
      expect(bench.gateway.inbox.map(({ text }) => text)).toEqual(['first\nsecond']);
      expect(await page.evaluate('document.activeElement.id')).toBe('message');
    });

    it('shows the answer while it is written, and it once when it is done', async () => {
      const [more, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const page = await bench.open({
        answer: async (_message, talk) => {
          await talk.preview('One two');
          await more.promise;
          await talk.preview('One two three');
          await done.promise;
          await talk.send('One two three.');
        },
      });
      await say(page, 'count');
      await sees(page, ['count', 'One two']);
      more.resolve();
      await sees(page, ['count', 'One two three']);
      done.resolve();
      await sees(page, ['count', 'One two three.']);
      expect(await page.locator('.row-preview').count()).toBe(0);
    });

    it('keeps the conversation over a reload', async () => {
      const page = await bench.open();
      await say(page, 'remember');
      await sees(page, ['remember', 'You said: remember']);
      await page.reload();
      await sees(page, ['remember', 'You said: remember']);
    });

    it('keeps what was being written over a reload', async () => {
      const page = await bench.open();
      await page.fill('#message', 'half a sent');
      await page.reload();
      await connected(page);
      expect(await page.inputValue('#message')).toBe('half a sent');
    });

    it('starts from one of three examples', async () => {
      const page = await bench.open();
      expect(await page.locator('.example').count()).toBe(3);
      await page.locator('.example').first().click();
      await vi.waitFor(() => expect(bench.gateway.inbox).toHaveLength(1), SLOW);
      await vi.waitFor(async () => expect(await page.locator('.example').count()).toBe(0), SLOW);
    });

    it('stops what runs', async () => {
      const page = await bench.open({
        answer: async (message, talk) => (message.text === '/stop' ? talk.send('Stopped.') : talk.preview('I am going on and')),
      });
      await say(page, 'go on');
      await page.getByRole('button', { name: 'Stop' }).click();
      await sees(page, ['go on', '/stop', 'Stopped.']);
      await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
    });

    it('goes on with what is being written when one writes in the meantime', async () => {
      const more = Promise.withResolvers<void>();
      const page = await bench.open({
        answer: async (message, talk) => {
          if (message.text !== 'count') return;
          await talk.preview('One two');
          await more.promise;
          await talk.preview('One two three');
        },
      });
      await say(page, 'count');
      await sees(page, ['count', 'One two']);
      await say(page, 'faster');
      await vi.waitFor(() => expect(bench.gateway.inbox).toHaveLength(2), SLOW);
      more.resolve();
      await sees(page, ['count', 'faster', 'One two three']);
    });

    it('stops once however often one presses, in the chat that is shown', async () => {
      const page = await bench.open({
        answer: async (message, talk) => {
          if (message.text !== '/stop') await talk.preview('I am going on and');
        },
      });
      const stop = page.getByRole('button', { name: 'Stop' });
      await say(page, 'go on');
      await stop.dblclick();
      // What was just sent is shown in the chat, where the turn still goes on.
      await sees(page, ['go on', '/stop', 'I am going on and']);
      await stop.press('Enter');
      expect(await stop.getAttribute('aria-disabled')).toBe('true');
      await page.getByRole('button', { name: 'New chat' }).first().click();
      await say(page, 'go on here, too');
      await stop.click();
      await vi.waitFor(() => expect(bench.gateway.inbox).toHaveLength(4), SLOW);
      const said = bench.gateway.inbox.map(({ chat, text }) => [chat.chat === 'main', text]);
      expect(said).toEqual([
        [true, 'go on'],
        [true, '/stop'],
        [false, 'go on here, too'],
        [false, '/stop'],
      ]);
    });

    it('offers the commands after a slash', async () => {
      const page = await bench.open();
      await page.locator('#message').pressSequentially('/st');
      expect(await page.getByRole('option').allInnerTexts()).toEqual(
        ['/status\nWhat is going on', '/stop\nStop what runs'].map((text) => expect.stringContaining(text.split('\n', 1)[0] ?? '')),
      );
      await page.press('#message', 'ArrowDown');
      await page.press('#message', 'Tab');
      expect(await page.inputValue('#message')).toBe('/stop ');
      await page.fill('#message', '/s');
      await page.press('#message', 'Escape');
      expect(await page.getByRole('option').count()).toBe(0);
    });

    it('shows steps while they run and folds them when they are over', async () => {
      const running = [
        { tool: 'terminal', preview: 'ls -la', state: 'ok' },
        { tool: 'read_file', preview: 'a.txt', state: 'running' },
      ] as const;
      const page = await bench.open({
        answer: async (_message, talk) => {
          const edit = await talk.progress(running);
          await pause(1200);
          await edit([running[0], { ...running[1], state: 'failed' }, { tool: 'patch', preview: 'b.txt', state: 'ok' }], true);
          await talk.send('Done.');
        },
      });
      await say(page, 'work');
      await vi.waitFor(async () => expect(await page.locator('.step').allInnerTexts()).toHaveLength(2), SLOW);
      expect(await page.locator('.step .spinner').count()).toBe(1);
      await sees(page, ['work', 'Done.']);
      expect(await page.locator('.progress-summary').innerText()).toBe('3 steps, 1 s, 1 failed');
      expect(await page.locator('.steps').isVisible()).toBe(false);
      await page.locator('.progress summary').click();
      expect(await page.locator('.steps').isVisible()).toBe(true);
    });

    it('reads finished answers out, and not each piece of them', async () => {
      const page = await bench.open({ answer: (_message, talk) => talk.stream('A long answer in several pieces.', 30) });
      await say(page, 'read');
      await sees(page, ['read', 'A long answer in several pieces.']);
      expect(await page.locator('[aria-live=polite]').innerText()).toBe('A long answer in several pieces.');
      expect(await page.getByRole('log').getAttribute('aria-live')).toBe('off');
    });
  });

  describe('several chats', () => {
    it('are separate, have titles and tell of answers that were not seen', async () => {
      const page = await bench.open();
      await say(page, 'about ships');
      await sees(page, ['about ships', 'You said: about ships']);
      bench.gateway.answer = async (message, talk) => {
        await pause(700);
        await echo(message, talk);
      };
      await page.getByRole('button', { name: 'New chat' }).first().click();
      await sees(page, []);
      await say(page, 'about trains');
      await vi.waitFor(() => expect(bench.gateway.inbox).toHaveLength(2), SLOW);
      expect(new Set(bench.gateway.inbox.map(({ chat }) => chat.chat)).size).toBe(2);
      await page.locator('.chats button', { hasText: 'about ships' }).click();
      await sees(page, ['about ships', 'You said: about ships']);
      await page.locator('.chats .unread', { hasText: 'about trains' }).waitFor();
      await page.locator('.chats button', { hasText: 'about trains' }).click();
      await sees(page, ['about trains', 'You said: about trains']);
    });
  });
});
