/**
 * Answers to slash commands and clicks. Discord waits three seconds for a first sign, which is given as soon as the event is stored, and takes
 * the reply itself for 15 minutes. https://docs.discord.com/developers/interactions/receiving-and-responding
 */
import { Routes } from 'discord.js';
import { type AccountStore, type Adapter, DeliveryError, type Json } from '../adapter.ts';
import { INTERACTION_ANSWERED, INVALID_WEBHOOK_TOKEN, isRefusal, UNKNOWN_INTERACTION, UNKNOWN_MESSAGE, UNKNOWN_WEBHOOK } from './errors.ts';
import { type Ticket, ticketSchema } from './interactions.ts';
import type { Content } from './outgoing.ts';
import { type Call, guarded, type Timing } from './rest.ts';
import { timeOf } from './wire.ts';

export interface Replies {
  /** The sign that it was received: "is thinking" below a command, which everybody in the chat sees as they will see the reply; nothing on a button. Never throws. */
  defer(ticket: Ticket): void;
  readonly respond: NonNullable<Adapter['respond']>;
  /** As the reply that a command waits for; its message id. Undefined: it waits for none, so that the text goes out as any other. */
  reply(interaction: Json, given: { readonly key: string; readonly content: Content }, signal: AbortSignal): Promise<string | undefined>;
}

export interface RepliesParts {
  readonly call: Call;
  readonly store: AccountStore;
  readonly timing: Timing;
  readonly now: () => number;
}

const DEFERRED_MESSAGE = 5;
const DEFERRED_UPDATE = 6;
const EPHEMERAL = 1 << 6;
/** Discord's quarter of an hour, less what a call takes. */
const GOOD_FOR_MS = 14.5 * 60_000;
const PREFIX = 'reply:';
const TEXT_UNITS = 2000;
/** It is too late, or nobody waits: the person sees the answer elsewhere. */
const OVER = [UNKNOWN_WEBHOOK, INVALID_WEBHOOK_TOKEN, UNKNOWN_INTERACTION, UNKNOWN_MESSAGE];

interface Deferred {
  /** Discord took the sign. */
  readonly taken: Promise<boolean>;
  readonly timer: NodeJS.Timeout | undefined;
}

/** What waits for an answer at the moment, by interaction. After a restart nothing is known of it, which Discord then tells. */
type Waiting = Map<string, Deferred>;

export function createReplies(parts: RepliesParts): Replies {
  const waiting: Waiting = new Map();
  const claim = createClaims(parts.store, parts.now);
  return {
    defer: (ticket) => defer(parts, waiting, ticket),
    respond: (interaction, text, signal) =>
      guarded(signal, async () => {
        const ticket = ticketOf(interaction);
        const shown = text.toWellFormed().slice(0, TEXT_UNITS);
        const content = { content: shown, allowed_mentions: { parse: [], replied_user: false } } as const;
        if (text === '') return;
        if (ticket.kind === 'click') await whisper(parts, { ticket, content, taken: waiting.get(ticket.id)?.taken }, signal);
        else if (claim(ticket.id, 'respond')) await fill(parts, { ticket, content, taken: settle(waiting, ticket.id)?.taken }, signal);
      }),
    async reply(interaction, { key, content }, signal) {
      const ticket = ticketOf(interaction);
      const late = parts.now() - timeOf(ticket.id) > GOOD_FOR_MS;
      if (ticket.kind !== 'command' || late || !claim(ticket.id, key)) return undefined;
      return await fill(parts, { ticket, content, taken: settle(waiting, ticket.id)?.taken }, signal);
    },
  };
}

function defer(parts: RepliesParts, waiting: Waiting, ticket: Ticket): void {
  const { call, timing } = parts;
  const type = ticket.kind === 'command' ? DEFERRED_MESSAGE : DEFERRED_UPDATE;
  const request = { method: 'POST', route: Routes.interactionCallback(ticket.id, ticket.token), body: { type }, auth: false } as const;
  const taken = call(request, AbortSignal.timeout(timing.callMs)).then(
    () => true,
    (error: unknown) => isRefusal(error, INTERACTION_ANSWERED),
  );
  const timer = setTimeout(() => {
    waiting.delete(ticket.id);
    if (ticket.kind === 'command') withdraw(parts, ticket);
  }, timing.deferralMs).unref();
  waiting.set(ticket.id, { taken, timer });
}

function settle(waiting: Waiting, id: string): Deferred | undefined {
  const known = waiting.get(id);
  clearTimeout(known?.timer);
  waiting.delete(id);
  return known;
}

/** Nobody answers it: "is thinking" would stand there for a quarter of an hour. */
function withdraw({ call, timing }: RepliesParts, ticket: Ticket): void {
  const request = { method: 'DELETE', route: original(ticket), auth: false } as const;
  void call(request, AbortSignal.timeout(timing.callMs)).catch(() => undefined);
}

interface Answer {
  readonly ticket: Ticket;
  readonly content: Content;
  readonly taken: Promise<boolean> | undefined;
}

/** The reply that the command waits for; undefined where there is none any more. */
async function fill({ call }: RepliesParts, { ticket, content, taken }: Answer, signal: AbortSignal): Promise<string | undefined> {
  if ((await taken) === false) return undefined;
  try {
    return idOf(await call({ method: 'PATCH', route: original(ticket), body: content, auth: false }, signal));
  } catch (error) {
    if (isRefusal(error, ...OVER)) return undefined;
    throw error;
  }
}

/** To the one who clicked alone. */
async function whisper({ call }: RepliesParts, { ticket, content, taken }: Answer, signal: AbortSignal): Promise<void> {
  if ((await taken) === false) return;
  const request = { method: 'POST', route: Routes.webhook(ticket.application, ticket.token), auth: false } as const;
  await call({ ...request, body: { ...content, flags: EPHEMERAL } }, signal).catch((error: unknown) => {
    if (!isRefusal(error, ...OVER)) throw error;
  });
}

/** A reply takes one text. Which one has it is kept over a restart, so that a second part never replaces the first. */
function createClaims(store: AccountStore, now: () => number): (id: string, key: string) => boolean {
  return (id, key) => {
    const holder = store.get(PREFIX + id);
    if (holder !== undefined) return holder === key;
    const old = store.list(PREFIX, { limit: 50 }).filter(([known]) => now() - timeOf(known.slice(PREFIX.length)) > GOOD_FOR_MS * 2);
    store.put({ ...Object.fromEntries(old.map(([known]) => [known, undefined])), [PREFIX + id]: key });
    return true;
  };
}

function ticketOf(interaction: Json): Ticket {
  const parsed = ticketSchema.safeParse(interaction);
  if (parsed.success) return parsed.data;
  throw new DeliveryError('Discord: there is nothing to answer, because the reference to the command or click is none of ours.', {
    kind: 'rejected',
    certain: true,
  });
}

function original({ application, token }: Ticket): ReturnType<typeof Routes.webhookMessage> {
  return Routes.webhookMessage(application, token, '@original');
}

function idOf(message: unknown): string | undefined {
  return typeof message === 'object' && message !== null && 'id' in message ? String(message.id) : undefined;
}
