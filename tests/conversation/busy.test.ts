/** Somebody writes while the agent is at work. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../gateway/support/gateway.ts';
import { pausingTool } from '../gateway/support/tools.ts';
import { describe as inWords } from '../gateway/support/transcript.ts';
import { actor, callsOf } from './support/model.ts';
import { answerTo, sees } from './support/person.ts';
import { openTelegram, places, type World } from './support/world.ts';

const interrupting = { display: { busyMode: 'interrupt' } } as const;
/** It and its grandchild end by a KILL alone, and the grandchild has left the process group. */
const stubborn = `trap '' TERM; (env setsid sh -c "trap '' TERM; sleep 300" &); echo begun > begun; sleep 300`;

function working(world: World): Promise<void> {
  return until(world.isWorking, () => 'the turn has not begun');
}

/** Answers "first" when the gate opens, and everything else at once. */
function gated() {
  const gate = Promise.withResolvers<string>();
  const model = actor(({ text }) => (text === 'first' ? { begins: '', rest: gate.promise } : undefined));
  return { model, open: () => gate.resolve('echo: first') };
}

describe.each(places)('on $name, a message during a turn', ({ open }) => {
  it('cuts the stream, keeps what was said, and several messages become one next turn', async () => {
    const model = actor(({ text }) => (text === 'tell me a story' ? { begins: 'Once upon a time' } : undefined));
    const { person, idle, transcript } = await open({ model, change: interrupting });
    person.says('tell me a story');
    await until(
      () => person.growing().length > 0,
      () => 'nothing is shown yet',
    );
    person.says('no', 'tell me a joke', 'a short one');
    await sees(person, 'echo: ');
    await idle();
    expect(person.reads()).toEqual(['Once upon a time\n\n✂️ (interrupted)', 'echo: no\ntell me a joke\na short one']);
    expect([model.cuts(), model.heard().length]).toEqual([1, 2]);
    expect(inWords(transcript())).toBe('user answer user answer');
    expect(JSON.stringify(transcript()[1])).toMatch(/Once upon a time.*The person wrote something new before I was done/);
  });

  it('ends a running command with all its descendants, and what had not begun is skipped', async () => {
    const calls = callsOf(['terminal', { command: stubborn }], ['terminal', { command: 'touch second' }]);
    const model = actor(({ text }) => (text === 'work' ? calls : undefined));
    const { person, idle, transcript, alive } = await open({ model, change: { ...interrupting, approvals: { mode: 'off' } } });
    person.says('work');
    await until(
      () => alive() > 1,
      () => 'the command has not begun',
    );
    person.says('something new');
    await sees(person, 'echo: something new');
    await idle();
    expect(alive()).toBe(0);
    expect(inWords(transcript())).toBe('user call(terminal,terminal) terminal=interrupted terminal=skipped answer user answer');
  });

  it('lets a command end by itself on a TERM first', async () => {
    const polite = `trap 'echo bye > bye; exit 0' TERM; echo begun > begun; sleep 300 & wait`;
    const model = actor(({ text }) => (text === 'work' ? { call: 'terminal', args: { command: polite } } : undefined));
    const { person, idle, workspace, alive } = await open({ model, change: { ...interrupting, approvals: { mode: 'off' } } });
    person.says('work');
    await until(
      () => existsSync(path.join(workspace(), 'begun')),
      () => 'the command has not begun',
    );
    person.says('something new');
    await sees(person, 'echo: something new');
    await idle();
    expect([existsSync(path.join(workspace(), 'bye')), alive()]).toEqual([true, 0]);
  });

  it('waits where the chat queues: what waited is one next turn, and /queue one of its own', async () => {
    const { model, open: finish } = gated();
    const world = await open({ model });
    world.person.says('first');
    await working(world);
    world.person.says('second', 'third', '/queue fourth');
    await sees(world.person, '⏳ That comes next.');
    finish();
    await sees(world.person, 'echo: fourth');
    await world.idle();
    expect(model.heard()).toEqual(['first', 'second\nthird', 'fourth']);
  });

  it('is heard with the next tool result where it steers, by /steer or by the setting, and not answered again', async () => {
    const gate = Promise.withResolvers<void>();
    const { tool, ended } = pausingTool(gate.promise);
    const model = actor(({ text, results }) => (results.length === 0 && text === 'work' ? { call: 'pause' } : `heard: ${text}`));
    const { person, idle, transcript } = await open({ model, tools: [tool], change: { display: { busyMode: 'steer' } } });
    person.says('work');
    await until(
      () => ended.started === 1,
      () => 'the tool has not begun',
    );
    person.says('use the blue one', '/steer and quickly');
    await sees(person, '↪️ I take this into account with my next step.');
    gate.resolve();
    await sees(person, 'heard: use the blue one\nand quickly');
    await idle();
    expect(inWords(transcript())).toBe('user call(pause) pause=ok user answer');
    expect(model.heard()).toEqual(['work', 'use the blue one\nand quickly']);
  });

  it('that steers a turn which calls no more tools becomes the next turn', async () => {
    const { model, open: finish } = gated();
    const world = await open({ model, change: { display: { busyMode: 'steer' } } });
    world.person.says('first');
    await working(world);
    world.person.says('second');
    await waiting(world, 1);
    finish();
    await sees(world.person, 'echo: second');
    await world.idle();
    expect(world.person.reads()).toEqual(['echo: first', 'echo: second']);
  });

  it('does what the chat chose with /busy', async () => {
    const model = actor(({ text }) => (text === 'long' ? { begins: '' } : undefined));
    const world = await open({ model });
    expect(await answerTo(world.person, '/busy')).toMatch(/^In this chat: queue\./);
    expect(await answerTo(world.person, '/busy interrupt')).toMatch(/^🚦 In this chat: interrupt\./);
    world.person.says('long');
    await working(world);
    world.person.says('short');
    await sees(world.person, 'echo: short');
    expect(model.cuts()).toBe(1);
  });

  it('is acknowledged once in 30 s, each in its own words, and not where that is switched off', async () => {
    const clock = { now: Date.now() };
    const change = { display: { busyMode: 'queue' as 'queue' | 'steer' }, everywhere: { busyAck: true } };
    const { model } = gated();
    const world = await open({ model, change, now: () => clock.now });
    const { person } = world;
    person.says('first');
    await working(world);
    person.says('one', 'two');
    await sees(person, /^⏳ I am still at work; this comes next/);
    clock.now += 29_999;
    person.says('three');
    await waiting(world, 3);
    expect(person.reads()).toHaveLength(1);
    clock.now += 1;
    change.display.busyMode = 'steer';
    person.says('four');
    await sees(person, /^↪️ I take this into account/);
    clock.now += 60_000;
    change.everywhere.busyAck = false;
    person.says('five');
    expect(await answerTo(person, '/stop')).toBe('🛑 Stopped.');
    expect(person.reads().filter((text) => /^(?:⏳|↪️)/u.test(text))).toHaveLength(2); // what waited may be answered already
  });

  it('that was queued is kept by /stop and comes next', async () => {
    const { model } = gated();
    const world = await open({ model });
    world.person.says('first');
    await working(world);
    world.person.says('then this', '/stop');
    await sees(world.person, 'echo: then this');
    await world.idle();
    expect(world.person.reads()).toEqual(['🛑 Stopped.', 'echo: then this']);
  });
});

