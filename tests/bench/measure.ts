/** One round of measurements of one contender (the gateway or the floor) between the fakes, all on one clock. */
import { type ChildProcess, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FakeModel, lastUserText, startFakeModel } from '../fakes/model.ts';
import { type FakeTelegram, startFakeTelegram } from '../fakes/telegram.ts';

export interface Contender {
  readonly name: string;
  /** Starts on the same state directory as before in this round. */
  start(telegram: FakeTelegram, model: FakeModel): ChildProcess;
}

export interface Round {
  readonly startMs: number;
  readonly warmAnswerMs: number;
  readonly idleMiB: number;
  readonly stopMs: number;
  /** Own latency of each message: from the update in the queue to the send's arrival, less the time of the model call. */
  readonly ownMs: readonly number[];
  readonly burstMs: number;
  readonly slowMs: number;
  readonly lost: number;
  readonly doubled: number;
  readonly misplaced: number;
}

const now = (): number => performance.timeOrigin + performance.now();
export const burstChats = 200;
export const slowChats = 100;
const modelDelayMs = 1000;

export async function measureRound(contender: Contender, sequential: number): Promise<Round> {
  const telegram = await startFakeTelegram();
  const model = await startFakeModel({ reply: (body) => ({ text: `pong ${lastUserText(body)}` }) });
  let child: ChildProcess | undefined;
  try {
    const startMs = await untilFirstPoll(telegram, () => (child = contender.start(telegram, model)));
    await sleep(3000);
    const idleMiB = treeMiB(child?.pid ?? 0);
    const stopMs = await stop(child);
    telegram.inject({ chatId: 1, text: 'waiting zq0000' });
    const startedAt = now();
    child = contender.start(telegram, model);
    await telegram.waitFor(() => answersTo(telegram, 'zq0000').length > 0, 30_000);
    const warmAnswerMs = (answersTo(telegram, 'zq0000')[0]?.t ?? 0) - startedAt;
    const ownMs = await oneByOne(telegram, sequential);
    const burst = await allAtOnce(telegram, { chats: burstChats, from: 10_000, mark: 'b' });
    model.setDelay(modelDelayMs);
    const slow = await allAtOnce(telegram, { chats: slowChats, from: 20_000, mark: 's' });
    const sum = (pick: 'lost' | 'doubled' | 'misplaced'): number => burst[pick] + slow[pick];
    const counts = { lost: sum('lost'), doubled: sum('doubled'), misplaced: sum('misplaced') };
    return { startMs, warmAnswerMs, idleMiB, stopMs, ownMs, burstMs: burst.tookMs, slowMs: slow.tookMs, ...counts };
  } finally {
    child?.kill('SIGKILL');
    await telegram.close();
    await model.close();
  }
}

async function untilFirstPoll(telegram: FakeTelegram, start: () => ChildProcess): Promise<number> {
  const before = telegram.polls.length;
  const startedAt = now();
  start();
  await telegram.waitFor(() => telegram.polls.length > before, 30_000);
  return now() - startedAt;
}

async function stop(child: ChildProcess | undefined): Promise<number> {
  if (child === undefined) return 0;
  const startedAt = now();
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exit;
  return now() - startedAt;
}

function answersTo(telegram: FakeTelegram, token: string) {
  return telegram.calls.filter(
    (call) => call.method === 'sendMessage' && (call.text ?? '').startsWith('pong') && (call.text ?? '').includes(token),
  );
}

/** The fake model answers at once, so what is left is the contender's own time and the harness's (see the floor). */
async function oneByOne(telegram: FakeTelegram, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const token = `zq1${String(index).padStart(5, '0')}`;
    const at = now();
    telegram.inject({ chatId: 2, text: `question ${token}` });
    await telegram.waitFor(() => answersTo(telegram, token).length > 0, 20_000);
    times.push((answersTo(telegram, token)[0]?.t ?? Number.NaN) - at);
    await sleep(30);
  }
  return times.slice(3); // the first ones warm up
}

interface Burst {
  readonly chats: number;
  readonly from: number;
  readonly mark: string;
}

async function allAtOnce(telegram: FakeTelegram, { chats, from, mark }: Burst) {
  const tokens = Array.from({ length: chats }, (_, index) => `zq${mark}${String(index).padStart(5, '0')}`);
  const startedAt = now();
  const sendsBefore = telegram.calls.length;
  telegram.injectMany(tokens.map((token, index) => ({ chatId: from + index, text: `hello ${token}` })));
  const sends = () => telegram.calls.slice(sendsBefore).filter((call) => call.method === 'sendMessage');
  await telegram.waitFor(() => sends().length >= chats, 60_000).catch(() => undefined);
  const tookMs = (sends().at(-1)?.t ?? Number.NaN) - startedAt;
  await sleep(1500); // late duplicates
  const byToken = tokens.map((token, index) => ({ chatId: from + index, answers: sends().filter((call) => call.text?.includes(token)) }));
  return {
    tookMs,
    lost: byToken.filter(({ answers }) => answers.length === 0).length,
    doubled: byToken.filter(({ answers }) => answers.length > 1).length,
    misplaced: byToken.filter(({ chatId, answers }) => answers.some((call) => call.chatId !== chatId)).length,
  };
}

/** Resident memory of a process and its descendants. */
function treeMiB(pid: number): number {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const parent = /^PPid:\s+(\d+)/m.exec(readStatus(name))?.[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const inTree = (candidate: number): boolean => candidate === pid || (parents.has(candidate) && inTree(parents.get(candidate) ?? 0));
  const kibibytes = [...parents.keys()]
    .filter(inTree)
    .map((member) => Number(/^VmRSS:\s+(\d+)/m.exec(readStatus(String(member)))?.[1] ?? 0));
  return kibibytes.reduce((sum, size) => sum + size, 0) / 1024;
}

function readStatus(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return ''; // it ended meanwhile
  }
}

export function commandMs(command: string, args: readonly string[]): number {
  const startedAt = now();
  execFileSync(command, args, { stdio: 'ignore' });
  return now() - startedAt;
}
