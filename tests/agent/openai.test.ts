import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Message, userText } from '../../agent/message.ts';
import { type Model, ModelError, type ModelEvent, type ModelRequest } from '../../agent/model.ts';
import { createOpenAiModel, type OpenAiOptions } from '../../agent/models/openai.ts';
import { type FakeModel, type Fault, startFakeModel } from '../fakes/model.ts';
import { assistant, call, result, runToEnd, testTool } from './support.ts';

let fake: FakeModel;

beforeEach(async () => {
  fake = await startFakeModel();
});

afterEach(async () => {
  await fake.close();
});

function model(options: Partial<OpenAiOptions> = {}): Model {
  return createOpenAiModel({
    model: 'm',
    baseUrl: fake.base,
    apiKey: 'sk-test',
    windowTokens: 128_000,
    vision: true,
    idleTimeoutMs: 5_000,
    ...options,
  });
}

function request(messages: readonly Message[] = [userText('hi')], rest: Partial<ModelRequest> = {}): ModelRequest {
  return { system: 'Be brief.', messages, tools: [], ...rest };
}

async function collect(
  from: Model,
  asked: ModelRequest = request(),
  signal: AbortSignal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of from.stream(asked, signal)) events.push(event);
  return events;
}

async function failure(from: Model, asked: ModelRequest = request()): Promise<ModelError> {
  try {
    await collect(from, asked);
  } catch (error) {
    if (error instanceof ModelError) return error;
    throw error;
  }
  throw new Error('the request must fail');
}

describe('a request', () => {
  it('streams text, then usage, then the end', async () => {
    const events = await collect(model());
    const text = events.map((event) => (event.type === 'text.delta' ? event.text : '')).join('');
    expect(text).toBe('echo: hi');
    expect(events.filter((event) => event.type === 'text.delta').length).toBeGreaterThan(1);
    expect(events.slice(-2)).toEqual([
      { type: 'usage', usage: { inputTokens: 100, outputTokens: 10 } },
      { type: 'done', finish: 'stop' },
    ]);
  });

  it('sends the conversation, the tools, the key and extra headers', async () => {
    const messages = [userText('look'), assistant('', [call('abcdefghi', 'look', { at: 1 })]), result('abcdefghi', 'seen', 'look')];
    const tools = [{ name: 'look', description: 'looks', parameters: { type: 'object' } }];
    await collect(model({ headers: { 'x-team': 'blue' } }), request(messages, { tools }));
    expect(fake.headers[0]).toMatchObject({ authorization: 'Bearer sk-test', 'x-team': 'blue' });
    expect(fake.requests[0]).toEqual({
      model: 'm',
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'look' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'abcdefghi', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
        },
        { role: 'tool', tool_call_id: 'abcdefghi', content: 'seen' },
      ],
      tools: [{ type: 'function', function: tools[0] }],
    });
  });

  it('forbids calls without changing what the request begins with', async () => {
    const tools = [{ name: 'look', description: 'looks', parameters: { type: 'object' } }];
    await collect(model(), request([userText('look')], { tools }));
    await collect(model(), request([userText('look')], { tools, withoutCalls: true }));
    const [free, bound] = fake.requests;
    expect(bound).toEqual({ ...free, tool_choice: 'none' });
  });

  it('puts calls together from their pieces', async () => {
    fake.reply(() => ({
      calls: [
        { name: 'look', args: { path: 'a.txt' }, id: 'c1' },
        { name: 'look', args: { path: 'b.txt' }, id: 'c2' },
      ],
    }));
    const events = await collect(model());
    expect(events.filter((event) => event.type === 'call')).toEqual([
      { type: 'call', call: { id: 'c1', name: 'look', arguments: '{"path":"a.txt"}' } },
      { type: 'call', call: { id: 'c2', name: 'look', arguments: '{"path":"b.txt"}' } },
    ]);
    expect(events.at(-1)).toEqual({ type: 'done', finish: 'calls' });
  });

  it('says when the output limit cut the answer', async () => {
    fake.reply(() => ({ text: 'Once', finish: 'length' }));
    expect((await collect(model())).at(-1)).toEqual({ type: 'done', finish: 'length' });
  });

  it('that the provider’s filter ended is a matter of content', async () => {
    fake.reply(() => ({ text: 'Once', finish: 'content_filter' }));
    expect((await failure(model())).kind).toBe('content_policy');
  });

  it('keeps the connection for the next one', async () => {
    const own = model();
    for (let index = 0; index < 10; index += 1) await collect(own);
    expect(fake.connections()).toBeLessThanOrEqual(5); // the end of a body may come a moment after the next request
  });

  it('is one of a hundred at once, none of which waits for another', async () => {
    const all = Promise.withResolvers<void>();
    fake.reply(async () => {
      if (fake.requests.length === 100) all.resolve();
      await all.promise; // nobody is answered before everybody has asked
      return { text: 'at last' };
    });
    const own = model();
    const answers = await Promise.all(Array.from({ length: 100 }, () => collect(own)));
    expect(answers.map((events) => events.at(-1))).toEqual(answers.map(() => ({ type: 'done', finish: 'stop' })));
  });

  it('ignores what the environment says about OpenAI accounts', async () => {
    vi.stubEnv('OPENAI_ORG_ID', 'org-other');
    await collect(model());
    expect(fake.headers[0]).not.toHaveProperty('openai-organization');
  });
});

