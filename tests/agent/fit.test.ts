import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messagesTokens, textTokens } from '../../agent/context/estimate.ts';
import { budgetOf, type Fitted, fitToWindow } from '../../agent/context/fit.ts';
import { pairUp } from '../../agent/context/repair.ts';
import { type Message, userText } from '../../agent/message.ts';
import { ModelError } from '../../agent/model.ts';
import { assistant, call, result } from './support.ts';
import { transcript } from './transcripts.ts';

function fitted(messages: readonly Message[], windowTokens: number): Fitted {
  return fitToWindow({ system: '', tools: [], messages }, budgetOf(windowTokens));
}

function turn(index: number, length = 400): Message[] {
  return [userText(`q${index} ${'x'.repeat(length)}`), assistant(`a${index}`)];
}

describe('the estimate', () => {
  it('counts four ASCII characters as a token, and a Chinese one as one', () => {
    expect(textTokens('abcd'.repeat(100))).toBe(100);
    expect(textTokens('你好'.repeat(100))).toBe(200);
  });

  it('never counts mixed text below a quarter of its characters nor above its bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(textTokens(text)).toBeGreaterThanOrEqual(text.length / 4);
        expect(textTokens(text)).toBeLessThanOrEqual(Buffer.byteLength(text));
      }),
    );
  });
});

describe('fitting a conversation into a window', () => {
  it('never exceeds the budget, never loses the last question, or says so', () => {
    fc.assert(
      fc.property(transcript, fc.integer({ min: 10, max: 3_000 }), (raw, tokens) => {
        const messages = pairUp([...raw, userText('the last question')]);
        const kept = fitToWindow({ system: 'sys', tools: [], messages }, { highTokens: tokens, lowTokens: tokens * 0.75 });
        expect(kept.tokens).toBeLessThanOrEqual(tokens);
        expect(kept.tokens).toBeCloseTo(textTokens('sys') + messagesTokens(kept.messages), 3);
        expect(kept.messages.at(-1)).toEqual(userText('the last question'));
      }),
      { numRuns: 200 },
    );
  });

  it('keeps whole turns: what is left begins with a user message', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 60 }), fc.integer({ min: 200, max: 4_000 }), (count, windowTokens) => {
        const messages = [...Array.from({ length: count }, (_, index) => turn(index)).flat(), userText('now')];
        const kept = fitted(messages, windowTokens);
        expect(kept.messages).toEqual(messages.slice(kept.cut.messages));
        expect(kept.messages[0]?.role).toBe('user');
      }),
    );
  });

  it('sends everything while it fits', () => {
    const messages = [...turn(1), userText('now')];
    expect(fitted(messages, 10_000)).toMatchObject({ messages, cut: { messages: 0 } });
  });

  it('moves the cut seldom, so that most requests begin as the one before them', () => {
    const cuts: number[] = [];
    const messages: Message[] = [];
    for (let index = 0; index < 300; index += 1) {
      messages.push(...turn(index));
      cuts.push(fitted([...messages, userText('now')], 10_000).cut.messages);
    }
    const moves = cuts.filter((cut, index) => index > 0 && cut !== cuts[index - 1]).length;
    expect(cuts.at(-1)).toBeGreaterThan(0);
    expect(moves).toBeLessThan(20); // 300 turns of about 110 tokens: 33,000 tokens in leaps of about 2,000
    expect(cuts).toEqual(cuts.toSorted((left, right) => left - right));
  });

  it('shortens the results of a turn that is too big by itself, with a mark', () => {
    const messages = [userText('q'), assistant('', [call('a', 'look')]), result('a', 'x'.repeat(60_000))];
    const kept = fitted(messages, 8_000);
    expect(kept.messages).toHaveLength(3);
    expect(kept.messages[2]).toMatchObject({ content: expect.stringMatching(/characters left out here/) });
  });

  it('shortens long arguments in the same way and keeps them JSON', () => {
    const messages = [userText('q'), assistant('', [call('a', 'write', { content: 'x'.repeat(60_000) })]), result('a', 'ok')];
    const [, message] = fitted(messages, 8_000).messages;
    if (message?.role !== 'assistant') throw new Error('must be the assistant');
    expect(JSON.parse(message.calls[0]?.arguments ?? '')).toMatchObject({ left_out: '60014 characters of arguments' });
  });

  it('leaves out the oldest steps of a turn that is too long by itself and keeps its question', () => {
    const steps = Array.from({ length: 400 }, (_, index) => [
      assistant('thinking '.repeat(10), [call(`c${index}`, 'look')]),
      result(`c${index}`, 'ok'),
    ]);
    const kept = fitted([userText('the question'), ...steps.flat()], 8_000);
    expect(kept.messages[0]).toEqual(userText('the question'));
    expect(kept.messages[1]).toMatchObject({ role: 'assistant', text: expect.stringMatching(/^\(earlier steps/) });
    expect(kept.messages.at(-1)).toEqual(result('c399', 'ok'));
  });

  it.each([
    { part: 'the system prompt', system: 'rule '.repeat(4_000), tools: [], question: 'q' },
    { part: 'the tool descriptions', system: '', tools: [{ name: 't', description: 'd'.repeat(20_000), parameters: {} }], question: 'q' },
    { part: 'the last message', system: '', tools: [], question: 'q'.repeat(20_000) },
  ])('names $part when that is what does not fit', ({ part, system, tools, question }) => {
    const messages = [...turn(1), userText(question)];
    expect(() => fitToWindow({ system, tools, messages }, budgetOf(4_000))).toThrow(
      expect.objectContaining({ kind: 'context_overflow', message: expect.stringContaining(part) }),
    );
    expect(() => fitToWindow({ system, tools, messages }, budgetOf(4_000))).toThrow(ModelError);
  });
});
