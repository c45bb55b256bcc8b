import { z } from 'zod';
import { askDaemon } from './ask-daemon.ts';
import { type Act, exitCodes } from './verbs.ts';

const answerSchema = z.object({ link: z.string() });

export const act: Act = async ({ deps, print }) => {
  const { link } = answerSchema.parse(await askDaemon(deps, { method: 'POST', route: '/api/sign-in-links' }));
  print(link);
  return exitCodes.ok;
};
