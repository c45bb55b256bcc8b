/**
 * The crash test: numbered messages over several chats, the real daemon killed with SIGKILL at random points (at work, between a send and
 * its receipt, inside the drain of a stop), started again on the same home. At the end the ledger must show exactly one outcome a message.
 */
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { lastUserText, startFakeModel } from '../fakes/model.ts';
import { type GatewayProcess, startGateway } from '../support/gateway-process.ts';
import type { AcceptedSend, CrashPlatform, StartCrashPlatform } from './platform.ts';
import { createRandom, type Random } from './random.ts';

export interface CrashPlan {
  readonly rounds: number;
  readonly messages: number;
  readonly chats: number;
  readonly seed: number;
  /** Message n goes to platform n, counted round and round. */
  readonly platforms: readonly StartCrashPlatform[];
}

export interface CrashReport {
  readonly messages: number;
  readonly kills: Readonly<Record<KillPoint, number>>;
  readonly answered: number;
  /** Messages whose end is a visible notice instead of an answer (parked after two deaths). */
  readonly notices: number;
  readonly missing: readonly number[];
  /** Answers that appear twice because the fake accepted a send and the kill came before its reply reached us. */
  readonly excusedDuplicates: number;
  readonly duplicates: readonly number[];
  readonly outOfOrder: readonly number[];
  /** The same where the platform brings late what a kill caught (WhatsApp's receipt window); no failure. */
  readonly late: readonly number[];
  readonly misplaced: readonly number[];
  /** Side effects (appended lines) that happened more than once. */
  readonly repeatedEffects: readonly number[];
  /** Rows that are not settled, or more than one row for an event. */
  readonly ledgerProblems: readonly string[];
  readonly databaseProblems: readonly string[];
  readonly tookMs: number;
}

export type KillPoint = 'work' | 'receipt' | 'drain';

const replyDelayMs = 15;
const longestWorkMs = 1500;
/** A send that arrived longer than this before a kill had its receipt by then, however busy the machine. */
const receiptGraceMs = 500;

export async function runCrashTest(plan: CrashPlan, say: (line: string) => void = () => undefined): Promise<CrashReport> {
  const startedAt = Date.now();
  const home = mkdtempSync(path.join(tmpdir(), 'hermes-crash-'));
  const random = createRandom(plan.seed);
  const platforms = await Promise.all(plan.platforms.map((begin) => begin(replyDelayMs)));
  const model = await startFakeModel({ delayMs: 20, reply: (body) => scriptedReply(lastUserText(body), body) });
  const kills: Kill[] = [];
  const killed = { work: 0, receipt: 0, drain: 0 };
  const databaseProblems: string[] = [];
  const start = (): GatewayProcess => {
    rmSync(path.join(home, 'run', 'starts.json'), { force: true }); // five kills in a row before it is ready would bring up the safe mode
    return startGateway({ home, model: model.base, ...settingsFor(platforms) });
  };
  try {
    for (const platform of platforms) platform.prepare?.(home);
    await greet(platforms, plan, start);
    const feeding = feed(platforms, plan, random);
    for (let round = 0; round < plan.rounds; round += 1) {
      const gateway = start();
      const point = await killSomewhere({ gateway, platforms, random });
      const at = performance.timeOrigin + performance.now();
      killed[point] += 1;
      await gateway.exited;
      const { problems, sending } = inspect(home);
      kills.push({ at, sending });
      databaseProblems.push(...problems);
      say(`round ${round + 1}/${plan.rounds}: killed (${point}), ${countSends(platforms)} sends so far`);
    }
    await feeding;
    const gateway = start();
    await settled(home, plan.messages, gateway);
    await gateway.stop();
    databaseProblems.push(...inspect(home).problems);
    return { ...judge({ platforms, plan, home, kills }), kills: killed, databaseProblems, tookMs: Date.now() - startedAt };
  } finally {
    for (const platform of platforms) await platform.close();
    await model.close();
    rmSync(home, { recursive: true, force: true });
  }
}

function settingsFor(platforms: readonly CrashPlatform[]) {
  const config = Object.assign({ gateway: { drain_timeout_seconds: 5 } }, ...platforms.map((platform) => platform.config));
  return { config, env: Object.assign({}, ...platforms.map(({ env }) => env)) };
}

function countSends(platforms: readonly CrashPlatform[]): number {
  return platforms.reduce((sum, platform) => sum + platform.sends().length, 0);
}

async function greet(platforms: readonly CrashPlatform[], { chats }: CrashPlan, start: () => GatewayProcess): Promise<void> {
  const shy = platforms.filter(({ needsGreeting }) => needsGreeting === true);
  if (shy.length === 0) return;
  const gateway = start();
  await waitFor(() => shy.every((platform) => platform.contacts() > 0), 20_000);
  for (const platform of shy) for (let chat = 0; chat < chats; chat += 1) platform.say('hello', chat);
  await waitFor(() => shy.every((platform) => new Set(platform.sends().map((send) => send.chat)).size === chats), 20_000);
  await gateway.stop();
}

