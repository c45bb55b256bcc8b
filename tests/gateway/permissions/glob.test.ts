import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UNKNOWN } from '../../../agent/risk.ts';
import { createGlob, literal } from '../../../gateway/permissions/glob.ts';

const text = (pattern: string) => createGlob(pattern, { isPath: false, hidden: true });
const place = (pattern: string, hidden = true) => createGlob(pattern, { isPath: true, hidden });

describe('a pattern over words', () => {
  it.each([
    ['git push *', 'git push origin main', true],
    ['git push *', 'git push', true],
    ['git push *', 'git pushy', false],
    ['git push *', 'git push\nx', false],
    ['git push*', 'git pushy', true],
    ['git push', 'git push x', false],
    ['* --force', 'git push --force', true],
    ['git * push', 'git -C /x push', true],
    ['git ?tatus', 'git status', true],
    ['git ?tatus', 'git tatus', false],
    ['a.c', 'abc', false],
    [String.raw`echo \*`, 'echo *', true],
    [String.raw`echo \*`, 'echo x', false],
    ['*', '', true],
    ['rm *', "rm 'a\nb'", true],
    ['git push ?', `git push ${UNKNOWN}`, false],
    ['git push *', `git push ${UNKNOWN}`, true],
    ['git push', `git ${UNKNOWN}`, false],
  ])('%j over %j: %s', (pattern, name, expected) => {
    expect(text(pattern).matches(name)).toBe(expected);
  });

  it.each([
    ['git push *', `git ${UNKNOWN}`, true],
    ['git push *', `${UNKNOWN} x`, true],
    ['git push *', `npm ${UNKNOWN}`, false],
    ['git push', `git ${UNKNOWN} x`, false],
    ['git push', UNKNOWN, true],
    ['rm -rf *', `rm ${UNKNOWN}f build`, true],
  ])('%j may be meant by %j: %s', (pattern, name, expected) => {
    expect(text(pattern).mayMatch(name)).toBe(expected);
  });
});

describe('a pattern over paths', () => {
  it.each([
    ['/n/**', '/n/a/b', true],
    ['/n/**', '/n', true],
    ['/n/**', '/nn', false],
    ['/n/*', '/n/a', true],
    ['/n/*', '/n/a/b', false],
    ['/n/*.md', '/n/a.md', true],
    ['/n/**/x', '/n/x', true],
    ['/n/**/x', '/n/a/b/x', true],
    ['/n/**/x', '/n/ax', false],
    ['/**', '/', true],
    ['/n/?', '/n//', false],
    ['/n/**', `/n/${UNKNOWN}`, false],
  ])('%j over %j: %s', (pattern, name, expected) => {
    expect(place(pattern).matches(name)).toBe(expected);
  });

  it('reaches hidden names only where it forbids or names the dot', () => {
    for (const pattern of ['/n/**', '/n/*', '/n/?git', '/n/**/config']) {
      const name = pattern.endsWith('config') ? '/n/.git/config' : '/n/.git';
      expect([pattern, place(pattern).matches(name), place(pattern, false).matches(name)]).toEqual([pattern, true, false]);
    }
    expect(place('/n/.git/*', false).matches('/n/.git/hooks')).toBe(true);
    expect(place('/home/.x/**', false).matches('/home/.x/a')).toBe(true);
  });
});

describe('patterns', () => {
  const units = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.', ' ', '*', '?', '\\', UNKNOWN), maxLength: 8 });

  it('that are literal match that text and no other', () => {
    const known = units.filter((one) => !one.includes(UNKNOWN));
    fc.assert(fc.property(known, known, (one, other) => text(literal(one)).matches(other) === (one === other)));
  });

  it('that match for certain may match, too, and what is put in for the unknown is what may match', () => {
    fc.assert(
      fc.property(units, units, units, fc.boolean(), (pattern, name, filled, isPath) => {
        const glob = createGlob(pattern, { isPath, hidden: true });
        const whole = name.replaceAll(UNKNOWN, filled.replaceAll(UNKNOWN, ''));
        return (!glob.matches(name) || glob.mayMatch(name)) && (!glob.matches(whole) || glob.mayMatch(name));
      }),
      { numRuns: 3000 },
    );
  });

  it('are as the same regular expression would be', () => {
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 7 });
    const name = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 9 });
    fc.assert(
      fc.property(pattern, name, (given, over) => {
        const source = given.replaceAll(/\*+/g, '[\\s\\S]*').replaceAll('?', '[\\s\\S]');
        return text(given).matches(over) === new RegExp(`^${source}$`).test(over);
      }),
      { numRuns: 2000 },
    );
  });

  it('do not take longer for being contrived', () => {
    expect(text(`${'*a'.repeat(20)}*b`).matches('a'.repeat(20_000))).toBe(false);
  });
});
