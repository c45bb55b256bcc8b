import { expect, test } from 'vitest';
import { runCrashTest } from './crash.ts';
import { crashPlatforms } from './platforms.ts';

// The short forms; `npm run soak` runs the stated ones (200 messages, 25 kills, each platform alone and all together).
test.each([
  ['telegram', { rounds: 5, messages: 40, chats: 4, seed: 7 }],
  ['discord', { rounds: 2, messages: 16, chats: 3, seed: 11 }],
  ['slack', { rounds: 2, messages: 16, chats: 3, seed: 12 }],
  ['whatsapp', { rounds: 2, messages: 16, chats: 1, seed: 13 }],
  ['telegram, discord, slack, whatsapp', { rounds: 3, messages: 40, chats: 3, seed: 5 }],
])(
  'a daemon on %s that is killed at random points answers every message once, in order, and repeats no side effect',
  {
    timeout: 90_000,
  },
  async (names, plan) => {
    const platforms = names.split(', ').flatMap((name) => crashPlatforms[name] ?? []);
    const report = await runCrashTest({ ...plan, platforms });
    expect(report).toMatchObject({
      missing: [],
      duplicates: [],
      outOfOrder: [],
      misplaced: [],
      repeatedEffects: [],
      ledgerProblems: [],
      databaseProblems: [],
    });
    expect(report.answered + report.notices).toBe(plan.messages);
  },
);
