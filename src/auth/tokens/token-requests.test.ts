import { generateKeyPairSync, verify } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HostError } from '../../base/errors.js';
import { Secret } from '../../base/secret.js';
import type { OAuthSettings } from '../../model/oauth-settings.js';
import type { AuthorizationServer, ClientIdentity, CredentialRecord } from '../store/credential-record.js';
import { requestCrossApp } from '../flows/cross-app.js';
import { DpopKey } from './dpop-key.js';
import { issuerAt, openScripted, type ScriptedServer, signInTargetOf, TOKENS, worldOf } from '../protocol-fixtures.js';
import { refreshTokens, requestByAssertion, requestByClient } from './token-requests.js';

let auth: ScriptedServer;
let folder: string;

beforeEach(async () => {
  auth = await openScripted({ '/token': { json: TOKENS } });
  folder = mkdtempSync(join(tmpdir(), 'plugboard-auth-'));
});
afterEach(async () => {
  await auth[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const MCP = 'https://mcp.example';
const lastForm = (): Record<string, string> => Object.fromEntries(auth.received.at(-1)!.form);

function recordOf(more: Partial<CredentialRecord> = {}): CredentialRecord {
  return {
    server: `${auth.origin}/mcp`,
    account: '',
    revision: 1,
    issuer: issuerAt(auth.origin),
    client: { clientId: 'me', origin: 'registered' },
    tokens: {
      accessToken: new Secret('old-access'),
      type: 'Bearer',
      refreshToken: new Secret('refresh-1'),
      scope: 'a',
      obtainedAt: 0,
    },
    resource: MCP,
    scopes: ['a'],
    ...more,
  };
}

function refresh(record = recordOf()) {
  const target = signInTargetOf(`${auth.origin}/mcp`);
  return refreshTokens(record, target, worldOf(target));
}

async function failureOf(asked: Promise<unknown>): Promise<HostError> {
  return (await asked.catch((cause: unknown) => cause)) as HostError;
}

test('a refresh names the resource, and keeps the old refresh token when none comes back', async () => {
  const tokens = await refresh();
  expect(lastForm()).toEqual({
    grant_type: 'refresh_token',
    refresh_token: 'refresh-1',
    resource: MCP,
    client_id: 'me',
  });
  expect([tokens.accessToken.reveal(), tokens.refreshToken?.reveal(), tokens.scope]).toEqual([
    'access-1',
    'refresh-1',
    'a',
  ]);
  auth.paths['/token'] = { json: { ...TOKENS, refresh_token: 'refresh-2' } };
  expect((await refresh()).refreshToken?.reveal()).toBe('refresh-2');
});

test('a refresh of tokens that are bound to a key proves that it is there', async () => {
  auth.paths['/token'] = { json: { ...TOKENS, token_type: 'DPoP' } };
  const { tokens } = recordOf();
  await refresh(recordOf({ dpopKey: DpopKey.create().secret, tokens: { ...tokens!, type: 'DPoP' } }));
  expect(auth.received[0]!.headers['dpop']).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
});

test('a refresh asks nobody but the token endpoint that was written down', async () => {
  await refresh();
  expect(auth.received.map(({ path }) => path)).toEqual(['/token']);
  const foreign = recordOf({ issuer: issuerAt(auth.origin, { tokenEndpoint: 'http://evil.test/token' }) });
  await expect(refresh(foreign)).rejects.toThrow('needs https');
});

test.each([
  ['{"error":"invalid_grant","error_description":"refresh-1 is over"}', 400],
  ['{"error":"invalid_refresh_token"}', 200],
  ['{"ok":false,"error":"token_expired"}', 200],
])('a sign-in that has ended (%s) takes a person, and the token is not shown', async (body, status) => {
  auth.paths['/token'] = { status, body, headers: { 'content-type': 'application/json' } };
  const error = await failureOf(refresh());
  expect(error).toMatchObject({ code: 'unauthorized', detail: { error: 'invalid_grant', isTransient: false } });
  expect(error.hint).toContain('plugboard login db');
  expect(error.message).not.toContain('refresh-1');
});

test.each([
  [500, '{"error":"server_error"}'],
  [503, '<html>busy'],
  [200, '<html>a portal'],
  [200, ''],
  [429, '{"error":"slow_down"}'],
  [400, '{"error":"temporarily_unavailable"}'],
])('HTTP %i with %j costs nobody their sign-in', async (status, body) => {
  auth.paths['/token'] = { status, body };
  expect(await failureOf(refresh())).toMatchObject({ code: 'sign-in-failed', detail: { isTransient: true } });
});

test('a token endpoint that redirects gets the token once and leads nowhere', async () => {
  const other = await openScripted({ '/x': { json: TOKENS } });
  auth.paths['/token'] = { status: 307, headers: { location: `${other.origin}/x` } };
  expect(await failureOf(refresh())).toMatchObject({ code: 'sign-in-failed', detail: { isTransient: false } });
  expect(other.received).toEqual([]);
  await other[Symbol.asyncDispose]();
});

test('a client that the server no longer knows is told apart', async () => {
  auth.paths['/token'] = { status: 401, body: '{"error":"invalid_client"}' };
  const detail = { error: 'invalid_client', isTransient: false };
  expect(await failureOf(refresh())).toMatchObject({ code: 'sign-in-failed', detail });
});

function request(
  settings: OAuthSettings,
  client: Partial<ClientIdentity> = {},
  issuer: Partial<AuthorizationServer> = {},
) {
  const target = signInTargetOf(`${auth.origin}/mcp`, settings);
  const identity: ClientIdentity = { clientId: 'me:1', origin: 'given', ...client };
  const all = { target, issuer: issuerAt(auth.origin, issuer), client: identity, resource: MCP, scopes: ['a'] };
  return { all, world: { ...worldOf(target), cwd: folder } };
}

test('a program proves who it is by its secret, in a header or in the form, as the server wants it', async () => {
  const client = { clientSecret: new Secret('p%s +') };
  const basic = request({}, client, { authMethods: ['client_secret_basic'] });
  await requestByClient(basic.all, basic.world);
  const sent = Buffer.from(auth.received[0]!.headers.authorization!.slice(6), 'base64').toString();
  expect(sent).toBe('me%3A1:p%25s+%2B');
  expect(lastForm()).toEqual({ grant_type: 'client_credentials', scope: 'a', resource: MCP });
  const post = request({}, client, { authMethods: ['client_secret_post'] });
  await requestByClient(post.all, post.world);
  expect(lastForm()).toMatchObject({ client_id: 'me:1', client_secret: 'p%s +' });
});

test('an id and a secret are sent letter by letter where they need no escape, as many servers compare them', async () => {
  const client = { clientId: '3f2a-11_b.c*d', clientSecret: new Secret('s-e_c.r*t') };
  const { all, world } = request({}, client, { authMethods: ['client_secret_basic'] });
  await requestByClient(all, world);
  const sent = Buffer.from(auth.received[0]!.headers.authorization!.slice(6), 'base64').toString();
  expect(sent).toBe('3f2a-11_b.c*d:s-e_c.r*t');
});

test('a secret that is empty is none in a form', async () => {
  const { all, world } = request({}, { clientSecret: new Secret('') }, { authMethods: ['client_secret_post'] });
  await requestByClient(all, world);
  expect(lastForm()).toEqual({ grant_type: 'client_credentials', scope: 'a', resource: MCP, client_id: 'me:1' });
});

test.each(['text', 'file'])('a program proves who it is by a signature, with a key as %s', async (way) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = String(privateKey.export({ type: 'sec1', format: 'pem' }));
  writeFileSync(join(folder, 'key.pem'), pem);
  const settings = { privateKey: new Secret(way === 'text' ? pem : 'key.pem') };
  const { all, world } = request(settings, {}, { authMethods: ['private_key_jwt'] });
  await requestByClient(all, world);
  const { client_assertion: assertion, client_id } = lastForm();
  const [head, body, signature] = assertion!.split('.') as [string, string, string];
  const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
  expect(verify('sha256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'))).toBe(true);
  const claims: unknown = JSON.parse(Buffer.from(body, 'base64url').toString());
  expect(claims).toMatchObject({ iss: 'me:1', sub: 'me:1', aud: auth.origin });
  expect(client_id).toBe('me:1');
});

test('a key that is none is named, and not shown', async () => {
  const bad = request({ privateKey: new Secret('-----BEGIN PRIVATE KEY-----\nabc') });
  const error = await failureOf(requestByClient(bad.all, bad.world));
  expect(error.message).toMatch(/"oauth.privateKey" of server "db" is not a private key/);
  const lost = request({ privateKey: new Secret('nowhere.pem') });
  await expect(requestByClient(lost.all, lost.world)).rejects.toThrow('does not exist');
});

test('a workload signs in by the token that its platform gives it, as text or as a file', async () => {
  const token = 'aaa.bbb.ccc';
  writeFileSync(join(folder, 'token'), `${token}\n`);
  for (const assertion of [token, 'token']) {
    const { all, world } = request({ assertion: new Secret(assertion) });
    await requestByAssertion(all, world);
    expect(lastForm()).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: token,
      scope: 'a',
      resource: MCP,
      client_id: 'me:1',
    });
  }
  const none = request({});
  await expect(requestByAssertion(none.all, none.world)).rejects.toThrow('no "oauth.assertion"');
});

