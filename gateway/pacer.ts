/** Keeps one account within its platform's rate limits: each call reserves its slot ahead of time, in the order of asking. */
import type { Pacing } from '../adapters/platform.ts';
import type { Clock } from './time.ts';

/** A limit of one call every `intervalMs`, of which `burst` may come at once (GCRA: generic cell rate algorithm). */
interface Rate {
  readonly intervalMs: number;
  readonly burst: number;
}

export interface Pacer {
  /** Reserves the next free slot of this chat; how long to wait for it, in ms. After that wait `reserveCall` says when it may be used. */
  reserve(chat: string, group: boolean): number;
  /** Reserves one of the account's calls for a chat whose slot has come; how long to wait for it. Not earlier: a chat that waits for itself would hold back all others. */
  reserveCall(chat: string, group: boolean): number;
  /**
   * Reserves both only when they are free now and (where bursts are allowed) leave a slot free: for progress and previews, which never
   * delay an answer. `apartMs`: calls that give one are at least so far apart from each other in a chat, whichever turn they belong to.
   */
  tryReserve(chat: string, group: boolean, apartMs?: number): boolean;
  /** Takes no slot: false when the last call under this key that was not refused is less than `ms` ago. */
  apart(key: string, ms: number): boolean;
}

const sweepSize = 4096;

export function createPacer(pacing: Pacing, now: Clock): Pacer {
  const chatRate = { intervalMs: pacing.chat_interval_ms, burst: pacing.chat_burst };
  const groupRate = perMinute(pacing.group_per_minute, pacing.chat_burst);
  const account = createWindow(pacing.per_second);
  /** By limit: the time at which the next call would be exactly on schedule. */
  const schedule = new Map<string, number>();
  const limitsOf = (chat: string, group: boolean): [string, Rate][] => {
    const limits: [string, Rate][] = [[`chat ${chat}`, chatRate]];
    if (group) limits.push([`group ${chat}`, groupRate]);
    return limits.filter(([, rate]) => rate.intervalMs > 0);
  };
  const waitFor = (limits: readonly [string, Rate][], at: number): number =>
    Math.max(0, ...limits.map(([key, { intervalMs, burst }]) => (schedule.get(key) ?? 0) - (burst - 1) * intervalMs - at));
  const book = (limits: readonly [string, Rate][], at: number): void => {
    for (const [key, { intervalMs }] of limits) schedule.set(key, Math.max(schedule.get(key) ?? 0, at) + intervalMs);
    if (schedule.size > sweepSize) sweep(schedule, now());
  };
  return {
    reserve: (chat, group) => {
      const limits = limitsOf(chat, group);
      const wait = waitFor(limits, now());
      book(limits, now() + wait);
      return wait;
    },
    reserveCall: (chat, group) => {
      const wait = account.waitAt(now());
      account.book(now() + wait);
      for (const [key] of limitsOf(chat, group)) schedule.set(key, (schedule.get(key) ?? now()) + wait); // the call comes later than its slot
      return wait;
    },
    tryReserve: (chat, group, apartMs = 0) => {
      const limits = [...limitsOf(chat, group).map(leavingOne), ...spread(chat, apartMs)];
      if (waitFor(limits, now()) > 0 || account.waitAt(now()) > 0) return false;
      book(limits, now());
      account.book(now());
      return true;
    },
    apart: (key, ms) => {
      const limits = spread(key, ms);
      if (waitFor(limits, now()) > 0) return false;
      book(limits, now());
      return true;
    },
  };
}

function spread(key: string, apartMs: number): [string, Rate][] {
  return apartMs > 0 ? [[`apart ${key}`, { intervalMs: apartMs, burst: 1 }]] : [];
}

function leavingOne([key, { intervalMs, burst }]: [string, Rate]): [string, Rate] {
  return [key, { intervalMs, burst: Math.max(1, burst - 1) }];
}

/** Spaced so that a burst and the calls after it stay within the minute's number. */
function perMinute(calls: number, burst: number): Rate {
  if (calls <= 0) return { intervalMs: 0, burst };
  const most = Math.min(burst, calls);
  return { intervalMs: 60_000 / (calls - most + 1), burst: most };
}

interface Window {
  waitAt(at: number): number;
  /** `at` is never before an earlier booking: it is now, or now and the wait. */
  book(at: number): void;
}

/** At most `perSecond` calls in any second. 0 = no limit. */
function createWindow(perSecond: number): Window {
  if (perSecond <= 0) return { waitAt: () => 0, book: () => undefined };
  const calls = Math.max(1, Math.floor(perSecond));
  const windowMs = (1000 * calls) / perSecond;
  const booked: number[] = [];
  return {
    waitAt: (at) => Math.max(0, (booked.at(-calls) ?? Number.NEGATIVE_INFINITY) + windowMs - at),
    book: (at) => {
      booked.push(at);
      if (booked.length > calls) booked.shift();
    },
  };
}

function sweep(schedule: Map<string, number>, now: number): void {
  for (const [key, at] of schedule) if (at <= now) schedule.delete(key);
}
