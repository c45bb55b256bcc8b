import { z } from 'zod';
import { askDaemon } from './ask-daemon.ts';
import { printable } from './printable.ts';
import { type CliContext, exitCodes } from './verbs.ts';

const answerSchema = z.object({ text: z.string() });

/** Does something about people and prints what came of it. Rejects with the daemon's sentence when nothing was changed. */
export async function decide({ deps, print }: CliContext, route: string, body: object): Promise<number> {
  const { text } = answerSchema.parse(await askDaemon(deps, { method: 'POST', route, body }));
  print(printable(text));
  return exitCodes.ok;
}
