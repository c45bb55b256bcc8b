import { join } from 'node:path';
import { type Act, exitCodes } from './verbs.ts';

export const act: Act = async ({ deps, print }) => {
  print(join(deps.home(process.env), 'config.yaml'));
  return exitCodes.ok;
};
