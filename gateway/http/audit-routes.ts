/** The control API of the audit: a page at a time, so that nobody waits behind whoever reads a long one. */
import { z } from 'zod';
import type { ControlHandlers } from '../status.ts';
import type { ControlAnswer, ControlRequest, ControlRoute } from './control-route.ts';

type Audit = ControlHandlers['audit'];

/** Undefined: the store could not be opened. The routes are there all the same, so that whoever asks hears why. */
export function auditRoutes(audit: Audit): readonly ControlRoute[] {
  return [
    { method: 'POST', path: '/api/audit', public: false, answer: (request) => read(audit, request) },
    { method: 'POST', path: '/api/audit/verify', public: false, answer: (request) => verify(audit, request) },
  ];
}

const text = z.string().min(1).max(1000);
const id = z.int().min(0);
const filter = z.strictObject({
  sinceMs: z.int().min(0).optional(),
  user: text.optional(),
  tool: text.optional(),
  before: id.optional(),
  limit: z.int().min(1).max(1000),
});
const place = z.strictObject({ after: id.optional() });

function read(audit: Audit, { body }: ControlRequest): ControlAnswer {
  const wanted = filter.safeParse(body).data;
  if (wanted === undefined)
    return failure(400, 'The audit is asked with {"limit": 100} and, if wanted, "sinceMs", "user", "tool" and "before".');
  return audit === undefined ? failure(503, noStore) : { status: 200, body: audit.read(wanted) };
}

function verify(audit: Audit, { body }: ControlRequest): ControlAnswer {
  const wanted = place.safeParse(body ?? {}).data;
  if (wanted === undefined) return failure(400, 'The audit is verified with {}, and from there with {"after": the id that was reached}.');
  return audit === undefined ? failure(503, noStore) : { status: 200, body: audit.check(wanted.after) };
}

const noStore = 'The gateway could not open its database. "hermes gateway status" says why; mend that and restart it.';

function failure(status: number, error: string): ControlAnswer {
  return { status, body: { error } };
}
