import type { AuditCheck, AuditProblem } from '../store/audit-rows.ts';
import { counted } from '../words.ts';
import { type AuditSource, withAudit } from './audit-source.ts';
import { type Act, exitCodes } from './verbs.ts';

export const act: Act = async (context) => {
  const { sum, end } = await withAudit(context, verify);
  if (end.problem !== undefined) throw new Error(sentence(end.problem, sum));
  context.print(sum === 0 ? 'Nothing is recorded, and nothing is missing.' : whole(sum, end.last));
  return exitCodes.ok;
};

/** Up to its end or the first problem. */
async function verify(audit: AuditSource): Promise<{ readonly sum: number; readonly end: AuditCheck }> {
  let sum = 0;
  let after: number | undefined;
  for (;;) {
    const end = await audit.check(after);
    sum += end.checked;
    if (end.done) return { sum, end };
    after = end.last.id;
  }
}

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
