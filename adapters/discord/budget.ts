/** How many times we may still introduce ourselves today. https://docs.discord.com/developers/events/gateway#session-start-limit-object */
import { DiscordAPIError, Routes } from 'discord.js';
import { z } from 'zod';
import { FatalAdapterError } from '../adapter.ts';
import type { Call } from './rest.ts';

/** What is left for a person who has to find out what is wrong. */
const RESERVE = 100;
/** discord.js asks as well, right after us. */
const FRESH_MS = 10_000;

export class BudgetSpentError extends Error {
  override readonly name = 'BudgetSpentError';
  readonly resetAtMs: number;

  constructor(remaining: number, resetAtMs: number) {
    const when = new Date(resetAtMs).toISOString().slice(0, 16).replace('T', ' ');
    super(
      `Discord lets this bot start only ${remaining} more sessions before ${when} UTC, and would reset its token after the last one. Waiting until then. Does another program use the same token?`,
    );
    this.resetAtMs = resetAtMs;
  }
}

export interface Budget {
  /** Rejects with BudgetSpentError, with FatalAdapterError when the token is refused, else with what went wrong. */
  check(signal: AbortSignal): Promise<void>;
  /** A session is started now: the next one is asked for anew. */
  spend(): void;
}

const gatewaySchema = z.object({ session_start_limit: z.object({ remaining: z.number(), reset_after: z.number() }) });

export function createBudget(call: Call, now: () => number): Budget {
  let checkedAt = Number.NEGATIVE_INFINITY;
  return {
    async check(signal) {
      if (now() - checkedAt < FRESH_MS) return;
      const answer = await call({ method: 'GET', route: Routes.gatewayBot() }, signal).catch((error: unknown) => {
        throw error instanceof DiscordAPIError && error.status === 401 ? badToken() : error;
      });
      const { remaining, reset_after: resetAfterMs } = gatewaySchema.parse(answer).session_start_limit;
      if (remaining <= RESERVE) throw new BudgetSpentError(remaining, now() + resetAfterMs);
      checkedAt = now();
    },
    spend() {
      checkedAt = Number.NEGATIVE_INFINITY;
    },
  };
}

export function badToken(): FatalAdapterError {
  return new FatalAdapterError(
    'Discord does not know this bot token. Take the current one from https://discord.com/developers/applications (your application > Bot > Reset Token), set DISCORD_BOT_TOKEN in .env and restart.',
  );
}
