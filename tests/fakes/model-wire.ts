/** The part of OpenAI's chat completions wire that the fake reads. */

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content?:
    | string
    | null
    | readonly { readonly type: string; readonly text?: string; readonly image_url?: { readonly url: string } }[];
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}

export interface ChatBody {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly { readonly type: string; readonly function: { readonly name: string; readonly parameters: unknown } }[];
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
}

/** All text of one message, parts joined by blank lines. */
export function textOf(message: ChatMessage | undefined): string {
  if (message === undefined) return '';
  if (typeof message.content === 'string') return message.content;
  return (message.content ?? []).flatMap((part) => (part.text === undefined ? [] : [part.text])).join('\n\n');
}

export function lastUserText(body: ChatBody): string {
  return textOf(body.messages.findLast((message) => message.role === 'user'));
}
