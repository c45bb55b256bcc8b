import { accountOf } from './account-name.ts';
import { decide } from './pairing-decide.ts';
import { UsageError } from './usage-error.ts';
import type { Act } from './verbs.ts';

const roles: readonly string[] = ['owner', 'admin', 'user'];

export const act: Act = async (context) => {
  const [platform = '', code = ''] = context.args;
  const { role } = context.options;
  const given = role === undefined ? {} : { role: roleOf(String(role)) };
  return decide(context, '/api/people/approve', { account: accountOf(platform), code, ...given });
};

function roleOf(role: string): string {
  if (roles.includes(role)) return role;
  throw new UsageError(`There is no role "${role}". The roles are owner, admin and user.`);
}
