/** What a failed call means for the one who made it. https://docs.slack.dev/reference/methods/chat.postMessage#errors */
import { webApi } from '@slack/bolt';
import { DeliveryError, type DeliveryFacts, FatalAdapterError } from '../adapter.ts';

const DEFAULT_PENALTY_MS = 30_000;

/** No answer of Slack came. The message never contains an address, which may carry a secret. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  /** Nothing of the request reached Slack, or it was refused as a whole. */
  readonly certain: boolean;
  readonly status?: number;

  constructor(message: string, facts: { readonly certain: boolean; readonly status?: number }) {
    super(message);
    this.certain = facts.certain;
    if (facts.status !== undefined) this.status = facts.status;
  }
}

/** Before a connection stood. */
const UNSENT: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Slack refused the connection',
  ENOTFOUND: "the name of Slack's server could not be resolved",
  EAI_AGAIN: "the name of Slack's server could not be resolved at the moment",
  ENETUNREACH: 'the network is unreachable',
  EHOSTUNREACH: "Slack's server is unreachable",
  UND_ERR_CONNECT_TIMEOUT: 'no connection to Slack within the time limit',
};

export function transportError(error: unknown, late: boolean): TransportError {
  if (error instanceof TransportError) return error;
  if (late) return new TransportError('Slack did not answer in time', { certain: false });
  const code = codeOf(error);
  const unsent = UNSENT[code];
  if (unsent !== undefined) return new TransportError(unsent, { certain: true });
  return new TransportError(`the connection to Slack broke${code === '' ? '' : ` (${code})`}`, { certain: false });
}

function codeOf(error: unknown): string {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    if ('code' in inner && typeof inner.code === 'string') return inner.code;
  }
  return '';
}

/** The token will not work again by itself. */
const FATAL: Readonly<Record<string, string>> = {
  invalid_auth: 'Slack does not know this token',
  not_authed: 'Slack was given no token',
  account_inactive: 'the app was removed from the workspace, or its user was deactivated',
  token_revoked: 'the token was revoked',
  token_expired: 'the token has expired',
  user_removed_from_team: 'the bot was removed from the workspace',
  team_disabled: 'the workspace was closed',
  not_allowed_token_type: 'this is a token of another kind: the bot token begins with "xoxb-", the app token with "xapp-"',
  org_login_required: 'the workspace is being moved to another organisation',
};

/** These may go by themselves, and nothing was done. */
const PASSING = new Set([
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'team_added_to_org',
  'ekm_access_denied',
]);

/** Slack does not vouch for that nothing was done. */
const UNKNOWN_OUTCOME = new Set(['internal_error', 'fatal_error', 'request_timeout']);

const SENTENCES: Readonly<Record<string, string>> = {
  not_in_channel: 'the bot is not in this channel; invite it with /invite',
  channel_not_found: 'there is no such channel, or the bot may not see it; invite it with /invite',
  is_archived: 'the channel is archived',
  msg_too_long: 'the message is too long',
  msg_blocks_too_long: 'the message is too long',
  no_text: 'the message is empty',
  restricted_action: 'a rule of the workspace forbids it',
  restricted_action_read_only_channel: 'only some people may write in this channel',
  restricted_action_thread_only_channel: 'in this channel only replies in threads are allowed',
  messages_tab_disabled: "the app's messages tab is off; switch it on under App Home",
  cannot_dm_bot: 'bots cannot write to each other directly',
  thread_not_found: 'the thread is gone',
  message_not_found: 'the message is gone',
  cant_update_message: 'the message is not ours',
  cant_delete_message: 'the message cannot be deleted',
  edit_window_closed: 'the message is too old to be edited',
  file_not_found: 'the file is gone',
  file_deleted: 'the file is gone',
};

