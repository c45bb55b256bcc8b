/** Flood control of the fake Bot API: 429 with a `retry_after` that grows when it is not honoured. */

export interface FakePacing {
  /** Sends and edits a second in one chat, after `burst`. 0 = no limit. */
  readonly chatPerSecond?: number;
  readonly burst?: number;
  readonly groupPerMinute?: number;
  readonly perSecond?: number;
  readonly retryAfterSeconds?: number;
}

interface PacedCall {
  readonly t: number;
  readonly method: string;
  readonly chatId: number | undefined;
}

const PACED = /^(send(?!chataction|messagedraft)|editmessage|copymessage|forwardmessage)/i;

export function createPenalties(pacing: FakePacing | undefined, now: () => number) {
  const recent: { t: number; chatId: number | undefined }[] = [];
  const until = new Map<number | undefined, number>();
  let seconds = pacing?.retryAfterSeconds ?? 3;
  let violations = 0;

  const count = (sinceMs: number, chatId?: number): number =>
    recent.filter((call) => call.t > now() - sinceMs && (chatId === undefined || call.chatId === chatId)).length;

  function exceeds(rules: FakePacing, chatId: number | undefined): boolean {
    const burst = rules.burst ?? 3;
    if (rules.perSecond !== undefined && rules.perSecond > 0 && count(1000) >= rules.perSecond) return true;
    if (chatId === undefined) return false;
    if (rules.chatPerSecond !== undefined && rules.chatPerSecond > 0 && count((1000 * burst) / rules.chatPerSecond, chatId) >= burst)
      return true;
    return rules.groupPerMinute !== undefined && rules.groupPerMinute > 0 && chatId < 0 && count(60_000, chatId) >= rules.groupPerMinute;
  }

  return {
    violations: (): number => violations,
    /** Seconds to wait, or undefined when the call may go on. */
    check(call: PacedCall): number | undefined {
      if (pacing === undefined || !PACED.test(call.method)) return undefined;
      const end = until.get(call.chatId) ?? 0;
      if (call.t < end) {
        violations += 1;
        seconds *= 2;
      } else if (!exceeds(pacing, call.chatId)) {
        recent.push({ t: call.t, chatId: call.chatId });
        return undefined;
      }
      until.set(call.chatId, call.t + seconds * 1000);
      return seconds;
    },
  };
}
