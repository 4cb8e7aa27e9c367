import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '../../../test/any-character.js';
import { canonicalUrl, sameOrigin } from './canonical-url.js';

const canonical = (text: string): string => canonicalUrl(new URL(text));

describe('two spellings of one address cannot be told apart by a rule', () => {
  test.each<[expected: string, ...spellings: string[]]>([
    [
      'https://mcp.company.com/tools',
      'HTTPS://Mcp.Company.COM:443/tools',
      'https://mcp.company.com./tools',
      'https://mcp.company.com:/tools',
      'https://user:password@mcp.company.com/tools',
      'https://mcp.company.com/tools#fragment',
      'https://mcp.company.com/tools?',
      'https:\\\\mcp.company.com\\tools',
      'https:/mcp.company.com/tools',
      'https://mcp.company.com/t%6fols',
      'https://mcp.company.com//tools',
      'https://mcp.company.com/./tools',
      'https://mcp.company.com/%2e/tools',
      'https://mcp.company.com/x/../tools',
      'https://mcp.company.com/x/%2e%2E/tools',
      'https://mcp.company.com/x/.%2e/tools',
      'https://mcp.company.com/x/..;/tools',
      'https://mcp.company.com/x/..;a=b/tools',
      'https://mcp.company.com/x/%2e%2e;/tools',
      'https://mcp.company.com/tools;jsessionid=1',
      'https://mcp.company.com/../../tools',
      'https://mcp.company.com/\ttoo\nls',
      ' https://mcp.company.com/tools ',
      'https://ｍｃｐ.company.com/tools',
      'https://mcp。company.com/tools',
      'https://mcp.comp\u00adany.com/tools',
      'https://%6dcp.company.com/tools',
    ],
    [
      'https://mcp.company.com/',
      'https://mcp.company.com',
      'https://mcp.company.com#@evil',
      'https://mcp.company.com/..;',
    ],
    [
      'https://mcp.company.com/a/',
      'https://mcp.company.com/a//',
      'https://mcp.company.com/a/b/..;',
      'https://mcp.company.com/a/;x',
    ],
    ['https://evil.test/', 'https://mcp.company.com@evil.test/', 'https://mcp.company.com:443@evil.test'],
    [
      'https://evil.test/?https://mcp.company.com/*',
      'https://evil.test/?https://mcp.company.com/*',
      'https://evil.test?https://mcp.company.com/*',
    ],
    ['https://xn--mnchen-3ya.de/', 'https://münchen.de', 'https://MÜNCHEN.de/', 'https://xn--mnchen-3ya.de:443'],
    [
      'http://127.0.0.1/',
      'http://127.1',
      'http://0x7f.1',
      'http://0177.0.0.1',
      'http://2130706433',
      'http://[::ffff:127.0.0.1]',
      'http://[::ffff:7f00:1]:80',
      'http://127.0.0.1./',
    ],
    ['http://8.8.8.8/', 'http://[64:ff9b::8.8.8.8]', 'http://[::8.8.8.8]', 'http://8.8.2056'],
    ['http://[::1]/', 'http://[0:0:0:0:0:0:0:1]', 'http://[0::0001]:80/'],
    ['https://x.test/a%2Fb', 'https://x.test/a%2fb', 'https://x.test/a%2Fb'],
    ['https://x.test/a%7Cb', 'https://x.test/a|b', 'https://x.test/a%7cb'],
    ['https://x.test/a(b)', 'https://x.test/a(b)', 'https://x.test/a%28b%29'],
    ['https://x.test/%252e%252e/', 'https://x.test/%252e%252e/', 'https://x.test/%252%65%252e/'],
    ['https://x.test/%252e', 'https://x.test/%%32%65', 'https://x.test/%25%32e'],
    ['https://x.test/%E6%A4%9C', 'https://x.test/検', 'https://x.test/%e6%a4%9c'],
    ['https://x.test/?a=b%26c&d=~', 'https://x.test/?a=b%26c&d=%7e', 'https://x.test?%61=b%26c&d=~'],
    ['https://x.test/?a=%27', "https://x.test/?a='", 'https://x.test/?a=%27'],
    ['ws://x.test/', 'ws://x.test:80', 'WS://X.test/#a'],
    ['wss://x.test/', 'wss://x.test:443'],
    ['https://x.test:8443/', 'https://x.test:8443', 'https://x.test:08443/'],
  ])('%s', (expected, ...spellings) => {
    for (const spelling of [expected, ...spellings]) expect(canonical(spelling)).toBe(expected);
  });
});

