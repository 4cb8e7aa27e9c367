import { expect, test } from 'vitest';
import { readTokenAnswer, type TokenResponse } from './token-response.js';

interface Answer {
  readonly text: string;
  readonly status?: number;
  readonly contentType?: string;
}

async function check(
  { text, status = 200, contentType = 'application/json' }: Answer,
  expected: Partial<TokenResponse>,
): Promise<void> {
  const response = new Response(text, { status, headers: { 'content-type': contentType } });
  expect(await readTokenAnswer(response)).toMatchObject(expected);
}

test('tokens are taken as JSON and as a form', async () => {
  await check(
    { text: '{"access_token":"a","token_type":"bearer"}' },
    { kind: 'tokens', body: { access_token: 'a', token_type: 'bearer' } },
  );
  const form = { text: 'access_token=a&token_type=bearer&scope=x', contentType: 'application/x-www-form-urlencoded' };
  await check(form, { kind: 'tokens', body: { access_token: 'a', token_type: 'bearer', scope: 'x' } });
});

test.each([
  ['{"error":"invalid_grant"}', 400],
  ['{"error":"invalid_refresh_token"}', 200],
  ['{"error":"expired_refresh_token","error_description":"x"}', 400],
  ['{"error":"token_expired"}', 401],
  ['{"ok":false,"error":"token_revoked"}', 200],
  ['{"error":"Bad_Refresh_Token"}', 200],
  ['{"error":{"code":"invalid_grant","message":"x"}}', 400],
])('%s with HTTP %i means that the sign-in has ended', async (text, status) => {
  await check({ text, status }, { kind: 'refused', error: 'invalid_grant' });
});

test('an error that means something else stays what it is', async () => {
  await check({ text: '{"error":"invalid_client"}', status: 401 }, { kind: 'refused', error: 'invalid_client' });
  await check({ text: '{"error":"expired_token"}', status: 400 }, { kind: 'refused', error: 'expired_token' });
  await check(
    { text: 'error=slow_down', contentType: 'application/x-www-form-urlencoded; charset=utf-8' },
    { kind: 'refused', error: 'slow_down' },
  );
  await check({ text: '{"message":"no such thing"}', status: 404 }, { kind: 'refused', description: 'no such thing' });
});

test.each([
  ['', 200],
  ['<!doctype html><p>Sign in to the network', 200],
  ['{}', 200],
  ['[1]', 200],
  ['null', 400],
  ['busy', 503],
  ['{"message":"busy"}', 502],
  ['access_token=a', 200],
])('%j with HTTP %i is no answer of a token endpoint, and passes', async (text, status) => {
  await check({ text, status, contentType: 'text/html' }, { kind: 'broken' });
});
