import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { earlyImages, withoutEarlyImages } from '../../agent/context/images.ts';
import type { ImagePart, Message } from '../../agent/message.ts';

const megabyte = 1024 * 1024;

function image(bytes?: number): Message {
  const part = { type: 'image' as const, path: '/x.png', mime: 'image/png', note: '[x]', ...(bytes === undefined ? {} : { bytes }) };
  return { role: 'user', content: [{ type: 'text', text: 'look' }, part] };
}

function imagesOf(messages: readonly Message[]): readonly ImagePart[] {
  const parts = messages.flatMap((message) => (message.role === 'user' ? message.content : []));
  return parts.filter((part) => part.type === 'image');
}

describe('the images that a request shows', () => {
  it('are never more, nor larger, than providers take, always with the newest, and the first is moved seldom', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 4 * megabyte }), { minLength: 1, maxLength: 80 }), (sizes) => {
        const cuts = sizes.map((_, index) => earlyImages(sizes.slice(0, index + 1).map(image)));
        for (const [index, cut] of cuts.entries()) {
          const shown = imagesOf(withoutEarlyImages(sizes.slice(0, index + 1).map(image), cut));
          expect(shown.length).toBeGreaterThan(0);
          expect(shown.length).toBeLessThanOrEqual(20);
          expect(shown.reduce((sum, { bytes = 0 }) => sum + bytes, 0)).toBeLessThanOrEqual(20 * megabyte);
        }
        expect(cuts).toEqual(cuts.toSorted((left, right) => left - right));
        const moves = cuts.filter((cut, index) => index > 0 && cut !== cuts[index - 1]).length;
        expect(moves).toBeLessThanOrEqual(sizes.length / 3);
      }),
    );
  });

  it('are all of them while there are few, also those whose size nobody has kept', () => {
    const messages = Array.from({ length: 20 }, () => image());
    expect(earlyImages(messages)).toBe(0);
    expect(withoutEarlyImages(messages, 0)).toEqual(messages);
  });

  it('have notes in place of the others that say so', () => {
    const messages = Array.from({ length: 21 }, () => image(1));
    const shown = withoutEarlyImages(messages, earlyImages(messages));
    expect(imagesOf(shown)).toHaveLength(10);
    expect(shown[0]).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: 'look' },
        { type: 'text', text: '[x] (no longer shown to you: there are newer images)' },
      ],
    });
  });
});
