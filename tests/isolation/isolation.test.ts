/**
 * 64 conversations at once, each with words of its own in what is said, sent, asked, allowed, kept and called: none of them ever appears with
 * anybody else. HERMES_ISOLATION_ROUNDS (default 1) makes it longer, HERMES_ISOLATION_SEED repeats an order.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { Outbound } from '../../adapters/adapter.ts';
import { accountKey } from '../../gateway/target.ts';
import { createRandom, type Random } from '../crash/random.ts';
import { createFakePlatform, type FakePlatform } from '../fakes/platform.ts';
import { until } from '../gateway/support/gateway.ts';
import { temporaryHome } from '../gateway/support/home.ts';
import { click } from '../gateway/support/inbound.ts';
import { testSettings } from '../gateway/support/settings.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type Deed, nosyTools, order, type Seen, talkative } from './agent.ts';
import { canary, says, whose } from './canaries.ts';
import { accounts, messageIn, type Place, places, placesOf } from './places.ts';

const rounds = Number(process.env['HERMES_ISOLATION_ROUNDS'] ?? 1);
const seed = Number(process.env['HERMES_ISOLATION_SEED'] ?? Date.now() % 1_000_000);
const eventsARound = 300;
const deeds = ['say', 'keep', 'keep', 'send', 'ask', 'dare'] as const satisfies readonly Deed[];

interface World extends TestDaemon {
  readonly home: string;
  readonly random: Random;
  readonly seen: Seen;
  readonly fakes: ReadonlyMap<string, FakePlatform>;
  /** Which place a message of a person belongs to, by its id. */
  readonly said: Map<string, Place>;
  /** Clicks that decided something elsewhere. */
  readonly clicked: string[];
}

async function openWorld(): Promise<World> {
  const home = temporaryHome();
  const random = createRandom(seed);
  const seen: Seen = { requests: [] };
  const people = [...new Set(places.flatMap((place) => place.people))];
  const files = Object.fromEntries(
    places.map(({ index }) => [String(index), () => Readable.from([Buffer.from(canary(index, 'attachment'))])]),
  );
  const config = { allow_admin_from: people, group_allow_admin_from: people, group_allowed_chats: ['*'] };
  const progress = { quietMs: 0, editIntervalMs: 10, previewIntervalMs: 5 };
  const fakes = new Map(
    accounts.map((account, index) => {
      const capabilities = index === 1 ? (['edit', 'delete', 'typing', 'fetch', 'buttons'] as const) : undefined;
      return [accountKey(account), createFakePlatform({ files, config, progress, ...(capabilities && { capabilities }) })] as const;
    }),
  );
  const model = talkative(random, seen);
  const display = { busyMode: 'interrupt', progress: 'verbose' } as const;
  const settings = testSettings({
    model,
    change: { display, approvals: { approvalMs: 3000, questionMs: 3000 } },
    account: (key) => fakes.get(key)?.config,
  });
  const platforms = accounts.map((account) => {
    const fake = fakes.get(accountKey(account)) ?? createFakePlatform();
    return { platform: { ...fake.platform, name: account.platform }, config: fake.config, account: account.account };
  });
  const daemon = await startTestDaemon({ home, platforms, settings: () => settings, tools: nosyTools });
  return { ...daemon, home, random, seen, fakes, said: new Map(), clicked: [] };
}

function fakeOf({ fakes }: World, { chat }: Pick<Place, 'chat'>): FakePlatform {
  const fake = fakes.get(accountKey(chat));
  if (fake === undefined) throw new Error('no such account');
  return fake;
}

function pick<T>(random: Random, from: readonly [T, ...T[]]): T {
  return random.pick(from);
}

function say(world: World, place: Place, text: string, withFile = false): void {
  const { random, said } = world;
  const name = canary(place.index, 'attachment');
  const attachments = withFile ? [{ kind: 'file' as const, handle: String(place.index), name, mime: 'text/plain' }] : [];
  const event = messageIn(place, { text, person: pick(random, place.people), attachments });
  said.set(`${accountKey(place.chat)} ${event.message}`, place);
  fakeOf(world, place).receive([event]);
}

/** Something that somebody does somewhere. */
function act(world: World): void {
  const { random } = world;
  const place = places[Math.floor(random.below(places.length))];
  if (place === undefined) return;
  const chance = random.below(1);
  if (chance < 0.62) say(world, place, order(place.index, pick(random, deeds)), random.chance(0.3));
  else if (chance < 0.68) say(world, place, '/new');
  else if (chance < 0.72) say(world, place, `/queue ${order(place.index, 'keep')}`);
  else if (chance < 0.76) say(world, place, `/background ${order(place.index, 'keep')}`);
  else if (chance < 0.8) say(world, place, `/steer ${canary(place.index, 'prompt')}`);
  else if (chance < 0.83) say(world, place, `/title ${canary(place.index, 'prompt')}`);
  else if (chance < 0.86) say(world, place, '/retry');
  else if (chance < 0.88) say(world, place, '/stop');
  else if (chance < 0.91)
    say(world, place, canary(place.index, 'answer')); // answers what is asked, if something is
  else clickSomewhere(world);
}