/** Every fourth message makes the model append a line to a file before it answers: a side effect that must not happen twice. */
function scriptedReply(text: string, body: { readonly messages: readonly { readonly role: string }[] }) {
  const number = [...text.matchAll(/#(\d+)/g)].at(-1)?.[1] ?? '?'; // a turn that was given up leaves its message before this one
  const afterTool = body.messages.at(-1)?.role === 'tool';
  if (Number(number) % 4 === 0 && !afterTool) return { calls: [{ name: 'terminal', args: { command: `echo ${number} >> effects.txt` } }] };
  return { text: `answer [${number}]` };
}

/** Which platform a message goes to, and which chat there. */
function placeOf(number: number, chats: number, platforms: readonly CrashPlatform[]): { readonly platform: number; readonly chat: number } {
  const platform = number % platforms.length;
  return { platform, chat: Math.floor(number / platforms.length) % Math.min(chats, platforms[platform]?.mostChats ?? chats) };
}

async function feed(platforms: readonly CrashPlatform[], plan: CrashPlan, random: Random): Promise<void> {
  const { messages, rounds } = plan;
  const spreadMs = (rounds * longestWorkMs) / 2;
  for (let number = 0; number < messages; number += 1) {
    // Queued: a message that simply came would interrupt the turn before it, and that one would have no answer of its own.
    const { platform, chat } = placeOf(number, plan.chats, platforms);
    platforms[platform]?.say(`/queue message #${number}`, chat);
    if (random.chance(0.4)) await sleep(random.below((5 * spreadMs) / messages)); // in little bursts
  }
}

interface Victim {
  readonly gateway: GatewayProcess;
  readonly platforms: readonly CrashPlatform[];
  readonly random: Random;
}

async function killSomewhere({ gateway, platforms, random }: Victim): Promise<KillPoint> {
  const point = random.pick<KillPoint>(['work', 'work', 'receipt', 'receipt', 'drain']);
  const before = platforms.map((platform) => platform.contacts());
  const connected = (): boolean => platforms.every((platform, index) => platform.contacts() > (before[index] ?? 0));
  await waitFor(() => connected() || !gateway.alive(), 20_000);
  if (gateway.alive() && !connected()) throw new Error(`the daemon did not connect:\n${gateway.output().slice(-2000)}`);
  if (!gateway.alive()) throw new Error(`the daemon ended before its first poll:\n${gateway.output().slice(-2000)}`);
  await sleep(random.below(random.chance(0.5) ? 250 : longestWorkMs)); // early, when everything is taken up again, or in the middle of the work
  if (point === 'receipt') {
    const sends = countSends(platforms);
    await waitFor(() => countSends(platforms) > sends, 1500);
    await sleep(random.below(replyDelayMs * 2));
  }
  if (point === 'drain') {
    gateway.kill('SIGTERM');
    await sleep(random.below(80));
  }
  gateway.kill('SIGKILL');
  return point;
}

/** Until the condition holds, at most `ms`. */
async function waitFor(condition: () => boolean, ms: number): Promise<void> {
  for (const deadline = performance.now() + ms; !condition() && performance.now() < deadline; ) await sleep(3);
}

async function settled(home: string, messages: number, gateway: GatewayProcess): Promise<void> {
  const deadline = Date.now() + 60_000 + messages * 50;
  for (;;) {
    await sleep(200);
    const { done, open } = readLedger(home);
    if (done >= messages && open === 0) return;
    if (Date.now() > deadline)
      throw new Error(`not settled in time: ${done} of ${messages} done, ${open} open\n${gateway.output().slice(-3000)}`);
  }
}

interface Ledger {
  readonly done: number;
  readonly open: number;
  readonly outcomes: ReadonlyMap<number, readonly string[]>;
}

function readLedger(home: string): Ledger {
  const db = new Sqlite(path.join(home, 'state.db'), { readonly: true });
  try {
    const rows = db.prepare("select json_extract(payload, '$.text') as text, state, outcome from inbox where text like '%#%'").all() as {
      text: string;
      state: string;
      outcome: string;
    }[];
    const outcomes = new Map<number, string[]>();
    for (const { text, state, outcome } of rows) {
      const number = Number(/#(\d+)/.exec(text)?.[1]);
      outcomes.set(number, [...(outcomes.get(number) ?? []), state === 'done' ? outcome : `${state}, not settled`]);
    }
    const unsent = db.prepare("select count(*) from outbox where state in ('pending', 'sending')").pluck().get() as number;
    const open = rows.filter((row) => row.state !== 'done').length + unsent;
    return { done: rows.length - rows.filter((row) => row.state !== 'done').length, open, outcomes };
  } finally {
    db.close();
  }
}

interface Kill {
  readonly at: number;
  /** Messages whose answer was on its way, without a receipt. */
  readonly sending: ReadonlySet<number>;
}

/** Looks at a copy, so that the daemon itself recovers what the kill left. */
function inspect(home: string): { readonly problems: readonly string[]; readonly sending: ReadonlySet<number> } {
  const copy = mkdtempSync(path.join(tmpdir(), 'hermes-crash-copy-'));
  try {
    for (const name of readdirSync(home).filter((file) => /^state\.db(-wal)?$/.test(file)))
      copyFileSync(path.join(home, name), path.join(copy, name));
    const db = new Sqlite(path.join(copy, 'state.db'));
    const result = db.pragma('integrity_check', { simple: true });
    const texts = db.prepare("select payload from outbox where state = 'sending'").pluck().all() as string[];
    db.close();
    return {
      problems: result === 'ok' ? [] : [String(result)],
      sending: new Set(texts.map((text) => Number(/answer \[(\d+)\]/.exec(text)?.[1]))),
    };
  } finally {
    rmSync(copy, { recursive: true });
  }
}

interface Evidence {
  readonly platforms: readonly CrashPlatform[];
  readonly plan: CrashPlan;
  readonly home: string;
  readonly kills: readonly Kill[];
}

function judge({ platforms, plan, home, kills }: Evidence): Omit<CrashReport, 'kills' | 'databaseProblems' | 'tookMs'> {
  const { outcomes } = readLedger(home);
  const numbers = Array.from({ length: plan.messages }, (_, number) => number);
  const sends = answersByNumber(platforms);
  const answered = numbers.filter((number) => sends.has(number));
  const noticed = numbers.filter((number) => !sends.has(number) && outcomes.get(number)?.[0] === 'parked');
  const doubled = answered.filter((number) => (sends.get(number)?.length ?? 0) > 1);
  const excused = doubled.filter((number) =>
    sends
      .get(number)
      ?.slice(0, -1)
      .every((call) => cutByKill(number, call, kills)),
  );
  return {
    messages: plan.messages,
    answered: answered.length,
    notices: noticed.length,
    missing: numbers.filter((number) => !sends.has(number) && !noticed.includes(number)),
    excusedDuplicates: excused.length,
    duplicates: doubled.filter((number) => !excused.includes(number)),
    ...inWrongOrder(sends, platforms),
    misplaced: answered.filter((number) => sends.get(number)?.some((send) => isMisplaced(send, placeOf(number, plan.chats, platforms)))),
    repeatedEffects: repeatedEffects(home),
    ledgerProblems: numbers.flatMap((number) => ledgerProblem(number, outcomes.get(number) ?? [])),
  };
}

/** A send, and the platform that it went to. */
interface PlacedSend extends AcceptedSend {
  readonly platform: number;
}

function answersByNumber(platforms: readonly CrashPlatform[]): ReadonlyMap<number, readonly PlacedSend[]> {
  const sends = new Map<number, PlacedSend[]>();
  for (const [platform, each] of platforms.entries()) {
    for (const send of each.sends()) {
      const found = /answer \[(\d+)\]/.exec(send.text)?.[1];
      if (found !== undefined) sends.set(Number(found), [...(sends.get(Number(found)) ?? []), { ...send, platform }]);
    }
  }
  return sends;
}

function isMisplaced(send: PlacedSend, { platform, chat }: ReturnType<typeof placeOf>): boolean {
  return send.platform !== platform || send.chat !== chat;
}

function cutByKill(number: number, call: PlacedSend, kills: readonly Kill[]): boolean {
  return kills.some(({ at, sending }) => sending.has(number) && call.t <= at + 5 && call.t >= at - receiptGraceMs);
}

function inWrongOrder(sends: ReadonlyMap<number, readonly PlacedSend[]>, platforms: readonly CrashPlatform[]) {
  const wrong = outOfOrder(sends);
  const isLate = (number: number): boolean => platforms[number % platforms.length]?.comesLate === true;
  return { outOfOrder: wrong.filter((number) => !isLate(number)), late: wrong.filter(isLate) };
}

function outOfOrder(sends: ReadonlyMap<number, readonly PlacedSend[]>): number[] {
  const wrong: number[] = [];
  const last = new Map<string, number>();
  const firsts = [...sends].flatMap(([number, [first]]) => (first === undefined ? [] : [{ number, first }]));
  for (const { number, first } of firsts.sort((one, other) => one.first.t - other.first.t)) {
    const chat = `${first.platform}/${first.chat}`;
    if (number < (last.get(chat) ?? -1)) wrong.push(number);
    last.set(chat, Math.max(number, last.get(chat) ?? -1));
  }
  return wrong;
}

function repeatedEffects(home: string): number[] {
  const workspaces = path.join(home, 'workspaces');
  const seen = new Map<string, number>();
  for (const session of readdirSync(workspaces)) {
    if (!readdirSync(path.join(workspaces, session)).includes('effects.txt')) continue;
    const lines = readFileSync(path.join(workspaces, session, 'effects.txt'), 'utf8')
      .trim()
      .split('\n');
    for (const line of lines) seen.set(line, (seen.get(line) ?? 0) + 1);
  }
  return [...seen].filter(([, count]) => count > 1).map(([line]) => Number(line));
}

function ledgerProblem(number: number, outcomes: readonly string[]): string[] {
  if (outcomes.length !== 1) return [`message ${number} has ${outcomes.length} rows`];
  return ['answered', 'failed', 'parked'].includes(outcomes[0] ?? '') ? [] : [`message ${number}: ${outcomes[0]}`];
}
