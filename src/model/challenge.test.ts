import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Challenge, parseChallenge } from './challenge.js';
import { isSteep } from '../../test/cpu-time.js';

const PLACE = 'https://mcp.example/.well-known/oauth-protected-resource';

function check(header: string | undefined, expected: Partial<Challenge>): void {
  expect(parseChallenge(header)).toEqual({
    scheme: undefined,
    resourceMetadata: undefined,
    error: undefined,
    scopes: [],
    ...expected,
  });
}

test('a server says where it is described, which rights it wants and what was wrong', () => {
  check(`Bearer resource_metadata="${PLACE}", scope="a b:c", error="insufficient_scope"`, {
    scheme: 'bearer',
    resourceMetadata: PLACE,
    scopes: ['a', 'b:c'],
    error: 'insufficient_scope',
  });
  check(`dpop error="use_dpop_nonce" , resource_metadata=${PLACE}`, {
    scheme: 'dpop',
    resourceMetadata: PLACE,
    error: 'use_dpop_nonce',
  });
  check('Bearer', { scheme: 'bearer' });
});

test('of several challenges those for tokens count, and of what is said twice the first', () => {
  check(`Basic realm="x, scope=evil", Negotiate abc==, Bearer scope="a", scope="b", DPoP algs="ES256", error="e"`, {
    scheme: 'bearer',
    scopes: ['a'],
    error: 'e',
  });
  check('Basic scope="a", error="e"', {});
  check('scope="a"', {});
});

test('a header that is broken says less, and breaks nothing', () => {
  check(undefined, { scheme: undefined });
  check('', {});
  check(`Bearer scope="a b`, { scheme: 'bearer' });
  check(`Bearer resource_metadata="${PLACE}", scope="a`, { scheme: 'bearer', resourceMetadata: PLACE });
  check('Bearer scope="a\\"b c"', { scheme: 'bearer', scopes: ['c'] });
  check('Bearer resource_metadata="https://x/\u0001y", error="a b"', { scheme: 'bearer' });
  check(`Bearer ,,,=,"",="x" scope=a`, { scheme: 'bearer', scopes: ['a'] });
});

test('five thousand rights are cut to a hundred, and none of them holds a quote', () => {
  const names = Array.from({ length: 5_000 }, (_, index) => (index % 2 === 0 ? `s${index}` : `q\\"${index}`));
  const { scopes } = parseChallenge(`Bearer scope="${names.join(' ')}"`);
  expect(scopes).toHaveLength(100);
  expect(scopes.every((scope) => /^s\d+$/.test(scope))).toBe(true);
  expect(parseChallenge(`Bearer scope="${'x'.repeat(201)} ok"`).scopes).toEqual(['ok']);
});

test('quotes, commas or names cost no more than their length, however many', () => {
  for (const piece of ['"', ',', 'a=', 'a="', 'Bearer ', '\\', 'a', '= ', '"\\']) {
    const read = (length: number): unknown => parseChallenge(`Bearer ${piece.repeat(length / piece.length)}`);
    expect(isSteep(read)).toBe(false);
  }
});

test('whatever a header holds, reading it does not fail', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(parseChallenge(`Bearer ${text}`).scopes.length).toBeLessThanOrEqual(100);
    }),
  );
});
