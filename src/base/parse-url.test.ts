import { expect, test } from 'vitest';
import { parseUrl } from './parse-url.js';

test('a URL with letters of Latin-1 stays one, however many have been read before', () => {
  const spellings = new Set<string | undefined>();
  for (let round = 0; round < 20_000; round++) spellings.add(parseUrl('https://münchen.test/é')?.href);
  expect([...spellings]).toEqual(['https://xn--mnchen-3ya.test/%C3%A9']);
});

test('what is no URL is none, and a base helps', () => {
  expect(parseUrl('/path')).toBeUndefined();
  expect(parseUrl('https://a b/')).toBeUndefined();
  expect(parseUrl('/path', 'https://a.test/x')?.href).toBe('https://a.test/path');
});
