/** Providers cache what a request begins with: each request of a session begins with the whole one before it, but at declared breaks. */
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Attachment } from '../../adapters/adapter.ts';
import { ModelError, type ModelRequest } from '../../agent/model.ts';
import { createImageReader } from '../../agent/models/images.ts';
import { encodeRequest } from '../../agent/models/openai-codec.ts';
import { createFakePlatform } from '../fakes/platform.ts';
import { keyOf, reply, sessionOf, talk } from './commands/support.ts';
import { type Gateway, type GatewayOptions, startGateway, until } from './support/gateway.ts';
import { temporaryHome } from './support/home.ts';
import { lastResults, lastText, never, type Reaction, type Script, scriptedModel } from './support/model.ts';
import { realPrompts } from './support/prompts.ts';
import { countedTool, pausingTool } from './support/tools.ts';

const photo: Attachment = { kind: 'image', handle: 'x', mime: 'image/png', name: 'cat.png' };
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

interface Recorded {
  readonly request: ModelRequest;
  /** How often the prompt had been built by then. */
  readonly builds: number;
  /** Of which process. */
  readonly start: number;
}

interface Scene {
  readonly recorded: Recorded[];
  gateway: Gateway;
  /** Pauses that have begun. */
  readonly paused: { started: number };
  /** The process stops, or is killed, and another one takes up what it left. */
  again(kill?: true): Promise<void>;
}

const twoLooks: Reaction = [
  { type: 'call', call: { id: '', name: 'look', arguments: '{"n": 1' } },
  { type: 'call', call: { id: '', name: 'look', arguments: '{"n": 2}' } },
  { type: 'done', finish: 'calls' },
];

/** What the model does, by the first word that was said last. */
const acts: Readonly<Record<string, (results: number, signal: AbortSignal) => Reaction | Promise<Reaction>>> = {
  look: (results) => (results < 2 ? { call: 'look', args: { n: results } } : 'seen'),
  both: (results) => (results === 0 ? twoLooks : 'both seen'),
  remember: (results) => (results === 0 ? { call: 'memory', args: { action: 'add', content: 'likes tea' } } : 'noted'),
  project: (results) => (results === 0 ? { call: 'project' } : 'written'),
  steered: (results) => (results === 0 ? { call: 'slow' } : 'heard'),
  wait: (results) => (results === 0 ? { call: 'pause' } : 'waited'),
  think: (_results, signal) => never(signal),
  fail: () => new ModelError('auth', 'The key is refused.'),
  again: () => ({ call: 'look' }),
  empty: () => '',
};

const acting: Script = (request, signal) => {
  if (request.withoutCalls === true) return 'that is all';
  const said = lastText(request.messages);
  const act = acts[said.split(' ')[0] ?? ''];
  return act?.(lastResults(request.messages).length, signal) ?? `echo: ${said.slice(0, 20)}`;
};

interface SceneOptions {
  readonly windowTokens?: number;
  readonly script?: Script;
}

async function begin({ windowTokens = 100_000, script = acting }: SceneOptions = {}): Promise<Scene> {
  const home = temporaryHome();
  writeFileSync(path.join(home, 'SOUL.md'), 'You are Ada.');
  const recorded: Recorded[] = [];
  let start = 0;
  const model = scriptedModel(
    (request, signal) => {
      const { store } = scene.gateway;
      const builds = store.prompts.get(store.sessions.open(keyOf())?.id ?? '')?.builds ?? 0;
      recorded.push({ request: structuredClone(request), builds, start });
      return script(request, signal);
    },
    { vision: true },
  );
  const { tools, paused } = toolsOf(() => scene.gateway);
  const { prompts, memory } = realPrompts(home);
  const [large, small] = [
    { ...model, windowTokens },
    { ...model, windowTokens, name: 'small' },
  ];
  const models = { get: (name?: string) => (name === 'small' ? small : large), choices: ['small'], approver: large, demo: false };
  const options: GatewayOptions = {
    home,
    platform: createFakePlatform({ config: { allowed_users: ['ann'] }, files: { x: () => Readable.from([png]) } }),
    tools: [...tools, memory],
    prompts,
    maxSteps: 6,
    change: { agent: { models }, display: { busyMode: 'interrupt' } },
  };
  const scene: Scene = {
    recorded,
    gateway: await startGateway(options),
    paused,
    again: async (kill) => {
      if (kill !== true) await scene.gateway.stop();
      const left = kill === true ? scene.gateway.kill() : home;
      start += 1;
      scene.gateway = await startGateway({ ...options, home: left });
    },
  };
  return scene;
}

function toolsOf(gateway: () => Gateway) {
  const look = countedTool('look', 'read');
  const project = countedTool('project', 'write', (_args, { session }) => {
    writeFileSync(path.join(session.workspace, 'AGENTS.md'), 'Always use pnpm.');
    return { content: 'written' };
  });
  const slow = countedTool('slow', 'read', async () => {
    const isSteered = () =>
      gateway()
        .store.inbox.pending(keyOf())
        .some(({ mode }) => mode === 'steer');
    await until(isSteered, () => 'nobody steers');
    return { content: 'slow' };
  });
  const big = countedTool('big', 'read', () => ({ content: 'z'.repeat(9_000) }));
  const { tool: pause, ended: paused } = pausingTool();
  return { tools: [look.tool, project.tool, slow.tool, big.tool, pause], paused };
}

