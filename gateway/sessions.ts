/** Which conversation a message belongs to, and when a conversation starts anew. */
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { ChatRef, Inbound } from '../adapters/adapter.ts';
import type { Store } from './store/index.ts';
import type { SessionEnd, SessionSettings } from './store/schema.ts';
import type { SessionRow } from './store/sessions.ts';

export interface KeyRules {
  readonly group_sessions_per_user: boolean;
  readonly thread_sessions_per_user: boolean;
}

export interface ResetRules {
  readonly mode: 'daily' | 'idle' | 'both' | 'none';
  /** Local hour of the daily reset, 0 to 23. */
  readonly at_hour: number;
  readonly idle_minutes: number;
  readonly notify: boolean;
}

/** `agent:main:<platform>:dm:<chat>[:<thread>]`, else `agent:main:<platform>:<type>:<chat>[:<thread>][:<person>]`. Ids are escaped, so that no id can forge another key. */
export function sessionKey(event: Inbound, rules: KeyRules): string {
  const { platform, account, chat, thread } = event.chat;
  const where = [account === 'main' ? platform : `${platform}@${escapeId(account)}`, event.chatType, escapeId(chat)];
  if (thread !== undefined) where.push(`t.${escapeId(thread)}`);
  if (isPersonal(event, rules)) where.push(`u.${escapeId(event.sender.id)}`);
  return `agent:main:${where.join(':')}`;
}

interface KeyOwner {
  /** The direct chat with them. */
  readonly chat: ChatRef;
  readonly person: string;
  /** Other ids of the same person. */
  readonly aliases: readonly string[];
}

/** Whether only this person talks in the session of this key: the direct chat, its threads, background runs of it, and what is theirs alone in groups. */
export function isPersonsKey(key: string, { chat, person, aliases }: KeyOwner): boolean {
  const { thread: _, ...direct } = chat;
  const account = direct.account === 'main' ? direct.platform : `${direct.platform}@${escapeId(direct.account)}`;
  const dm = `agent:main:${account}:dm:${escapeId(direct.chat)}`;
  const own = key.slice(Math.max(0, key.indexOf('agent:main:')));
  if (own === dm || own.startsWith(`${dm}:t.`)) return true;
  const [, place] = own.split(`agent:main:${account}:`);
  const [, , ...below] = place?.split(':') ?? []; // behind the type and the chat, whose id may look like anything
  return [person, ...aliases].some((id) => below.at(-1) === `u.${escapeId(id)}`);
}

/** In a shared session several people talk; each message then carries its sender's name. */
export function isShared(event: Pick<Inbound, 'chat' | 'chatType'>, rules: KeyRules): boolean {
  return event.chatType !== 'dm' && !isPersonal(event, rules);
}

function isPersonal(event: Pick<Inbound, 'chat' | 'chatType'>, rules: KeyRules): boolean {
  if (event.chatType === 'dm') return false;
  return event.chat.thread === undefined ? rules.group_sessions_per_user : rules.thread_sessions_per_user;
}

/** One to one, into ASCII. Half a surrogate pair has no UTF-8; `%u` can come from nothing else. */
function escapeId(id: string): string {
  if (id.isWellFormed()) return encodeURIComponent(id);
  return [...id].map((unit) => (unit.isWellFormed() ? encodeURIComponent(unit) : `%u${unit.charCodeAt(0).toString(16)}`)).join('');
}

/** Why a session must not go on at `now`, if so. */
export function resetReason(updatedAt: number, now: number, rules: ResetRules): 'idle' | 'daily' | undefined {
  const idle = rules.mode === 'idle' || rules.mode === 'both';
  if (idle && now > updatedAt + rules.idle_minutes * 60_000) return 'idle';
  const daily = rules.mode === 'daily' || rules.mode === 'both';
  return daily && updatedAt < lastBoundary(now, rules.at_hour) ? 'daily' : undefined;
}

function lastBoundary(now: number, hour: number): number {
  const today = new Date(now);
  const boundaryOf = (day: number): number => new Date(today.getFullYear(), today.getMonth(), day, hour).getTime();
  const boundary = boundaryOf(today.getDate());
  return boundary <= now ? boundary : boundaryOf(today.getDate() - 1); // each from its own date: an hour may not exist on the day of a clock change
}

export interface OpenedSession {
  readonly session: SessionRow;
  /** The session before this one was ended by a reset policy just now. */
  readonly reset?: 'idle' | 'daily';
}

export interface Sessions {
  /** The session of a key, made anew where there is none or the policy ended the old one. Part of the caller's transaction. */
  open(key: string): OpenedSession;
  /** Ends the open session of a key; false when there was none. What was chosen or approved for it alone ends with it. */
  end(key: string, reason: SessionEnd): boolean;
  /** A new session of a key, in place of the one that is open there, if one is. */
  begin(key: string, beginning: Beginning): SessionRow;
  /** Goes on with an earlier session of the same key, in place of the one that is open there. */
  resume(session: SessionRow): void;
}

export interface Beginning {
  readonly title?: string;
  readonly settings?: SessionSettings;
}

export interface SessionsOptions {
  readonly rules: ResetRules;
  readonly workspaces: string;
  readonly now: () => number;
  /** Something of it runs beyond its turns: no policy ends it meanwhile. */
  readonly isAtWork?: (id: string) => boolean;
  /** Part of the caller's transaction. */
  readonly ended?: (id: string, reason: SessionEnd) => void;
}

export function createSessions(store: Store, options: SessionsOptions): Sessions {
  const { rules, workspaces, now, isAtWork = () => false, ended } = options;
  const create = (key: string, { title, settings = {} }: Beginning = {}): SessionRow => {
    const id = newSessionId(now());
    const workspace = path.join(workspaces, id);
    const at = { createdAt: now(), updatedAt: now() };
    const session = { id, key, ...at, workspace, title: title ?? null, settings, trimmedTold: false, undelivered: null };
    store.sessions.create(session);
    return withWorkspace(session);
  };
  const close = ({ id, settings: { keepFrom } }: SessionRow, reason: SessionEnd): void => {
    store.sessions.end(id, now(), reason);
    store.sessions.setSettings(id, keepFrom === undefined ? {} : { keepFrom }); // this belongs to the transcript, not to what was chosen
    store.approvals.forget(id);
    ended?.(id, reason);
  };
  const end = (key: string, reason: SessionEnd): boolean => {
    const known = store.sessions.open(key);
    if (known !== undefined) close(known, reason);
    return known !== undefined;
  };
  return {
    open: (key) => {
      const known = store.sessions.open(key);
      const reason = known === undefined || isAtWork(known.id) ? undefined : resetReason(known.updatedAt, now(), rules);
      if (known !== undefined && reason === undefined) return { session: withWorkspace(known) };
      if (known !== undefined && reason !== undefined) close(known, reason);
      return { session: create(key), ...(reason === undefined ? {} : { reset: reason }) };
    },
    end,
    begin: (key, beginning) => {
      end(key, 'switched');
      return create(key, beginning);
    },
    resume: (session) => {
      end(session.key, 'switched');
      store.sessions.reopen(session.id, now());
    },
  };
}

/** Somebody may have removed it; without it no tool works. */
function withWorkspace(session: SessionRow): SessionRow {
  mkdirSync(session.workspace, { recursive: true, mode: 0o700 });
  return session;
}

/** `YYYYMMDD_HHMMSS_<8 hex>`, UTC. */
function newSessionId(now: number): string {
  const stamp = new Date(now).toISOString().replace(/[-:]/g, '').replace('T', '_').slice(0, 15);
  return `${stamp}_${randomBytes(4).toString('hex')}`;
}
