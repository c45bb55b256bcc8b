/** Where people talk: direct chats, groups, threads and channels on two accounts of one platform and on another one, with the same ids everywhere. */
import type { ChatRef, ChatType, InboundMessage } from '../../adapters/adapter.ts';
import { sessionKey } from '../../gateway/sessions.ts';
import { message } from '../gateway/support/inbound.ts';

export interface Place {
  readonly index: number;
  readonly chat: ChatRef;
  readonly chatType: ChatType;
  /** Who talks there; in a thread all share one session. */
  readonly people: readonly [string, ...string[]];
  /** As the session's lane is called. */
  readonly key: string;
}

export interface AccountName {
  readonly platform: string;
  readonly account: string;
}

export const accounts: readonly AccountName[] = [
  { platform: 'fake', account: 'main' },
  { platform: 'fake', account: 'work' },
  { platform: 'other', account: 'main' },
];

export const keys = { group_sessions_per_user: true, thread_sessions_per_user: false };

/** Ids that would run into each other where a key was put together of them as they are. */
const direct: readonly (readonly [chat: string, thread?: string])[] = [
  ['1'],
  ['2'],
  ['3'],
  ['1', '7'],
  ['1', '8'],
  ['1:t.7'],
  ['1/7'],
  ['main'],
  ['__proto__'],
  ['..'],
];
const groups = ['-1', '-2:u.1', 'constructor'];
const threads = ['7', '8'];

function placesOn(where: AccountName): Omit<Place, 'index' | 'key'>[] {
  const at = (chat: string, thread?: string): ChatRef => ({ ...where, chat, ...(thread === undefined ? {} : { thread }) });
  return [
    ...direct.map(([chat, thread]) => ({ chat: at(chat, thread), chatType: 'dm' as const, people: [chat] as const })),
    ...groups.flatMap((group) => ['1', '2'].map((person) => ({ chat: at(group), chatType: 'group' as const, people: [person] as const }))),
    ...groups.flatMap((group) =>
      threads.map((thread) => ({ chat: at(group, thread), chatType: 'group' as const, people: ['1', '2'] as const })),
    ),
  ];
}

/** 64 of them, each with a session of its own. */
export const places: readonly Place[] = accounts
  .flatMap(placesOn)
  .slice(0, 64)
  .map((place, index) => ({ ...place, index, key: sessionKey(messageIn(place, { text: '', person: place.people[0] }), keys) }));

export interface Words {
  readonly text: string;
  readonly person: string;
  readonly attachments?: InboundMessage['attachments'];
}

export function messageIn({ chat, chatType }: Pick<Place, 'chat' | 'chatType'>, { text, person, attachments = [] }: Words): InboundMessage {
  return { ...message(text, { chatType, from: { id: person, name: `Person ${person}` }, attachments }), chat };
}

/** Where the bot's messages to this chat, thread and quoted message belong; several where people share a chat and nothing is quoted. */
export function placesOf(chat: ChatRef): readonly Place[] {
  return places.filter(
    ({ chat: own }) =>
      own.platform === chat.platform && own.account === chat.account && own.chat === chat.chat && own.thread === chat.thread,
  );
}
