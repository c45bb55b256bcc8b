import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ChatRef, DeliveryError } from '../../../adapters/adapter.ts';
import type { ServerFrame } from '../../../adapters/web/codec.ts';
import { webPlatform } from '../../../adapters/web/platform.ts';
import { EchoGateway } from '../../page/echo-gateway.ts';
import { cookieFor, PageClient } from '../../page/page-client.ts';
import { createMemoryStore } from './memory-store.ts';

const signal = AbortSignal.timeout(60_000);
const chat: ChatRef = { platform: 'web', account: 'main', chat: 'main' };
const text = (markdown: string, to = chat) => ({ type: 'text', chat: to, markdown }) as const;
const isOpened = (frame: ServerFrame) => frame.type === 'opened';
const textsOf = (client: PageClient) => client.entries().map((entry) => (entry.type === 'text' ? entry.markdown : entry.type));

let gateway: EchoGateway;
beforeEach(async () => {
  gateway = await new EchoGateway().start();
});
afterEach(() => gateway.stop());

async function opened(target = gateway): Promise<PageClient> {
  const client = await PageClient.open(target);
  client.send({ type: 'open', chat: 'main', epoch: '', seen: 0 });
  await client.until((frame): frame is ServerFrame => isOpened(frame));
  return client;
}

/** Waits until both have handled what was sent before. */
async function settled(client: PageClient): Promise<void> {
  const before = client.frames.filter((frame) => frame.type === 'pong').length;
  client.send({ type: 'ping' });
  await vi.waitFor(() => expect(client.frames.filter((frame) => frame.type === 'pong').length).toBe(before + 1));
}

describe('a message from the page', () => {
  it('is in the log and with the gateway before it is acknowledged', async () => {
    const client = await opened();
    client.message('message-1', 'hello');
    await client.ack('message-1');
    expect(gateway.inbox).toMatchObject([
      { event: 'message-1', text: 'hello', chat, chatType: 'dm', sender: { id: 'owner', isBot: false }, mentioned: true, message: '1' },
    ]);
    const order = client.frames.map((frame) => frame.type).filter((type) => type === 'entry' || type === 'ack');
    expect(order.indexOf('entry')).toBeLessThan(order.indexOf('ack'));
  });

  it('that comes again under its id reaches the gateway once and is acknowledged again', async () => {
    const client = await opened();
    client.message('message-1', 'hello');
    client.message('message-1', 'hello');
    await vi.waitFor(() => expect(client.frames.filter((frame) => frame.type === 'ack')).toHaveLength(2));
    expect(gateway.inbox).toHaveLength(1);
    expect(client.entries().filter((entry) => entry.type === 'user')).toHaveLength(1);
  });

  it('that the gateway cannot store is not acknowledged, and goes through when sent again', async () => {
    const client = await opened();
    gateway.broken = true;
    client.message('message-1', 'hello');
    await client.until((frame): frame is ServerFrame => frame.type === 'retry');
    expect(client.frames.some((frame) => frame.type === 'ack')).toBe(false);
    gateway.broken = false;
    client.message('message-1', 'hello');
    await client.ack('message-1');
    expect(gateway.inbox).toHaveLength(1);
    expect(client.entries().filter((entry) => entry.type === 'user')).toHaveLength(1);
  });

  it('that reached the log and not the gateway before a crash is offered at the next start, without the page', async () => {
    const client = await opened();
    gateway.broken = true;
    client.message('message-1', 'hello');
    await client.until((frame): frame is ServerFrame => frame.type === 'retry');
    await gateway.stop();
    gateway.broken = false;
    await gateway.start();
    expect(gateway.inbox.map(({ text: words }) => words)).toEqual(['hello']);
  });
});

describe('what is sent to the page', () => {
  it('waits in the log when no page is open', async () => {
    await gateway.adapter.send(text('while you were away'), 'key-1', signal);
    expect(textsOf(await opened())).toEqual(['while you were away']);
  });

  it('under the same key is the same message, also after a restart', async () => {
    const first = await gateway.adapter.send(text('once'), 'key-1', signal);
    await gateway.stop();
    await gateway.start();
    expect(await gateway.adapter.send(text('once'), 'key-1', signal)).toEqual(first);
    expect(textsOf(await opened())).toEqual(['once']);
  });

  it('is edited in place, in every open page', async () => {
    const pages = [await opened(), await opened()];
    const progress = {
      type: 'progress',
      chat,
      steps: [{ tool: 'terminal', preview: 'ls', state: 'running' }],
      elapsedMs: 1,
      done: false,
    } as const;
    const ref = await gateway.adapter.send(progress, 'key-1', signal);
    await gateway.adapter.edit?.(ref, { ...progress, done: true, elapsedMs: 900 }, signal);
    for (const page of pages) {
      await settled(page);
      expect(page.entries()).toMatchObject([{ type: 'progress', done: true, elapsedMs: 900 }]);
    }
  });

  it('as a preview is shown while it is written, to a page that comes late too, and never kept', async () => {
    const early = await opened();
    for (const markdown of ['Hel', 'Hello', 'Hello, wor', 'Help']) await gateway.adapter.preview?.(chat, 'answer', markdown, signal);
    const late = await opened();
    await settled(early);
    await settled(late);
    expect([shownPreview(early), shownPreview(late)]).toEqual(['Help', 'Help']);
    await gateway.adapter.send(text('Help yourself'), 'key-1', signal);
    const after = await opened();
    await settled(after);
    expect(shownPreview(after)).toBe('');
  });

  it('refuses for good what it cannot show', async () => {
    const file = { type: 'file', chat, path: '/x', name: 'x', mime: 'text/plain', kind: 'file' } as const;
    for (const message of [file, text('x', { ...chat, chat: '../x' }), text('x', { ...chat, chat: '__proto__' })]) {
      const error = await gateway.adapter.send(message, 'key-1', signal).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(DeliveryError);
      expect(error).toMatchObject({ kind: 'rejected', certain: true });
    }
    await expect(gateway.adapter.edit?.({ chat, id: '99' }, text('x'), signal)).rejects.toThrow(DeliveryError);
  });

  it('stops with its signal', async () => {
    const stopped = AbortSignal.abort(new Error('stopped'));
    await expect(gateway.adapter.send(text('x'), 'key-1', stopped)).rejects.toThrow('stopped');
    expect(textsOf(await opened())).toEqual([]);
  });
});

