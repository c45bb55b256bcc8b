import { post } from './api.ts';

export type Role = 'owner' | 'admin' | 'user';

/** Somebody who was let in. `account` is "<platform>/<account>". */
export interface Person {
  readonly account: string;
  readonly person: string;
  readonly name: string;
  readonly role: Role;
  readonly groupRole: Role;
  readonly approvedAtMs: number;
}

/** A stranger who waits for a word of the owner. */
export interface Stranger {
  readonly id: string;
  readonly account: string;
  readonly person: string;
  readonly name: string;
  readonly expiresAtMs: number;
}

export interface PeopleList {
  readonly people: readonly Person[];
  readonly requests: readonly Stranger[];
  /** With which the first owner shows on a chat platform who they are; absent once there is one. */
  readonly claimCode?: string;
}

export interface Approval {
  readonly account: string;
  readonly code: string;
  readonly role: Role;
}

/** `text`: the sentence to show; not `done`: why nothing was changed. */
export interface Outcome {
  readonly done: boolean;
  readonly text: string;
}

const SILENT = 'The gateway does not answer now, so this may not be the newest. It is looked at again in a moment.';
const UNKNOWN = 'The gateway does not answer, so it is not known whether this was done. The list shows it when it is back.';

/** A string: the sentence that says why it is not known. */
export async function fetchPeople(): Promise<PeopleList | string> {
  try {
    const response = await fetch('/api/people', { cache: 'no-store' });
    // Our own gateway's answer, over the origin that the page came from.
    return response.ok ? ((await response.json()) as PeopleList) : await sentenceOf(response);
  } catch {
    return SILENT;
  }
}

export function approve(approval: Approval): Promise<Outcome> {
  return change('approve', approval);
}

export function revoke({ account, person }: Pick<Person, 'account' | 'person'>): Promise<Outcome> {
  return change('revoke', { account, person });
}

/** Forgets whoever waits. */
export function forgetStrangers(): Promise<Outcome> {
  return change('clear', {});
}

async function change(what: string, body: object): Promise<Outcome> {
  try {
    const response = await post(`/api/people/${what}`, body);
    return { done: response.ok, text: await sentenceOf(response) };
  } catch {
    return { done: false, text: UNKNOWN };
  }
}

async function sentenceOf(response: Response): Promise<string> {
  const { text, error } = (await response.json()) as Partial<Record<string, unknown>>;
  return String(text ?? error ?? 'The gateway refused this.');
}