async function wire(request: ModelRequest): Promise<readonly unknown[]> {
  return encodeRequest('m', request, await createImageReader().read(request.messages)).messages;
}

/** Returns the requests that do not begin with the one before them: each was declared. */
async function breaksOf(recorded: readonly Recorded[]): Promise<readonly Recorded[]> {
  const breaks: Recorded[] = [];
  for (const [index, next] of recorded.entries()) {
    const last = recorded[index - 1];
    if (last === undefined) continue;
    if (next.builds !== last.builds) {
      breaks.push(next);
      continue;
    }
    expect(next.request.system).toBe(last.request.system);
    expect(JSON.stringify(next.request.tools)).toBe(JSON.stringify(last.request.tools));
    const [before, after] = [await wire(last.request), await wire(next.request)];
    expect(after.slice(0, before.length)).toEqual(before);
    if (next.start === last.start) expect(after.length).toBeGreaterThan(before.length); // a request that a kill cut is made again
  }
  return breaks;
}

/** Says something and waits until the model, or the tool that it calls, is at work on it. */
async function during({ gateway, recorded, paused }: Scene, text: string): Promise<void> {
  const [requests, pauses] = [recorded.length, paused.started];
  gateway.say('ann', text);
  const isAtWork = () => (text.startsWith('wait') ? paused.started > pauses : recorded.length > requests);
  await until(isAtWork, () => `"${text}" was not begun`);
}

