import { expect } from 'vitest';
import type { Message } from '../../../agent/message.ts';
import type { Store } from '../../../gateway/store/index.ts';

/** The transcript of a chat's open session. */
export function transcriptOf(store: Store, chat: string): readonly Message[] {
  const session = store.sessions.open(`agent:main:fake:dm:${chat}`);
  return session === undefined ? [] : store.transcript.read(session.id);
}

/** Each call has exactly one result, right after its message and in call order. */
export function expectValid(transcript: readonly Message[]): void {
  const waiting: string[] = [];
  for (const message of transcript) {
    if (message.role === 'tool') {
      expect([message.callId, describe(transcript)]).toEqual([waiting.shift(), describe(transcript)]);
      continue;
    }
    expect([waiting, describe(transcript)]).toEqual([[], describe(transcript)]);
    if (message.role === 'assistant') waiting.push(...message.calls.map(({ id }) => id));
  }
  expect([waiting, describe(transcript)]).toEqual([[], describe(transcript)]);
}

/** One word a message, for assertions that can be read. */
export function describe(transcript: readonly Message[]): string {
  const words = transcript.map((message) => {
    if (message.role === 'user') return 'user';
    if (message.role === 'tool') return `${message.name}=${message.status}`;
    return message.calls.length === 0 ? 'answer' : `call(${message.calls.map(({ name }) => name).join()})`;
  });
  return words.join(' ');
}
