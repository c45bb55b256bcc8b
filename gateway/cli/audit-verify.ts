import type { AuditCheck, AuditProblem } from '../store/audit-rows.ts';
import { counted } from '../words.ts';
import { askDaemon } from './ask-daemon.ts';
import { type Act, exitCodes } from './verbs.ts';

export const act: Act = async ({ deps, print }) => {
  let checked = 0;
  let body: { readonly after?: number } = {};
  for (;;) {
    // The daemon of this home answers over a socket that only its owner can reach.
    const found = (await askDaemon(deps, { method: 'POST', route: '/api/audit/verify', body })) as AuditCheck;
    checked += found.checked;
    if (found.problem !== undefined) throw new Error(sentence(found.problem, checked));
    body = { after: found.last.id };
    if (!found.done) continue;
    print(checked === 0 ? 'Nothing is recorded, and nothing is missing.' : whole(checked, found.last));
    return exitCodes.ok;
  }
};

/** The hash, noted elsewhere, later shows that even somebody who writes the whole record anew has not changed what was before. */
function whole(checked: number, { id, hash }: AuditCheck['last']): string {
  return `${counted(checked, 'row')} in order. The newest is row ${id}, its hash ${hash}.`;
}

function sentence(problem: AuditProblem, checked: number): string {
  const before = `The record is not as it was written (${counted(checked, 'row')} before that in order):`;
  const next = 'Somebody or something else than the gateway has written to the database; compare with a backup of it.';
  if (problem.kind === 'changed') return `${before} row ${problem.id}, or the one before it, was changed, moved or put in. ${next}`;
  const { from, to } = problem;
  return `${before} ${from === to ? `row ${from} is` : `rows ${from} to ${to} are`} missing. ${next}`;
}