function waiting(world: World, count: number): Promise<void> {
  const [lane = ''] = world.store().turns.runningLanes();
  return until(
    () => world.store().inbox.pending(lane).length === count,
    () => `${count} messages do not wait`,
  );
}

describe.each(places)('on $name, a text that was split by its sender’s client', ({ open }) => {
  it('is one message', async () => {
    const model = actor(({ text }) => `heard ${text.length}`);
    const { person, idle } = await open({ model });
    person.says('x'.repeat(4000), 'the rest');
    expect(await sees(person, 'heard')).toBe(`heard ${4000 + '\nthe rest'.length}`);
    await idle();
    expect(model.requests).toHaveLength(1);
  });
});

describe('on Telegram, photos', () => {
  const picture = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

  it('of an album are one message', async () => {
    const model = actor(({ text }) => `heard: ${text}`);
    const { person, telegram, idle } = await openTelegram({ model, change: interrupting });
    const photo = (name: string, caption: string) => {
      const file_id = telegram.addFile(`photos/${name}.png`, picture);
      const sizes = [{ file_id, file_unique_id: name, width: 1, height: 1, file_size: picture.length }];
      return {
        chatId: 77,
        text: '',
        extra: { text: undefined, photo: sizes, media_group_id: 'album', ...(caption === '' ? {} : { caption }) },
      };
    };
    telegram.injectMany([photo('one', 'my cats'), photo('two', '')]);
    expect(await sees(person, 'heard')).toMatch(/^heard: my cats/);
    await idle();
    expect(model.requests).toHaveLength(1);
    expect(model.heard()[0]?.match(/stored at /g)).toHaveLength(2);
  });
});
