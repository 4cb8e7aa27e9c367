import { expect, test } from 'vitest';
import { toTokenSet } from './token-set.js';

const NOW = 1_000_000;
const GOOD = { access_token: 'abc', token_type: 'bearer' };

function read(more: Record<string, unknown>, scopes?: readonly string[]) {
  return toTokenSet({ ...GOOD, ...more }, { name: 'db', now: NOW, scopes });
}

test('a token and all that comes with it is kept, and none of it is shown', () => {
  const tokens = read({ refresh_token: 'r', id_token: 'i', expires_in: 10, scope: 'a  b' });
  expect(tokens).toMatchObject({
    type: 'Bearer',
    scope: 'a b',
    expiresAt: NOW + 10_000,
    obtainedAt: NOW,
    unrequestedScopes: [],
  });
  expect([tokens.accessToken.reveal(), tokens.refreshToken?.reveal(), tokens.idToken?.reveal()]).toEqual([
    'abc',
    'r',
    'i',
  ]);
  expect(JSON.stringify(tokens)).not.toContain('abc');
  expect(read({ token_type: 'DPOP' }).type).toBe('DPoP');
});

test.each([
  ['of another kind', { token_type: 'mac' }],
  ['of no kind', { token_type: undefined }],
  ['of an inherited kind', { token_type: 'constructor' }],
  ['with a line end', { access_token: 'a\r\nX-Evil: 1' }],
  ['with a NUL', { access_token: 'a\0' }],
  ['with a blank', { access_token: 'a b' }],
  ['with letters beyond ASCII', { access_token: 'ä' }],
  ['that is empty', { access_token: '' }],
  ['that is no text', { access_token: 7 }],
  ['that is huge', { access_token: 'a'.repeat(65_537) }],
  ['with a refresh token that has a line end', { refresh_token: 'a\nb' }],
  ['with rights that are no text', { scope: ['admin'] }],
])('a token %s is refused', (_, more) => {
  expect(() => read(more)).toThrow(/^Server "db": its authorization server gave /);
});

test.each([
  [-5, NOW],
  [0, NOW],
  ['-1', NOW],
  ['x', NOW],
  [{}, NOW],
  [1e300, NOW + 315_360_000_000],
  ['60', NOW + 60_000],
  [undefined, undefined],
])('a life of %s seconds ends at %s', (expires_in, expected) => {
  expect(read({ expires_in }).expiresAt).toBe(expected);
});

test('rights that nobody asked for are told', () => {
  expect(read({ scope: 'a admin' }, ['a']).unrequestedScopes).toEqual(['admin']);
  expect(read({ scope: 'a admin' }).unrequestedScopes).toEqual([]);
});

test('a token that anybody could use is not taken for one that is bound to a key', () => {
  expect(() => toTokenSet(GOOD, { name: 'db', now: NOW, type: 'DPoP' })).toThrow('Bearer token where a DPoP token');
});
