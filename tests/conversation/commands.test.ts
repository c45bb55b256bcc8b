/** Every chat command, and what is none. */
import { describe, expect, it } from 'vitest';
import { commands, menu } from '../../gateway/commands/table.ts';
import { until } from '../gateway/support/gateway.ts';
import { type Actor, actor } from './support/model.ts';
import { answerTo, sees } from './support/person.ts';
import { openTelegram, places, type World } from './support/world.ts';

const long = () => actor(({ text }) => (text.includes('long') ? { begins: 'Well' } : undefined));

/** What is said to a fresh conversation that has had one exchange, and what is answered. */
const answers: Readonly<Record<string, readonly (readonly [said: string, answer: RegExp])[]>> = {
  help: [
    ['/help', /^Write to me as you would to a colleague[\s\S]*• \/stop \[id\]: stop what I am doing/],
    ['/help stop', /^\/stop \[id\]: [\s\S]*Works while I am at work/],
    ['/commands', /^Write to me/],
  ],
  status: [['/status', /^Hermes Gateway 0\.0\.0-test, model scripted, at work on 0\n• (?:telegram|web): connected/]],
  version: [['/version', /^Hermes Gateway 0\.0\.0-test$/]],
  whoami: [
    [
      '/whoami',
      /^• You: (?:77|owner) \((?:owner|user)\)\n• Name: \S+\n• Platform: (?:Telegram|Browser page)\n• Chat: \S+ \(dm\)\n• Session: \S+/,
    ],
  ],
  new: [
    ['/new', /^✨ New conversation\. What can I do for you\?$/],
    ['/reset about ships', /^✨ New conversation: about ships\./],
  ],
  title: [
    ['/title', /^This conversation has no title/],
    ['/title Tea & cakes', /^🏷️ This conversation is called: Tea & cakes$/],
    ['/title', /^This conversation is called: Tea & cakes$/],
  ],
  sessions: [['/sessions', /^Conversations of this chat:\n1\. one \(this one\)\n\n\/resume and a number/]],
  resume: [
    ['/resume', /^Conversations of this chat:/],
    ['/resume nowhere', /^There is no conversation "nowhere" here/],
    ['/resume 1', /^We are in it: one$/],
    ['/new', /^✨/],
    ['/resume one', /^There is no conversation "one" here/],
    ['/resume 1', /^▶️ Back in: one \(2 messages\)\nThe last words were: echo: one$/],
  ],
  branch: [
    ['/branch another way', /^🌿 We are in a copy now: another way \(2 messages\)\./],
    ['/fork', /^🌿 We are in a copy now: another way \(branch\)/],
  ],
  retry: [['/retry', /^🔁 Once more\.$/]],
  undo: [
    ['/undo', /^↩️ I took back the last exchange, from "one" on\./],
    ['/undo', /^There is nothing to take back\.$/],
    ['/undo x', /^How many exchanges/],
  ],
  compress: [['/compress', /^There is nothing to leave out: I read 1 exchange, about \d+ tokens\.$/]],
  usage: [['/usage', /^This conversation: \d[\d,]* tokens in, \d[\d,]* out; 1 turn, 2 messages, 1 step\.\nIts last turn: /]],
  model: [
    ['/model', /^Model: scripted \(as configured\)\./],
    ['/model other', /^There is only scripted here, so nothing has changed\.$/],
    ['/model default', /^The model is scripted again, as configured\.$/],
  ],
  reasoning: [
    ['/reasoning', /^Effort: .* Choices: .*high.*, default\.$/],
    ['/reasoning high', /^🧠 From the next message on, I think with effort "high"/],
    ['/reasoning strongly', /^I do not know the effort "strongly"\./],
  ],
  personality: [
    ['/personality', /^Personality: none\. Choices: (?:\w+, ){14}none\.$/],
    ['/personality pirate', /^🎭 From the next message on, I talk as pirate/],
    ['/personality pirat', /^I do not know the personality "pirat"\. Did you mean pirate\?/],
    ['/personality none', /without a personality/],
  ],
  verbose: [
    ['/verbose', /^👁️ Progress in this chat: all\. I show every step\.$/],
    ['/verbose off', /^👁️ Progress in this chat: off\./],
    ['/verbose loud', /^I do not know "loud"\. It is off now; choices: off, new, all, verbose\.$/],
  ],
  busy: [['/busy', /^In this chat: queue\. .* Choices: interrupt, queue, steer\.$/]],
  yolo: [
    ['/yolo', /^⚡ From now on I do not ask before I act/],
    ['/yolo', /^🔒 I ask again/],
  ],
  stop: [
    ['/stop', /^Nothing is running here\.$/],
    ['/stop bg_1', /^There is no run "bg_1" here\.\nNothing is at work\.$/],
  ],
  queue: [
    ['/queue', /^What comes next\? Write \/queue and the text\.$/],
    ['/q hello', /^echo: hello$/],
  ],
  steer: [
    ['/steer', /^What should I know\?/],
    ['/steer hello', /^echo: hello$/],
  ],
  approve: [['/approve 1 always', /^Nothing here waits for your approval\.$/]],
  deny: [['/deny all', /^Nothing here waits for your approval\.$/]],
  background: [
    ['/background', /^What should I do in the background\?/],
    ['/bg go', /^🔄 bg_\d{6}_[0-9a-f]{4} is at work on it beside our conversation/],
  ],
  agents: [
    ['/agents', /^Nothing is at work\.$/],
    ['/tasks please', /^Write \/agents to see what is at work/],
  ],
  sethome: [['/set-home', /^🏠 This chat is now my home on (?:Telegram|Browser page)/]],
  restart: [['/restart', /^🔄 I am restarting/]],
};