test.each([
  ['oauth.assertion', '-----BEGIN OPENSSH PRIVATE KEY-----\nabc'],
  ['oauth.assertion', '[default]\naws_secret_access_key = abc'],
  ['oauth.privateKey', 'password=abc'],
])('a file that holds something else than %s is sent to nobody', async (field, text) => {
  writeFileSync(join(folder, 'other'), text);
  const secret = new Secret('other');
  const { all, world } = request(field === 'oauth.assertion' ? { assertion: secret } : { privateKey: secret });
  const asking = field === 'oauth.assertion' ? requestByAssertion(all, world) : requestByClient(all, world);
  const error = await failureOf(asking);
  expect(error.message).toBe(`The file that "${field}" of server "db" names does not hold a valid value`);
  expect(auth.received).toEqual([]);
});

test('an identity provider vouches for the user, and the server takes its word', async () => {
  const idp = await openScripted({
    '/token': {
      json: {
        access_token: 'grant.of.idp',
        issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
        token_type: 'N_A',
      },
    },
  });
  const { all, world } = request({ xaa: true }, { clientSecret: new Secret('s') });
  const identityProvider = { issuer: issuerAt(idp.origin), clientId: 'idp-me' };
  const ask = () =>
    requestCrossApp(
      { ...all, idToken: new Secret('id.to.ken'), identityProvider },
      { world, identityWorld: worldOf(signInTargetOf(idp.origin)) },
    );
  expect((await ask()).accessToken.reveal()).toBe('access-1');
  expect(Object.fromEntries(idp.received[0]!.form)).toMatchObject({
    audience: auth.origin,
    resource: MCP,
    subject_token: 'id.to.ken',
    client_id: 'idp-me',
    scope: 'a',
  });
  expect(lastForm()).toMatchObject({ assertion: 'grant.of.idp' });
  expect(auth.received[0]?.headers.authorization).toMatch(/^Basic /);
  idp.paths['/token'] = { status: 400, body: '{"error":"access_denied","error_description":"id.to.ken not for you"}' };
  const error = await failureOf(ask());
  expect(error.message).toMatch(/the identity provider 127\.0\.0\.1:\d+ does not vouch for you there: access_denied/);
  expect(error.message).not.toContain('id.to.ken');
  await idp[Symbol.asyncDispose]();
});

test('a token of the wrong kind is not kept', async () => {
  auth.paths['/token'] = { json: { ...TOKENS, token_type: 'mac' } };
  await expect(refresh()).rejects.toThrow('neither Bearer nor DPoP');
});
