import { describe, expect, it, vi } from 'vitest';
import { useBench } from './bench.ts';
import { chromiumPath, needsChromium, SLOW, say } from './browser.ts';

describe.skipIf(chromiumPath === undefined)(`progress on the page, in a browser${needsChromium}`, { timeout: 40_000 }, () => {
  const bench = useBench();

  it('shows what a step stands for, was called with and says, what is not listed, and what the turn waits for', async () => {
    const steps = [
      { tool: 'read_file', preview: 'notes/plan.md', state: 'ok', count: 3 },
      { tool: 'terminal', preview: 'npm test', state: 'failed', arguments: '{"command": "npm test", "timeout": 600}' },
      { tool: 'execute_code', preview: 'count the words', state: 'running', note: '3/7 calls, 12 s' },
    ] as const;
    const page = await bench.open({
      answer: async (_message, talk) => {
        await talk.progress(steps, { earlier: 9, notice: 'The model is busy. Trying again in 30 s.' });
        await talk.progress(steps.slice(0, 1), { notice: 'The model is busy.', waiting: true });
      },
    });
    await say(page, 'work');
    await vi.waitFor(async () => expect(await page.locator('.progress').count()).toBe(2), SLOW);
    const [first, second] = await page.locator('.progress').all();
    expect(await first?.locator('.progress-summary').innerText()).toMatch(/^14 steps, .*, 1 failed$/);
    expect(await first?.locator('.progress-notice').innerText()).toBe('The model is busy. Trying again in 30 s.');
    const lines = (await first?.locator('.step').allInnerTexts())?.map((line) => line.replace(/\s+/g, ' ').trim());
    expect(lines).toEqual([
      'done: read_file notes/plan.md ×3',
      'failed: terminal npm test {"command": "npm test", "timeout": 600}',
      'runs: execute_code count the words 3/7 calls, 12 s',
    ]);
    expect(await second?.locator('.progress-notice').innerText()).toBe('Waiting for your answer');
  });

  it('offers to stop while steps go on above what was said between two tools', async () => {
    const ended = Promise.withResolvers<void>();
    const page = await bench.open({
      answer: async (_message, talk) => {
        const edit = await talk.progress([{ tool: 'terminal', preview: 'ls', state: 'running' }]);
        await talk.send('I look first.');
        await ended.promise;
        await edit([], true);
      },
    });
    await say(page, 'work');
    await page.locator('.row-agent', { hasText: 'I look first.' }).waitFor();
    const stop = page.getByRole('button', { name: /stop/i });
    expect(await stop.isVisible()).toBe(true);
    ended.resolve();
    await stop.waitFor({ state: 'hidden' });
  });
});