/** On a card that is open, by whom it asks; now and then by the same person elsewhere, who has seen the card's token. */
function clickSomewhere(world: World): void {
  const { random } = world;
  const open = accounts.flatMap((account) => {
    const fake = world.fakes.get(accountKey(account));
    return (fake?.shown ?? []).flatMap(({ id, message: shown }) =>
      shown.type === 'ask' && shown.choices.length > 0 ? [{ id, card: shown }] : [],
    );
  });
  const { id, card } = open[Math.floor(random.below(open.length))] ?? {};
  if (id === undefined || card === undefined) return;
  const choice = card.choices[Math.floor(random.below(card.choices.length))]?.id ?? '';
  const owner = ownersOf(world, card)[0];
  const where = random.chance(0.2) ? places[Math.floor(random.below(places.length))] : owner;
  if (where === undefined) return;
  const before = world.store.asks.byToken(card.token)?.state;
  const event = click({ token: card.token, id }, choice, { chatType: where.chatType, from: { id: pick(random, where.people) } });
  fakeOf(world, where).receive([{ ...event, chat: where.chat }]);
  const after = world.store.asks.byToken(card.token)?.state;
  if (where.chat.chat !== card.chat.chat && before !== after) world.clicked.push(`a click in ${where.key} on the card of ${owner?.key}`);
}

/** Where a message of the bot may come from: whoever is quoted, else whoever talks there. */
function ownersOf({ said }: World, { chat, replyTo }: Pick<Outbound, 'chat' | 'replyTo'>): readonly Place[] {
  const quoted = replyTo === undefined ? undefined : said.get(`${accountKey(chat)} ${replyTo}`);
  return quoted === undefined ? placesOf(chat) : [quoted];
}

/** Whatever is still asked is answered or ended, so that everything comes to rest. */
async function settle(world: World): Promise<void> {
  const { store } = world;
  const isQuiet = (): boolean =>
    store.inbox.countOpen() === 0 && store.turns.runningLanes().length === 0 && store.outbox.count().pending === 0;
  for (let round = 0; round < 400 && !isQuiet(); round += 1) {
    for (let index = 0; index < 5; index += 1) clickSomewhere(world);
    if (round % 10 === 9) for (const ask of store.asks.open()) stopLane(world, ask.lane);
    await sleep(15);
  }
  await until(isQuiet, () => `still at work: ${store.turns.runningLanes()}, inbox ${store.inbox.countOpen()}`, 10_000);
}

function stopLane(world: World, lane: string): void {
  const place = places.find(({ key }) => lane.endsWith(key));
  if (place !== undefined) say(world, place, '/stop');
}

test('of 64 conversations at once none hears, sees, keeps or is asked a word of another one', {
  timeout: 60_000 + rounds * 60_000,
}, async () => {
  expect(new Set(places.map(({ key }) => key)).size).toBe(64);
  const world = await openWorld();
  for (const place of places) say(world, place, order(place.index, 'keep'), true);
  for (let event = 0; event < eventsARound * rounds; event += 1) {
    act(world);
    if (world.random.chance(0.5)) await sleep(world.random.below(6));
  }
  await settle(world);
  for (const place of places) say(world, place, order(place.index, 'say'));
  await settle(world);
  const problems = [...world.clicked, ...inRequests(world), ...inChats(world), ...inFiles(world), ...inTables(world), ...inTheRest(world)];
  expect(problems, `HERMES_ISOLATION_SEED=${seed}`).toEqual([]);
  isNoEmptyTest(world);
  await world.daemon.stop();
});

function inRequests({ seen }: World): readonly string[] {
  return seen.requests
    .filter((request) => request.places.length > 1)
    .map(({ places: found, text }) => `a model request of ${found}: ${text.slice(0, 3000)}`);
}

function inChats(world: World): readonly string[] {
  return accounts.flatMap((account) => {
    const fake = fakeOf(world, { chat: { ...account, chat: '' } });
    const shown = fake.calls.flatMap(({ message: sent }) => (sent === undefined ? [] : [sent]));
    const previews = fake.calls.filter(({ kind }) => kind === 'preview');
    const files = fake.shown.flatMap(({ chat, message: sent, content }) =>
      strangers(ownersOf(world, { ...sent, chat }), content ?? '', 'a file that was sent'),
    );
    return [
      ...shown.flatMap((sent) => strangers(ownersOf(world, sent), sent, `a ${sent.type} on ${accountKey(account)}`)),
      ...previews.flatMap(({ chat, text }) =>
        strangers(
          places.filter((place) => accountKey(place.chat) === accountKey(account) && place.chat.chat === chat),
          text,
          'a preview',
        ),
      ),
      ...files,
      ...fake.responses.filter((text) => whose(text).length > 0).map((text) => `a toast: ${text}`),
    ];
  });
}

