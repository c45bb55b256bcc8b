/** A model that runs commands with the real terminal, and something to lose. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { type Actor, actor } from './model.ts';
import { answerTo } from './person.ts';
import type { World } from './world.ts';

/** "run a;; b" runs a, and when that is done b, then says what came of both. Else it echoes. */
export function runner(): Actor {
  return actor(({ text, results }) => {
    const [, list] = /^run ([\s\S]*)$/.exec(text) ?? [];
    if (list === undefined) return undefined;
    const command = list.split(';; ')[results.length];
    return command === undefined ? `done: ${results.map(shortened).join(' | ')}` : { call: 'terminal', args: { command } };
  });
}

function shortened(result: string): string {
  return result.startsWith('refused') ? result.slice(0, 90) : (/exit code \d+/.exec(result)?.[0] ?? result.slice(0, 40));
}

/** A directory in the workspace that there is something to lose in. */
export async function somethingToLose(world: World, ...names: readonly string[]): Promise<readonly string[]> {
  await answerTo(world.person, 'hello');
  return names.map((name) => {
    const directory = path.join(world.workspace(), name);
    mkdirSync(path.join(directory, 'inside'), { recursive: true });
    return directory;
  });
}
