import { permissionsSource } from './permissions-source.ts';
import { printable } from './printable.ts';
import { UsageError } from './usage-error.ts';
import { type Act, exitCodes } from './verbs.ts';

export const act: Act = async (context) => {
  const id = (context.args[0] ?? '').toLowerCase();
  if (!/^(?:[0-9a-f]{4,64}|all)$/.test(id))
    throw new UsageError('Write the id that "hermes permissions approvals" shows, or at least its first 4 characters; or all.');
  const { forget } = await permissionsSource(context);
  context.print(printable(await forget(id)));
  return exitCodes.ok;
};