const needsAlone = ['yolo', 'sethome', 'restart'];

describe.each(places)('on $name, a command', ({ open, name: place }) => {
  it('is in the table of answers', () => {
    expect(Object.keys(answers).toSorted()).toEqual(commands.map(({ name }) => name).toSorted());
  });

  it.each(Object.keys(answers))('/%s answers', async (name) => {
    const model = actor(() => undefined);
    const { person, idle } = await open({ model, alone: needsAlone.includes(name) });
    await answerTo(person, 'one');
    await idle();
    for (const [said, answer] of answers[name] ?? []) {
      expect(await answerTo(person, said)).toMatch(answer);
      await idle().catch(() => undefined); // a restart closes the store
    }
  });

  it('is answered while a turn is at work, or says that it has to wait, and is never said to the model', async () => {
    const model = long();
    const world = await open({ model });
    const { person } = world;
    person.says('a long story');
    await until(world.isWorking, () => 'the turn has not begun');
    const waits = commands.filter(({ whileBusy }) => !whileBusy).map(({ name }) => name);
    expect(waits.toSorted()).toEqual(['branch', 'compress', 'resume', 'retry', 'undo']);
    for (const name of waits) expect(await answerTo(person, `/${name}`)).toMatch(/has to wait until I am done here/);
    for (const said of ['/help', '/usage', '/model', '/whoami', '/sessions', '/version']) expect(await answerTo(person, said)).not.toBe('');
    expect(await answerTo(person, '/agents')).toMatch(/^At work:\n• this conversation: \d+ s \(\/stop\)$/);
    expect(model.requests).toHaveLength(1);
    expect(await answerTo(person, '/new')).toMatch(/^✨/);
    await world.idle();
    expect(await answerTo(person, 'hello')).toBe('echo: hello');
  });

  it('that is not known gets the nearest match, and a path is something to say', async () => {
    const { person } = await open({ model: actor(() => undefined) });
    expect(await answerTo(person, '/stauts')).toBe('I do not know /stauts. Did you mean /status? /help shows what there is.');
    expect(await answerTo(person, '/xyzzy now')).toBe('I do not know /xyzzy. /help shows what there is.');
    expect(await answerTo(person, '/etc/hosts')).toBe('echo: /etc/hosts');
    expect(await answerTo(person, '/ is a slash')).toBe('echo: / is a slash');
  });

  it('is offered behind a slash', async () => {
    const { person } = await open({ model: actor(() => undefined) });
    const wanted = menu.map(({ name }) => (place === 'Telegram' ? name.replaceAll('-', '_') : name));
    await until(
      () => person.menu().length > 0,
      () => 'nothing is offered',
    );
    expect(person.menu().toSorted()).toEqual(wanted.toSorted());
  });
});

