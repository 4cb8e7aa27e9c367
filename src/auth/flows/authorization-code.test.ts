import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Secret } from '../../base/secret.js';
import type { OAuthSettings } from '../../model/oauth-settings.js';
import { beginCode, type AuthorizationResponse, checkCallback, redeemCode } from './authorization-code.js';
import type { AuthorizationServer } from '../store/credential-record.js';
import { issuerAt, openScripted, type ScriptedServer, signInTargetOf, TOKENS, worldOf } from '../protocol-fixtures.js';

const REDIRECT = 'http://localhost:1234/callback';
let auth: ScriptedServer;

beforeEach(async () => {
  auth = await openScripted({ '/token': { json: TOKENS } });
});
afterEach(() => auth[Symbol.asyncDispose]());

function requestOf(issuer: Partial<AuthorizationServer> = {}, settings: OAuthSettings = {}) {
  return {
    target: signInTargetOf(`${auth.origin}/mcp`, settings),
    issuer: issuerAt(auth.origin, issuer),
    client: { clientId: 'me', origin: 'registered' },
    resource: 'https://mcp.example',
    scopes: ['a', 'b'],
    redirectUri: REDIRECT,
    state: 'st',
  } as const;
}

test('the page to visit has S256, state, the resource exactly as spelt, and the rights', async () => {
  const { url, host, verifier } = await beginCode(requestOf());
  const { searchParams } = new URL(url);
  expect(Object.fromEntries(searchParams)).toMatchObject({
    response_type: 'code',
    client_id: 'me',
    code_challenge_method: 'S256',
    redirect_uri: REDIRECT,
    state: 'st',
    scope: 'a b',
    resource: 'https://mcp.example',
  });
  expect(searchParams.get('code_challenge')).toBe(createHash('sha256').update(verifier.reveal()).digest('base64url'));
  expect(host).toBe(new URL(auth.origin).host);
});

test.each([
  ['javascript:alert(1)'],
  ['file:///bin/sh'],
  ['http://auth.example/authorize'],
  ['http://10.0.0.1/authorize'],
  ['https://auth.example:22/authorize'],
])('a page at %s is never opened', async (authorizationEndpoint) => {
  await expect(beginCode(requestOf({ authorizationEndpoint }))).rejects.toMatchObject({ code: 'sign-in-failed' });
});

test('a page on this machine is opened for a server on this machine only', async () => {
  const request = { ...requestOf(), target: signInTargetOf('https://mcp.example/mcp') };
  await expect(beginCode(request)).rejects.toThrow('loopback');
});

test('nothing in the address of a page means anything to a shell', async () => {
  const authorizationEndpoint = `${auth.origin}/$(id)/\`id\`/a;b&c|d?x=$(id)`;
  const { url } = await beginCode(requestOf({ authorizationEndpoint }));
  expect(url).not.toMatch(/[`$();|]/);
});

test('an authorization server without a page says so', async () => {
  await expect(beginCode(requestOf({ authorizationEndpoint: undefined }))).rejects.toThrow('no sign-in page');
});

async function checkAnswer(
  answer: AuthorizationResponse,
  {
    saysIss = false,
    settings = {},
    isAssumed = false,
  }: { saysIss?: boolean; settings?: OAuthSettings; isAssumed?: boolean },
  expected: RegExp,
): Promise<void> {
  const checked = await checkCallback(answer, requestOf({ saysIss, isAssumed }, settings));
  expect(checked.kind === 'code' ? 'code' : checked.error.message).toMatch(expected);
}

test('an answer has to come from whoever was asked, letter by letter', async () => {
  const iss = auth.origin;
  await checkAnswer({ code: 'c', iss }, { saysIss: true }, /^code$/);
  await checkAnswer({ code: 'c' }, {}, /^code$/);
  await checkAnswer({ code: 'c' }, { saysIss: true }, /names no authorization server; it should name 127/);
  await checkAnswer({ code: 'c', iss: `${iss}/` }, {}, /is from another/);
  await checkAnswer({ code: 'c', iss: 'https://evil.example' }, { saysIss: true }, /is from another/);
  await checkAnswer({ code: 'c', iss: `${iss}/` }, { settings: { allowIssuerMismatch: true } }, /^code$/);
  await checkAnswer({ code: 'c', iss: 'x' }, { isAssumed: true }, /^code$/);
  await checkAnswer({}, {}, /without a code/);
});

test('what somebody else says about an error is not shown', async () => {
  const said = { error: 'access_denied', errorDescription: 'Call +1 555' };
  await checkAnswer({ ...said, iss: 'https://evil.example' }, { saysIss: true }, /^(?!.*\+1 555).*is from another/);
  await checkAnswer({ ...said, iss: auth.origin }, { saysIss: true }, /access_denied \(Call \+1 555\)/);
});

async function redeem(answer: AuthorizationResponse = { code: 'c' }) {
  const request = requestOf();
  const checked = await checkCallback(answer, request);
  if (checked.kind === 'refused') throw checked.error;
  return await redeemCode({ ...request, ...checked, verifier: new Secret('v') }, worldOf(request.target));
}

test('a code is redeemed with its verifier, its address and the resource', async () => {
  expect(await redeem()).toMatchObject({ type: 'Bearer', unrequestedScopes: [] });
  expect(Object.fromEntries(auth.received[0]!.form)).toEqual({
    grant_type: 'authorization_code',
    code: 'c',
    code_verifier: 'v',
    redirect_uri: REDIRECT,
    resource: 'https://mcp.example',
    client_id: 'me',
  });
});

test('a code from somebody else is not redeemed at all', async () => {
  await expect(redeem({ code: 'c', iss: 'https://evil.example' })).rejects.toThrow('is from another');
  const unchecked = { code: new Secret('c'), parameters: new URLSearchParams({ code: 'c' }) };
  const redemption = { ...requestOf(), ...unchecked, verifier: new Secret('v') };
  await expect(redeemCode(redemption, worldOf(redemption.target))).rejects.toMatchObject({ code: 'sign-in-failed' });
  expect(auth.received).toEqual([]);
});

test('rights that nobody asked for are told, and a token with a line end is refused', async () => {
  auth.paths['/token'] = { json: { ...TOKENS, scope: 'a b admin' } };
  expect((await redeem()).unrequestedScopes).toEqual(['admin']);
  auth.paths['/token'] = { json: { ...TOKENS, access_token: 'a\r\nX: y' } };
  await expect(redeem()).rejects.toThrow('no header may hold');
});
