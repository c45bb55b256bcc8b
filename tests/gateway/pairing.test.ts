import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, it, vi } from 'vitest';
import type { Sender } from '../../adapters/adapter.ts';
import { readCode } from '../../gateway/pairing/codes.ts';
import { createFakePlatform, type FakePlatform } from '../fakes/platform.ts';
import { card, closedCard } from './asks/support.ts';
import { type Gateway, type GatewayOptions, startGateway, until } from './support/gateway.ts';
import { click, message, replyTo } from './support/inbound.ts';
import { echo, scriptedModel } from './support/model.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const account = 'fake/main';
const boss: Sender = { id: 'boss', aliases: [], name: 'The Boss', isBot: false, roles: [] };

interface World {
  gateway: Gateway;
  readonly clock: { now: number };
  restart(): Promise<void>;
  /** A stranger writes; returns the code that the chat shows by then. */
  knock(person: string, name?: string): Promise<string | undefined>;
}

async function world(options: GatewayOptions & { readonly owner?: boolean } = {}): Promise<World> {
  const clock = { now: Date.UTC(2026, 0, 1) };
  const platform = options.platform ?? createFakePlatform({ config: { allowed_users: [] } });
  const start = (home?: string): Promise<Gateway> =>
    startGateway({
      platform,
      model: scriptedModel(echo),
      access: { unauthorized_dm_behavior: 'pair' },
      now: () => clock.now,
      ...options,
      ...(home === undefined ? {} : { home }),
    });
  const here: World = {
    gateway: await start(),
    clock,
    restart: async () => {
      await here.gateway.stop();
      here.gateway = await start(here.gateway.home);
    },
    knock: async (person, name = person) => {
      here.gateway.receive([message(`secret words of ${person}`, { chat: person, from: { id: person, name } })]);
      await here.gateway.idle();
      return codeIn(platform, person);
    },
  };
  if (options.owner === true) {
    here.gateway.receive([message(here.gateway.daemon.claimCode ?? '', { chat: 'boss', from: boss })]);
    await here.gateway.idle();
  }
  return here;
}

function codeIn(platform: FakePlatform, chat: string): string | undefined {
  return platform
    .texts(chat)
    .map((text) => /\*\*([A-Z2-9]{8})\*\*/.exec(text)?.[1])
    .findLast((code) => code !== undefined);
}

const people = ({ gateway }: World) => {
  if (gateway.daemon.people === undefined) throw new Error('no control of people');
  return gateway.daemon.people;
};

describe('a stranger in a direct chat', () => {
  it('gets a code once, and nothing of what they write is kept, logged or shown to a model', async () => {
    const model = scriptedModel(echo);
    const here = await world({ model });
    const code = await here.knock('mallory', 'Mallory Canary');
    expect(readCode(code ?? '')).toBe(code);
    for (let time = 0; time < 5; time += 1) await here.knock('mallory');
    expect(here.gateway.answers('mallory')).toHaveLength(1);
    expect(model.requests).toEqual([]);
    expect(JSON.stringify(here.gateway.log.lines)).not.toContain('secret words');
    here.gateway.store.durable(() => undefined);
    await here.gateway.stop();
    const file = readFileSync(here.gateway.store.file, 'latin1');
    expect(file).not.toContain('secret words');
  });

  it('is let in by whoever has the code, greeted at once, and heard from then on', async () => {
    const here = await world();
    const code = await here.knock('ann');
    expect(people(here).approve(account, code ?? '')).toEqual({ done: true, text: 'ann may now talk to me on Fake.' });
    expect((await here.gateway.answered('ann', 2))[1]).toBe('✅ My owner has let you in. What can I do for you?');
    here.gateway.say('ann', 'hello');
    expect((await here.gateway.answered('ann', 3))[2]).toBe('echo: hello');
    await here.restart();
    here.gateway.say('ann', 'again');
    expect((await here.gateway.answered('ann', 4))[3]).toBe('echo: again');
  });

  it('may say the code in small letters and with gaps', async () => {
    const here = await world();
    const code = (await here.knock('ann')) ?? '';
    const spoken = `${code.slice(0, 4).toLowerCase()} - ${code.slice(4)}`;
    expect(people(here).approve(account, spoken).done).toBe(true);
  });

  it('is known by every id of theirs afterwards', async () => {
    const here = await world();
    here.gateway.receive([message('hi', { chat: 'ann', from: { id: '49@lid', aliases: ['+49'] } })]);
    await here.gateway.idle();
    here.gateway.receive([message('hi', { chat: 'ann', from: { id: '+49' } })]);
    await here.gateway.idle();
    expect(here.gateway.answers('ann')).toHaveLength(1);
    people(here).approve(account, codeIn(here.gateway.platform, 'ann') ?? '');
    here.gateway.receive([message('hello', { chat: 'ann', from: { id: '+49' } })]);
    expect((await here.gateway.answered('ann', 3))[2]).toBe('echo: hello');
  });

  it('gets a code also beside an allowlist, and never in a group', async () => {
    const here = await world({ platform: createFakePlatform({ config: { allowed_users: ['somebody'] } }) });
    here.gateway.receive([message('hi', { chat: 'g', chatType: 'group', from: { id: 'mallory' } })]);
    await here.gateway.idle();
    expect(here.gateway.platform.calls).toEqual([]);
    expect(await here.knock('mallory')).toBeDefined();
  });
});

