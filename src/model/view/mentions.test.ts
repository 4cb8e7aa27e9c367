import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { findMentions } from './mentions.js';

const servers = ['docs', 'plugin:team:wiki', 'my server'];

test.each([
  ['look at @docs:docs://guide please', ['docs docs://guide']],
  ['@docs:docs://a,', ['docs docs://a']],
  ['(see @docs:docs://a)', ['docs docs://a']],
  ['@docs:wiki://Rust_(language)', ['docs wiki://Rust_(language)']],
  ['(@docs:wiki://Rust_(language)).', ['docs wiki://Rust_(language)']],
  ['is it @docs:docs://a?b=1&c=2?', ['docs docs://a?b=1&c=2']],
  ['"@docs:docs://a"', ['docs docs://a']],
  ['@"my server":note:///a and @"my server":"note:///a b"', ['my server note:///a', 'my server note:///a b']],
  ['@plugin:team:wiki:page://1', ['plugin:team:wiki page://1']],
  ['@dätä:x://1\n@日本:y://2', ['dätä x://1', '日本 y://2']],
  ['@a:x://1 @b:y://2', ['a x://1', 'b y://2']],
  ['somebody@example.com:8080', []],
  ['git@github.com:owner/repo.git', []],
  ['@everyone: hello', []],
  ['@docs: docs://a', []],
  ['@docs docs://a', []],
  ['@:x', []],
  ['@"":x', []],
  ['@"my server:x', []],
  ['@@docs:x://1', []],
  ['@', []],
])('%j mentions %j', (text, expected) => {
  const found = findMentions(text, servers);
  expect(found.map(({ server, uri }) => `${server} ${uri}`)).toEqual(expected);
  for (const { start, end } of found) expect(text.slice(start, end)).toMatch(/^@[^]*[^\s.,]$/u);
});

test('a hundred are enough, and an address that is too long is none', () => {
  expect(findMentions('@a:b '.repeat(1_000))).toHaveLength(100);
  expect(findMentions(`@a:${'x'.repeat(4_096)}`)).toHaveLength(1);
  expect(findMentions(`@a:${'x'.repeat(4_097)}`)).toHaveLength(0);
});

test('whatever stands in a text, mentions lie in it, in order, and do not overlap', () => {
  const piece = fc.oneof(fc.constantFrom('@', ':', '"', ' ', '@a:', 'x://y', ')', '(', '\n'), fc.string());
  const texts = fc.array(piece).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(texts, fc.array(fc.string()), (text, names) => {
      let last = 0;
      for (const { server, uri, start, end } of findMentions(text, names)) {
        expect(start).toBeGreaterThanOrEqual(last);
        expect(end).toBeLessThanOrEqual(text.length);
        expect(text.slice(start, end)).toContain(uri);
        expect(text.slice(start, end)).toContain(server);
        expect(uri).not.toBe('');
        last = end;
      }
    }),
  );
});

test('a long text that is nothing but signs is looked through once', () => {
  expect(findMentions('@'.repeat(1e6), servers)).toEqual([]);
  expect(findMentions(' @"'.repeat(3e5), servers)).toEqual([]);
  expect(findMentions(`@a:${')'.repeat(4_000)} `.repeat(250), servers)).toEqual([]);
});
