/** Slack calls us instead of a socket: the route, and what stands for the connection meanwhile. */
import type { FastifyInstance } from 'fastify';
import { FatalAdapterError } from '../adapter.ts';
import { sleep } from '../shared/backoff.ts';
import { audit } from './audit.ts';
import type { Timing } from './client.ts';
import type { Gap } from './gap.ts';
import type { History } from './history.ts';
import { eventsRoute } from './http-events.ts';
import type { Identity } from './identity.ts';
import { type Intake, StoreRefusedError } from './intake.ts';
import { DeafError, type Health } from './loop.ts';
import type { SlackConfig } from './platform.ts';
import type { Ending } from './socket.ts';

const UNCALLED =
  'Slack does not call us about what is written; it is fetched from the history, later than it should be. Does the Request URL of the Slack app lead to this gateway?';

export interface HttpDoorParts {
  readonly config: SlackConfig;
  readonly identity: Identity;
  readonly gap: Gap;
  readonly intake: Intake;
  readonly history: History;
  readonly health: Health;
  readonly timing: Timing;
  readonly now: () => number;
  /** What is due for as long as events come. Rejects with the signal's reason only. */
  settle(signal: AbortSignal): Promise<void>;
}

export interface HttpDoor {
  routes(app: FastifyInstance): void;
  /** Rejects where something was missed or could not be stored, so that it is looked for in the history. */
  serve(signal: AbortSignal): Promise<Ending>;
}

export function createHttpDoor(parts: HttpDoorParts): HttpDoor {
  const { config, intake, health, now } = parts;
  const door: Door = { events: 0, isUncalled: false, broken: undefined, fail: () => undefined };
  const take = async (payload: unknown, signal: AbortSignal): Promise<void> => {
    door.events += 1;
    door.isUncalled = false;
    try {
      await intake.take(payload, signal);
    } catch (error) {
      if (error instanceof StoreRefusedError && !signal.aborted) door.fail(error);
      throw error;
    }
    health.ok();
  };
  const { path } = config.http;
  const taken = (): void => {
    door.broken = new FatalAdapterError(
      `Slack: the address ${path} is taken by another account. Give each account an "http.path" of its own in config.yaml and restart.`,
    );
    door.fail(door.broken);
  };
  return {
    routes: (app) => eventsRoute(app, { path, secret: config.signing_secret ?? '', now, take, taken }),
    serve: (signal) => serve(parts, door, signal),
  };
}

interface Door {
  /** That came so far. */
  events: number;
  /** Something was written, and Slack called nobody. */
  isUncalled: boolean;
  broken: Error | undefined;
  fail(error: Error): void;
}

async function serve(parts: HttpDoorParts, door: Door, signal: AbortSignal): Promise<Ending> {
  const { identity, gap, intake, history, timing, now, settle } = parts;
  await identity.learn(signal);
  await gap.open(signal);
  if (door.broken !== undefined) throw door.broken;
  intake.listening();
  const over = new AbortController();
  const within = AbortSignal.any([signal, over.signal]);
  const failed = Promise.withResolvers<never>();
  door.fail = failed.reject;
  const watched = [
    watch(parts, door, within),
    audit({ history, heard: intake.heard, intervalMs: timing.auditMs, now, events: () => door.events, sentence: UNCALLED }, within),
  ];
  const beside = settle(within).catch(() => undefined);
  try {
    return await Promise.race([failed.promise, ...watched]);
  } catch (error) {
    if (error instanceof DeafError) door.isUncalled = true;
    throw error;
  } finally {
    door.fail = () => undefined;
    over.abort(new Error('the connection has ended'));
    await Promise.allSettled([...watched, beside]);
  }
}

/** Nothing comes while nobody writes, so it is asked whether Slack still takes us. That it calls us proves only a call. */
async function watch({ identity, health, timing }: HttpDoorParts, door: Door, signal: AbortSignal): Promise<never> {
  for (;;) {
    if (door.isUncalled) health.opened();
    else health.ok();
    await sleep(timing.auditMs, signal);
    await identity.learn(signal);
  }
}
