import { describe, expect, it } from 'vitest';
import { searchQuery, snippetOf } from '../../../gateway/store/search-query.ts';

describe('what is looked for', () => {
  it.each([
    ['melon', '"melon"'],
    ['ripe melon', '("ripe" AND "melon")'],
    ['"ripe melon" kitchen', '("ripe melon" AND "kitchen")'],
    ['ripe OR green', '("ripe" OR "green")'],
    ['ripe AND green NOT melon', '(("ripe" AND "green") NOT "melon")'],
    ['deploy*', '"deploy"*'],
    ['NOT melon', '"melon"'],
    ['melon OR', '"melon"'],
    ['AND OR NOT', undefined],
    ['***', undefined],
    ['', undefined],
    ['a"b', '("a" AND "b")'],
    ['text:x NEAR(a b) ^c', '((("text:x" AND "NEAR(a") AND "b)") AND "^c")'],
    ['node-pty v1.2_3', '("node-pty" AND "v1.2_3")'],
  ])('%s becomes %s', (text, match) => {
    expect(searchQuery(text)).toMatchObject({ match, isCjk: false });
  });

  it('is any of its words where nothing had all of them', () => {
    expect(searchQuery('ripe melon NOT green', true).match).toBe('(("ripe" OR "melon") NOT "green")');
  });

  it('is in a script without spaces: long terms go to the trigrams, short ones are looked for one by one', () => {
    expect(searchQuery('数据库备份 数据')).toEqual({ match: '"数据库备份"', short: ['数据'], isCjk: true, terms: ['数据库备份', '数据'] });
    expect(searchQuery('数据')).toMatchObject({ match: undefined, short: ['数据'] });
    expect(searchQuery('バックアップ*').match).toBe('"バックアップ"');
  });
});

describe('what is shown of a message', () => {
  it('is the surroundings of the first term that is in it', () => {
    const text = `${'a '.repeat(200)}the ripe melon${' b'.repeat(200)}`;
    const snippet = snippetOf(text, ['pear', 'MELON']);
    expect(snippet).toMatch(/^…[a ]+the ripe »melon« [b ]+…$/);
    expect(snippet.length).toBeLessThan(200);
  });

  it('is its beginning where none of them is', () => {
    expect(snippetOf('one two\nthree', ['pear'])).toBe('one two three');
  });
});
