import { z } from 'zod';
import type { ControlHandlers } from '../status.ts';
import { auditRoutes } from './audit-routes.ts';
import type { ControlAnswer, ControlRequest, ControlRoute } from './control-route.ts';
import { linkRoutes } from './link-routes.ts';
import { peopleRoutes } from './people-routes.ts';
import { permissionsRoutes } from './permissions-routes.ts';

/** The control API, once: the page reaches it over HTTP, `hermes` over the Unix socket. */
export function controlRoutes(handlers: ControlHandlers): readonly ControlRoute[] {
  return [
    { method: 'GET', path: '/healthz', public: true, answer: () => ({ status: 200, body: { alive: true } }) },
    { method: 'GET', path: '/readyz', public: true, answer: () => readiness(handlers) },
    { method: 'GET', path: '/api/status', public: false, answer: () => ({ status: 200, body: handlers.status() }) },
    { method: 'POST', path: '/api/sign-in-links', public: false, answer: () => freshLink(handlers) },
    { method: 'POST', path: '/api/restart', public: false, answer: () => restart(handlers) },
    { method: 'GET', path: '/api/asks', public: false, answer: () => ({ status: 200, body: waiting(handlers) }) },
    { method: 'POST', path: '/api/asks/:id/answer', public: false, answer: (request) => decide(handlers, request) },
    ...peopleRoutes(handlers.people),
    ...auditRoutes(handlers.audit),
    ...(handlers.permissions === undefined ? [] : permissionsRoutes(handlers.permissions)),
    ...(handlers.links === undefined ? [] : linkRoutes(handlers.links)),
  ];
}

/** Who waits for the owner: those who ask something, and how many ask to be let in, which is not known in safe mode. */
function waiting({ asks, strangers }: ControlHandlers): object {
  return { asks: asks(), ...(strangers === undefined ? {} : { strangers: strangers() }) };
}

/** Anybody may read this: no home, no sentence, no name that is not in the configuration's own vocabulary. */
function readiness(handlers: ControlHandlers): ControlAnswer {
  const { ready, accounts } = handlers.ready();
  const body = { ready, accounts: accounts.map(({ platform, account, state }) => ({ platform, account, state })) };
  return { status: ready ? 200 : 503, body };
}

function freshLink(handlers: ControlHandlers): ControlAnswer {
  const link = handlers.signInLink();
  if (link === undefined) return failure(404, 'The browser page is switched off (web.enabled in config.yaml).');
  return { status: 200, body: { link } };
}

/** Answered before it begins: this connection ends with it. */
function restart(handlers: ControlHandlers): ControlAnswer {
  if (handlers.restart === undefined) return failure(404, 'This gateway cannot be restarted from here. Stop it and start it again.');
  setImmediate(handlers.restart);
  return { status: 202, body: { restarting: true } };
}

const askId = z.string().regex(/^[1-9]\d{0,14}$/);
const decision = z.strictObject({ choice: z.string().regex(/^[a-z0-9]{1,12}$/) });

function decide(handlers: ControlHandlers, { params, body }: ControlRequest): ControlAnswer {
  const id = askId.safeParse(params['id']).data;
  const ask = handlers.asks().find((open) => String(open.id) === id);
  if (!ask) return failure(404, 'There is no such open question; it may have been decided or have expired.');
  const choice = decision.safeParse(body).data?.choice;
  if (choice === undefined) return failure(400, 'A decision is {"choice": "..."} with the id of one of the choices.');
  if (!ask.choices.some((offered) => offered.id === choice)) return failure(400, 'This question does not offer that choice.');
  const { done, text } = handlers.answerAsk(ask.id, choice);
  return done ? { status: 200, body: { text } } : failure(409, text);
}

function failure(status: number, error: string): ControlAnswer {
  return { status, body: { error } };
}
