import { z } from 'zod';
import type { Risk } from '../agent/risk.ts';
import { defineTool, type SessionRef, type Tool, type ToolContext, type ToolOutput } from '../agent/tool.ts';

/** Port: the chats that there are, and the way into them. */
export interface Messenger {
  /** Those that whoever the session is with may write to, last used first. */
  chats(session: SessionRef): readonly KnownPlace[];
  /** A sentence where the target is no such chat. */
  find(target: string, session: SessionRef): KnownPlace | string;
  /** Resolves when it has arrived, or when that takes long. Rejects with a sentence where nothing was sent. */
  send(message: { readonly target: string; readonly text: string }, session: SessionRef, signal: AbortSignal): Promise<Sent>;
}

export interface KnownPlace {
  /** `platform:chat`, with the account and the thread where there are any. */
  readonly target: string;
  readonly name: string;
  readonly kind: 'dm' | 'group' | 'channel';
  /** Where the session itself takes place. */
  readonly isHere: boolean;
}

/** `problem`: why it did not arrive (yet), one sentence. */
export interface Sent {
  readonly state: 'delivered' | 'waiting' | 'failed';
  readonly problem?: string;
}

const maxListed = 50;

const args = z.object({
  action: z.enum(['send', 'list']).default('send').describe('list: the chats that can be written to.'),
  target: z
    .string()
    .trim()
    .min(1)
    .optional()
    .describe('As list shows it: "telegram:123", "discord:#general", or a platform alone for its home chat.'),
  message: z.string().trim().min(1).optional().describe('Markdown. A line MEDIA:path sends a file of the working directory with it.'),
});

type Args = z.output<typeof args>;

export function createSendMessage(messenger: Messenger): Tool {
  return defineTool({
    name: 'send_message',
    toolset: 'messaging',
    description:
      'Send a message to another chat, or list the chats that are known. Only when you were asked to: what is meant for the person you are talking to is simply your answer.',
    args,
    effect: 'external',
    preview: ({ action, target, message }) => (action === 'list' ? 'list' : `${target ?? '?'}: ${message ?? ''}`),
    risk: async (given, session) => riskOf(given, messenger, session),
    run: (given, ctx) => run(given, messenger, ctx),
  });
}

const safe: Risk = { level: 'safe', why: '', subjects: [] };

/** A target that cannot be found has no effect: the call says why. */
function riskOf({ action, target }: Args, messenger: Messenger, session: SessionRef): Risk {
  const place = action === 'send' && target !== undefined ? messenger.find(target, session) : '';
  if (typeof place === 'string' || place.isHere) return safe;
  const why = `This writes to ${named(place)}, which is not this chat.`;
  return {
    level: 'ask',
    why,
    subjects: [place.target],
    memory: { key: `send_message ${place.target}`, label: `messages to ${named(place)}` },
  };
}

function named({ name, target }: KnownPlace): string {
  return name === '' ? target : `${name} (${target})`;
}

async function run({ action, target, message }: Args, messenger: Messenger, ctx: ToolContext): Promise<ToolOutput> {
  if (action === 'list') return listed(messenger.chats(ctx.session));
  if (target === undefined || message === undefined)
    return failure('To send, both target and message are needed. action "list" shows the targets.');
  const place = messenger.find(target, ctx.session);
  if (typeof place === 'string') return failure(place);
  const { state, problem } = await messenger.send({ target: place.target, text: message }, ctx.session, ctx.signal);
  if (state === 'failed') return failure(`It was not delivered to ${named(place)}: ${problem ?? 'the platform refused it'}.`);
  const content =
    state === 'delivered'
      ? `Delivered to ${named(place)}.`
      : `On its way to ${named(place)}, but not there yet (${problem ?? 'the platform is slow'}). It will be delivered later; do not send it again.`;
  return { content, data: { target: place.target, delivered: state === 'delivered' } };
}

function failure(content: string): ToolOutput {
  return { content, failed: true };
}

function listed(places: readonly KnownPlace[]): ToolOutput {
  const shown = places.slice(0, maxListed);
  const lines = shown.map((place) => `${place.target} (${place.kind}) ${place.name}${place.isHere ? ', this chat' : ''}`.trim());
  const more = places.length > shown.length ? [`and ${places.length - shown.length} more`] : [];
  const data = { chats: places.map(({ target, name, kind }) => ({ target, name, kind })) };
  return places.length === 0
    ? { content: 'No chats are known yet.', data }
    : { content: [...lines, ...more].join('\n'), data, outside: 'names that people gave their chats' };
}
