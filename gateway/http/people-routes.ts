/** The control API of who is let in. */
import { z } from 'zod';
import type { Done, PeopleControl } from '../status.ts';
import type { ControlAnswer, ControlRequest, ControlRoute } from './control-route.ts';

/** Undefined: in safe mode. The routes are there all the same, so that whoever asks hears why nothing is done. */
export function peopleRoutes(people: PeopleControl | undefined): readonly ControlRoute[] {
  const only =
    (act: (people: PeopleControl, request: ControlRequest) => ControlAnswer) =>
    (request: ControlRequest): ControlAnswer =>
      people === undefined ? failure(503, safeMode) : act(people, request);
  return [
    { method: 'GET', path: '/api/people', public: false, answer: only((known) => ({ status: 200, body: known.all() })) },
    { method: 'POST', path: '/api/people/approve', public: false, answer: only(approve) },
    { method: 'POST', path: '/api/people/revoke', public: false, answer: only(revoke) },
    { method: 'POST', path: '/api/people/clear', public: false, answer: only(clear) },
  ];
}

const safeMode = 'The gateway is in safe mode and nobody is let in or out. "hermes gateway status" says why; mend that and restart it.';

const account = z.string().regex(/^[a-z0-9_-]{1,32}\/[a-z0-9_-]{1,32}$/);
const approval = z.strictObject({ account, code: z.string().max(64), role: z.enum(['owner', 'admin', 'user']).optional() });
const revocation = z.strictObject({ account, person: z.string().min(1).max(1000) });
const clearing = z.strictObject({ account: account.optional() });

function approve(people: PeopleControl, { body }: ControlRequest): ControlAnswer {
  const wanted = approval.safeParse(body).data;
  if (wanted === undefined)
    return failure(400, 'An approval is {"account": "telegram/main", "code": "..."}, and "role" if it is not "user".');
  return answer(people.approve(wanted.account, wanted.code, wanted.role), 409);
}

function revoke(people: PeopleControl, { body }: ControlRequest): ControlAnswer {
  const wanted = revocation.safeParse(body).data;
  if (wanted === undefined) return failure(400, 'A revocation is {"account": "telegram/main", "person": "the id"}.');
  return answer(people.revoke(wanted.account, wanted.person), 404);
}

function clear(people: PeopleControl, { body }: ControlRequest): ControlAnswer {
  const wanted = clearing.safeParse(body ?? {}).data;
  if (wanted === undefined) return failure(400, 'To forget requests, send {} or {"account": "telegram/main"}.');
  return answer(people.clear(wanted.account), 409);
}

function answer({ done, text }: Done, otherwise: number): ControlAnswer {
  return done ? { status: 200, body: { text } } : failure(otherwise, text);
}

function failure(status: number, error: string): ControlAnswer {
  return { status, body: { error } };
}
