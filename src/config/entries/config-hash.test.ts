import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Secret } from '../../base/secret.js';
import type { RawEntry } from '../../transports/kind.js';
import { parseEntry } from '../../transports/kinds.js';
import { canonicalJson } from '../../model/text/canonical-json.js';
import { configHash, entryHash } from './config-hash.js';

const SHA256 = /^[0-9a-f]{64}$/u;

/** Compare two entries: whether they have the same connection hash, or the same approval hash. */
function checkConfig(a: RawEntry, b: RawEntry, same: boolean): void {
  const [first, second] = [a, b].map((raw) => configHash(parseEntry(raw).config!));
  expect(first).toMatch(SHA256);
  expect(first === second).toBe(same);
}
function checkEntry(a: RawEntry, b: RawEntry, same: boolean): void {
  expect(entryHash(a, '/bin/x')).toMatch(SHA256);
  expect(entryHash(a, '/bin/x') === entryHash(b, '/bin/x')).toBe(same);
}

describe('the order of keys and the words for a type do not change what a connection is', () => {
  test.each<[a: RawEntry, b: RawEntry]>([
    [
      { command: 'x', args: ['a'] },
      { args: ['a'], command: 'x' },
    ],
    [{ command: 'x' }, { type: 'stdio', command: 'x', args: [], env: {} }],
    [
      { command: 'x', env: { A: '1', B: '2' } },
      { command: 'x', env: { B: '2', A: '1' } },
    ],
    [{ url: 'https://h.test' }, { type: 'streamable-http', url: 'https://h.test', headers: {} }],
    [{ command: 'x', unknownField: 1 }, { command: 'x' }],
    [{ command: 'x', inheritEnv: false }, { command: 'x' }],
  ])('%j is %j', (a, b) => checkConfig(a, b, true));
});

const stdio = { command: 'x', args: ['a', 'b'], env: { T: 'one' } };
const http = { type: 'http', url: 'https://h.test/', headers: { T: 'one' } };

describe('every field changes a connection and voids an approval', () => {
  test.each<[base: RawEntry, change: RawEntry]>([
    [stdio, { command: 'y' }],
    [stdio, { args: ['b', 'a'] }],
    [stdio, { args: ['a b'] }],
    [stdio, { args: ['a', 'b', ''] }],
    [stdio, { env: { T: 'two' } }],
    [stdio, { env: { t: 'one' } }],
    [stdio, { env: { T: 'one', U: '' } }],
    [stdio, { cwd: '/tmp' }],
    [stdio, { inheritEnv: true }],
    [stdio, { inheritEnv: ['A'] }],
    [stdio, { sandbox: true }],
    [stdio, { sandbox: { network: false } }],
    [stdio, { timeout: 5000 }],
    [stdio, { trust: true }],
    [stdio, { alwaysLoad: true }],
    [stdio, { disabled: true }],
    [stdio, { includeTools: ['t'] }],
    [stdio, { excludeTools: [] }],
    [stdio, { start: 'lazy' }],
    [stdio, { era: 'modern' }],
    [http, { type: 'sse' }],
    [http, { url: 'https://h.test/x' }],
    [http, { headers: { T: 'two' } }],
    [http, { headers: {} }],
    [http, { headersHelper: 'x' }],
    [http, { oauth: { clientId: 'a' } }],
    [http, { oauth: { clientSecret: 'a' } }],
    [http, { xaa: true }],
    [http, { tls: { ca: 'x' } }],
  ])('%j with %j', (base, change) => {
    checkConfig(base, { ...base, ...change }, false);
    checkEntry(base, { ...base, ...change }, false);
  });

  test('a secret counts by its value', () => {
    checkConfig({ ...http, oauth: { clientSecret: 'a' } }, { ...http, oauth: { clientSecret: 'b' } }, false);
    checkConfig({ ...http, oauth: { clientSecret: 'a' } }, { ...http, oauth: { clientSecret: 'a' } }, true);
    expect(canonicalJson({ a: new Secret('x"') })).toBe('{"a":"x\\""}');
  });
});

describe('an approval is bound to the entry as written', () => {
  test.each<[a: RawEntry, b: RawEntry, same: boolean]>([
    [{ command: 'x', args: [] }, { args: [], command: 'x' }, true],
    [{ command: 'x' }, { command: 'x', args: [] }, false],
    [{ command: 'x' }, { command: 'x', type: 'stdio' }, false],
    [{ command: 'x' }, { command: 'x', anything: 1 }, false],
    [{ command: 'x', env: { A: '${A}' } }, { command: 'x', env: { A: '${B}' } }, false],
    [{ command: 'x', n: 1 }, { command: 'x', n: '1' }, false],
    [{ command: 'x', n: null }, { command: 'x' }, false],
    [{ command: 'x', n: [null] }, { command: 'x', n: [] }, false],
    [{ command: 'x', 'a":1,"b': 2 }, { command: 'x', a: 1, b: 2 }, false],
    [{ command: 'é' }, { command: 'e\u0301' }, false],
    [JSON.parse('{"command":"x","__proto__":{"a":1}}') as RawEntry, { command: 'x' }, false],
  ])('%j and %j', checkEntry);

  test('and to the program that its command leads to', () => {
    const hashes = ['/usr/bin/x', '/repo/x', undefined].map((path) => entryHash({ command: 'x' }, path));
    expect(new Set(hashes).size).toBe(3);
  });
});

test('equal values give equal texts however their keys are ordered, and others give others', () => {
  const reversed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reversed);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([key, inner]) => [key, reversed(inner)]),
    );
  };
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      expect(canonicalJson(reversed(a))).toBe(canonicalJson(a));
      expect(JSON.parse(canonicalJson(a))).toEqual(JSON.parse(JSON.stringify(a)));
      const texts = [a, b].map((value) => canonicalJson(value));
      expect(texts[0] === texts[1]).toBe(canonicalJson(JSON.parse(texts[0]!)) === canonicalJson(JSON.parse(texts[1]!)));
    }),
  );
});
