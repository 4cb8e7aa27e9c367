import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { HostError } from '../base/errors.js';
import { Secret } from '../base/secret.js';
import {
  isTransientFailure,
  type OAuthErrorResponse,
  signInFailure,
  toOAuthResponseError,
  toOAuthError,
} from './oauth-error.js';

const PLACE = { name: 'my db', doing: 'auth.example gave no token', secrets: [new Secret('hunter22'), undefined] };

function check(answer: OAuthErrorResponse, code: string, isTransient: boolean): void {
  expect(toOAuthResponseError(answer, PLACE)).toMatchObject({ code, detail: { kind: 'oauth', isTransient } });
}

test('only a sign-in that has ended takes a person, and only what passes is tried again', () => {
  check({ error: 'invalid_grant' }, 'unauthorized', false);
  check({ error: 'invalid_client', status: 401 }, 'sign-in-failed', false);
  check({ error: 'unauthorized_client', status: 400 }, 'sign-in-failed', false);
  check({ error: 'invalid_scope', status: 400 }, 'sign-in-failed', false);
  check({ error: 'temporarily_unavailable', status: 400 }, 'sign-in-failed', true);
  check({ error: 'anything', status: 503 }, 'sign-in-failed', true);
  check({ status: 429 }, 'sign-in-failed', true);
  check({}, 'sign-in-failed', false);
});

test('what a server says is cut, on one line, and holds no secret and no escape', () => {
  const description = `hunter22 \u001b[31mred\r\nnext ${'x'.repeat(5_000)}`;
  const { message, hint } = toOAuthResponseError({ error: 'invalid_grant', description }, PLACE);
  expect(message).toMatch(
    /^Server "my db": auth\.example gave no token: invalid_grant \(•••• red next x+… \[truncated\]\)$/,
  );
  expect(message.length).toBeLessThan(450);
  expect(hint).toBe("Run: plugboard login 'my db'");
});

test('an answer that could not be read is told without what is in it', () => {
  const error = toOAuthError(new SyntaxError('Unexpected token in {"access_token":"abc"'), PLACE);
  expect([error.message, error.cause]).toEqual([
    'Server "my db": auth.example gave no token: the answer does not have the required form',
    undefined,
  ]);
});

test('the cause has the place in the program, and nothing that a library hung on to it', () => {
  const thrown = Object.assign(new TypeError('hunter22 is no token', { cause: { body: 'abc' } }), { body: 'abc' });
  const { cause } = toOAuthError(thrown, PLACE);
  expect(cause).toMatchObject({ name: 'TypeError', message: '•••• is no token' });
  expect(inspect(cause, { depth: 10 })).toMatch(/•••• is no token\n +at .*oauth-error\.test/);
  expect(inspect(cause, { depth: 10 })).not.toMatch(/hunter22|abc/);
});

test('an error of ours stays what it is', () => {
  const ours = new HostError('cancelled', 'x');
  expect(toOAuthError(ours, PLACE)).toBe(ours);
  expect(isTransientFailure(ours)).toBe(false);
  expect(isTransientFailure(signInFailure('x', { isTransient: true }))).toBe(true);
});
