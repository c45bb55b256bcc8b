import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import type { Message } from '../../agent/message.ts';
import { createFakePlatform } from '../fakes/platform.ts';
import { startGateway, until } from './support/gateway.ts';
import { message } from './support/inbound.ts';
import { lastText, never, type Script, scriptedModel } from './support/model.ts';
import { pausingTool } from './support/tools.ts';

/** Hangs on "long", after it has said a few words; answers everything else. */
const patient: Script = (request, signal) =>
  lastText(request.messages).includes('long') ? never(signal) : `echo: ${lastText(request.messages)}`;

const interrupting = { display: { busyMode: 'interrupt' } } as const;

function isValid(messages: readonly Message[]): boolean {
  const calls = messages.flatMap((entry) => (entry.role === 'assistant' ? entry.calls.map(({ id }) => id) : []));
  const results = messages.flatMap((entry) => (entry.role === 'tool' ? [entry.callId] : []));
  return calls.join() === results.join();
}

describe('a message while a turn runs', () => {
  it('interrupts it, and several become one next turn', async () => {
    const model = scriptedModel(patient);
    const gateway = await startGateway({ model, change: interrupting });
    gateway.say('ann', 'a long story');
    await vi.waitFor(() => expect(model.requests).toHaveLength(1));
    gateway.receive([message('no'), message('tell me a joke'), message('a short one')]);
    expect(await gateway.answered('ann', 1)).toEqual(['echo: no\ntell me a joke\na short one']);
    await gateway.idle();
    expect(model.requests).toHaveLength(2);
  });

  it('interrupts running tools with all that they started, and leaves a valid transcript', async () => {
    const { tool, ended } = pausingTool();
    const script: Script = (request) =>
      lastText(request.messages) === 'work'
        ? [
            { type: 'call', call: { id: 'a', name: 'pause', arguments: '{}' } },
            { type: 'call', call: { id: 'b', name: 'pause', arguments: '{}' } },
            { type: 'done', finish: 'calls' },
          ]
        : 'the new thing';
    const gateway = await startGateway({ model: scriptedModel(script), tools: [tool], change: interrupting });
    gateway.say('ann', 'work');
    await until(
      () => ended.started === 1,
      () => 'the tool has not begun',
    );
    gateway.say('ann', 'something new');
    expect(await gateway.answered('ann', 1)).toEqual(['the new thing']);
    expect(ended).toEqual({ started: 1, ended: 1 });
    const session = gateway.store.sessions.open('agent:main:fake:dm:ann')?.id ?? '';
    const transcript = gateway.store.transcript.read(session);
    expect(isValid(transcript)).toBe(true);
    const statuses = transcript.flatMap((entry) => (entry.role === 'tool' ? [entry.status] : []));
    expect(statuses).toEqual(['interrupted', 'skipped']);
  });

  it('keeps what was said until then, in the chat and for the model', async () => {
    const script: Script = async (request) => {
      const last = lastText(request.messages);
      return `echo: ${last}`;
    };
    const base = scriptedModel(script);
    const model = {
      ...base,
      async *stream(request: Parameters<typeof base.stream>[0], signal: AbortSignal) {
        if (lastText(request.messages) === 'long') {
          yield { type: 'text.delta', text: 'Once upon a time' } as const;
          await never(signal);
        }
        yield* base.stream(request, signal);
      },
    };
    const gateway = await startGateway({ model, change: interrupting });
    gateway.say('ann', 'long');
    await until(
      () => gateway.platform.calls.some(({ kind, text }) => kind === 'preview' && text === 'Once upon a time'),
      () => 'nothing is shown yet',
    );
    gateway.say('ann', 'stop that');
    expect(await gateway.answered('ann', 2)).toEqual(['Once upon a time\n\n✂️ _(interrupted)_', 'echo: stop that']);
    const heard = base.requests.at(-1)?.messages.map((entry) => (entry.role === 'assistant' ? entry.text : entry.role));
    expect(heard?.[1]).toMatch(/^Once upon a time\n\n\[The person wrote something new/);
  });

  it('waits where the chat queues, and what waited is one next turn', async () => {
    const gate = Promise.withResolvers<void>();
    const model = scriptedModel(async (request) => {
      if (lastText(request.messages) === 'first') await gate.promise;
      return `echo: ${lastText(request.messages)}`;
    });
    const gateway = await startGateway({ model, change: { display: { busyMode: 'queue' } } });
    gateway.say('ann', 'first');
    await vi.waitFor(() => expect(model.requests).toHaveLength(1));
    gateway.say('ann', 'second');
    gateway.say('ann', 'third');
    gateway.say('ann', '/queue fourth');
    gate.resolve();
    expect((await gateway.answered('ann', 4)).filter((text) => text.startsWith('echo'))).toEqual([
      'echo: first',
      'echo: second\nthird',
      'echo: fourth',
    ]);
  });

  it('is heard with the next tool result where the chat steers, and not answered again', async () => {
    const gate = Promise.withResolvers<void>();
    const { tool } = pausingTool(gate.promise);
    const model = scriptedModel((request) => {
      const last = request.messages.at(-1);
      return last?.role === 'user' && lastText(request.messages) === 'work' ? { call: 'pause' } : `heard: ${lastText(request.messages)}`;
    });
    const gateway = await startGateway({ model, tools: [tool], change: { display: { busyMode: 'steer' } } });
    gateway.say('ann', 'work');
    await vi.waitFor(() => expect(gateway.platform.calls.length + model.requests.length).toBeGreaterThan(0));
    await until(
      () => gateway.store.turns.runningLanes().length === 1 && model.requests.length === 1,
      () => 'the turn has not begun',
    );
    gateway.say('ann', 'use the blue one');
    gateway.say('ann', '/steer and quickly');
    gate.resolve();
    await gateway.idle();
    expect(gateway.answers('ann').filter((text) => text.startsWith('heard'))).toEqual(['heard: use the blue one\nand quickly']);
    expect(gateway.store.inbox.countOpen()).toBe(0);
  });

  it('that steers a turn which calls no more tools becomes the next turn', async () => {
    const gate = Promise.withResolvers<void>();
    const model = scriptedModel(async (request) => {
      if (lastText(request.messages) === 'first') await gate.promise;
      return `echo: ${lastText(request.messages)}`;
    });
    const gateway = await startGateway({ model, change: { display: { busyMode: 'steer' } } });
    gateway.say('ann', 'first');
    await vi.waitFor(() => expect(model.requests).toHaveLength(1));
    gateway.say('ann', 'second');
    gate.resolve();
    expect(await gateway.answered('ann', 2)).toEqual(['echo: first', 'echo: second']);
  });

  it('is acknowledged once in half a minute, and not at all where that is switched off', async () => {
    const change = { display: { busyMode: 'queue' }, everywhere: { busyAck: true } } as const;
    const gateway = await startGateway({ model: scriptedModel(patient), change });
    gateway.say('ann', 'long');
    await vi.waitFor(() => expect(gateway.store.turns.runningLanes()).toHaveLength(1));
    gateway.say('ann', 'one');
    gateway.say('ann', 'two');
    expect(await gateway.answered('ann', 1)).toEqual([expect.stringMatching(/still at work; this comes next/)]);
    gateway.say('ann', '/stop');
    await gateway.idle();
    expect(gateway.answers('ann').filter((text) => text.includes('comes next'))).toHaveLength(1);
  });

  it('does what the chat itself has chosen', async () => {
    const model = scriptedModel(patient);
    const gateway = await startGateway({
      model,
      change: { display: { busyMode: 'queue' } },
      before: (store) => store.chats.set('agent:main:fake:dm:ann', { busy: 'interrupt' }),
    });
    gateway.say('ann', 'long');
    await vi.waitFor(() => expect(model.requests).toHaveLength(1));
    gateway.say('ann', 'short');
    expect(await gateway.answered('ann', 1)).toEqual(['echo: short']);
  });

  it('that came just before a kill interrupts the turn at the next start, too', async () => {
    const model = scriptedModel(patient);
    const first = await startGateway({ model, change: interrupting });
    first.say('ann', 'long');
    await vi.waitFor(() => expect(model.requests).toHaveLength(1));
    first.say('ann', 'short');
    const home = first.kill();
    const second = await startGateway({ home, platform: first.platform, model: scriptedModel(patient), change: interrupting });
    expect(await second.answered('ann', 1)).toEqual(['echo: short']);
    await second.idle();
  });
});

describe('a photo that is still being fetched', () => {
  const photo = { kind: 'image', handle: 'cat.png', name: 'cat.png' } as const;
  const slowly = () => createFakePlatform({ files: { 'cat.png': () => new Readable({ read: () => undefined }) } });

  it('is one turn with the words that come meanwhile', async () => {
    let opened = 0;
    const platform = createFakePlatform({
      files: {
        'cat.png': () => {
          opened += 1;
          return opened === 1 ? new Readable({ read: () => undefined }) : Readable.from([Buffer.from('bytes')]);
        },
      },
    });
    const model = scriptedModel(patient);
    const gateway = await startGateway({ model, platform, change: interrupting });
    gateway.receive([message('my cat', { attachments: [photo] })]);
    await until(
      () => opened === 1,
      () => 'nothing is fetched',
    );
    gateway.receive([message('what breed is it?')]);
    const [answer = ''] = await gateway.answered('ann', 1);
    expect(answer).toContain('my cat');
    expect(answer).toContain('cat.png');
    expect(answer).toContain('what breed is it?');
    await gateway.idle();
    expect(model.requests).toHaveLength(1);
  });

  it('stays in the conversation by its name when the turn is stopped', async () => {
    const model = scriptedModel(patient);
    const gateway = await startGateway({ model, platform: slowly(), change: interrupting });
    gateway.receive([message('my cat', { attachments: [photo] })]);
    await until(
      () => gateway.platform.calls.some(({ kind }) => kind === 'fetch'),
      () => 'nothing is fetched',
    );
    gateway.say('ann', '/stop');
    await gateway.idle();
    const session = gateway.store.sessions.open('agent:main:fake:dm:ann')?.id ?? '';
    const [first] = gateway.store.transcript.read(session);
    expect(JSON.stringify(first)).toMatch(/my cat.*image cat\.png: not fetched, because the turn ended before/);
  });
});

describe('a message while the gateway stops', () => {
  it('interrupts nothing and is read after the start', async () => {
    const gate = Promise.withResolvers<void>();
    const model = scriptedModel(async (request) => {
      if (lastText(request.messages) === 'first') await gate.promise;
      return `echo: ${lastText(request.messages)}`;
    });
    const change = { ...interrupting, everywhere: { busyAck: true } };
    const first = await startGateway({ model, change, rules: { drainMs: 5000 } });
    first.say('ann', 'first');
    await vi.waitFor(() => expect(model.requests).toHaveLength(1));
    const stopping = first.stop();
    first.say('ann', 'second');
    gate.resolve();
    await stopping;
    expect(first.answers('ann')).toEqual(['🔄 I am being stopped or restarted; I read this as soon as I am back.', 'echo: first']);
    const second = await startGateway({ home: first.home, platform: first.platform, model, change });
    expect((await second.answered('ann', 3))[2]).toBe('echo: second');
  });
});

describe('/stop', () => {
  it('keeps what waits and runs it next', async () => {
    const model = scriptedModel(patient);
    const gateway = await startGateway({ model, change: { display: { busyMode: 'queue' } } });
    gateway.say('ann', 'long');
    await vi.waitFor(() => expect(model.requests).toHaveLength(1));
    gateway.say('ann', 'then this');
    gateway.say('ann', '/stop');
    expect(await gateway.answered('ann', 2)).toEqual(['🛑 Stopped.', 'echo: then this']);
  });
});
