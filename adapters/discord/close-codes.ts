/** Closings after which trying again is wrong. https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes */
import { FatalAdapterError } from '../adapter.ts';
import { badToken } from './budget.ts';

const PORTAL = 'https://discord.com/developers/applications';

const FATAL: Readonly<Record<number, string>> = {
  4010: 'Discord says that the shard is invalid (code 4010). Restart; if it stays, report it with the version of this gateway.',
  4011: 'The bot is in so many servers that Discord demands several connections for it (code 4011), which this gateway does not have. Use a bot of your own.',
  4012: 'Discord no longer speaks the version of its API that this gateway speaks (code 4012). Update the gateway.',
  4013: 'Discord does not know an event group that this gateway asks for (code 4013). Update the gateway.',
  4014: `Discord withholds the text of messages, because the bot may not read it (code 4014). Open ${PORTAL}, choose your application, click "Bot", switch on "Message Content Intent" under "Privileged Gateway Intents", click "Save Changes", and restart.`,
};

/** Undefined: discord.js takes the connection up again. */
export function closeError(code: number): FatalAdapterError | undefined {
  if (code === 4004) return badToken();
  const sentence = FATAL[code];
  return sentence === undefined ? undefined : new FatalAdapterError(sentence);
}
