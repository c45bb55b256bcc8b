import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import type { ToolOutput } from '../../../agent/tool.ts';
import { createPermissions } from '../../../gateway/permissions/permissions.ts';
import type { Rule, RuleDecision } from '../../../gateway/permissions/rule.ts';
import { shippedRules } from '../../../gateway/permissions/shipped.ts';
import { readHtml } from '../../../tools/web/html.ts';
import { createReadPage, type ReadPage } from '../../../tools/web/page-reader.ts';
import { readPdf } from '../../../tools/web/pdf.ts';
import { createWebExtract } from '../../../tools/web/web-extract.ts';
import { createWorld, INTERNAL, type Page, PUBLIC, type World } from '../fetch/world.ts';
import { makePdf } from './pdf.ts';
import { toolContext } from './support.ts';

const open: World[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

type Served = string | Buffer | { readonly type?: string; readonly status?: number; readonly to?: string; readonly body?: string | Buffer };

interface Site {
  readonly world: World;
  readonly visits: World['visits'];
  /** Addresses may have ":PORT" in them, and what comes back has it again. */
  extract(urls: readonly string[] | string, signal?: AbortSignal): Promise<ToolOutput>;
}

/** In this thread: starting one for each page is most of what it costs. Tests of the threads have real ones. */
const here: ReadPage = async ({ kind, bytes, text, address }) => {
  try {
    return { ok: true, page: kind === 'pdf' ? await readPdf(new Uint8Array(bytes)) : readHtml(text, address) };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) };
  }
};

/** Every name is this site's, but for "inside.test". A text is a page; what has no type is sent without one. */
async function site(pages: Readonly<Record<string, Served>>, read = here): Promise<Site> {
  const page: Page = ({ url = '' }, response) => {
    const served = pages[url];
    if (served === undefined) return void response.writeHead(404).end();
    const {
      type,
      status = 200,
      to,
      body = '',
    } = typeof served === 'string' || Buffer.isBuffer(served) ? { type: 'text/html', body: served } : served;
    const location = to?.replace(':PORT', `:${world.port}`);
    response
      .writeHead(status, { ...(type === undefined ? {} : { 'content-type': type }), ...(location === undefined ? {} : { location }) })
      .end(body);
  };
  const world = await createWorld({ page, names: ({ name }) => ({ addresses: [name === 'inside.test' ? INTERNAL : PUBLIC] }) });
  open.push(world);
  const tool = createWebExtract({ fetcher: world.fetcher, read, config: { timeout: 10, max_page_mb: 6 } });
  const portless = (text: string): string => text.replaceAll(`:${world.port}`, ':PORT');
  const extract: Site['extract'] = async (urls, signal) => {
    const filled = [urls].flat().map((url) => url.replace(':PORT', `:${world.port}`));
    const output = await tool.run(tool.args.parse({ urls: typeof urls === 'string' ? filled[0] : filled }), toolContext(signal));
    return {
      ...output,
      content: portless(output.content),
      ...(output.data === undefined ? {} : { data: JSON.parse(portless(JSON.stringify(output.data))) }),
    };
  };
  return { world, visits: world.visits, extract };
}

function sample(name: string): string {
  return readFileSync(new URL(`./samples/${name}.html.txt`, import.meta.url), 'utf8');
}

const post = 'http://post.test:PORT/2026/03/tide.html';

