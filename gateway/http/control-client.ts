import { type IncomingMessage, request } from 'node:http';
import type { ControlAnswer } from './control-route.ts';
import { bearer, readControlToken } from './control-token.ts';

const MAX_ANSWER_LENGTH = 4 * 1024 * 1024;

/** No daemon answers at the socket. */
export class NoDaemonError extends Error {
  override readonly name = 'NoDaemonError';
}

/** Asks the running daemon. Rejects with NoDaemonError, or with the sentence that the daemon answered. */
export async function callControl(path: string, question: ControlQuestion, signal: AbortSignal): Promise<unknown> {
  const { status, body } = await ask(path, question, signal);
  if (status < 400) return body;
  // /readyz says "not ready" with a status that is no failure of the call.
  if (!('error' in body) || typeof body.error !== 'string') return body;
  throw new Error(body.error);
}

type ControlMethod = 'GET' | 'POST';

export interface ControlQuestion {
  readonly method: ControlMethod;
  readonly route: string;
  /** Sent as JSON. */
  readonly body?: object;
}

async function ask(socketPath: string, { method, route, body }: ControlQuestion, signal: AbortSignal): Promise<ControlAnswer> {
  const token = readControlToken(socketPath);
  const headers = {
    ...(token === undefined ? {} : { authorization: bearer(token) }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request({ socketPath, method, path: route, headers, signal, agent: false }, resolve);
    sent.on('error', (error) => reject(explained(error, socketPath)));
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MAX_ANSWER_LENGTH) throw new Error('The gateway answered more than expected.');
  }
  return { status: response.statusCode ?? 500, body: JSON.parse(text) };
}

function explained(error: Error, path: string): Error {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ECONNREFUSED') {
    return new NoDaemonError(`No gateway is running for this home (nothing answers at ${path}). Start it with: hermes gateway run`, {
      cause: error,
    });
  }
  if (code === 'EACCES') return new Error(`The gateway at ${path} belongs to another user. Run this as that user.`, { cause: error });
  return error;
}