export function deliveryError(error: unknown): DeliveryError {
  if (error instanceof DeliveryError) return error;
  if (error instanceof webApi.WebAPIRateLimitedError) return rateLimited(error.retryAfter * 1000);
  if (error instanceof webApi.WebAPIHTTPError) return ofStatus(error.statusCode);
  const cause = error instanceof webApi.WebAPIRequestError ? error.original : error;
  if (cause instanceof TransportError) return ofTransport(cause);
  const code = slackCode(error);
  return code === undefined ? failure('the request failed', { kind: 'transient', certain: false }) : ofCode(code, error);
}

export function rateLimited(retryAfterMs = DEFAULT_PENALTY_MS): DeliveryError {
  return failure('Slack asks for a pause', { kind: 'rate_limited', certain: true, retryAfterMs });
}

function failure(sentence: string, facts: DeliveryFacts): DeliveryError {
  return new DeliveryError(`Slack: ${sentence}.`, facts);
}

function ofTransport({ message, certain, status }: TransportError): DeliveryError {
  if (status === 429) return failure(message, { kind: 'rate_limited', certain: true, retryAfterMs: DEFAULT_PENALTY_MS });
  return failure(message, { kind: 'transient', certain });
}

/** Slack itself answers with 200 or 429; the rest is of what stands in front of it. */
function ofStatus(status: number): DeliveryError {
  if (status === 413) return failure('the request is too large', { kind: 'rejected', certain: true });
  return failure(`the request failed with HTTP ${status}`, { kind: 'transient', certain: status >= 400 && status < 500 });
}

function ofCode(code: string, error: unknown): DeliveryError {
  // Kept for a working token: the account is stopped, and the text waits.
  if (FATAL[code] !== undefined) return failure(FATAL[code], { kind: 'transient', certain: true });
  if (code === 'ratelimited' || code === 'rate_limited') return rateLimited(retryAfterOf(error));
  if (PASSING.has(code)) return failure(`the request failed (${code})`, { kind: 'transient', certain: !UNKNOWN_OUTCOME.has(code) });
  if (code === 'missing_scope') return failure(missingScope(error), { kind: 'rejected', certain: true });
  const formatting = code === 'invalid_blocks' || code === 'invalid_blocks_format';
  return failure(SENTENCES[code] ?? `the request was refused (${code})`, { kind: 'rejected', certain: true, formatting });
}

/** Slack's own word for what went wrong. What a proxy says in its place is no such word. */
export function slackCode(error: unknown): string | undefined {
  if (!(error instanceof webApi.WebAPIPlatformError)) return undefined;
  const code: unknown = error.data.error;
  return typeof code === 'string' && /^[a-z][\w]{0,80}$/.test(code) ? code : undefined;
}

function missingScope(error: unknown): string {
  const needed: unknown = error instanceof webApi.WebAPIPlatformError && 'needed' in error.data ? error.data['needed'] : undefined;
  const scope = typeof needed === 'string' && /^[\w:.,]{1,200}$/.test(needed) ? ` "${needed}"` : '';
  return `the app lacks a scope${scope}; compare it with "hermes slack manifest" and install it again`;
}

function retryAfterOf(error: unknown): number | undefined {
  const seconds = error instanceof webApi.WebAPIPlatformError ? error.data.response_metadata?.['retryAfter'] : undefined;
  return typeof seconds === 'number' ? seconds * 1000 : undefined;
}

/** How long Slack asked us to stay away. */
export function pauseMs(error: unknown): number | undefined {
  const told = deliveryError(error);
  return told.kind === 'rate_limited' ? told.retryAfterMs : undefined;
}

/** Undefined: worth another attempt. `which`: the variable that holds the token. */
export function fatalError(error: unknown, which: string): FatalAdapterError | undefined {
  if (error instanceof FatalAdapterError) return error;
  const code = slackCode(error);
  if (code === 'missing_scope') return new FatalAdapterError(`Slack: ${missingScope(error)} (${which}). Then restart.`);
  const why = code === undefined ? undefined : FATAL[code];
  if (why === undefined) return undefined;
  return new FatalAdapterError(
    `Slack does not let us in: ${why}. Set ${which} in .env to one from https://api.slack.com/apps and restart.`,
  );
}
