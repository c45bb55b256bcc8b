/** Random interleavings of messages, clicks, stops, steers and crashes over several sessions. Nothing may ever be invalid, doubled or misplaced. */
import { Readable } from 'node:stream';
import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Message } from '../../agent/message.ts';
import { defineTool, type Tool } from '../../agent/tool.ts';
import { createFakePlatform, type FakePlatform } from '../fakes/platform.ts';
import { type Gateway, settled, startGateway } from './support/gateway.ts';
import { click, message } from './support/inbound.ts';
import { lastResults, lastText, type Script, scriptedModel } from './support/model.ts';

const people = ['ann', 'bob', 'cat'] as const;
type Person = (typeof people)[number];

type Step =
  | { readonly do: 'say'; readonly who: Person; readonly what: 'talk' | 'remove' | 'clarify' | 'pause' | 'slow' | 'photo' }
  | {
      readonly do: 'command';
      readonly who: Person;
      readonly text: '/stop' | '/new' | '/approve' | '/deny all' | '/queue talk' | '/steer talk' | '/status';
    }
  | { readonly do: 'click'; readonly who: Person; readonly card: number; readonly choice: string }
  | { readonly do: 'crash' }
  | { readonly do: 'wait'; readonly ms: number };

const who = fc.constantFrom(...people);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('say' as const),
      who,
      what: fc.constantFrom('talk', 'remove', 'clarify', 'pause', 'slow', 'photo'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('command' as const),
      who,
      text: fc.constantFrom('/stop', '/new', '/approve', '/deny all', '/queue talk', '/steer talk', '/status'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('click' as const),
      who,
      card: fc.nat({ max: 5 }),
      choice: fc.constantFrom('once', 'session', 'deny', '1', 'x'),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'crash' as const }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat({ max: 12 }) }) },
) as fc.Arbitrary<Step>; // fast-check widens what the records' constants say

/** What happened outside of the gateway, over all of its lives. */
interface Witness {
  readonly platform: FakePlatform;
  /** Removals that ran, by the life of the gateway and the call. */
  readonly removed: string[];
  /** How many messages were said; each carries its number. */
  said: number;
  readonly lives: Life[];
}

/** From a start to the next crash. */
interface Life {
  /** What a killed process would still do in this test's own process has no effect. */
  killed: boolean;
  /** Pauses that are running. */
  paused: number;
  /** Model requests that are open, by session, and the most that ever were. */
  readonly thinking: Map<string, number>;
  most: number;
}

function slowFile(): Readable {
  return Readable.from(
    (async function* bytes() {
      await new Promise((resolve) => setTimeout(resolve, 10));
      yield Buffer.from('a cat');
    })(),
  );
}

function newWitness(): Witness {
  const platform = createFakePlatform({ files: { cat: slowFile }, progress: { quietMs: 5, editIntervalMs: 5, previewIntervalMs: 5 } });
  return { platform, removed: [], said: 0, lives: [] };
}

function toolsOf(witness: Witness, life: Life): readonly Tool[] {
  const args = z.object({ tag: z.string() });
  const common = { toolset: 'test', description: 'A test.', args, effect: 'external', preview: () => '' } as const;
  return [
    defineTool({
      ...common,
      name: 'remove',
      risk: async ({ tag }) => ({ level: 'ask', why: 'It deletes.', subjects: [`rm ${tag}`] }),
      run: async ({ tag }) => {
        if (!life.killed) witness.removed.push(tag);
        return { content: 'removed' };
      },
    }),
    defineTool({
      ...common,
      name: 'clarify',
      resumable: true,
      run: async (_args, ctx) => {
        const answer = await ctx.ask({ question: 'Which?', choices: ['red', 'blue'], allowFreetext: true });
        return { content: answer.answered ? answer.text : answer.reason };
      },
    }),
    defineTool({
      ...common,
      name: 'pause',
      run: async (_args, { signal }) => {
        life.paused += 1;
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, 15);
          signal.addEventListener('abort', () => [clearTimeout(timer), resolve()], { once: true });
        });
        life.paused -= 1;
        return { content: 'paused' };
      },
    }),
  ];
}

/** Every word of a person carries their name, so that an answer in another chat shows. */
function scriptOf(life: Life): Script {
  let calls = 0;
  return async (request, signal) => {
    const words = lastText(request.messages);
    const key = words.split(' ')[1] ?? '';
    const open = (life.thinking.get(key) ?? 0) + 1;
    life.thinking.set(key, open);
    life.most = Math.max(life.most, open);
    try {
      await pauseFor(words.startsWith('slow') ? 20 : 1, signal);
    } finally {
      life.thinking.set(key, (life.thinking.get(key) ?? 1) - 1);
    }
    const verb = words.split('\n').at(-1)?.split(' ')[0] ?? '';
    const isTool = ['remove', 'clarify', 'pause'].includes(verb) && lastResults(request.messages).length === 0;
    calls += 1;
    return isTool ? { call: verb, args: { tag: `${key}-${calls}-${Math.random()}` } } : `to ${key}: ${words.replaceAll('\n', ' ')}`;
  };
}

function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => [clearTimeout(timer), reject(signal.reason)], { once: true });
  });
}