/** Words of others than these. */
function strangers(owners: readonly Place[], thing: unknown, what: string): readonly string[] {
  const others = whose(thing).filter((place) => !owners.some(({ index }) => index === place));
  return others.length === 0
    ? []
    : [`${what} of ${owners.map(({ index }) => index)} has words of ${others}: ${JSON.stringify(thing).slice(0, 500)}`];
}

function placeOfLane(lane: string): Place | undefined {
  return places.find(({ key }) => lane === key || /^background:bg_\w+:(.*)$/s.exec(lane)?.[1] === key);
}

interface Row {
  readonly lane: string;
  readonly text: string;
}

const rowsWithLanes = [
  ['a transcript', 'select sessions.key as lane, messages.body as text from messages join sessions on sessions.id = messages.session_id'],
  ['a session', 'select key as lane, json_array(title, settings, undelivered) as text from sessions'],
  ['the inbox', 'select lane, payload as text from inbox'],
  ['a question', 'select lane, json_array(body, target, decision) as text from asks'],
  ['what a turn sent', 'select turns.lane as lane, outbox.payload as text from outbox join turns on turns.id = outbox.turn_id'],
  [
    'what is remembered',
    'select sessions.key as lane, json_array(approvals.label, approvals.key) as text from approvals join sessions on sessions.id = approvals.scope',
  ],
  ['the audit', "select turns.lane as lane, audit.facts as text from audit join turns on turns.id = json_extract(audit.facts, '$.turn')"],
] as const;

function inTables({ store }: World): readonly string[] {
  const db = new Sqlite(store.file, { readonly: true });
  try {
    return rowsWithLanes.flatMap(([what, query]) => {
      const rows = db.prepare(query).all() as Row[];
      if (rows.length === 0) throw new Error(`${what}: nothing is there`);
      return rows.flatMap(({ lane, text }) =>
        strangers(
          [placeOfLane(lane)].filter((place) => place !== undefined),
          text,
          what,
        ),
      );
    });
  } finally {
    db.close();
  }
}

/** Workspaces and what came with messages: the directory tells whose it is. */
function inFiles({ home, store }: World): readonly string[] {
  const db = new Sqlite(store.file, { readonly: true });
  const sessions = db.prepare('select id as name, key as lane from sessions').all() as { name: string; lane: string }[];
  const turns = db.prepare('select id as name, lane from turns').all() as { name: number; lane: string }[];
  db.close();
  const owned = [...sessions.map((row) => ({ ...row, root: 'workspaces' })), ...turns.map((row) => ({ ...row, root: 'media' }))];
  return owned.flatMap(({ root, name, lane }) => {
    const owner = placeOfLane(lane);
    return filesBelow(path.join(home, root, String(name))).flatMap((file) =>
      strangers(owner === undefined ? [] : [owner], `${path.basename(file)} ${readFileSync(file, 'utf8')}`, `${root}/${name}`),
    );
  });
}

function filesBelow(directory: string): readonly string[] {
  if (statSync(directory, { throwIfNoEntry: false }) === undefined) return [];
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

/** Nobody's words are in the log, or in the environment of the process. */
function inTheRest({ log }: World): readonly string[] {
  const told = log.lines.filter(({ level }) => level !== 'debug').map(({ message: text, facts }) => `${text} ${JSON.stringify(facts)}`);
  return [...told, JSON.stringify(process.env)]
    .filter((text) => whose(text).length > 0)
    .map((text) => `the log or the environment: ${text.slice(0, 300)}`);
}

/** Everything that could have leaked was there, everywhere. */
function isNoEmptyTest(world: World): void {
  const { seen } = world;
  for (const { index, chat } of places) {
    const own = seen.requests.filter((request) => request.places.includes(index));
    expect(own.length, `requests of ${index}`).toBeGreaterThan(1);
    const shown = fakeOf(world, { chat }).shown.filter(({ chat: where }) => where.chat === chat.chat && where.thread === chat.thread);
    expect(whose(shown.map(({ message: sent }) => sent)), `what the chat of ${index} shows`).toContain(index);
  }
  const all = [...world.fakes.values()].flatMap(({ shown }) => shown);
  for (const type of ['text', 'file', 'ask', 'progress'] as const)
    expect(all.filter(({ message: sent }) => sent.type === type).length, type).toBeGreaterThan(10);
  for (const kind of ['prompt', 'attachment', 'file', 'answer', 'call'] as const) {
    expect(seen.requests.filter(({ text }) => says(text, kind)).length, `requests with ${kind}`).toBeGreaterThan(0);
  }
}
