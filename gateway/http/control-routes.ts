import type { ControlHandlers } from '../status.ts';

export interface ControlAnswer {
  readonly status: number;
  readonly body: object;
}

export interface ControlRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Over HTTP too without a sign-in; over the Unix socket everything is open to the owner. */
  readonly public: boolean;
  answer(): ControlAnswer;
}

/** The control API, once: the page reaches it over HTTP, `hermes` over the Unix socket. */
export function controlRoutes(handlers: ControlHandlers): readonly ControlRoute[] {
  return [
    { method: 'GET', path: '/healthz', public: true, answer: () => ({ status: 200, body: { alive: true } }) },
    { method: 'GET', path: '/readyz', public: true, answer: () => readiness(handlers) },
    { method: 'GET', path: '/api/status', public: false, answer: () => ({ status: 200, body: handlers.status() }) },
    { method: 'POST', path: '/api/sign-in-links', public: false, answer: () => freshLink(handlers) },
  ];
}

/** Anybody may read this: no home, no sentence, no name that is not in the configuration's own vocabulary. */
function readiness(handlers: ControlHandlers): ControlAnswer {
  const { ready, accounts } = handlers.ready();
  const body = { ready, accounts: accounts.map(({ platform, account, state }) => ({ platform, account, state })) };
  return { status: ready ? 200 : 503, body };
}

function freshLink(handlers: ControlHandlers): ControlAnswer {
  const link = handlers.signInLink();
  if (link === undefined) return { status: 404, body: { error: 'The browser page is switched off (web.enabled in config.yaml).' } };
  return { status: 200, body: { link } };
}