describe('a long conversation', () => {
  it('with tools, notes, steering, interrupts, images and restarts only ever grows at its end', async () => {
    const scene = await begin();
    await talk(scene.gateway, 'hello', 'look around', 'both of them', 'remember that I like tea', 'project please', 'empty', 'again');
    writeFileSync(path.join(scene.gateway.home, 'SOUL.md'), 'You are Eve.');
    await reply(scene.gateway, 'what is this?', { attachments: [photo] });
    await reply(scene.gateway, 'and this?', { replyTo: { message: '1', author: 'Bob', fromBot: false, text: 'the plan' } });
    scene.gateway.say('ann', 'steered by me');
    await until(
      () => scene.recorded.at(-1)?.request.messages.at(-1)?.role === 'user',
      () => 'not begun',
    );
    scene.gateway.say('ann', '/steer and quickly');
    await scene.gateway.idle();
    for (const text of ['think hard', 'wait for me']) {
      await during(scene, text);
      await reply(scene.gateway, 'never mind');
      await scene.gateway.idle();
    }
    await during(scene, 'wait for me');
    await reply(scene.gateway, '/stop');
    await talk(scene.gateway, 'what now?', 'fail now', 'does it work again?');
    await scene.again();
    await talk(scene.gateway, 'are you back?');
    for (const text of ['wait for me', 'think hard']) {
      await during(scene, text);
      await scene.again(true);
      if (text === 'think hard')
        await until(
          () => scene.recorded.at(-1)?.start === 3,
          () => 'not taken up',
        );
      await talk(scene.gateway, 'still there?');
    }
    await scene.gateway.idle();
    const [first] = scene.recorded;
    expect(await breaksOf(scene.recorded)).toEqual([]);
    expect(scene.recorded.length).toBeGreaterThan(30);
    expect(first?.request.system).toContain('You are Ada.');
    const last = JSON.stringify(scene.recorded.at(-1)?.request.messages);
    for (const part of ['limit of 6 steps', 'last answer was empty', 'the plan', 'and quickly', 'outcome unknown', 'I like tea']) {
      expect(last).toContain(part);
    }
    expect(await wire(scene.recorded.at(-1)?.request ?? { system: '', messages: [], tools: [] })).toContainEqual(
      expect.objectContaining({ content: expect.arrayContaining([expect.objectContaining({ type: 'image_url' })]) }),
    );
  });

  it('breaks where it is told to, and then knows what has changed meanwhile', async () => {
    const scene = await begin({ windowTokens: 20_000 });
    const { gateway, recorded } = scene;
    const long = ['one', 'two', 'three'].map((word) => `${word} ${'y'.repeat(8_000)}`);
    await talk(gateway, 'hello', 'remember that I like tea', 'project please', ...long);
    writeFileSync(path.join(gateway.home, 'SOUL.md'), 'You are Eve.');
    await talk(gateway, 'who are you?');
    expect(recorded.at(-1)?.request.system).not.toMatch(/Eve|likes tea|pnpm/);
    const declared = ['/personality pirate', '/model small', '/compress'];
    for (const command of declared) {
      await talk(gateway, command, 'and now?', 'go on');
    }
    const breaks = await breaksOf(recorded);
    expect(breaks.map(({ builds }) => builds)).toEqual([2, 3, 4]);
    expect(breaks[0]?.request.system).toMatch(/^You are Eve\.[\s\S]*Always use pnpm\.[\s\S]*likes tea[\s\S]*old sea captain/);
    expect(breaks[1]?.request.system).toContain('The model that you are: small.');
    expect(breaks[2]?.request.messages.length).toBeLessThan(breaks[1]?.request.messages.length ?? 0);
  });

  it('goes on as it was where a command changes nothing that it begins with', async () => {
    const scene = await begin();
    await talk(scene.gateway, 'hello', '/title Tea', '/usage', '/reasoning high', '/verbose all', '/status', '/personality', 'and now?');
    expect(await breaksOf(scene.recorded)).toEqual([]);
    expect(scene.recorded).toHaveLength(2);
  });

  it('that outgrows the window breaks seldom, and each time with a prompt of its own', async () => {
    const scene = await begin({ windowTokens: 5_000, script: () => 'x'.repeat(400) });
    for (let turn = 0; turn < 40; turn += 1) await talk(scene.gateway, `question ${turn} ${'y'.repeat(400)}`);
    const breaks = await breaksOf(scene.recorded);
    expect(breaks.length).toBeGreaterThan(1);
    expect(breaks.length).toBeLessThan(15);
    await scene.again();
    await talk(scene.gateway, 'short', 'shorter');
    expect((await breaksOf(scene.recorded)).length - breaks.length).toBeLessThan(2);
  });

  it('whose turn is too big by itself breaks where results are shortened or left out', async () => {
    const script: Script = ({ messages, withoutCalls }) =>
      withoutCalls === true ? 'enough' : { call: 'big', args: { n: messages.length } };
    const scene = await begin({ windowTokens: 8_000, script });
    scene.gateway.say('ann', 'go');
    await scene.gateway.idle();
    await breaksOf(scene.recorded);
    expect(scene.recorded.length).toBeGreaterThan(6);
  });

  it('in which an image was refused breaks once for it, not in each turn', async () => {
    const script: Script = ({ messages }) =>
      JSON.stringify(messages).includes('"image"') ? new ModelError('image', 'Not this one.') : 'ok';
    const scene = await begin({ script });
    await reply(scene.gateway, 'look', { attachments: [photo] });
    await talk(scene.gateway, 'one', 'two');
    await scene.again();
    await talk(scene.gateway, 'three');
    expect(await breaksOf(scene.recorded)).toHaveLength(1);
    expect(scene.recorded).toHaveLength(5);
  });

  it('with many images leaves out the oldest seldom, and says so', async () => {
    const scene = await begin({ script: () => 'seen' });
    for (let turn = 0; turn < 35; turn += 1) {
      await reply(scene.gateway, `look ${turn}`, { attachments: [photo] });
      await scene.gateway.idle();
    }
    expect(await breaksOf(scene.recorded)).toHaveLength(2);
    expect(JSON.stringify(scene.recorded.at(-1)?.request.messages)).toContain('no longer shown to you: there are newer images');
  });

  it('whose images are removed after a week breaks there', async () => {
    const scene = await begin({ script: () => 'seen' });
    const { gateway, recorded } = scene;
    await reply(gateway, 'look', { attachments: [photo] });
    await talk(gateway, 'one');
    gateway.store.prompts.forgetFilesOf([2]); // of "one", which has none
    await talk(gateway, 'two');
    expect(await breaksOf(recorded)).toEqual([]);
    gateway.store.prompts.forgetFilesOf([1]);
    rmSync(path.join(gateway.home, 'media', '1'), { recursive: true });
    await talk(gateway, 'three');
    expect(recorded.map(({ builds }) => builds)).toEqual([1, 1, 1, 2]);
  });

  it('with a provider whose window is smaller than it is said to be learns that once', async () => {
    const script: Script = (request) =>
      JSON.stringify(request).length > 30_000 ? new ModelError('context_overflow', 'too long') : 'x'.repeat(2_000);
    const scene = await begin({ script });
    for (let turn = 0; turn < 20; turn += 1) await talk(scene.gateway, `question ${turn} ${'y'.repeat(2_000)}`);
    const failed = scene.recorded.filter(({ request }) => JSON.stringify(request).length > 30_000);
    expect(failed).toHaveLength(1);
    expect((await breaksOf(scene.recorded)).length).toBeLessThan(10);
  });
});

it('each session has a prompt of its own, and goes back to it', async () => {
  const scene = await begin();
  const { gateway, recorded } = scene;
  await talk(gateway, 'hello');
  const first = sessionOf(gateway);
  writeFileSync(path.join(gateway.home, 'SOUL.md'), 'You are Eve.');
  await talk(gateway, '/new', 'hello again', `/resume ${first.id}`, 'back again');
  expect(recorded.map(({ request }) => request.system.slice(0, 12))).toEqual(['You are Ada.', 'You are Eve.', 'You are Ada.']);
  expect(recorded[2]?.request.system).toBe(recorded[0]?.request.system);
});