describe('two addresses that differ stay two', () => {
  test.each([
    ['https://mcp.company.com/', 'http://mcp.company.com/'],
    ['https://mcp.company.com/', 'https://mcp.company.com.evil.test/'],
    ['https://mcp.company.com/', 'https://mcp.company.com:444/'],
    ['https://mcp.company.com/a', 'https://mcp.company.com/A'],
    ['https://mcp.company.com/a', 'https://mcp.company.com/a/'],
    ['https://mcp.company.com/a%2Fb', 'https://mcp.company.com/a/b'],
    ['https://mcp.company.com/a%3Bb', 'https://mcp.company.com/a;b'],
    ['https://mcp.company.com/*', 'https://mcp.company.com/%2A'],
    ['https://mcp.company.com/?a', 'https://mcp.company.com/?b'],
    ['https://mcp.company.com/?a=b%26c', 'https://mcp.company.com/?a=b&c'],
    ['https://mcp.company.com/?a=1%2B1', 'https://mcp.company.com/?a=1+1'],
    ['https://mcp.company.com/?a/../b', 'https://mcp.company.com/?b'],
    ['https://xn--80ak6aa92e.com/', 'https://apple.com/'],
    ['http://127.0.0.1/', 'http://[::1]/'],
  ])('%s and %s', (a, b) => expect(canonical(a)).not.toBe(canonical(b)));
});

describe('a redirect stays at home or not', () => {
  test.each([
    ['https://a.test/x', 'https://a.test/y', true],
    ['https://a.test/', 'HTTPS://A.test.:443/', true],
    ['http://127.0.0.1:8080/', 'http://0x7f.1:8080/', true],
    ['https://a.test/', 'http://a.test/', false],
    ['https://a.test/', 'https://b.a.test/', false],
    ['https://a.test/', 'https://a.test:8443/', false],
    ['https://a.test/', 'wss://a.test/', false],
    ['http://localhost:1/', 'http://127.0.0.1:1/', false],
    ['data:,a', 'data:,a', false],
  ])('from %s to %s: %s', (a, b, expected) => expect(sameOrigin(new URL(a), new URL(b))).toBe(expected));
});

test('an address that is no web address is left alone, but for its fragment', () => {
  expect(canonical('mailto:A@b.test#x')).toBe('mailto:A@b.test');
});

const piece = fc.oneof(
  fc.constantFrom(
    'a',
    'B',
    '.',
    '..',
    '%2e',
    '%2E%2e',
    ';',
    ';x=1',
    '/',
    '//',
    '\\',
    '%',
    '%%',
    '%25',
    '%2',
    '32',
    '%65',
  ),
  fc.constantFrom(
    '%2f',
    '%5c',
    '%3b',
    '|',
    '^',
    '`',
    '$(',
    "'",
    '"',
    '{',
    ' ',
    '*',
    '%2a',
    '(',
    '%28',
    '+',
    '&',
    '=',
    'é',
  ),
  fc.string({ unit: anyCharacter, maxLength: 2 }),
);
const tail = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
const host = fc.constantFrom(
  'a.test',
  'A.test.',
  'localhost',
  '127.1',
  '[::ffff:1.2.3.4]',
  'é.test',
  'a.test:443',
  'u@a.test',
);
const urls = fc
  .tuple(fc.constantFrom('https', 'http', 'ws'), host, tail, fc.option(tail, { nil: undefined }))
  .map(([scheme, where, path, query]) => `${scheme}://${where}/${path}${query === undefined ? '' : `?${query}`}`)
  .filter((text) => URL.canParse(text));

function counterexample<T>(property: fc.IProperty<T>): T | null {
  return fc.check(property, { numRuns: 5000 }).counterexample;
}

test('what is canonical stays as it is', () => {
  const property = fc.property(urls, (text) => canonical(canonical(text)) === canonical(text));
  expect(counterexample(property)).toBeNull();
});

test('a canonical path has no dots to climb, no parameters and no doubled slashes', () => {
  const property = fc.property(urls, (text) => {
    const { pathname } = new URL(canonical(text));
    return !/;|\/\/|\/\.{1,2}(?:\/|$)|\\/.test(pathname);
  });
  expect(counterexample(property)).toBeNull();
});

test('encoding a letter of the path changes nothing', () => {
  const property = fc.property(urls, fc.nat(), (text, where) => {
    const url = new URL(text);
    const letters = Array.from(url.pathname.matchAll(/(?<!%|%.)[a-z](?![^/]*;)/gi));
    const letter = letters[where % Math.max(letters.length, 1)];
    if (letter === undefined) return true;
    const encoded = `%${letter[0].charCodeAt(0).toString(16)}`;
    const other = `${url.pathname.slice(0, letter.index)}${encoded}${url.pathname.slice(letter.index + 1)}`;
    return canonical(`${url.origin}${other}${url.search}`) === canonical(`${url.origin}${url.pathname}${url.search}`);
  });
  expect(counterexample(property)).toBeNull();
});