describe('a page', () => {
  it('is what it is about, without what stands around it, and says where it is from', async () => {
    const { extract } = await site({ '/2026/03/tide.html': sample('article') });
    const { content, data, outside, failed } = await extract([post]);
    expect(content).toMatch(
      /^# Why tide tables still matter.*\n\nSource: http:\/\/post\.test:PORT\/2026\/03\/tide\.html\n\nMaren Holt, 2026-03-14/,
    );
    expect(content).toContain('## How the numbers are made');
    expect(content).toContain('-   The moon gives the largest part, twice a day.\n');
    expect(content).toContain('> A table is a promise that the sea has never signed.');
    expect(content).toContain('says the harbour master, who has seen three screens come and go.');
    expect(content).not.toMatch(/CANARY|javascript:|data:image|<\w/);
    expect(outside).toBe('the web (post.test)');
    expect(failed).toBeUndefined();
    expect(Object.keys(data as object)).toEqual([post]);
    expect((data as Record<string, string>)[post]).toMatch(/^By \[Maren Holt\]/);
  });

  it('has complete addresses in it, whatever they are relative to', async () => {
    const { extract } = await site({ '/2026/03/tide.html': sample('article'), '/docs': sample('docs') });
    const { content } = await extract([post, 'http://docs.test:PORT/docs']);
    expect(content).toContain('[surprisingly similar answers](http://post.test:PORT/2026/2025/12/who-buys-them.html#survey)');
    expect(content).toContain('![The harbour at low tide](http://post.test:PORT/images/harbour.jpg?w=1200)');
    expect(content).toContain('[modes (all)](https://docs.example.com/v4/modes.html#a)');
  });

  it('keeps its tables and its code', async () => {
    const { extract } = await site({ '/docs': sample('docs') });
    const { content } = await extract(['http://docs.test:PORT/docs']);
    expect(content).toContain(
      '| Option | Type | What it does |\n| --- | --- | --- |\n| `port` | number | Where to listen. 0 takes a free one. |\n| `mode` | `"a" \\| "b"` |',
    );
    expect(content).toContain(
      "```ts\nconst server = createServer({ port: 0 });\nserver.on('request', (widget) => {\n  widget.end('<b>hello</b>');\n});\n```",
    );
  });

  it('that is no article is shown as a whole', async () => {
    const { extract } = await site({ '/': sample('listing'), '/small': '<p>Just <b>this</b>.' });
    const { content } = await extract(['http://news.test:PORT/', 'http://news.test:PORT/small']);
    for (const number of [1, 15, 30]) expect(content).toContain(`[Story number ${number}](http://news.test:PORT/item?id=${number})`);
    expect(content).toContain('Just **this**.');
  });

  it('shows no words that nobody sees', async () => {
    const words = 'UNSEEN '.repeat(100); // so many that what is seen is no article beside them
    const unseen = `<p hidden>${words}</p><div style="color:red; display: none">${words}</div><i aria-hidden="true">${words}</i>`;
    const { extract } = await site({ '/': `<html><body><p>seen</p>${unseen}</body></html>` });
    expect((await extract(['http://small.test:PORT/'])).data).toEqual({ 'http://small.test:PORT/': 'seen' });
  });

  it('that a script would make is said to be empty, and what to think of it', async () => {
    const { extract } = await site({ '/': '<html><body><div id="root"></div><script>render("SECRET")</script></body></html>' });
    const { content, failed, outside } = await extract(['http://app.test:PORT/']);
    expect(content).toMatch(/was not read: it has no text of its own: it may be made by a script/);
    expect({ failed, outside }).toEqual({ failed: true });
  });

  it.each([
    ['as the server says', { type: 'text/html; charset=windows-1252', body: Buffer.from('<p>caf\xe9 \x80 5', 'latin1') }, 'café € 5'],
    [
      'as the page says',
      { type: 'text/html', body: Buffer.concat([Buffer.from('<meta charset="shift_jis"><p>'), Buffer.from('93fa967b8cea', 'hex')]) },
      '日本語',
    ],
    ['by its mark', { type: 'text/html; charset=latin1', body: Buffer.from('\ufeff<p>größer', 'utf8') }, 'größer'],
    ['in two bytes a character', { type: 'text/plain', body: Buffer.from('\ufeffwide 語', 'utf16le') }, 'wide 語'],
    ['in UTF-8, where nobody says anything', { type: 'text/html', body: '<p>größer 語' }, 'größer 語'],
    ['in the old one, where it cannot be UTF-8', { type: 'text/plain', body: Buffer.from('na\xefve', 'latin1') }, 'naïve'],
    ['where the server makes up a name', { type: 'text/plain; charset=klingon', body: 'größer' }, 'größer'],
  ])('has its letters %s', async (_what, served, expected) => {
    const { extract } = await site({ '/': served });
    expect((await extract(['http://letters.test:PORT/'])).content).toContain(expected);
  });
});

