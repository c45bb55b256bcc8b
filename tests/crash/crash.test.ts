import { expect, test } from 'vitest';
import { runCrashTest } from './crash.ts';
import { startTelegram } from './telegram.ts';

// The short form; `npm run soak` is the stated one (200 messages, 25 kills).
test('a daemon that is killed at random points answers every message once, in order, and repeats no side effect', {
  timeout: 60_000,
}, async () => {
  const report = await runCrashTest({ rounds: 5, messages: 40, chats: 4, seed: 7, platforms: [startTelegram] });
  expect(report).toMatchObject({
    missing: [],
    duplicates: [],
    outOfOrder: [],
    misplaced: [],
    repeatedEffects: [],
    ledgerProblems: [],
    databaseProblems: [],
  });
  expect(report.answered + report.notices).toBe(40);
});
