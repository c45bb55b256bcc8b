/** Tells commands from text. Pure. */
import type { Inbound } from '../../adapters/adapter.ts';
import { nearest } from '../nearest.ts';
import { type Command, commandNames, findCommand } from './table.ts';

export type Parsed = { readonly type: 'command'; readonly command: Command } | { readonly type: 'unknown'; readonly reply: string };

/** `/name`, `/name args`, `/name@bot args`; a path like `/etc/hosts` is text. */
const pattern = /^\/([a-z][a-z0-9_-]{0,31})(?:@\w+)?(?:\s|$)/i;

/** Undefined when the event is something to say to the model. */
export function parseCommand(event: Inbound): Parsed | undefined {
  if (event.type === 'answer') return undefined;
  const name = event.type === 'command' ? event.name : pattern.exec(event.text)?.[1];
  if (name === undefined) return undefined;
  const command = findCommand(name.toLowerCase());
  return command === undefined ? { type: 'unknown', reply: unknownReply(name) } : { type: 'command', command };
}

function unknownReply(name: string): string {
  const close = nearest(name.toLowerCase(), commandNames());
  return `I do not know /${name}.${close === undefined ? '' : ` Did you mean /${close}?`} /help shows what there is.`;
}
