import type { FastifyInstance } from 'fastify';
import type { AdapterLog } from '../../adapters/adapter.ts';

/** `message` is one sentence for the person who asked. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly statusCode: number;

  constructor(statusCode: number, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

/** Every error of every route becomes `{ error: sentence }`; what is our own fault goes to the log and not to the client. */
export function answerErrors(app: FastifyInstance, log: AdapterLog): void {
  app.setErrorHandler((error, request, reply) => {
    const status = statusOf(error);
    if (status < 500 && error instanceof Error) return reply.code(status).send({ error: error.message });
    log.warn({ err: error, route: request.routeOptions.url, method: request.method }, 'an http request failed');
    return reply.code(500).send({ error: 'The gateway could not answer this; its log says why.' });
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'There is nothing here.' }));
}

function statusOf(error: unknown): number {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' && status >= 400 ? status : 500;
}
