/** The control API of the permission rules. */
import { z } from 'zod';
import type { PermissionsControl } from '../permissions/control.ts';
import type { ControlAnswer, ControlRequest, ControlRoute } from './control-route.ts';

export function permissionsRoutes(permissions: PermissionsControl): readonly ControlRoute[] {
  return [
    { method: 'GET', path: '/api/permissions', public: false, answer: () => ({ status: 200, body: { rules: permissions.list() } }) },
    { method: 'POST', path: '/api/permissions/check', public: false, answer: (request) => check(permissions, request) },
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

function failure(error: string): ControlAnswer {
  return { status: 400, body: { error } };
}
