import { type Act, exitCodes } from './verbs.ts';

export const act: Act = async ({ deps, print }) => {
  const home = deps.home(process.env);
  const { warnings } = deps.check(home);
  for (const warning of warnings) print(`warning: ${deps.redact(warning)}`);
  const count = warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`;
  print(`The configuration in ${home} can be used${warnings.length === 0 ? '' : ` (${count})`}.`);
  return exitCodes.ok;
};
