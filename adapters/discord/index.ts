/** The Discord account: one gateway connection in, HTTP calls out. Loaded only when Discord is switched on. */
import { type Adapter, FatalAdapterError, type Host } from '../adapter.ts';
import type { MenuCommand } from '../platform.ts';
import { sleep } from '../shared/backoff.ts';
import { BudgetSpentError, createBudget } from './budget.ts';
import { createDeliverer } from './delivery.ts';
import { fetchFile } from './download.ts';
import { deliveryError } from './errors.ts';
import { createHistory } from './history.ts';
import { createHomes } from './homes.ts';
import { createIntake, type Intake, type Me } from './intake.ts';
import { discordCommands, publishMenu } from './menu.ts';
import { createPlaces, type Places } from './places.ts';
import type { DiscordConfig } from './platform.ts';
import { createReconnects } from './reconnects.ts';
import { createReplies } from './replies.ts';
import { createCall, restOptions, TIMING, type Timing } from './rest.ts';
import { holdSession, type SessionParts } from './session.ts';
import { createThreads } from './threads.ts';

export function createDiscordAdapter(config: DiscordConfig, host: Host, menu: readonly MenuCommand[]): Adapter {
  return connectDiscord({ config, host, menu, timing: TIMING, now: Date.now });
}

export interface DiscordParts {
  readonly config: DiscordConfig;
  readonly host: Host;
  readonly menu: readonly MenuCommand[];
  readonly timing: Timing;
  readonly now: () => number;
}

export function connectDiscord(parts: DiscordParts): Adapter {
  const { config, host, menu, timing, now } = parts;
  const token = config.bot_token ?? '';
  const call = createCall({ token, baseUrl: config.base_url }, timing);
  const places = createPlaces();
  const id = (): string | undefined => intake.me()?.id;
  const homes = createHomes(host);
  const threads = createThreads({ call, places, homes, log: host.log, me: id, textOf: (message) => intake.textOf(message) });
  const replies = createReplies({ call, store: host.store, timing, now });
  const history = createHistory({ call, places, withRoles: config.allowed_roles.length > 0, me: id });
  const commands = config.slash_commands ? discordCommands(menu) : [];
  const introduced = ({ application }: Me, signal: AbortSignal): void => void publishMenu({ call, host, commands, application }, signal);
  const intake: Intake = createIntake({ config, host, places, replies, history, homes, now, introduced });
  const { suppress_embeds: suppressEmbeds, reactions } = config;
  const link: Omit<Connection, 'packet'> = {
    now,
    token,
    rest: restOptions(config.base_url, timing),
    timing,
    host,
    reconnects: createReconnects(timing, now),
    budget: createBudget(call, now),
    probeWith: () => probeWith(places, intake),
  };
  return {
    run: (signal) => keepConnected({ ...link, packet: (type, data) => intake.packet(type, data, signal) }, signal),
    ...createDeliverer({ call, threads, places, replies, suppressEmbeds, reactions }),
    idempotent: true,
    buttons: true,
    respond: replies.respond,
    fetch: (attachment, signal) =>
      fetchFile({ call, timing, cdnUrl: config.cdn_url, limitBytes: config.max_attachment_bytes }, attachment, signal),
  };
}

function probeWith(places: Places, intake: Intake): ReturnType<SessionParts['probeWith']> {
  const guild = places.anyGuild();
  const me = intake.me()?.id;
  return guild === undefined || me === undefined ? undefined : { guild, me };
}

interface Connection extends SessionParts {
  readonly now: () => number;
}

/** So many failures in a row are no hiccup any more. */
const FAILURES_UNTIL_DOWN = 3;

/** Session after session. Resolves when the signal is aborted; rejects with FatalAdapterError when a person must act. */
async function keepConnected(parts: Connection, signal: AbortSignal): Promise<void> {
  const { host, reconnects, budget, timing } = parts;
  while (!signal.aborted) {
    try {
      await sleep(reconnects.pauseMs(), signal);
      if (reconnects.failures() === 0) host.state('connecting');
      await budget.check(AbortSignal.any([signal, AbortSignal.timeout(timing.readyMs)]));
      await holdSession(parts, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof FatalAdapterError) throw error;
      await recover(parts, error, signal);
    }
  }
}

async function recover({ host, reconnects, now }: Connection, error: unknown, signal: AbortSignal): Promise<void> {
  reconnects.failed();
  const sentence = sentenceOf(error);
  const waitMs = error instanceof BudgetSpentError ? error.resetAtMs - now() : reconnects.pauseMs();
  const isDown = error instanceof BudgetSpentError || reconnects.failures() >= FAILURES_UNTIL_DOWN;
  host.state(isDown ? 'down' : 'degraded', sentence);
  host.log.warn({ waitMs: Math.round(waitMs), failures: reconnects.failures() }, sentence);
  if (error instanceof BudgetSpentError) await sleep(waitMs, signal).catch(() => undefined); // the loop looks at the signal
}

function sentenceOf(error: unknown): string {
  if (error instanceof BudgetSpentError) return error.message;
  const why = error instanceof Error && error.name === 'Error' && !('code' in error) ? error.message : deliveryError(error).message;
  return `No messages from Discord at the moment. ${why}`;
}
