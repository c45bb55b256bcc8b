import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repair } from '../../agent/context/repair.ts';
import { buildRequest } from '../../agent/context/request.ts';
import { type Message, noteText, userText } from '../../agent/message.ts';
import { encodeRequest } from '../../agent/models/openai-codec.ts';
import { structureProblem } from '../fakes/model-rules.ts';
import type { ChatBody } from '../fakes/model-wire.ts';
import { assistant, call, result } from './support.ts';
import { transcript } from './transcripts.ts';

function wire(messages: readonly Message[]): ChatBody {
  return encodeRequest('m', { system: 'system', messages, tools: [] }, new Map()) as ChatBody;
}

/** Mistral's own rule, beside those that the fake server has. */
function idsOf(messages: readonly Message[]): string[] {
  return messages.flatMap((message) => (message.role === 'assistant' ? message.calls.map((each) => each.id) : []));
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) frozen(inner);
    Object.freeze(value);
  }
  return value;
}

describe('a repaired request', () => {
  it('is one that every provider takes, whatever the transcript', () => {
    fc.assert(
      fc.property(transcript, (messages) => {
        const repaired = repair(messages);
        expect(structureProblem(wire(repaired))).toBeUndefined();
        expect(idsOf(repaired).filter((id) => !/^[A-Za-z0-9]{9}$/.test(id))).toEqual([]);
        expect(new Set(idsOf(repaired)).size).toBe(idsOf(repaired).length);
        expect(JSON.stringify(repaired).isWellFormed()).toBe(true);
      }),
      { numRuns: 400 },
    );
  });

  it('never edits the transcript', () => {
    fc.assert(
      fc.property(transcript, (messages) => {
        repair(frozen(messages)); // throws in strict mode when it writes
      }),
    );
  });

  it('needs no second repair', () => {
    fc.assert(
      fc.property(transcript, (messages) => {
        const once = repair(messages);
        expect(repair(once)).toEqual(once);
      }),
    );
  });

  it('keeps every call and every answer that has text', () => {
    fc.assert(
      fc.property(transcript, (messages) => {
        const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []));
        expect(idsOf(repair(messages))).toHaveLength(calls.length);
        const sent = JSON.stringify(repair(messages));
        for (const message of messages) {
          if (message.role === 'assistant' && message.text.trim() !== '') {
            expect(sent).toContain(JSON.stringify(message.text.toWellFormed().trim()).slice(1, -1));
          }
        }
      }),
    );
  });

  it('begins with the same messages when the transcript has grown by an answer and a question', () => {
    fc.assert(
      fc.property(transcript, (messages) => {
        const before = repair([...messages, userText('first question')]);
        const after = repair([...messages, userText('first question'), assistant('answer'), userText('second question')]);
        expect(after.slice(0, before.length)).toEqual(before);
      }),
    );
  });

  it('is valid with a window that cuts it anywhere', () => {
    fc.assert(
      fc.property(transcript, fc.integer({ min: 20, max: 2_000 }), (messages, tokens) => {
        const input = { system: '', tools: [], messages: [...messages, userText('now')], withoutImages: true };
        const { request } = buildRequest(input, { highTokens: tokens, lowTokens: tokens * 0.75 });
        expect(structureProblem(wire(request.messages))).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });
});

describe('repairing', () => {
  it('leaves a good conversation alone but for the form of its ids', () => {
    const good = [
      userText('q'),
      assistant('look', [call('abcdefghi', 'look', { a: 1 })]),
      result('abcdefghi', 'done', 'look'),
      assistant('done'),
      userText('thanks'),
    ];
    expect(repair(good)).toEqual(good);
  });

  it('puts results into call order right behind their message', () => {
    const messages = [
      userText('q'),
      assistant('', [call('a', 't'), call('b', 't')]),
      result('b', 'B', 't'),
      userText('wait'),
      result('a', 'A', 't'),
    ];
    const repaired = repair(messages);
    expect(repaired.map((message) => (message.role === 'tool' ? message.content : message.role))).toEqual([
      'user',
      'assistant',
      'A',
      'B',
      'assistant',
      'user',
    ]);
  });

  it('drops results that no call asked for', () => {
    expect(repair([result('x'), userText('q'), result('y')])).toEqual([userText('q')]);
  });

  it('puts a mark where a user message had no answer, and merges nothing into what was sent', () => {
    expect(repair([userText('a'), userText('b')])).toEqual([userText('a'), assistant('(stopped before an answer)'), userText('b')]);
    expect(repair([userText('a'), noteText('b')])).toEqual([userText('a'), assistant('(no answer)'), noteText('b')]);
  });

  it('shows a model its own words where its arguments were not JSON', () => {
    const repaired = repair([userText('q'), assistant('', [call('a', 'look', '{"path": "half')])]);
    expect(repaired[1]).toMatchObject({ calls: [{ arguments: JSON.stringify({ invalid_arguments: '{"path": "half' }) }] });
  });
});
