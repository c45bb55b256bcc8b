import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { chromiumPath, launch, needsChromium, say, signedIn, type Tab } from './browser.ts';
import { EchoGateway } from './echo-gateway.ts';

describe.skipIf(chromiumPath === undefined)(`what a model writes, in a browser${needsChromium}`, { timeout: 40_000 }, () => {
  let browser: Browser;
  let gateway: EchoGateway;
  let tab: Tab;
  let markdown = '';

  beforeAll(async () => {
    gateway = await new EchoGateway({ answer: (_message, talk) => talk.send(markdown) }).start();
    browser = await launch();
    const context = await browser.newContext();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    tab = await signedIn(context, gateway);
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await gateway.stop();
  });

  /** The answer's element once it is there. */
  async function rendered(text: string) {
    markdown = text;
    const answers = tab.page.locator('.row-agent .markdown');
    const before = await answers.count();
    await say(tab.page, 'go');
    await vi.waitFor(async () => expect(await answers.count()).toBe(before + 1), { timeout: 8000 });
    return answers.last();
  }

  it.each([
    ['emphasis', '**a** _b_ ~~c~~ `d`', '<p><strong>a</strong> <em>b</em> <del>c</del> <code>d</code></p>'],
    ["headings below the page's own", '# a\n\n## b', '<h3>a</h3><h4>b</h4>'],
    ['lists', '1. a\n2. b\n\n- c', '<ol start="1"><li>a</li><li>b</li></ol><ul><li>c</li></ul>'],
    ['hard breaks', 'a  \nb', '<p>a<br>b</p>'],
    ['quotes', '> a', '<blockquote><p>a</p></blockquote>'],
    [
      'reference links',
      '[a][x]\n\n[x]: https://example.org',
      '<p><a href="https://example.org/" target="_blank" rel="noopener noreferrer nofollow">a</a></p>',
    ],
    [
      'bare addresses',
      'see https://example.org/x',
      '<p>see <a href="https://example.org/x" target="_blank" rel="noopener noreferrer nofollow">https://example.org/x</a></p>',
    ],
  ])('%s', async (_name, text, html) => {
    expect(await (await rendered(text)).innerHTML()).toBe(html);
  });

  it.each([
    ['HTML', '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'],
    ['HTML in a line', 'a <b onclick="window.hacked=1">b</b> <iframe src="javascript:window.hacked=1"></iframe>'],
    [
      'a script link',
      '[a](javascript:window.hacked=1) [b](JaVaScRiPt:window.hacked=1) [c](data:text/html,<script>window.hacked=1</script>) [d](vbscript:x)',
    ],
    ['a relative link', '[a](/api/sign-out) [b](//evil.example/x) [c](#code=x)'],
    ['a remote image', '![a](http://evil.example/pixel.png) ![b][r]\n\n[r]: http://evil.example/2.png'],
    ['a form', '<form action="http://evil.example"><input name=a></form>'],
    [
      'HTML in a table and in code',
      '| a |\n|---|\n| <img src=x onerror="window.hacked=1"> |\n\n```html\n<script>window.hacked=1</script>\n```',
    ],
  ])('%s stays text: nothing runs, nothing is loaded, nothing is sent', async (_name, text) => {
    const answer = await rendered(text);
    expect(await answer.locator('img, script, iframe, form, svg:not(.icon), [onclick], [onerror], [style]').count()).toBe(0);
    const links = await answer.locator('a').evaluateAll((found) => found.map((link) => link.getAttribute('href') ?? ''));
    expect(links.every((href) => /^(https?|mailto):/.test(href))).toBe(true);
    for (const link of await answer.locator('span').all()) await link.click({ force: true, timeout: 200 }).catch(() => undefined);
    expect(await tab.page.evaluate('"hacked" in window')).toBe(false);
    expect(tab.faults).toEqual([]);
  });

  it('code has its language and is copied whole', async () => {
    const answer = await rendered('```sh\necho "a"\n  b\n```');
    expect(await answer.locator('.code-bar').innerText()).toBe('sh');
    await answer.getByRole('button', { name: 'Copy code' }).click();
    await vi.waitFor(async () => expect(await tab.page.evaluate('navigator.clipboard.readText()')).toBe('echo "a"\n  b'));
  });

  it('code without a language begins at the top, with the button to copy it beside its first line', async () => {
    const answer = await rendered('```\nrm -rf build\n```');
    const [box, line, copy] = await Promise.all(['.code', '.code code', '.copy'].map((part) => answer.locator(part).first().boundingBox()));
    if (!box || !line || !copy) throw new Error('There is no code.');
    expect(line.y - box.y).toBeLessThan(16);
    expect(copy.y).toBeGreaterThanOrEqual(box.y);
    expect(copy.y).toBeLessThan(line.y + line.height);
    expect(box.height).toBeLessThan(3 * line.height);
    await answer.getByRole('button', { name: 'Copy code' }).click();
    await vi.waitFor(async () => expect(await tab.page.evaluate('navigator.clipboard.readText()')).toBe('rm -rf build'));
  });

  it('a table says how its columns are aligned and scrolls by itself', async () => {
    const answer = await rendered('| a | b |\n|:-:|--:|\n| 1 | 2 |');
    expect(
      await answer
        .locator('td')
        .evaluateAll((cells) => cells.map((cell) => cell.ownerDocument.defaultView?.getComputedStyle(cell).textAlign)),
    ).toEqual(['center', 'right']);
    expect(await answer.locator('.table').evaluate((table) => table.ownerDocument.defaultView?.getComputedStyle(table).overflowX)).toBe(
      'auto',
    );
  });

  it('blocks that are finished keep their nodes while the rest is written', async () => {
    const chat = gateway.inbox[0]?.chat;
    if (!chat) throw new Error('Nobody has spoken yet.');
    const talk = gateway.talkIn(chat);
    await talk.preview('First block.\n\n```\ncode');
    const block = tab.page.locator('.row-preview .markdown > p');
    await block.evaluate((element) => element.setAttribute('data-mark', 'kept'));
    await talk.preview('First block.\n\n```\ncode more\n```\n\nSecond.');
    await tab.page.locator('.row-preview p', { hasText: 'Second.' }).waitFor();
    expect(await block.first().getAttribute('data-mark')).toBe('kept');
    await talk.send('Done.');
  });

  it('a text marked as plain is shown as it is', async () => {
    const chat = gateway.inbox[0]?.chat;
    if (!chat) throw new Error('Nobody has spoken yet.');
    await gateway.adapter.send({ type: 'text', chat, markdown: '**not** <b>bold</b>', plain: true }, 'plain-1', AbortSignal.timeout(5000));
    expect(await tab.page.locator('.plain').last().innerText()).toBe('**not** <b>bold</b>');
  });
});