describe.each(places)('on $name, what a command chooses', ({ open }) => {
  it('/retry answers the last message once more, /undo takes exchanges back, /compress leaves the oldest out', async () => {
    const model: Actor = actor(({ text }) => `${text.slice(0, 5)}, ${model.requests.length}`);
    const { person, idle } = await open({ model });
    const history = () => model.requests.at(-1)?.messages.map((message) => (message.role === 'assistant' ? message.text : message.role));
    for (const text of ['one', 'two', 'three']) await answerTo(person, text);
    person.says('/retry');
    await sees(person, 'three, 4');
    await idle();
    expect(history()).toEqual(['user', 'one, 1', 'user', 'two, 2', 'user']);
    expect(await answerTo(person, '/undo 2')).toMatch(/^↩️ I took back the last 2 exchanges, from "two" on\./);
    await answerTo(person, 'x'.repeat(90_000));
    await answerTo(person, 'y'.repeat(90_000));
    await answerTo(person, 'five');
    await idle();
    expect(await answerTo(person, '/compress')).toMatch(
      /^🗜️ I no longer read the oldest 2 exchanges \(about [\d,]+ tokens\)\. I keep the newest 2 /,
    );
    await answerTo(person, 'six');
    expect(history()?.join()).not.toContain('one, 1');
  });

  it('/model, /reasoning and /personality hold from the next message on', async () => {
    const named = (name: string): Actor => ({ ...actor(({ text }) => `${name}: ${text}`), name });
    const [usual, other] = [named('usual'), named('other')];
    const models = {
      get: (name?: string) => (name === 'other' ? other : usual),
      choices: ['usual', 'other'],
      approver: usual,
      demo: false,
    };
    const { person } = await open({ model: usual, change: { agent: { models } } });
    expect(await answerTo(person, '/model')).toContain('Choices: usual, other');
    expect(await answerTo(person, '/model OTHER')).toBe('🧠 From the next message on, this conversation is answered by other.');
    await answerTo(person, '/reasoning high');
    await answerTo(person, '/personality pirate');
    expect(await answerTo(person, 'hello')).toBe('other: hello');
    expect(other.requests.at(-1)?.reasoning).toBe('high');
    expect(other.requests.at(-1)?.system).toContain('sea captain');
    await answerTo(person, '/new');
    expect(await answerTo(person, 'hello')).toBe('usual: hello');
  });
});

describe.each(places)('on $name, a background run', ({ open }) => {
  const started = (text: string): string => /bg_\d{6}_[0-9a-f]{4}/.exec(text)?.[0] ?? '';

  it('works in a conversation of its own and posts its result, or why it failed', async () => {
    const model = actor(({ text }) => (text === 'fail' ? new Error('broken') : undefined));
    const { person, transcript, idle } = await open({ model });
    await answerTo(person, 'one');
    const run = started(await answerTo(person, '/background count the sheep'));
    await sees(person, `✅ ${run} : count the sheep\n\necho: count the sheep`);
    const failed = started(await answerTo(person, '/btw fail'));
    await sees(person, new RegExp(`^❌ ${failed} : fail\n\n⚠️ `));
    await idle();
    expect(transcript()).toHaveLength(2);
  });

  it('is shown by /agents, ends with /stop and its id, and lets the conversation go on beside it', async () => {
    const world: World = await open({ model: long() });
    const { person } = world;
    const run = started(await answerTo(person, '/background a long song'));
    expect(await answerTo(person, 'hello')).toBe('echo: hello');
    expect(await answerTo(person, '/agents')).toMatch(new RegExp(`^At work:\n• ${run}, a long song: \\d+ s \\(/stop ${run}\\)$`));
    expect(await answerTo(person, '/stop')).toContain(`In the background:\n• ${run}`);
    person.says(`/stop ${run}`);
    await sees(person, `🛑 Stopped ${run}.`);
    await sees(person, new RegExp(`^❌ ${run} : a long song\n\nWell\n\n✂️ \\(stopped\\)`));
    await world.idle();
    expect(await answerTo(person, '/agents')).toBe('Nothing is at work.');
  });
});

describe('on Telegram, commands for the owner', () => {
  it.each(needsAlone)('/%s are refused to one of many, and in groups', async (name) => {
    const { person, telegram } = await openTelegram({ model: actor(() => undefined) });
    expect(await answerTo(person, `/${name}`)).toMatch(new RegExp(`^/${name} is for my owner and administrators`));
    telegram.inject({ chatId: -5, fromId: 77, text: `/${name}@${telegram.username}` });
    await telegram.waitFor(() => telegram.messages(-5).length > 0);
    expect(telegram.messages(-5)[0]?.text).toMatch(new RegExp(`^/${name} is for my owner and administrators. Write it to me`));
  });
});
