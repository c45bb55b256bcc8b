import { hashOf, randomSecret, sameHash } from './secrets.ts';

const MAX_OUTSTANDING = 5;
const MAX_FAILURES = 10;
const WINDOW_MS = 60_000;

/** One-time codes. Only their hashes are kept, in memory: a restart makes the printed links worthless. */
export interface SignInCodes {
  /** A fresh code; the oldest outstanding one gives way. */
  issue(): string;
  /** True exactly once for each code. */
  redeem(code: string): boolean;
}

export function createSignInCodes(): SignInCodes {
  const outstanding: string[] = [];
  return {
    issue() {
      const code = randomSecret();
      outstanding.push(hashOf(code));
      if (outstanding.length > MAX_OUTSTANDING) outstanding.shift();
      return code;
    },
    redeem(code) {
      const hash = hashOf(code);
      // Looks at every code, found or not, so that the time tells nothing.
      const matches = outstanding.map((candidate) => sameHash(candidate, hash));
      const index = matches.indexOf(true);
      if (index < 0) return false;
      outstanding.splice(index, 1);
      return true;
    },
  };
}

/**
 * Counts sign-in attempts of all peers together. An attempt counts when it begins, whatever is in it, and is taken back when it succeeds:
 * there is no field that could switch the counting off. A lock-out beats a correct code.
 */
export interface AttemptLimit {
  /** False: too many in the last minute. */
  begin(): boolean;
  succeeded(): void;
}

export function createAttemptLimit(now: () => number): AttemptLimit {
  const attempts: number[] = [];
  return {
    begin() {
      while (attempts[0] !== undefined && attempts[0] <= now() - WINDOW_MS) attempts.shift();
      if (attempts.length >= MAX_FAILURES) return false;
      attempts.push(now());
      return true;
    },
    succeeded() {
      attempts.pop();
    },
  };
}