describe('a file', () => {
  it('of text is given as it is', async () => {
    const json = '{"a": [1, 2],\n "<b>": null}';
    const { extract } = await site({
      '/a.json': { type: 'application/vnd.api+json', body: json },
      '/r.md': { type: 'text/markdown', body: '# Read *me*' },
    });
    const output = await extract(['http://files.test:PORT/a.json', 'http://files.test:PORT/r.md']);
    expect(output.data).toEqual({ 'http://files.test:PORT/a.json': json, 'http://files.test:PORT/r.md': '# Read *me*' });
  });

  it('without a type of worth is looked at', async () => {
    const vague = 'application/octet-stream';
    const { extract } = await site({
      '/page': { body: '<!-- x -->\n<!DOCTYPE html><title>T</title><body><p>a page' },
      '/text': { type: vague, body: 'a < b' },
      '/pdf': { type: vague, body: makePdf(['in a PDF']) },
      '/binary': { type: vague, body: Buffer.from([1, 0, 2]) },
    });
    const { data } = await extract(['page', 'text', 'pdf', 'binary'].map((name) => `http://files.test:PORT/${name}`));
    expect(Object.values(data as object)).toEqual([
      'a page',
      'a < b',
      '## Page 1\n\nin a PDF',
      { error: expect.stringMatching(/no text/) },
    ]);
  });

  it.each([
    ['an image', { type: 'image/png', body: 'x' }, /type that is not read \(image\/png\)/],
    ['an archive', { type: 'application/zip', body: 'PK' }, /type that is not read \(application\/zip\)/],
    ['bytes that are called text', { type: 'text/plain', body: Buffer.from([104, 105, 0, 1, 2]) }, /it is no text \(text\/plain\)/],
    ['more than may be', { type: 'text/plain', body: 'x'.repeat(6_300_000) }, /larger than the 6 MiB/],
    ['more text than may be', { type: 'text/plain', body: 'x'.repeat(5_300_000) }, /larger than the 5 MiB of text/],
    ['empty', { type: 'text/plain', body: ' \n' }, /it is empty/],
    ['a PDF in name only', { type: 'application/pdf', body: 'hello' }, /it is no text/],
  ])('that is %s is not read', async (_what, served, problem) => {
    const { extract } = await site({ '/': served });
    const output = await extract(['http://files.test:PORT/']);
    expect(output.content).toMatch(problem);
    expect(output.failed).toBe(true);
  });
});

describe('a PDF', () => {
  const pdf = (body: Buffer): Served => ({ type: 'application/pdf', body });

  it('is its text, page by page', async () => {
    const { extract } = await site({ '/paper.pdf': pdf(makePdf(['On (small) widgets\nby Ann', 'They are small.'], { title: 'Widgets' })) });
    const { content } = await extract(['http://papers.test:PORT/paper.pdf']);
    expect(content).toBe(
      '# Widgets\n\nSource: http://papers.test:PORT/paper.pdf\n\n## Page 1\n\nOn (small) widgets\nby Ann\n\n## Page 2\n\nThey are small.',
    );
  });

  it.each([
    ['has no text', makePdf(['', '']), /no text in its 2 pages: it may be scanned/],
    ['is locked', makePdf(['x'], { locked: true }), /locked with a password/],
    ['is damaged', Buffer.from('%PDF-1.7\nnothing else'), /damaged, or is none/],
  ])('that %s is said to be so', async (_what, body, problem) => {
    const { extract } = await site({ '/': pdf(body) });
    expect((await extract(['http://papers.test:PORT/'])).content).toMatch(problem);
  });
});

