/** What a model reads of the messages that make one turn. Pure. */
import type { InboundMessage } from '../adapters/adapter.ts';
import type { Part, UserMessage } from '../agent/message.ts';

const quotedUnits = 500;

export interface InputMessage {
  readonly message: InboundMessage;
  /** What its attachments became. */
  readonly attachments: readonly Part[];
  /** The gateway's own words, which nobody has said. */
  readonly internal?: boolean;
}

export interface InputNotes {
  readonly reset?: 'idle' | 'daily';
  /** Why the last answer did not arrive. */
  readonly undelivered?: string;
  /** What other sessions have sent into this chat since. */
  readonly mirrored?: readonly string[];
  /** Several people talk in this session: each message carries its sender's name. */
  readonly shared: boolean;
}

export function userMessage(messages: readonly InputMessage[], notes: InputNotes): UserMessage {
  const content: Part[] = [];
  const say = (text: string): void => {
    const last = content.at(-1);
    if (last?.type === 'text') content[content.length - 1] = { type: 'text', text: `${last.text}\n${text}` };
    else content.push({ type: 'text', text });
  };
  for (const line of noteLines(notes)) say(line);
  for (const { message, attachments, internal } of messages) {
    for (const line of internal === true ? [message.text] : messageLines(message, notes.shared)) say(line);
    for (const part of attachments) {
      if (part.type === 'text') say(part.text);
      else content.push(part);
    }
  }
  return { role: 'user', content };
}

function noteLines({ reset, undelivered, mirrored = [] }: InputNotes): readonly string[] {
  const lines: string[] = [];
  if (reset !== undefined) lines.push(`[note: the conversation before this one was closed by the ${reset} reset; you do not see it]`);
  if (undelivered !== undefined) lines.push(`[note: your last answer, or a part of it, did not reach the person: ${undelivered}]`);
  for (const text of mirrored) lines.push(`[note: from another conversation you have sent into this chat: "${inline(text)}"]`);
  return lines;
}

function messageLines(message: InboundMessage, shared: boolean): readonly string[] {
  const lines: string[] = [];
  const quoted = message.replyTo;
  if (quoted !== undefined && quoted.text !== '') {
    const author = quoted.fromBot ? 'you' : inline(quoted.author);
    lines.push(`[in reply to ${author}: "${inline(quoted.text.slice(0, quotedUnits))}"]`);
  }
  if (message.late === true)
    lines.push(`[note: this was written at ${new Date(message.sentAtMs).toISOString()}, while you could not be reached]`);
  if (message.text !== '') lines.push(shared ? `[${inline(message.sender.name)}] ${ownLines(message.text)}` : message.text);
  return lines;
}

/** In a shared session only our own lines begin with a bracket: nobody's text may look like another speaker's. */
function ownLines(text: string): string {
  return text.replace(/([\r\n\u2028\u2029])(\s*\[)/g, '$1 $2');
}

/** Other people's words inside a line of ours: they must not end it and begin one that looks like somebody else's. */
function inline(text: string): string {
  const words = text.toWellFormed().replaceAll('"', "'");
  return words.replace(/[\p{Cc}\p{Zl}\p{Zp}[\]\s]+/gu, ' ').trim();
}
