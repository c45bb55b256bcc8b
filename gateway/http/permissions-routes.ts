/** The control API of the permission rules, and of what was allowed for good. */
import { z } from 'zod';
import type { PermissionsControl } from '../permissions/control.ts';
import type { ControlAnswer, ControlRequest, ControlRoute } from './control-route.ts';

export function permissionsRoutes(permissions: PermissionsControl): readonly ControlRoute[] {
  return [
    { method: 'GET', path: '/api/permissions', public: false, answer: () => ({ status: 200, body: { rules: permissions.list() } }) },
    { method: 'POST', path: '/api/permissions/check', public: false, answer: (request) => check(permissions, request) },
    {
      method: 'GET',
      path: '/api/approvals',
      public: false,
      answer: () => ({ status: 200, body: { approvals: permissions.approvals.list() } }),
    },
    { method: 'POST', path: '/api/approvals/forget', public: false, answer: (request) => forget(permissions, request) },
  ];
}

const name = z.string().regex(/^[a-z0-9_-]{1,32}$/);
const question = z.strictObject({
  platform: name,
  account: name,
  person: z.string().min(1).max(1000),
  chatType: z.enum(['dm', 'group', 'channel']),
  chat: z.string().min(1).max(1000),
  call: z.string().min(1).max(10_000),
});

const patienceMs = 4000;

async function check(permissions: PermissionsControl, { body }: ControlRequest): Promise<ControlAnswer> {
  const asked = question.safeParse(body).data;
  if (asked === undefined)
    return failure('A question is {"platform", "account", "person", "chatType": "dm", "chat", "call": "terminal(rm -rf build)"}.');
  const answer = await permissions.check(asked, AbortSignal.timeout(patienceMs));
  return typeof answer === 'string' ? failure(answer) : { status: 200, body: answer };
}

const forgetting = z.strictObject({ id: z.string().regex(/^(?:[0-9a-f]{4,64}|all)$/) });

function forget({ approvals }: PermissionsControl, { body }: ControlRequest): ControlAnswer {
  const wanted = forgetting.safeParse(body).data;
  if (wanted === undefined) return failure('To forget an approval, send {"id": "..."} with at least 4 characters of its id, or "all".');
  const { done, text } = approvals.forget(wanted.id);
  return done ? { status: 200, body: { text } } : failure(text, 404);
}

function failure(error: string, status = 400): ControlAnswer {
  return { status, body: { error } };
}
