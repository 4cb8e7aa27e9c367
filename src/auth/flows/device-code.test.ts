import { inspect } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Secret } from '../../base/secret.js';
import { beginDevice, pollDevice } from './device-code.js';
import { issuerAt, openScripted, type ScriptedServer, signInTargetOf, TOKENS, worldOf } from '../protocol-fixtures.js';

let auth: ScriptedServer;

beforeEach(async () => {
  auth = await openScripted({ '/token': { json: TOKENS } });
});
afterEach(() => auth[Symbol.asyncDispose]());

function request() {
  const issuer = issuerAt(auth.origin, { deviceEndpoint: `${auth.origin}/device` });
  const client = { clientId: 'me', origin: 'registered' } as const;
  return { target: signInTargetOf(`${auth.origin}/mcp`), issuer, client, resource: auth.origin, scopes: ['a'] };
}

const world = () => worldOf(request().target);
const poll = () => pollDevice(request(), new Secret('dev'), world());

function answer(more: Record<string, unknown> = {}): void {
  const page = { verification_uri: `${auth.origin}/go`, verification_uri_complete: `${auth.origin}/go?code=AB` };
  auth.paths['/device'] = { json: { device_code: 'dev', user_code: 'AB-CD', ...page, expires_in: 600, ...more } };
}

test('a code is given to be typed in at a page', async () => {
  answer();
  const begun = await beginDevice(request(), { ...world(), wall: () => 1_000 });
  expect(begun).toMatchObject({
    userCode: 'AB-CD',
    url: `${auth.origin}/go`,
    completeUrl: `${auth.origin}/go?code=AB`,
  });
  expect([begun.expiresAt, begun.intervalMs, begun.deviceCode.reveal()]).toEqual([601_000, 5_000, 'dev']);
  expect(Object.fromEntries(auth.received[0]!.form)).toEqual({ client_id: 'me', scope: 'a', resource: auth.origin });
});

test('times that nobody could mean are brought within bounds', async () => {
  answer({ expires_in: 1e12, interval: 0.001 });
  const begun = await beginDevice(request(), { ...world(), wall: () => 0 });
  expect([begun.expiresAt, begun.intervalMs]).toEqual([3_600_000, 1_000]);
});

test.each([
  ['a page that runs a script', { verification_uri: 'javascript:alert(1)' }, /refused/],
  ['a page without encryption', { verification_uri: 'http://evil.example/' }, /refused/],
  ['a code with control characters', { user_code: 'A\u001b[2J' }, /cannot be typed/],
  ['a code as long as a book', { user_code: 'A'.repeat(10_000) }, /cannot be typed/],
  ['a device code as long as a book', { device_code: 'A'.repeat(10_000) }, /more than 4096/],
  ['no code', { user_code: undefined }, /gave no code/],
])('%s is refused', async (_, more, message) => {
  answer(more);
  await expect(beginDevice(request(), world())).rejects.toThrow(message);
});

test('what was not understood is quoted nowhere, not even in the cause', async () => {
  answer({ device_code: 'the-device-code', verification_uri: undefined });
  const error: unknown = await beginDevice(request(), world()).catch((cause: unknown) => cause);
  expect(inspect(error, { depth: 10 })).toContain('verification_uri');
  expect(inspect(error, { depth: 10 })).not.toContain('the-device-code');
});

test('a short cut to another host is not offered', async () => {
  answer({ verification_uri_complete: 'https://evil.example/?code=AB' });
  expect((await beginDevice(request(), world())).completeUrl).toBeUndefined();
});

test('an authorization server that says no, or cannot answer, says so by name', async () => {
  auth.paths['/device'] = {
    status: 400,
    body: '{"error":"invalid_scope"}',
    headers: { 'content-type': 'application/json' },
  };
  await expect(beginDevice(request(), world())).rejects.toMatchObject({
    detail: { error: 'invalid_scope', isTransient: false },
  });
  auth.paths['/device'] = { status: 503 };
  await expect(beginDevice(request(), world())).rejects.toMatchObject({ detail: { isTransient: true } });
  const without = { ...request(), issuer: issuerAt(auth.origin) };
  await expect(beginDevice(without, world())).rejects.toThrow('does not support device codes');
});

test('it is asked until somebody has typed the code in', async () => {
  const say = (error: string) => (auth.paths['/token'] = { status: 400, body: JSON.stringify({ error }) });
  say('authorization_pending');
  expect(await poll()).toEqual({ kind: 'pending' });
  say('slow_down');
  expect(await poll()).toEqual({ kind: 'slow-down' });
  say('expired_token');
  await expect(poll()).rejects.toMatchObject({ detail: { error: 'expired_token', isTransient: false } });
  say('access_denied');
  await expect(poll()).rejects.toMatchObject({ detail: { error: 'access_denied' } });
  auth.paths['/token'] = { status: 502, body: '' };
  await expect(poll()).rejects.toMatchObject({ detail: { isTransient: true } });
  auth.paths['/token'] = { json: TOKENS };
  expect(await poll()).toMatchObject({ kind: 'done', tokens: { type: 'Bearer' } });
  expect(auth.received.at(-1)!.form.get('device_code')).toBe('dev');
});
