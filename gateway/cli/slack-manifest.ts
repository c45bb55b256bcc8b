import { type Act, exitCodes } from './verbs.ts';

export const act: Act = async ({ deps, options, print }) => {
  const manifest = deps.manifest('slack', options);
  if (manifest === undefined) throw new Error('This build knows no Slack, so it has no app for it.');
  print(manifest);
  return exitCodes.ok;
};