describe('a page that comes back', () => {
  it('gets exactly what it missed, and nothing twice', async () => {
    const client = await opened();
    await gateway.adapter.send(text('one'), 'key-1', signal);
    await settled(client);
    const { version } = client.entries().at(-1) ?? { version: 0 };
    const welcome = client.frames.find((frame) => frame.type === 'welcome');
    await client.close();
    await gateway.adapter.send(text('two'), 'key-2', signal);
    await gateway.adapter.send(text('three'), 'key-3', signal);
    const back = await PageClient.open(gateway);
    back.send({ type: 'open', chat: 'main', epoch: welcome?.type === 'welcome' ? welcome.epoch : '', seen: version });
    await back.until((frame): frame is ServerFrame => isOpened(frame));
    expect(textsOf(back)).toEqual(['two', 'three']);
  });

  it('keeps its place over a restart of the gateway on the same home', async () => {
    const store = createMemoryStore();
    const first = await new EchoGateway({ store }).start();
    const welcomeOf = async (target: EchoGateway) => {
      const client = await PageClient.open(target);
      return client.until((frame): frame is Extract<ServerFrame, { type: 'welcome' }> => frame.type === 'welcome');
    };
    const before = await welcomeOf(first);
    await first.stop();
    const second = await new EchoGateway({ store }).start();
    expect((await welcomeOf(second)).epoch).toBe(before.epoch);
    await second.stop();
  });
});

describe('hostile frames', () => {
  it.each([
    ['malformed', '{"type":"message"'],
    ['of another protocol', '{"type":"tool_result","content":"x"}'],
    ['to a prototype key', '{"type":"open","chat":"__proto__","epoch":"","seen":0}'],
  ])('%s end their own connection and no other', async (_name, data) => {
    const [bystander, attacker] = [await opened(), await opened()];
    attacker.raw(data);
    expect(await attacker.closed).toBe(1007);
    bystander.message('message-1', 'still here');
    await bystander.ack('message-1');
  });

  it('of binary data end their own connection', async () => {
    const attacker = await opened();
    attacker.raw(new Uint8Array([123, 125]));
    expect(await attacker.closed).toBe(1007);
  });

  it('larger than a message can be end their own connection', async () => {
    const [bystander, attacker] = [await opened(), await opened()];
    attacker.raw('x'.repeat(1024 * 1024 + 1));
    expect(await attacker.closed).toBe(1009);
    await settled(bystander);
  });

  it('in a flood end their own connection', async () => {
    const [bystander, attacker] = [await opened(), await opened()];
    for (let count = 0; count < 400; count++) attacker.raw('{"type":"ping"}');
    expect(await attacker.closed).toBe(1008);
    await settled(bystander);
  });

  it('without a sign-in never reach the adapter', async () => {
    const client = new PageClient(gateway.url, 'hermes_00000000=x');
    expect(await client.closed).toBe(1006);
    expect(client.frames).toEqual([]);
  });
});

describe('the connection of the page', () => {
  it('ends when the person signs out, in every tab', async () => {
    const cookie = await cookieFor(gateway);
    const tabs = [await PageClient.open(gateway, cookie), await PageClient.open(gateway, cookie)];
    const other = await opened();
    const { origin } = new URL(gateway.url);
    const headers = { origin, cookie, 'content-type': 'application/json' };
    await fetch(new URL('/api/sign-out', gateway.url), { method: 'POST', headers, body: '{}' });
    expect(await Promise.all(tabs.map((tab) => tab.closed))).toEqual([1006, 1006]);
    await settled(other);
  });

  it('ends in order when the gateway stops', async () => {
    const client = await opened();
    await gateway.stop();
    expect(await client.closed).toBe(1001);
    await gateway.start();
  });

  it('shows health: it is alive from the start, at every frame and every 15 s', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const alive = vi.fn();
    const states: string[] = [];
    const { create } = await webPlatform.load();
    const log = { info: () => {}, warn: () => {} };
    const report = { state: (state: string) => states.push(state), alive, log };
    const host = { ...report, account: 'main', receive: () => {}, sent: () => undefined, store: createMemoryStore() };
    const stop = new AbortController();
    const running = create(webPlatform.schema.parse({}), host, []).run(stop.signal);
    expect([states, alive.mock.calls.length]).toEqual([['connected'], 1]);
    vi.advanceTimersByTime(45_000);
    expect(alive).toHaveBeenCalledTimes(4);
    stop.abort();
    await running;
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });
});

function shownPreview(client: PageClient): string {
  let shown = '';
  for (const frame of client.frames) if (frame.type === 'preview') shown = shown.slice(0, frame.at) + frame.text;
  return shown;
}
