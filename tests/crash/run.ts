/** `npm run crash -- --rounds 200 --messages 1000 [--chats 8] [--seed N]`; `npm run soak` is the form that the README states. */
import { parseArgs } from 'node:util';
import { runCrashTest } from './crash.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '25' },
    messages: { type: 'string', default: '200' },
    chats: { type: 'string', default: '8' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});

const plan = { rounds: Number(values.rounds), messages: Number(values.messages), chats: Number(values.chats), seed: Number(values.seed) };
console.log(`crash test: ${plan.messages} messages over ${plan.chats} chats, ${plan.rounds} kills, seed ${plan.seed}`);
const report = await runCrashTest(plan, (line) => console.log(line));
console.log(JSON.stringify(report, null, 2));
const { missing, duplicates, outOfOrder, misplaced, repeatedEffects, ledgerProblems, databaseProblems } = report;
const failures = [missing, duplicates, outOfOrder, misplaced, repeatedEffects, ledgerProblems, databaseProblems].filter(
  (list) => list.length > 0,
);
console.log(failures.length === 0 ? 'passed' : 'FAILED');
process.exit(failures.length === 0 ? 0 : 1);
