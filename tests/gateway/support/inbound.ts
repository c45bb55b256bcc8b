import type {
  Attachment,
  ChatRef,
  ChatType,
  InboundAnswer,
  InboundCommand,
  InboundMessage,
  Quoted,
  Sender,
} from '../../../adapters/adapter.ts';

export interface Said {
  readonly event?: string;
  readonly chat?: string;
  readonly thread?: string;
  readonly account?: string;
  readonly chatType?: ChatType;
  readonly chatName?: string;
  readonly from?: Partial<Sender>;
  readonly attachments?: readonly Attachment[];
  readonly album?: string;
  readonly replyTo?: Quoted;
}

let events = 0;

export function message(text: string, said: Said = {}): InboundMessage {
  const event = said.event ?? `event-${++events}`;
  return {
    ...base(event, said),
    type: 'message',
    message: `m-${event}`,
    text,
    mentioned: true,
    attachments: said.attachments ?? [],
    ...(said.album === undefined ? {} : { album: said.album }),
    ...(said.replyTo === undefined ? {} : { replyTo: said.replyTo }),
    ...(said.chatName === undefined ? {} : { chatName: said.chatName }),
  };
}

export function command(name: string, args = '', said: Said = {}): InboundCommand {
  return { ...base(said.event ?? `event-${++events}`, said), type: 'command', name, args, interaction: null };
}

/** A click on a card as the fake platform shows it. */
export function click(card: { readonly token: string; readonly id: string }, choice: string, said: Said = {}): InboundAnswer {
  const event = said.event ?? `event-${++events}`;
  return { ...base(event, said), type: 'answer', token: card.token, choice, message: card.id, interaction: event };
}

/** A reply to a card. */
export function replyTo(card: { readonly id: string }): Quoted {
  return { message: card.id, author: 'Hermes', fromBot: true, text: '' };
}

function base(event: string, said: Said) {
  return { event, chat: chatRef(said), chatType: said.chatType ?? 'dm', sender: sender(said.from), sentAtMs: 0 };
}

export function chatRef({ chat = 'ann', thread, account = 'main' }: Said = {}): ChatRef {
  return { platform: 'fake', account, chat, ...(thread === undefined ? {} : { thread }) };
}

export function sender(facts: Partial<Sender> = {}): Sender {
  return { id: 'ann', aliases: [], name: 'Ann', isBot: false, roles: [], ...facts };
}