describe('a request that fails', () => {
  const quick = { idleTimeoutMs: 150 };
  const table: readonly {
    readonly title: string;
    readonly fault: Fault;
    readonly kind: string;
    readonly options?: Partial<OpenAiOptions>;
  }[] = [
    { title: 'with 400', fault: { type: 'status', status: 400 }, kind: 'bad_request' },
    { title: 'with 401', fault: { type: 'status', status: 401 }, kind: 'auth' },
    { title: 'with 403', fault: { type: 'status', status: 403 }, kind: 'auth' },
    { title: 'with 404', fault: { type: 'status', status: 404 }, kind: 'not_found' },
    { title: 'with 409', fault: { type: 'status', status: 409 }, kind: 'server' },
    { title: 'with 413', fault: { type: 'status', status: 413 }, kind: 'context_overflow' },
    { title: 'with 429', fault: { type: 'status', status: 429 }, kind: 'rate_limit' },
    { title: 'with 500', fault: { type: 'status', status: 500 }, kind: 'server' },
    { title: 'with 503', fault: { type: 'status', status: 503 }, kind: 'overloaded' },
    { title: 'with a page of a proxy', fault: { type: 'status', status: 502, body: '<html>Bad gateway</html>' }, kind: 'server' },
    { title: 'because nothing is ever answered', fault: { type: 'hang' }, kind: 'timeout', options: quick },
    { title: 'because the answer stops in the middle', fault: { type: 'stall' }, kind: 'timeout', options: quick },
    { title: 'because the connection is reset before the answer', fault: { type: 'reset' }, kind: 'connection' },
    { title: 'because the connection is reset in the middle', fault: { type: 'reset_mid_stream' }, kind: 'cut' },
    { title: 'because the answer ends without its end', fault: { type: 'cut' }, kind: 'cut' },
    {
      title: 'with a rate limit inside the stream',
      fault: { type: 'stream_error', error: { code: 429, message: 'Rate limited' } },
      kind: 'rate_limit',
    },
    {
      title: 'with an overload inside the stream',
      fault: { type: 'stream_error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      kind: 'overloaded',
    },
  ];

  it.each(table)('$title is $kind', async ({ fault, kind, options }) => {
    fake.fail(fault);
    expect((await failure(model(options))).kind).toBe(kind);
    expect(fake.requests).toHaveLength(1); // the client must not retry by itself
  });

  it('keeps the time that the provider asks to wait', async () => {
    fake.fail({ type: 'status', status: 429, headers: { 'retry-after': '12' } });
    expect((await failure(model())).retryAfterMs).toBe(12_000);
  });

  it('because nobody listens says so', async () => {
    const address = fake.base;
    await fake.close();
    const error = await failure(model({ baseUrl: address }));
    expect(error).toMatchObject({ kind: 'connection', message: expect.stringMatching(/nothing answers at its address/) });
  });

  it('slowly is no failure as long as something comes', async () => {
    fake.fail({ type: 'drip', intervalMs: 60 });
    const events = await collect(model({ idleTimeoutMs: 300 }));
    expect(events.at(-1)).toEqual({ type: 'done', finish: 'stop' });
  });
});

describe('an abort', () => {
  it.each(['hang', 'stall'] as const)('ends a request that would %s, with the caller’s reason', async (type) => {
    fake.fail({ type });
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('stopped by the user')), 50);
    await expect(collect(model(), request(), controller.signal)).rejects.toThrow('stopped by the user');
  });

  it('before the request sends nothing', async () => {
    await expect(collect(model(), request(), AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
    expect(fake.requests).toHaveLength(0);
  });
});

describe('images', () => {
  let directory: string;
  const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'images-'));
  });

  afterEach(() => rm(directory, { recursive: true }));

  async function image(name: string, bytes: Buffer) {
    const file = path.join(directory, name);
    await writeFile(file, bytes);
    return { type: 'image' as const, path: file, mime: 'image/png', note: `[${name}]` };
  }

  /** What the model was shown: "text" or the beginning of the data URL. */
  function shown(): string[] {
    const content = fake.requests.at(-1)?.messages.at(-1)?.content ?? '';
    if (typeof content === 'string') return [content];
    return content.map((part) => part.text ?? part.image_url?.url.slice(0, 22) ?? '');
  }

  function pngHeader(width: number, height: number): Buffer {
    const header = Buffer.from(png);
    header.writeUInt32BE(width, 16);
    header.writeUInt32BE(height, 20);
    return header;
  }

  it('go along as data of the kind that they are', async () => {
    const content = [{ type: 'text' as const, text: 'what is this?' }, await image('photo.jpg', png)];
    await collect(model(), request([{ role: 'user', content }]));
    expect(shown()).toEqual(['what is this?', 'data:image/png;base64,']);
  });

  it.each([
    { what: 'empty', bytes: Buffer.alloc(0), why: /not a PNG/ },
    { what: 'HEIC', bytes: Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'), why: /not a PNG/ },
    { what: 'larger than 4 MB', bytes: Buffer.concat([png, Buffer.alloc(5 * 1024 * 1024)]), why: /larger than 4 MB/ },
    { what: 'wider than 8,000 pixels', bytes: pngHeader(10_000, 800), why: /more than 8000 pixels/ },
  ])('that are $what are replaced by their note and the reason', async ({ bytes, why }) => {
    await collect(model(), request([{ role: 'user', content: [await image('odd.png', bytes)] }]));
    expect(shown()[0]).toMatch(/^\[odd.png\] \(not shown to you: /);
    expect(shown()[0]).toMatch(why);
  });

  it('that are gone are replaced by their note', async () => {
    const content = [{ type: 'image' as const, path: path.join(directory, 'gone.png'), mime: 'image/png', note: '[gone]' }];
    await collect(model(), request([{ role: 'user', content }]));
    expect(shown()).toEqual(['[gone] (not shown to you: the file is gone)']);
  });

  it('beyond twenty are replaced, the oldest ones', async () => {
    const content = await Promise.all(Array.from({ length: 60 }, (_, index) => image(`${index}.png`, png)));
    await collect(model(), request([{ role: 'user', content }]));
    const urls = shown().map((part) => part.startsWith('data:'));
    expect(urls).toEqual([...Array(40).fill(false), ...Array(20).fill(true)]);
  });

  it('beyond 20 MB together are replaced, the oldest ones', async () => {
    const large = Buffer.concat([png, Buffer.alloc(3.5 * 1024 * 1024)]);
    const content = await Promise.all(Array.from({ length: 8 }, (_, index) => image(`${index}.png`, large)));
    await collect(model(), request([{ role: 'user', content }]));
    expect(shown().filter((part) => part.startsWith('data:'))).toHaveLength(5);
    expect(shown()[0]).toMatch(/\[0.png\].*together are too large/);
  });
});

describe('a whole run over the wire', () => {
  it('calls a tool and answers', async () => {
    fake.reply((body) =>
      body.messages.at(-1)?.role === 'tool' ? { text: 'It says: look up' } : { calls: [{ name: 'look', args: { value: 'up' } }] },
    );
    const { outcome } = await runToEnd({ model: model(), tools: [testTool({ name: 'look' })] });
    expect(outcome).toMatchObject({ status: 'completed', text: 'It says: look up', steps: 2 });
    expect(fake.requests[0]?.tools?.[0]?.function.parameters).toEqual({ type: 'object', properties: { value: { type: 'string' } } });
  });

  it('goes on over a conversation that a strict provider would refuse', async () => {
    const transcript = [
      result('orphan'),
      userText('one'),
      userText('two'),
      assistant('', [call('bad id!', 'no such tool', '{"half'), call('bad id!', 'look')]),
      userText(''),
      assistant(''),
      userText('three'),
    ];
    const { outcome } = await runToEnd({ model: model(), transcript });
    expect(outcome).toMatchObject({ status: 'completed', text: expect.stringMatching(/three$/) });
  });
});