const change = { display: { busyMode: 'interrupt' }, everywhere: { busyAck: true } } as const;

function start(witness: Witness, home?: string): Promise<Gateway> {
  const life: Life = { killed: false, paused: 0, thinking: new Map(), most: 0 };
  witness.lives.push(life);
  const model = scriptedModel(scriptOf(life));
  return startGateway({
    model,
    platform: witness.platform,
    tools: toolsOf(witness, life),
    change,
    ...(home === undefined ? {} : { home }),
  });
}

async function perform(step: Step, gateway: Gateway, witness: Witness): Promise<Gateway> {
  switch (step.do) {
    case 'say': {
      witness.said += 1;
      const attachments = step.what === 'photo' ? [{ kind: 'image', handle: 'cat' } as const] : [];
      const text = `${step.what} ${step.who} #${witness.said}#`;
      gateway.receive([message(text, { chat: step.who, from: { id: step.who, name: step.who }, attachments })]);
      break;
    }
    case 'command': {
      const text = step.text.endsWith('talk') ? `${step.text} ${step.who}` : step.text;
      gateway.receive([message(text, { chat: step.who, from: { id: step.who, name: step.who } })]);
      break;
    }
    case 'click': {
      const cards = people.flatMap((chat) => witness.platform.cards(chat));
      const card = cards[step.card % Math.max(1, cards.length)];
      if (card !== undefined) gateway.receive([click(card, step.choice, { chat: step.who, from: { id: step.who, name: step.who } })]);
      break;
    }
    case 'crash': {
      const home = gateway.kill();
      for (const life of witness.lives) life.killed = true;
      return start(witness, home);
    }
    case 'wait':
      await new Promise((resolve) => setTimeout(resolve, step.ms));
      break;
  }
  return gateway;
}

/** At every instant: each call has at most one result, in call order, and only the newest message's calls may still be open. */
function problemsOf(transcript: readonly Message[]): readonly string[] {
  const problems: string[] = [];
  let open: string[] = [];
  for (const entry of transcript) {
    if (entry.role === 'tool') {
      if (open.shift() !== entry.callId) problems.push(`result ${entry.callId} has no call, or is out of order`);
    } else if (open.length > 0) problems.push(`${open.join()} have no result`);
    if (entry.role === 'assistant') open = entry.calls.map(({ id }) => id);
  }
  return problems;
}

function checkNow({ store }: Gateway): void {
  for (const person of people) {
    const lane = `agent:main:fake:dm:${person}`;
    const session = store.sessions.open(lane);
    if (session === undefined) continue;
    const transcript = store.transcript.read(session.id);
    expect(problemsOf(transcript)).toEqual([]);
  }
  const lanes = store.turns.runningLanes();
  expect(new Set(lanes).size).toBe(lanes.length);
}

/** Whatever is still open is ended, so that the chat must come to rest. */
async function finish(gateway: Gateway): Promise<void> {
  for (let round = 0; round < 40 && !isQuiet(gateway); round += 1) {
    for (const person of people) gateway.receive([message('/stop', { chat: person, from: { id: person, name: person } })]);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await gateway.idle();
  await settled();
}

function isQuiet({ store }: Gateway): boolean {
  return store.inbox.countOpen() === 0 && store.turns.runningLanes().length === 0;
}

async function play(steps: readonly Step[]): Promise<void> {
  const witness = newWitness();
  let gateway = await start(witness);
  for (const step of steps) {
    gateway = await perform(step, gateway, witness);
    checkNow(gateway);
  }
  await finish(gateway);
  checkNow(gateway);
  const { platform, store } = { platform: witness.platform, store: gateway.store };
  for (const chat of people)
    for (const text of platform.texts(chat)) expect(text.replace(/^to (\w+):.*/s, (_all, name) => name)).not.toMatch(otherThan(chat));
  for (const { most } of witness.lives) expect(most).toBeLessThanOrEqual(1);
  expect(witness.lives.at(-1)?.paused).toBe(0);
  expect(new Set(witness.removed).size).toBe(witness.removed.length);
  expect(store.asks.open()).toEqual([]);
  expect(unheard(store.file)).toEqual([]);
  await gateway.stop();
}

/** Messages that were neither stopped before they began nor answers, and that no conversation contains. */
function unheard(file: string): readonly string[] {
  const db = new Sqlite(file, { readonly: true });
  try {
    const texts = db.prepare('select body from messages').pluck().all().join('\n');
    const rows = db
      .prepare("select json_extract(payload, '$.text') from inbox where outcome not in ('silent', 'said', 'command')")
      .pluck()
      .all();
    return rows.map(String).filter((text) => !texts.includes(/#\d+#/.exec(text)?.[0] ?? ''));
  } finally {
    db.close();
  }
}

function otherThan(chat: Person): RegExp {
  return new RegExp(`^(?:${people.filter((person) => person !== chat).join('|')})$`);
}

describe('random interleavings of messages, clicks, stops, steers and crashes', () => {
  it('never leave an invalid transcript, two turns in a lane, a misplaced answer, a double effect or an open ask', {
    timeout: 120_000,
  }, async () => {
    const numRuns = Number(process.env['HERMES_FUZZ_RUNS'] ?? 40);
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 25 }), play), { numRuns });
  });
});
