/** Tells commands from text. Pure. */
import type { Inbound, InboundCommand, InboundMessage } from '../../adapters/adapter.ts';
import type { Command } from './command.ts';
import { findCommand, similarCommand } from './table.ts';

export type Parsed =
  | { readonly type: 'command'; readonly command: Command; readonly args: string; readonly event: InboundMessage | InboundCommand }
  | { readonly type: 'unknown'; readonly reply: string };

/** `/name`, `/name args`, `/name@bot args`; a path like `/etc/hosts` is text. A platform takes our own name off: what is left names another bot. */
const pattern = /^\/([a-z][a-z0-9_-]{0,31})(@\w+)?(?:\s+|$)/i;

/** Undefined when the event is something to say to the model, or an answer. */
export function parseCommand(event: Inbound): Parsed | undefined {
  if (event.type === 'answer') return undefined;
  const typed = event.type === 'message' ? pattern.exec(event.text) : null;
  const name = event.type === 'command' ? event.name : typed?.[1];
  if (name === undefined) return undefined;
  const whose = typed?.[2];
  if (whose !== undefined) return { type: 'unknown', reply: `/${name}${whose} is a command for ${whose}. Write /${name} if you mean me.` };
  const command = findCommand(name.toLowerCase().replaceAll('_', '-')) ?? findCommand(name.toLowerCase());
  if (command === undefined) return { type: 'unknown', reply: unknownReply(name) };
  const args = event.type === 'command' ? event.args : event.text.slice(typed?.[0].length ?? 0);
  return { type: 'command', command, args: isGreeting(name) ? '' : args.trim(), event };
}

/** A link to the bot may carry a payload behind it, which nobody typed: https://core.telegram.org/bots/features#deep-linking */
function isGreeting(name: string): boolean {
  return name.toLowerCase() === 'start';
}

function unknownReply(name: string): string {
  const close = similarCommand(name);
  return `I do not know /${name}.${close === undefined ? '' : ` Did you mean /${close}?`} /help shows what there is.`;
}
