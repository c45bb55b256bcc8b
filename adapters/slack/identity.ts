/** Who the bot is. https://docs.slack.dev/reference/methods/auth.test */
import { z } from 'zod';
import type { AdapterLog } from '../adapter.ts';
import type { Client } from './client.ts';
import type { Me } from './codec.ts';
import { botScopes } from './manifest.ts';

const answerSchema = z.object({
  user_id: z.string(),
  bot_id: z.string().nullish(),
  team_id: z.string(),
  enterprise_id: z.string().nullish(),
  response_metadata: z.object({ scopes: z.array(z.string()).nullish() }).nullish(),
});

export interface Identity {
  /** Undefined until it is known; then mentions can be told. */
  me(): Me | undefined;
  /** Rejects with the error of the call. */
  learn(signal: AbortSignal): Promise<void>;
}

export function createIdentity({ client, log }: { readonly client: Client; readonly log: AdapterLog }): Identity {
  let me: Me | undefined;
  let told = '';
  return {
    me: () => me,
    async learn(signal) {
      const {
        user_id: user,
        bot_id: bot,
        team_id: team,
        enterprise_id: enterprise,
        response_metadata: metadata,
      } = answerSchema.parse(await client.probe('auth.test', {}, signal));
      me = { user, bot: bot ?? '', team, ...(enterprise ? { enterprise } : {}) };
      const lacking = missing(metadata?.scopes ?? undefined).join(', ');
      if (lacking !== '' && lacking !== told)
        log.warn(
          {},
          `The Slack app lacks scopes: ${lacking}. What needs them will not work; compare it with "hermes slack manifest" and install it again.`,
        );
      told = lacking;
    },
  };
}

/** Slack says with each answer what the token may do. */
function missing(granted: readonly string[] | undefined): readonly string[] {
  return granted === undefined ? [] : botScopes.filter((scope) => !granted.includes(scope));
}
