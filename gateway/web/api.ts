import type { AskChoice } from './protocol.ts';

export interface AccountStatus {
  readonly platform: string;
  readonly account: string;
  readonly state: string;
  readonly detail?: string;
}

export interface GatewayStatus {
  readonly version: string;
  /** Another number: another process. */
  readonly startedAtMs: number;
  readonly home: string;
  readonly model: { readonly name: string; readonly demo: boolean };
  readonly accounts: readonly AccountStatus[];
  readonly work: { readonly turnsRunning: number };
  /** One sentence each. */
  readonly notes: readonly string[];
}

/** `signed-out`: the cookie is missing or too old. `unreachable`: nobody answers, or not now. */
export type StatusAnswer =
  | { readonly kind: 'status'; readonly status: GatewayStatus }
  | { readonly kind: 'signed-out' }
  | { readonly kind: 'unreachable' };

export async function fetchStatus(): Promise<StatusAnswer> {
  try {
    const response = await fetch('/api/status', { cache: 'no-store' });
    if (response.status === 401) return { kind: 'signed-out' };
    if (!response.ok) return { kind: 'unreachable' };
    // Our own gateway's answer, over the origin that the page came from.
    return { kind: 'status', status: (await response.json()) as GatewayStatus };
  } catch {
    return { kind: 'unreachable' };
  }
}

/** Exchanges a one-time code for the cookie. Undefined when it worked, otherwise the sentence to show. */
export async function signIn(code: string): Promise<string | undefined> {
  try {
    const response = await post('/api/sign-in', { code });
    if (response.ok) return undefined;
    const body = (await response.json()) as { readonly error?: unknown };
    return typeof body.error === 'string' ? body.error : 'The gateway refused this link.';
  } catch {
    return 'The gateway does not answer. Is it still running?';
  }
}

export async function signOut(): Promise<void> {
  await post('/api/sign-out', {}).catch(() => undefined);
}

/** Asks for it; the connection ends when it comes to that. Undefined when it was taken, otherwise the sentence to show. */
export async function restartGateway(): Promise<string | undefined> {
  try {
    const response = await post('/api/restart', {});
    if (response.ok) return undefined;
    const { error } = (await response.json()) as Partial<Record<string, unknown>>;
    return String(error ?? 'The gateway refused to restart.');
  } catch {
    return 'The gateway does not answer, so it is not known whether it restarts. Look again in a moment.';
  }
}

/** A question of any chat that waits for a person. */
export interface OpenAsk {
  readonly id: number;
  readonly number: number;
  /** Its card is in one of the page's own chats. */
  readonly onPage: boolean;
  readonly platform: string;
  readonly chat: string;
  readonly chatType: 'dm' | 'group' | 'channel';
  readonly person: string;
  readonly markdown: string;
  readonly choices: readonly AskChoice[];
  readonly deadlineAtMs: number;
}

/** What waits for the owner. */
export interface WaitingList {
  readonly asks: readonly OpenAsk[];
  /** How many ask to be let in; absent where nobody can. */
  readonly strangers?: number;
}

/** Undefined: not known now. */
export async function fetchWaiting(): Promise<WaitingList | undefined> {
  try {
    const response = await fetch('/api/asks', { cache: 'no-store' });
    if (!response.ok) return undefined;
    return (await response.json()) as WaitingList;
  } catch {
    return undefined;
  }
}

/** `text`: the sentence to show, also when it did not work. */
export async function answerAsk(id: number, choice: string): Promise<{ readonly text: string }> {
  try {
    const response = await post(`/api/asks/${id}/answer`, { choice });
    const { text, error } = (await response.json()) as Partial<Record<string, unknown>>;
    return { text: String(text ?? error ?? 'The gateway refused this.') };
  } catch {
    return { text: 'The gateway does not answer, so it is not known whether this was decided. The list shows it when it is back.' };
  }
}

export function post(path: string, body: object): Promise<Response> {
  return fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}