describe('a code', () => {
  it('is nowhere once it is sent: not in the store, not in the log, only its salted hash', async () => {
    const here = await world();
    const code = (await here.knock('ann')) ?? '';
    const [request] = here.gateway.store.pairing.pending(here.clock.now);
    expect(request?.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(request?.salt).toMatch(/^[0-9a-f]{32}$/);
    expect(JSON.stringify(here.gateway.log.lines)).not.toContain(code);
    const sent = here.gateway.platform.shown.find(({ chat }) => chat.chat === 'ann');
    expect(JSON.stringify(sent?.message)).toContain(code);
    expect(JSON.stringify(sent === undefined ? '' : here.gateway.platform.host?.sent(sent))).not.toContain(code);
  });

  it('that could not be sent within its hour is never sent, and not kept', async () => {
    const platform = createFakePlatform({ config: { allowed_users: [] } });
    const here = await world({ platform });
    const stopped = here.gateway;
    here.gateway.platform.fail({ on: 'send', hang: true });
    here.gateway.receive([message('hi', { chat: 'ann', from: { id: 'ann' } })]);
    await until(
      () => platform.calls.some(({ kind }) => kind === 'send'),
      () => 'nothing was sent',
    );
    const home = stopped.kill();
    here.clock.now += hourMs + minuteMs;
    here.gateway = await startGateway({ platform, home, now: () => here.clock.now, access: { unauthorized_dm_behavior: 'pair' } });
    await here.gateway.idle();
    expect(platform.texts('ann')).toEqual([]);
  });

  it('that was sent is not kept, also when a kill came before it was taken away', async () => {
    const here = await world();
    const code = (await here.knock('ann')) ?? '';
    await here.gateway.stop();
    const file = new Database(here.gateway.store.file);
    file.prepare("update outbox set payload = json_set(payload, '$.markdown', ?) where purpose = 'code'").run(`Your code is ${code}.`);
    file.close();
    await here.restart();
    const sent = here.gateway.platform.shown.find(({ chat }) => chat.chat === 'ann');
    const kept = here.gateway.store.outbox.payloadOf('fake/main/ann', sent?.id ?? '');
    expect(kept).toMatchObject({ markdown: '(a pairing code)' });
  });

  it('is worth nothing after an hour', async () => {
    const here = await world();
    const code = (await here.knock('ann')) ?? '';
    here.clock.now += hourMs;
    expect(people(here).approve(account, code).done).toBe(false);
    expect(people(here).all().requests).toEqual([]);
  });

  it('is worth nothing on another account, and nothing twice', async () => {
    const here = await world();
    const code = (await here.knock('ann')) ?? '';
    expect(people(here).approve('other/main', code)).toEqual({ done: false, text: 'other is not switched on, so nobody waits there.' });
    expect(people(here).approve(account, code).done).toBe(true);
    expect(people(here).approve(account, code).done).toBe(false);
  });

  it('has 32 symbols without look-alikes, and no two alike', async () => {
    const here = await world();
    const codes = new Set<string>();
    for (let person = 0; person < 30; person += 1) {
      codes.add((await here.knock(`p${person}`)) ?? '');
      people(here).clear();
    }
    expect(codes.size).toBe(30);
    expect([...codes].join('')).toMatch(/^[ABCDEFGHJKLMNPQRSTUVWXYZ23456789]+$/);
  });
});

describe('guessing', () => {
  it('locks the account after five wrong codes for an hour, for the right code too, over restarts', async () => {
    const here = await world();
    const code = (await here.knock('ann')) ?? '';
    for (let guess = 0; guess < 5; guess += 1) {
      expect(people(here).approve(account, 'AAAAAAAA').text).toContain('no code that anybody');
      if (guess % 2 === 0) await here.restart();
    }
    expect(people(here).approve(account, code).text).toContain('pairing on Fake is locked until 01:00 UTC');
    await here.restart();
    here.clock.now += hourMs - 1;
    expect(people(here).approve(account, code).done).toBe(false);
    here.clock.now += 1;
    const fresh = (await here.knock('ann')) ?? '';
    expect(people(here).approve(account, fresh).done).toBe(true);
  });

  it('is forgiven by a right code', async () => {
    const here = await world();
    const first = (await here.knock('ann')) ?? '';
    for (let guess = 0; guess < 4; guess += 1) people(here).approve(account, 'AAAAAAAA');
    expect(people(here).approve(account, first).done).toBe(true);
    for (let guess = 0; guess < 4; guess += 1) people(here).approve(account, 'AAAAAAAA');
    const second = (await here.knock('bob')) ?? '';
    expect(people(here).approve(account, second).done).toBe(true);
  });

  it('in a flood of strangers evicts nobody: three wait, the others hear so once an hour, and the first code still works', async () => {
    const here = await world();
    const code = (await here.knock('ann')) ?? '';
    for (let person = 0; person < 200; person += 1) {
      for (let time = 0; time < 3; time += 1) await here.knock(`flood-${person}`);
      if (person === 100) await here.restart();
    }
    expect(people(here).all().requests).toHaveLength(3);
    expect(here.gateway.answers('flood-150')).toEqual([expect.stringContaining('too many are waiting')]);
    here.clock.now += 11 * minuteMs;
    await here.knock('flood-150');
    expect(here.gateway.answers('flood-150')).toHaveLength(1);
    expect(people(here).approve(account, code).done).toBe(true);
  });

  it('is locked for an hour at most, and nobody waits in the way, also when the clock was ahead', async () => {
    const here = await world();
    const now = here.clock.now;
    here.clock.now += 365 * 24 * hourMs;
    for (const person of ['x', 'y', 'z']) await here.knock(person);
    for (let guess = 0; guess < 5; guess += 1) people(here).approve(account, 'AAAAAAAA');
    here.clock.now = now;
    const code = (await here.knock('ann')) ?? '';
    expect(people(here).approve(account, code).done).toBe(true);
  });

  it('gives a person another code at the earliest after ten minutes, by whatever id they come', async () => {
    const here = await world();
    const knockAs = async (id: string, ...aliases: string[]): Promise<number> => {
      here.gateway.receive([message('hi', { chat: 'ann', from: { id, aliases } })]);
      await here.gateway.idle();
      return here.gateway.answers('ann').length;
    };
    await knockAs('1@lid', '+49');
    people(here).clear(account);
    here.clock.now += 10 * minuteMs - 1;
    expect([await knockAs('1@lid', '+49'), await knockAs('+49'), await knockAs('+49', '1@lid')]).toEqual([1, 1, 1]);
    here.clock.now += 1;
    expect(await knockAs('+49')).toBe(2);
  });
});

describe('the first owner', () => {
  it('is whoever writes the code of the log, once, and never whoever writes first', async () => {
    const model = scriptedModel(echo);
    const here = await world({ model });
    const code = here.gateway.daemon.claimCode ?? '';
    await here.knock('first');
    expect(here.gateway.store.people.all()).toEqual([]);
    here.gateway.receive([message(code, { event: 'claim', chat: 'boss', from: boss })]);
    expect((await here.gateway.answered('boss', 1))[0]).toContain('You are my owner now');
    here.gateway.receive([message(code, { event: 'claim', chat: 'boss', from: boss })]);
    here.gateway.receive([message(code, { chat: 'mallory', from: { id: 'mallory' } })]);
    await here.gateway.idle();
    expect(here.gateway.store.people.all().map(({ person, role }) => [person, role])).toEqual([['boss', 'owner']]);
    expect(model.requests).toEqual([]);
    expect(here.gateway.daemon.people?.all().claimCode).toBeUndefined();
    await here.restart();
    expect(here.gateway.daemon.claimCode).toBeUndefined();
  });

  it('cannot be guessed: five wrong codes lock the right one out for an hour, whatever id and chat it comes from, over restarts', async () => {
    const here = await world();
    const claim = async (...ids: string[]): Promise<number> => {
      const [id = '', ...aliases] = ids;
      here.gateway.receive([message(people(here).all().claimCode ?? '', { chat: id, from: { id, aliases } })]);
      await here.gateway.idle();
      return here.gateway.store.people.all().length;
    };
    for (let guess = 0; guess < 5; guess += 1)
      here.gateway.receive([message('AAAAAAAA', { chat: `m${guess}`, from: { id: 'm', aliases: ['+49'] } })]);
    expect([await claim('m'), await claim('+49')]).toEqual([0, 0]);
    await here.restart();
    here.clock.now += hourMs - 1;
    expect(await claim('+49', 'm')).toBe(0);
    here.clock.now += 1;
    expect(await claim('m', '+49')).toBe(1);
  });

  it('is kept from it by nobody: strangers who guess lock neither the code of the log nor the pairing of others', async () => {
    const here = await world();
    for (let person = 0; person < 6; person += 1)
      for (let guess = 0; guess < 6; guess += 1)
        here.gateway.receive([message('hey there', { chat: `m${person}`, from: { id: `m${person}` } })]);
    people(here).clear();
    const code = (await here.knock('ann')) ?? '';
    expect(people(here).approve(account, code).done).toBe(true);
    here.gateway.receive([message(here.gateway.daemon.claimCode ?? '', { chat: 'boss', from: boss })]);
    expect((await here.gateway.answered('boss', 1))[0]).toContain('You are my owner now');
  });

  it('is no bot', async () => {
    const here = await world();
    here.gateway.receive([message(here.gateway.daemon.claimCode ?? '', { chat: 'boss', from: { ...boss, isBot: true } })]);
    await here.gateway.idle();
    expect(here.gateway.store.people.all()).toEqual([]);
  });

  it('does not become it again with the code once that was used, but with a new one', async () => {
    const here = await world({ owner: true });
    const old = here.gateway.daemon.claimCode ?? '';
    people(here).revoke(account, 'boss');
    here.gateway.receive([message(old, { chat: 'boss', from: boss })]);
    await here.gateway.idle();
    expect(here.gateway.store.people.all()).toEqual([]);
    const code = people(here).all().claimCode ?? '';
    expect(code).not.toBe(old);
    here.gateway.receive([message(code, { chat: 'boss', from: boss })]);
    await here.gateway.idle();
    expect(here.gateway.store.people.all()).toHaveLength(1);
  });

  it('is told of that code when they write as a stranger, waits for nobody afterwards, and is made less by no older request', async () => {
    const here = await world();
    const code = (await here.knock('boss')) ?? '';
    expect(here.gateway.answers('boss')[0]).toContain('write me the owner’s code instead');
    here.gateway.receive([message(here.gateway.daemon.claimCode ?? '', { chat: 'boss', from: boss })]);
    await here.gateway.answered('boss', 2);
    expect(people(here).all().requests).toEqual([]);
    expect(people(here).approve(account, code).done).toBe(false);
    expect(people(here).all().people).toMatchObject([{ person: 'boss', role: 'owner', groupRole: 'owner' }]);
    await here.knock('ann');
    expect(here.gateway.answers('ann')[0]).not.toContain('owner’s code');
  });

  it('locks nobody out because those who may talk here write words of eight letters', async () => {
    const here = await world({ platform: createFakePlatform({ config: { allowed_users: ['ann'] } }) });
    for (let time = 0; time < 6; time += 1) here.gateway.say('ann', 'hey there');
    await here.gateway.idle();
    const code = (await here.knock('bob')) ?? '';
    expect(people(here).approve(account, code).done).toBe(true);
  });

  it('is another code after each start, and none in a group', async () => {
    const here = await world();
    const old = here.gateway.daemon.claimCode ?? '';
    await here.restart();
    here.gateway.receive([message(old, { chat: 'boss', from: boss })]);
    const code = here.gateway.daemon.claimCode ?? '';
    here.gateway.receive([message(code, { chat: 'g', chatType: 'group', from: boss })]);
    await here.gateway.idle();
    expect(here.gateway.store.people.all()).toEqual([]);
  });
});

describe('the owner', () => {
  it('is asked in the own chat who may come in, and decides with a button', async () => {
    const here = await world({ owner: true });
    await here.knock('ann', 'Ann *the* [great](x)');
    const shown = await card(here.gateway.platform, 'boss');
    expect(shown.markdown).toContain('Ann \\*the\\* \\[great\\]');
    expect(shown.markdown).toContain('(id ann)');
    here.gateway.receive([click(shown, 'allow', { chat: 'boss', from: boss })]);
    expect(await closedCard(here.gateway.platform, 'boss')).toBe('✅ The Boss let them in.');
    expect((await here.gateway.answered('ann', 2))[1]).toContain('has let you in');
    here.gateway.say('ann', 'hello');
    await here.gateway.answered('ann', 3);
  });

  it('is shown no character of a name that hides or turns what follows', async () => {
    const here = await world({ owner: true });
    await here.knock('ann', '\u202eann\u2066\n\n\u200b');
    const { markdown } = await card(here.gateway.platform, 'boss');
    expect(markdown).toMatch(/^🚪 ann \(id ann\) on Fake wants to talk to me\./);
  });

  it('is not asked where nobody reads it: on an account that is switched off', async () => {
    const here = await world();
    const chat = { platform: 'other', account: 'main', chat: 'boss' };
    const facts = { aliases: [], name: 'Boss', chat, approvedBy: 'test', approvedAt: 1 };
    here.gateway.store.people.put({ account: 'other/main', person: 'boss', role: 'owner', groupRole: 'owner', ...facts });
    await here.knock('ann');
    expect(here.gateway.store.asks.open()).toEqual([]);
  });

  it('may answer by any of their ids', async () => {
    const here = await world();
    const [number, lid]: readonly [Sender, Sender] = [
      { ...boss, id: '+49', aliases: ['1@lid'] },
      { ...boss, id: '1@lid' },
    ];
    here.gateway.receive([message(here.gateway.daemon.claimCode ?? '', { chat: 'boss', from: number })]);
    await here.gateway.idle();
    await here.knock('ann');
    here.gateway.receive([click(await card(here.gateway.platform, 'boss'), 'allow', { chat: 'boss', from: lid })]);
    expect((await here.gateway.answered('ann', 2))[1]).toContain('has let you in');
  });

  it('has the card closed when its time is over, also behind a restart', async () => {
    const here = await world({ owner: true });
    await here.knock('ann');
    await card(here.gateway.platform, 'boss');
    here.clock.now += 30 * minuteMs;
    await here.gateway.stop();
    vi.useFakeTimers();
    here.gateway = await startGateway({ platform: here.gateway.platform, home: here.gateway.home, now: () => here.clock.now });
    here.clock.now += 30 * minuteMs;
    await vi.advanceTimersByTimeAsync(31 * minuteMs);
    expect(await closedCard(here.gateway.platform, 'boss')).toContain('Nobody answered in time');
  });

  it('may say no, and the stranger is not heard for an hour', async () => {
    const here = await world({ owner: true });
    await here.knock('ann');
    here.gateway.receive([click(await card(here.gateway.platform, 'boss'), 'deny', { chat: 'boss', from: boss })]);
    expect(await closedCard(here.gateway.platform, 'boss')).toBe('❌ The Boss said no.');
    here.clock.now += 59 * minuteMs;
    await here.knock('ann');
    expect(here.gateway.answers('ann')).toHaveLength(1);
    here.clock.now += minuteMs;
    await here.knock('ann');
    expect(here.gateway.answers('ann')).toHaveLength(2);
  });

  it.each(['yes', '1'])('may also reply %s to the card', async (word) => {
    const here = await world({ owner: true });
    await here.knock('ann');
    const shown = await card(here.gateway.platform, 'boss');
    expect(shown.hint).toBe('You can also reply to this with yes or no.');
    here.gateway.receive([message(word, { chat: 'boss', from: boss, replyTo: replyTo(shown) })]);
    expect((await here.gateway.answered('ann', 2))[1]).toContain('has let you in');
  });

  it('alone decides: a click of somebody else, or of the stranger, changes nothing', async () => {
    const here = await world({ owner: true });
    await here.knock('ann');
    const shown = await card(here.gateway.platform, 'boss');
    here.gateway.receive([click(shown, 'allow', { chat: 'ann', from: { id: 'ann' } })]);
    here.gateway.receive([click(shown, 'allow', { chat: 'boss', from: { id: 'ann' } })]);
    await here.gateway.idle();
    expect(here.gateway.store.people.all()).toHaveLength(1);
  });

  it('has the card closed when the code was used elsewhere, cleared, or ran out', async () => {
    const here = await world({ owner: true });
    const code = await here.knock('ann');
    await card(here.gateway.platform, 'boss');
    people(here).approve(account, code ?? '');
    expect(await closedCard(here.gateway.platform, 'boss', 0)).toBe('⏹ No longer needed.');
    await here.knock('bob');
    await card(here.gateway.platform, 'boss', 2);
    people(here).clear();
    expect(await closedCard(here.gateway.platform, 'boss', 1)).toBe('⏹ No longer needed.');
    await here.knock('carl');
    const late = await card(here.gateway.platform, 'boss', 3);
    here.clock.now += hourMs;
    here.gateway.receive([click(late, 'allow', { chat: 'boss', from: boss })]);
    expect(await closedCard(here.gateway.platform, 'boss', 2)).toContain('Nobody answered in time');
    expect(
      here.gateway.store.people
        .all()
        .map(({ person }) => person)
        .sort(),
    ).toEqual(['ann', 'boss']);
  });

  it('may do what only administrators may, also in groups where everybody may talk', async () => {
    const platform = createFakePlatform({ config: { allowed_users: [], group_allowed_chats: ['g'] } });
    const here = await world({ platform, owner: true });
    const said = { chat: 'g', chatType: 'group' } as const;
    here.gateway.receive([message('/yolo', { ...said, from: { id: 'ann' } }), message('/yolo', { ...said, from: boss })]);
    await here.gateway.idle();
    expect(here.gateway.answers('g')).toEqual([
      expect.stringContaining('is for my owner and administrators'),
      expect.stringContaining('From now on I do not ask'),
    ]);
  });
});

describe('revoking', () => {
  it("ends the person's work, questions and sessions at once, and what they wrote is not read any more", async () => {
    const model = scriptedModel(
      (_request, signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    const here = await world({ model });
    people(here).approve(account, (await here.knock('ann')) ?? '');
    here.gateway.say('ann', 'work');
    await until(
      () => model.requests.length === 1,
      () => 'not begun',
    );
    here.gateway.say('ann', 'and this');
    expect(people(here).revoke(account, 'ann').done).toBe(true);
    await here.gateway.idle();
    expect(model.requests).toHaveLength(1);
    expect(here.gateway.store.sessions.openKeys()).toEqual([]);
    here.gateway.say('ann', 'hello?');
    await here.gateway.idle();
    expect(model.requests).toHaveLength(1);
  });

  it('reaches all that waits, however much it is and also where others talk', async () => {
    const model = scriptedModel(
      (_request, signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    const keys = { group_sessions_per_user: false, thread_sessions_per_user: false };
    const platform = createFakePlatform({ config: { allowed_users: ['bob'] } });
    const here = await world({ model, platform, rules: { keys }, change: { display: { busyMode: 'queue' } } });
    people(here).approve(account, (await here.knock('ann')) ?? '');
    const inGroup = (id: string, text: string) => message(text, { chat: 'g', chatType: 'group', from: { id } });
    here.gateway.receive([inGroup('bob', 'work')]);
    here.gateway.say('ann', 'work');
    await until(
      () => model.requests.length === 2,
      () => 'not begun',
    );
    here.gateway.receive([inGroup('ann', 'and this'), inGroup('bob', 'and that')]);
    here.gateway.receive(Array.from({ length: 150 }, (_, said) => message(`${said}`, { chat: 'ann', from: { id: 'ann' } })));
    people(here).revoke(account, 'ann');
    const waiting = here.gateway.store.inbox.lanes().flatMap((lane) => here.gateway.store.inbox.pending(lane));
    expect(waiting.map(({ payload }) => payload.type === 'message' && payload.text)).toEqual(['and that']);
  });

  it('ends what is at work for them where others talk, too, and nothing of theirs', async () => {
    const model = scriptedModel(
      (_request, signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    const keys = { group_sessions_per_user: false, thread_sessions_per_user: false };
    const platform = createFakePlatform({ config: { allowed_users: ['bob'] } });
    const here = await world({ model, platform, rules: { keys } });
    people(here).approve(account, (await here.knock('ann')) ?? '');
    for (const id of ['ann', 'bob']) here.gateway.receive([message('work', { chat: `with ${id}`, chatType: 'group', from: { id } })]);
    await until(
      () => model.requests.length === 2,
      () => 'not begun',
    );
    people(here).revoke(account, 'ann');
    await until(
      () => here.gateway.store.turns.atWork().length === 1,
      () => 'still at work',
    );
    expect(here.gateway.store.turns.atWork()).toMatchObject([{ requester: { id: 'bob' }, cut: null }]);
  });

  it('is what it takes to make somebody less: another request of theirs does not', async () => {
    const here = await world();
    const knockAs = async (id: string): Promise<string> => {
      here.gateway.receive([message('hi', { chat: id, from: { id } })]);
      await here.gateway.idle();
      return codeIn(here.gateway.platform, id) ?? '';
    };
    const codes = [await knockAs('+49'), await knockAs('1@lid')] as const;
    people(here).approve(account, codes[0], 'admin');
    here.gateway.receive([message('hello', { chat: '+49', from: { id: '+49', aliases: ['1@lid'] } })]);
    people(here).approve(account, codes[1]);
    expect(people(here).all().people).toMatchObject([{ role: 'admin', groupRole: 'admin' }]);
  });

  it('of one id is revoking of all that the person was ever seen with', async () => {
    const model = scriptedModel(
      (_request, signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    const here = await world({ model });
    const from = (text: string, id: string, ...aliases: string[]) => message(text, { chat: 'ann', from: { id, aliases } });
    const knockAs = async (id: string): Promise<void> => {
      here.gateway.receive([from('hi', id)]);
      await here.gateway.idle();
      people(here).approve(account, codeIn(here.gateway.platform, 'ann') ?? '');
    };
    await knockAs('+49');
    await knockAs('1@lid');
    here.gateway.receive([from('work', '1@lid', '+49')]);
    await until(
      () => model.requests.length === 1,
      () => 'not begun',
    );
    expect(people(here).all().people).toHaveLength(1);
    expect(people(here).revoke(account, '+49').done).toBe(true);
    await here.gateway.idle();
    here.gateway.receive([from('and I?', '1@lid'), from('and I?', '+49')]);
    await here.gateway.idle();
    expect(model.requests).toHaveLength(1);
    expect(people(here).all().people).toEqual([]);
  });

  it('leaves alone whoever has the same id on another account', async () => {
    const model = scriptedModel(
      (_request, signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    const here = await world({ model, platform: createFakePlatform({ config: { allowed_users: [], group_allowed_chats: ['g'] } }) });
    const { store } = here.gateway;
    const chat = { platform: 'other', account: 'main', chat: 'x' };
    const roles = { role: 'user', groupRole: 'user' } as const;
    store.people.put({ account: 'other/main', person: 'ann', aliases: [], name: 'Ann', ...roles, chat, approvedBy: 'test', approvedAt: 1 });
    here.gateway.say('g', 'work', { chatType: 'group', from: { id: 'ann' } });
    await until(
      () => model.requests.length === 1,
      () => 'not begun',
    );
    expect(people(here).revoke('other/main', 'ann').done).toBe(true);
    expect(store.turns.atWork().map(({ cut }) => cut)).toEqual([null]);
  });

  it('says when there is nobody to revoke', async () => {
    expect(people(await world()).revoke(account, 'nobody')).toEqual({ done: false, text: 'Nobody with the id nobody was let in on Fake.' });
  });
});
