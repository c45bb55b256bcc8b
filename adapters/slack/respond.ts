/**
 * Answers to clicks and slash commands, seen by that person only, through the address that came with them: it is good for 30 minutes and
 * five messages. https://docs.slack.dev/interactivity/handling-user-interaction#message_responses
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Adapter, Json } from '../adapter.ts';
import { guarded, rejected } from './calls.ts';
import { boundedFetch, type Timing } from './client.ts';
import { rateLimited, TransportError } from './errors.ts';
import { escapeMrkdwn } from './format.ts';
import { isSlackAddress } from './hosts.ts';
import type { Content } from './outgoing.ts';

const REPLY = 'reply:';
const SHOWN_UNITS = 200;
/** The address is used up, or too old. */
const OVER = /expired_url|used_url|expired_trigger|invalid_response_url|no_active_hooks|not_found/i;

const interactionSchema = z.object({ response_url: z.string().optional(), thread: z.string().optional() });

export interface RespondLink {
  readonly timing: Timing;
  /** Base of the Web API: what is configured to stand for Slack may also have such addresses. */
  readonly root: string;
}

export interface Reply {
  readonly interaction: Json;
  readonly content: Pick<Content, 'text' | 'blocks'>;
  readonly inPublic: boolean;
}

/** The id of what was sent; undefined where the address takes nothing any more. */
export async function replyTo(
  link: RespondLink,
  { interaction, content, inPublic }: Reply,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { response_url: address, thread } = interactionSchema.safeParse(interaction).data ?? {};
  if (address === undefined) return undefined;
  if (!isSlackAddress(address, link.root)) throw rejected('the address for the answer is not one of Slack');
  const body = {
    response_type: inPublic ? 'in_channel' : 'ephemeral',
    replace_original: false,
    ...(thread === undefined ? {} : { thread_ts: thread }),
    text: content.text,
    ...(content.blocks === undefined ? {} : { blocks: content.blocks }),
  };
  const post = boundedFetch(link.timing.probeMs, () => signal);
  const response = await post(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'error',
  });
  if (response.ok) return REPLY + randomUUID();
  if (response.status < 500 && OVER.test(await response.text())) return undefined;
  const seconds = Number(response.headers.get('retry-after'));
  if (response.status === 429) throw rateLimited(seconds * 1000);
  throw new TransportError(`the answer was refused with HTTP ${response.status}`, {
    certain: response.status < 500,
    status: response.status,
  });
}

export function createRespond(link: RespondLink): NonNullable<Adapter['respond']> {
  return (interaction, text, signal) =>
    guarded(signal, async () => {
      if (!interactionSchema.safeParse(interaction).success)
        throw rejected('there is nothing to answer, because the reference to it is none of ours');
      // Too late to be seen: the card, or the chat, says what became of it.
      if (text !== '')
        await replyTo(link, { interaction, content: { text: escapeMrkdwn(shortened(text.toWellFormed())) }, inPublic: false }, signal);
    });
}

function shortened(text: string): string {
  return text.length <= SHOWN_UNITS ? text : `${text.slice(0, SHOWN_UNITS - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

export function isReply(id: string): boolean {
  return id.startsWith(REPLY);
}
