import type { ChatRef, ChatType } from '../adapters/adapter.ts';

/** One immutable reply target, captured at ingress: answer, progress and notices of a turn never leave it. */
export interface TurnTarget {
  readonly chat: ChatRef;
  readonly chatType: ChatType;
  /** Message to quote; absent in direct chats. */
  readonly replyTo?: string;
}

export function accountKey(chat: { readonly platform: string; readonly account: string }): string {
  return `${chat.platform}/${chat.account}`;
}

/** "telegram", or "telegram:work": how people write an account's key. */
export function accountName(account: string): string {
  const [platform = '', name = ''] = account.split('/');
  return name === 'main' ? platform : `${platform}:${name}`;
}

/** The outbox lane of a chat: all its threads share it, because pacing and order are the chat's. */
export function outboxLane(chat: ChatRef): string {
  return `${accountKey(chat)}/${chat.chat}`;
}