describe('several addresses', () => {
  it('are read side by side, each once, and one that fails takes no other with it', async () => {
    const { extract, visits } = await site({ '/1': '<p>one', '/2': '<p>two' });
    const [one, two, gone] = ['http://a.test:PORT/1', 'http://a.test:PORT/2', 'http://a.test:PORT/3'];
    const output = await extract([one ?? '', gone ?? '', two ?? '', one ?? '']);
    expect(output.data).toEqual({ [one ?? '']: 'one', [two ?? '']: 'two', [gone ?? '']: { error: expect.stringMatching(/HTTP 404/) } });
    expect(output.content.split('\n\n---\n\n')).toHaveLength(3);
    expect(output.failed).toBeUndefined();
    expect([...visits.outside].sort()).toEqual(['/1', '/2', '/3']);
  });

  it('are read a few at a time, and none is forgotten', async () => {
    let [now, most] = [0, 0];
    const read: ReadPage = async (reading) => {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setTimeout(resolve, 10));
      now -= 1;
      return { ok: true, page: { title: '', byline: '', markdown: reading.text } };
    };
    const { extract } = await site(Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`/${index}`, `<p>${index}`])), read);
    const urls = Array.from({ length: 10 }, (_, index) => `http://a.test:PORT/${index}`);
    const outputs = await Promise.all([extract(urls), extract(urls)]);
    for (const { data } of outputs) expect(data).toEqual(Object.fromEntries(urls.map((url, index) => [url, `<p>${index}`])));
    expect(most).toBeLessThanOrEqual(8);
    expect(most).toBeGreaterThan(1);
  });

  it('are a list of one to ten, and one may come as a plain text', async () => {
    const { extract } = await site({ '/1': '<p>one' });
    expect((await extract('http://a.test:PORT/1')).content).toContain('one');
    const tool = createWebExtract({ fetcher: {} as never, read: here, config: { timeout: 1, max_page_mb: 1 } });
    expect(tool.args.safeParse({ urls: [] }).success).toBe(false);
    expect(tool.args.safeParse({ urls: Array(11).fill('http://a.test/') }).success).toBe(false);
  });
});

describe('where a page leads', () => {
  it.each([
    ['http://127.0.0.2:PORT/', /not of the public internet .*Only the owner can open it: security\.allow_private_urls/],
    ['http://inside.test:PORT/', /inside\.test \(127\.0\.0\.2\) is not of the public internet/],
    ['http://169.254.169.254/latest/meta-data/', /No setting opens it/],
    ['file:///etc/passwd', /only http and https/],
    ['example.com', /not a complete address/],
    ['http://a.test:PORT/in', /redirects to an address that is not fetched/],
    ['http://a.test:PORT/in2', /redirects to an address that is not fetched: 127\.0\.0\.2 is not of the public internet/],
  ])('is never our own network: %s', async (url, problem) => {
    const { extract, visits } = await site({
      '/in': { status: 302, to: 'http://user:x@a.test:PORT/' },
      '/in2': { status: 302, to: 'http://0x7f.2:PORT/' },
    });
    const output = await extract([url]);
    expect(output.content).toMatch(problem);
    expect(output).toMatchObject({ failed: true });
    expect(visits.inside).toEqual([]);
  });

  it('is followed on the same host, also with "www."', async () => {
    const { extract } = await site({
      '/': { status: 301, to: 'http://www.a.test:PORT/x' },
      '/x': { status: 302, to: '/y' },
      '/y': '<p>there',
    });
    expect((await extract(['http://a.test:PORT/'])).content).toBe('Source: http://www.a.test:PORT/y\n\nthere');
  });

  it('is told where that is another host, which has to be allowed by itself', async () => {
    const { extract, visits, world } = await site({ '/': { status: 301, to: 'http://b.test:PORT/x' }, '/x': '<p>there' });
    const output = await extract(['http://a.test:PORT/']);
    expect(output.content).toMatch(/it has moved to http:\/\/b\.test:PORT\/x; ask for that address/);
    expect(output).toMatchObject({ failed: true, outside: 'the web (a.test)' });
    expect(visits.outside).toEqual(['/']);
    expect(world.dns.questions.map(({ name }) => name)).not.toContain('b.test');
  });
});

describe('a thread of its own', () => {
  it('reads pages and PDFs', async () => {
    const { extract } = await site(
      { '/page': sample('docs'), '/pdf': makePdf(['in a PDF']), '/bad': Buffer.from('%PDF-1.7') },
      createReadPage(),
    );
    const { data } = await extract(['page', 'pdf', 'bad'].map((name) => `http://a.test:PORT/${name}`));
    const [page, pdf, bad] = Object.values(data as object);
    expect(page).toContain('## createServer(options)');
    expect([pdf, bad]).toEqual(['## Page 1\n\nin a PDF', { error: 'the PDF is damaged, or is none' }]);
  });
});

