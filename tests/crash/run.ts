/** `npm run crash -- --rounds 200 --messages 1000 [--chats 8] [--seed N] [--platforms telegram,discord]`; `npm run soak` is the form that the README states. */
import { parseArgs } from 'node:util';
import { runCrashTest } from './crash.ts';
import { crashPlatforms } from './platforms.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '25' },
    messages: { type: 'string', default: '200' },
    chats: { type: 'string', default: '8' },
    platforms: { type: 'string', default: 'telegram' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});

const platforms = values.platforms.split(',').map((name) => {
  const start = crashPlatforms[name];
  if (start === undefined) throw new Error(`There is no crash test for "${name}", only for ${Object.keys(crashPlatforms).join(', ')}.`);
  return start;
});
const plan = {
  rounds: Number(values.rounds),
  messages: Number(values.messages),
  chats: Number(values.chats),
  seed: Number(values.seed),
  platforms,
};
console.log(
  `crash test: ${plan.messages} messages over ${plan.chats} chats of ${values.platforms}, ${plan.rounds} kills, seed ${plan.seed}`,
);
const report = await runCrashTest(plan, (line) => console.log(line));
console.log(JSON.stringify(report, null, 2));
const { missing, duplicates, outOfOrder, misplaced, repeatedEffects, ledgerProblems, databaseProblems } = report;
const failures = [missing, duplicates, outOfOrder, misplaced, repeatedEffects, ledgerProblems, databaseProblems].filter(
  (list) => list.length > 0,
);
console.log(failures.length === 0 ? 'passed' : 'FAILED');
process.exit(failures.length === 0 ? 0 : 1);
