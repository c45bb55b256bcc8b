import type { Locator, Page } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import { ask } from '../gateway/http/fixture.ts';
import { useBench } from './bench.ts';
import { chromiumPath, connected, needsChromium, SLOW, say, sees } from './browser.ts';

const chat = { platform: 'web', account: 'main', chat: 'main' };
const closed = { choices: [], closed: 'Allowed once by **Ann**.' };
const HOSTILE = '<img src=x onerror="window.taken = 1"><script>window.taken = 1</script>[x](javascript:window.taken=1)';

const cardOf = (page: Page): Locator => page.getByRole('article', { name: 'Question #3' });
const choice = (page: Page, name: string): Locator => cardOf(page).getByRole('button', { name, exact: true });
const labels = (page: Page): Promise<string[]> => cardOf(page).locator('.choice').allInnerTexts();
const locked = (page: Page): Promise<number> => cardOf(page).locator('.choice[aria-disabled=true]').count();

describe.skipIf(chromiumPath === undefined)(`questions on the page, in a browser${needsChromium}`, { timeout: 40_000 }, () => {
  const bench = useBench();

  describe('a card', () => {
    it('shows its number, its question, its choices and how else to answer, and is read out', async () => {
      const page = await bench.open();
      await bench.gateway.talkIn(chat).ask();
      await choice(page, 'Deny').waitFor();
      const text = await cardOf(page).innerText();
      for (const part of ['#3', 'May I run this?', 'rm -rf build', '/approve 3']) expect(text).toContain(part);
      expect(await labels(page)).toEqual(['Allow once', 'Allow in this session', 'Deny']);
      expect(await page.locator('[aria-live=polite]').innerText()).toContain('Question #3: May I run this?');
      expect(await page.getByRole('button', { name: 'Stop' }).isVisible()).toBe(true);
    });

    it('is waited for: no dots say that something is written meanwhile', async () => {
      const page = await bench.open();
      const talk = bench.gateway.talkIn(chat);
      await talk.typing();
      await page.locator('.row-typing').waitFor();
      const edit = await talk.ask();
      await page.locator('.row-typing').waitFor({ state: 'detached' });
      await edit(closed);
      await page.locator('.row-typing').waitFor();
    });

    it('that no turn waits for hides no dots, and offers no stop where nothing is at work', async () => {
      const page = await bench.open();
      const talk = bench.gateway.talkIn(chat);
      await talk.ask({ aside: true, hint: '', choices: [{ id: 'interrupt', label: '⚡ Interrupt now' }] });
      await choice(page, '⚡ Interrupt now').waitFor();
      expect(await page.getByRole('button', { name: 'Stop' }).isVisible()).toBe(false);
      await talk.typing();
      await page.locator('.row-typing').waitFor();
    });

    it('sends one click, takes no second one meanwhile, and shows the decision in every tab', async () => {
      const [page, other] = [await bench.open(), await bench.open()];
      const edit = await bench.gateway.talkIn(chat).ask();
      await choice(page, 'Allow once').dblclick();
      await vi.waitFor(
        () => expect(bench.gateway.answers).toMatchObject([{ token: 'abcdefgh12345678', choice: 'once', message: '1' }]),
        SLOW,
      );
      await choice(page, 'Deny').click({ force: true });
      expect(await locked(page)).toBe(3);
      await edit(closed);
      for (const tab of [page, other]) {
        await cardOf(tab).getByText('Allowed once by Ann.').waitFor();
        expect(await labels(tab)).toEqual([]);
        expect(await cardOf(tab).getByRole('button', { name: 'Reply' }).count()).toBe(0);
        expect(await cardOf(tab).innerText()).not.toContain('/approve');
      }
      expect(bench.gateway.clicks).toBe(1);
    });

    it('loses no click and doubles none when the connection breaks before it is acknowledged', async () => {
      const page = await bench.open();
      await bench.gateway.talkIn(chat).ask();
      bench.gateway.breaksAtClick = true;
      await choice(page, 'Deny').click();
      await vi.waitFor(() => expect(bench.gateway.clicks).toBe(2), SLOW);
      expect(bench.gateway.answers).toHaveLength(1);
      await vi.waitFor(async () => expect(await page.evaluate('localStorage.getItem("hermes.unsent")')).toBeNull(), SLOW);
    });

    it('keeps a click over a reload until the gateway could store it', async () => {
      const page = await bench.open();
      await bench.gateway.talkIn(chat).ask();
      bench.gateway.broken = true;
      await choice(page, 'Deny').click();
      await page.reload();
      await connected(page);
      await vi.waitFor(async () => expect(await locked(page)).toBe(3), SLOW);
      bench.gateway.broken = false;
      await vi.waitFor(() => expect(bench.gateway.answers).toMatchObject([{ choice: 'deny' }]), SLOW);
    });

    it('can be clicked again when the gateway said why a click did not count', async () => {
      const page = await bench.open();
      await bench.gateway.talkIn(chat).ask();
      await choice(page, 'Allow once').click();
      await vi.waitFor(() => expect(bench.gateway.answers).toHaveLength(1), SLOW);
      const interaction = bench.gateway.answers[0]?.interaction ?? null;
      await bench.gateway.adapter.respond?.(interaction, 'Only Ann may decide this.', AbortSignal.timeout(5000));
      await page.getByRole('alert').getByText('Only Ann may decide this.').waitFor();
      await vi.waitFor(async () => expect(await locked(page)).toBe(0), SLOW);
    });

    it('that changed while a click was on its way refuses it aloud, and can be clicked again', async () => {
      const page = await bench.open();
      const edit = await bench.gateway.talkIn(chat).ask();
      bench.gateway.broken = true;
      await choice(page, 'Allow once').click();
      await edit({ choices: [{ id: 'deny', label: 'Deny' }] });
      bench.gateway.broken = false;
      await page.getByRole('alert').getByText('does not offer that choice').waitFor();
      await vi.waitFor(async () => expect(await locked(page)).toBe(0), SLOW);
      expect(bench.gateway.answers).toEqual([]);
    });

    it('is worked by keyboard, with a focus that is seen and not lost', async () => {
      const page = await bench.open();
      const edit = await bench.gateway.talkIn(chat).ask();
      await choice(page, 'Allow once').focus();
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.innerText')).toBe('Allow in this session');
      expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
      await page.keyboard.press('Enter');
      await vi.waitFor(() => expect(bench.gateway.answers).toMatchObject([{ choice: 'session' }]), SLOW);
      expect(await page.evaluate('document.activeElement.innerText')).toBe('Allow in this session');
      await edit(closed);
      await cardOf(page).getByText('Allowed once by Ann.').waitFor();
      expect(await page.evaluate('document.activeElement.closest("article")?.ariaLabel')).toBe('Question #3');
    });

    it('is text, whatever a model or a person puts into it', async () => {
      const page = await bench.open();
      const edit = await bench.gateway.talkIn(chat).ask({ markdown: HOSTILE, hint: HOSTILE, choices: [{ id: 'a', label: HOSTILE }] });
      await cardOf(page).waitFor();
      expect(await labels(page)).toEqual([HOSTILE]);
      const inert = async () => {
        expect(await cardOf(page).locator('img, script, a[href^="javascript"]').count()).toBe(0);
        expect(await page.evaluate('window.taken')).toBeUndefined();
      };
      await inert();
      await edit({ markdown: HOSTILE, choices: [], closed: HOSTILE });
      await cardOf(page).locator('.ask-closed').waitFor();
      await inert();
    });

    it('breaks a command between its words only, and gives it to be copied as it is', async () => {
      await bench.context.close();
      bench.context = await bench.browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
      const page = await bench.open();
      const command = `${'find . -name "*.log" -prune && '.repeat(6)}true\n\n  rm  -rf\tbuild`;
      await bench.gateway.talkIn(chat).ask({ markdown: `Run this?\n\`\`\`\n${command}\n\`\`\`` });
      const code = cardOf(page).locator('pre code');
      await code.waitFor();
      expect(await code.textContent()).toBe(command);
      const lines = await code.locator('.word').evaluateAll((words) => words.map((word) => word.clientHeight));
      expect(Math.max(...lines)).toBe(Math.min(...lines));
      const copied = await page.evaluate(
        'getSelection().selectAllChildren(document.querySelector(".ask pre code")), String(getSelection())',
      );
      expect(copied).toBe(command);
    });

    it('fits a phone, with all of a long command in sight', async () => {
      await bench.context.close();
      bench.context = await bench.browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
      const page = await bench.open();
      const markdown = `\`\`\`sh\necho ${'x'.repeat(300)} && rm -rf build\n\`\`\``;
      await bench.gateway.talkIn(chat).ask({ markdown, choices: [{ id: 'a', label: 'y'.repeat(60) }], hint: 'z'.repeat(200) });
      bench.gateway.asks = [{ ...ask, markdown, person: 'p'.repeat(80), chat: 'c'.repeat(80) }];
      await page.evaluate('dispatchEvent(new Event("focus"))');
      await page.locator('.waiting summary').click();
      for (const part of ['.log', '.waiting', '.ask pre', '.waiting pre']) {
        expect([part, await page.locator(part).evaluate((box) => box.scrollWidth - box.clientWidth)]).toEqual([part, 0]);
      }
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    });
  });

  describe('a reply to a card', () => {
    it('quotes it, and says so until it is sent', async () => {
      const page = await bench.open();
      await bench.gateway.talkIn(chat).ask();
      await cardOf(page).getByRole('button', { name: 'Reply to question #3' }).click();
      await page.locator('.composer').getByText('Reply to #3').waitFor();
      expect(await page.evaluate('document.activeElement.id')).toBe('message');
      await say(page, 'only the tests');
      await vi.waitFor(
        () => expect(bench.gateway.inbox).toMatchObject([{ text: 'only the tests', replyTo: { message: '1', fromBot: true } }]),
        SLOW,
      );
      await page.getByRole('log').getByText('Reply to #3').waitFor();
      await say(page, 'and something else');
      await vi.waitFor(() => expect(bench.gateway.inbox).toHaveLength(2), SLOW);
      expect(bench.gateway.inbox[1]).not.toHaveProperty('replyTo');
    });

    it('is given up with Escape', async () => {
      const page = await bench.open();
      await bench.gateway.talkIn(chat).ask();
      await cardOf(page).getByRole('button', { name: 'Reply to question #3' }).click();
      await page.keyboard.press('Escape');
      await page.locator('.replying').waitFor({ state: 'hidden' });
      await say(page, 'hello');
      await vi.waitFor(() => expect(bench.gateway.inbox).toHaveLength(1), SLOW);
      expect(bench.gateway.inbox[0]).not.toHaveProperty('replyTo');
    });
  });

  describe('what waits in other chats', () => {
    const look = (page: Page) => page.evaluate('dispatchEvent(new Event("focus"))');
    const panel = (page: Page) => page.locator('.waiting');

    it('is listed and decided here, and the list goes away with the last of them', async () => {
      const page = await bench.open();
      expect(await panel(page).isVisible()).toBe(false);
      bench.gateway.asks = [
        { ...ask, deadlineAtMs: Date.now() + 200_000 },
        { ...ask, id: 8, number: 9, onPage: true },
      ];
      await look(page);
      await panel(page).waitFor();
      const text = await panel(page).innerText();
      for (const part of ['Waiting for you', '#3', 'Ann', 'Telegram, group', 'Run rm -rf build?', '3 min left']) {
        expect(text).toContain(part);
      }
      for (const part of ['#9', ask.chat]) expect(text).not.toContain(part);
      expect(await page.locator('.waiting-chat').getAttribute('title')).toBe(`Chat ${ask.chat}`);
      expect(await page.locator('[aria-live=polite]').innerText()).toBe('Ann on Telegram waits for you.');
      await panel(page).getByRole('button', { name: 'Deny' }).dblclick();
      await page.getByRole('alert').getByText('Decided: deny.').waitFor();
      await panel(page).waitFor({ state: 'hidden' });
      expect(bench.gateway.decisions).toEqual([[7, 'deny']]);
    });

    it('that was decided elsewhere first says so and leaves the list', async () => {
      const page = await bench.open();
      bench.gateway.asks = [ask];
      await look(page);
      await panel(page).waitFor();
      bench.gateway.asks = [];
      await panel(page).getByRole('button', { name: 'Allow once' }).click();
      await page.getByRole('alert').getByText('no such open question').waitFor();
      await panel(page).waitFor({ state: 'hidden' });
      expect(bench.gateway.decisions).toEqual([]);
    });

    it('is text, whatever a stranger puts into it', async () => {
      const page = await bench.open();
      bench.gateway.asks = [{ ...ask, markdown: HOSTILE, person: HOSTILE, chat: HOSTILE, choices: [{ id: 'a', label: HOSTILE }] }];
      await look(page);
      await panel(page).waitFor();
      expect(await panel(page).locator('img, script, a[href^="javascript"]').count()).toBe(0);
      expect(await page.evaluate('window.taken')).toBeUndefined();
    });

    it('is one line on a phone, and all of it can be reached once it is opened', async () => {
      await bench.context.close();
      bench.context = await bench.browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
      const page = await bench.open();
      const markdown = `Run this?\n\n\`\`\`\n${'rm -rf build && '.repeat(60)}true\n\`\`\``;
      const choices = ['Once', 'This session', 'Always', 'No'].map((label) => ({ id: label.toLowerCase().slice(0, 4), label }));
      bench.gateway.asks = [
        { ...ask, markdown, choices },
        { ...ask, id: 8, person: 'Bob' },
      ];
      await look(page);
      await panel(page).waitFor();
      expect((await panel(page).boundingBox())?.height).toBeLessThan(60);
      expect(await panel(page).innerText()).toContain('Ann, Bob');
      await panel(page).locator('summary').press('Enter');
      expect(await panel(page).getByRole('button').count()).toBe(7);
      for (const choice of await panel(page).getByRole('button').all()) {
        await choice.click({ trial: true });
        const [box, around] = [await choice.boundingBox(), await panel(page).boundingBox()];
        expect([box && around && box.y >= around.y, box && around && box.y + box.height <= around.y + around.height]).toEqual([true, true]);
      }
      expect(await page.locator('.log').evaluate((log) => log.clientHeight)).toBeGreaterThan(100);
      await page.locator('#message').click();
      bench.gateway.asks = [];
      await look(page);
      await panel(page).waitFor({ state: 'hidden' });
      bench.gateway.asks = [ask];
      await look(page);
      await panel(page).waitFor();
      expect((await panel(page).boundingBox())?.height).toBeLessThan(60);
    });

    it('does not disturb who writes', async () => {
      const page = await bench.open();
      await page.fill('#message', 'half a sent');
      bench.gateway.asks = [ask];
      await look(page);
      await panel(page).waitFor();
      expect(await page.evaluate('document.activeElement.id')).toBe('message');
      await page.press('#message', 'Enter');
      await sees(page, ['half a sent', 'You said: half a sent']);
    });
  });
});
