import type { ShownApproval } from '../permissions/approvals.ts';
import { permissionsSource } from './permissions-source.ts';
import { localTime, printable } from './printable.ts';
import { type Act, exitCodes } from './verbs.ts';

export const act: Act = async (context) => {
  const { options, print } = context;
  const { approvals } = await permissionsSource(context);
  const found = await approvals();
  if (options['json'] === true) print(JSON.stringify({ approvals: found }, undefined, 2));
  else for (const line of describe(found)) print(printable(line));
  return exitCodes.ok;
};

function describe(approvals: readonly ShownApproval[]): string[] {
  if (approvals.length === 0) return ['Nothing was allowed for good.'];
  const lines = approvals.map(({ id, label, by, atMs }) => `${id}  ${localTime(atMs)}  ${by}  ${label}`);
  return [
    ...lines,
    'Each is that command with those programs in that place, and nothing else. Take one back: hermes permissions forget <id>',
  ];
}
