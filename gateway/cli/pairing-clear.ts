import { accountOf } from './account-name.ts';
import { decide } from './pairing-decide.ts';
import type { Act } from './verbs.ts';

export const act: Act = async (context) => {
  const [platform] = context.args;
  return decide(context, '/api/people/clear', platform === undefined ? {} : { account: accountOf(platform) });
};