describe('a page that is made to harm', () => {
  it('and takes for ever is given up, and the next one is read', async () => {
    const read = createReadPage({ deadlineMs: 4_000, memoryMegabytes: 256, atOnce: 1 });
    const { extract } = await site({ '/deep': '<div>'.repeat(200_000), '/fine': '<p>fine' }, read);
    const [deep, fine] = await Promise.all([extract(['http://a.test:PORT/deep']), extract(['http://a.test:PORT/fine'])]);
    expect(deep.content).toMatch(/takes (?:more than 4 s|too much memory)|could not be read/);
    expect(fine.content).toContain('fine');
  });

  it('is left alone as soon as the turn is stopped, while it is read and while it waits', async () => {
    const { extract } = await site(
      { '/deep': '<div>'.repeat(200_000) },
      createReadPage({ deadlineMs: 600_000, memoryMegabytes: 1_024, atOnce: 1 }),
    );
    const stopped = new AbortController();
    const reason = new Error('stopped');
    const running = [1, 2].map(() => extract(['http://a.test:PORT/deep'], stopped.signal));
    setTimeout(() => stopped.abort(reason), 500);
    const rejected = { status: 'rejected', reason };
    expect(await Promise.allSettled(running)).toEqual([rejected, rejected]);
  });
});

describe('permission rules', () => {
  const place = { platform: 'telegram', account: 'main', chatType: 'dm', chat: '1', role: 'user' } as const;

  async function judged(urls: readonly string[], rules: Readonly<Record<string, RuleDecision>>): Promise<RuleDecision | undefined> {
    const tool = createWebExtract({ fetcher: {} as never, read: here, config: { timeout: 1, max_page_mb: 1 } });
    const risk = await tool.risk?.(tool.args.parse({ urls }), { id: 's', workspace: '/w' }, new AbortController().signal);
    if (risk === undefined) throw new Error('no risk');
    const list = Object.entries(rules).map(
      ([pattern, decision]): Rule => ({ tool: 'web_extract', pattern, decision, scope: {}, origin: 'test' }),
    );
    const files = { home: '/home/ada', realPath: (file: string) => file };
    return createPermissions(list, files).judge({ tool: tool.name, toolset: tool.toolset, workspace: '/w', risk }, place).decision;
  }

  it.each([
    ['https://docs.python.org/3/', 'allow'],
    ['https://DOCS.Python.ORG.:8443/3/?q=a#b', 'allow'],
    ['https://evil.test/docs.python.org', undefined],
    ['https://docs.python.org.evil.test/', undefined],
    ['https://docs.python.org@evil.test/', undefined],
    ['https://x.corp.test/', 'deny'],
    ['https://X.corp.test./', 'deny'],
    ['https://forum.test/private/1', 'deny'],
    ['https://forum.test/open', undefined],
    ['http://www.bank.test/', 'ask'],
    ['http://127.1/', 'deny'],
    ['http://2130706433/', 'deny'],
  ])('are about hosts, however they are written: %s', async (url, expected) => {
    const rules = {
      'docs.python.org': 'allow',
      '*.corp.test': 'deny',
      'https://forum.test/private/*': 'deny',
      'bank.test': 'ask',
      '127.*': 'deny',
    } as const;
    expect(await judged([url], rules)).toBe(expected);
  });

  it('have it asked about in groups what others than owner and administrators let fetch, and nowhere else', () => {
    const files = { home: '/home/ada', realPath: (file: string) => file };
    const rules = createPermissions(shippedRules, files);
    const decision = (tool: string, where: Partial<typeof place | { chatType: 'group'; role: 'admin' }>) =>
      rules.judge({ tool, toolset: 'web', workspace: '/w', risk: { subjects: ['a.test'] } }, { ...place, ...where }).decision;
    expect(decision('web_extract', { chatType: 'group' })).toBe('ask');
    expect(decision('web_extract', { chatType: 'group', role: 'admin' })).toBeUndefined();
    expect(decision('web_extract', {})).toBeUndefined();
    expect(decision('web_search', { chatType: 'group' })).toBeUndefined();
  });

  it('allow a call only if every host in it is allowed, and forbid it for one that is forbidden', async () => {
    const rules = { 'a.test': 'allow', 'b.test': 'deny' } as const;
    expect(await judged(['http://a.test/', 'http://a.test/2'], rules)).toBe('allow');
    expect(await judged(['http://a.test/', 'http://c.test/'], rules)).toBeUndefined();
    expect(await judged(['http://a.test/', 'http://b.test/'], rules)).toBe('deny');
  });
});
