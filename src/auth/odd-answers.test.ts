import { afterEach, beforeEach, expect, test } from 'vitest';
import { HostError } from '../base/errors.js';
import { Secret } from '../base/secret.js';
import type { OAuthSettings } from '../model/oauth-settings.js';
import { beginCode, checkCallback, redeemCode } from './flows/authorization-code.js';
import { identifyClient } from './client/client-identity.js';
import type { ClientIdentity, CredentialRecord } from './store/credential-record.js';
import { requestCrossApp } from './flows/cross-app.js';
import { discoverIssuer } from './discovery/discovery.js';
import {
  issuerAt,
  metadataOf,
  openScripted,
  type Scripted,
  type ScriptedServer,
  signInTargetOf,
  TOKENS,
  worldOf,
} from './protocol-fixtures.js';
import { refreshTokens, requestByClient } from './tokens/token-requests.js';
import type { NewTokens } from './tokens/token-set.js';

// Responses that real authorization servers send against the specifications, and that are accepted all the same.
const REDIRECT = 'http://localhost:1234/callback';
const PRM = '/.well-known/oauth-protected-resource/mcp';
const JSON_TYPE = { 'content-type': 'application/json' };

let auth: ScriptedServer;

beforeEach(async () => {
  auth = await openScripted({ '/register': { json: { client_id: 'new' } }, '/token': { json: TOKENS } });
});
afterEach(() => auth[Symbol.asyncDispose]());

const mcp = (): string => `${auth.origin}/mcp`;

/** A whole sign-in, from discovery to tokens; each step uses the response to the one before. */
async function signIn(settings: OAuthSettings = {}): Promise<NewTokens> {
  const target = signInTargetOf(mcp(), settings);
  const world = worldOf(target);
  const { issuer, resource } = await discoverIssuer(target, world);
  const client = await identifyClient(target, issuer, { redirectUri: REDIRECT, scopes: [] }, world);
  const request = { target, issuer, client, resource, scopes: [], redirectUri: REDIRECT };
  const { verifier } = await beginCode({ ...request, state: 'st' });
  const checked = await checkCallback({ code: 'c' }, { target, issuer, client });
  if (checked.kind === 'refused') throw checked.error;
  return await redeemCode({ ...request, ...checked, verifier }, world);
}

const GIVEN: ClientIdentity = { clientId: 'me', clientSecret: new Secret('s'), origin: 'given' };

function refresh(issuer = auth.origin): Promise<NewTokens> {
  const record: CredentialRecord = {
    server: mcp(),
    account: '',
    revision: 1,
    issuer: { ...issuerAt(auth.origin), issuer },
    client: GIVEN,
    tokens: { accessToken: new Secret('old'), type: 'Bearer', refreshToken: new Secret('refresh-1'), obtainedAt: 0 },
    resource: mcp(),
    scopes: [],
  };
  const target = signInTargetOf(mcp());
  return refreshTokens(record, target, worldOf(target));
}

function askAsClient(): Promise<NewTokens> {
  const target = signInTargetOf(mcp());
  const request = { target, issuer: issuerAt(auth.origin), client: GIVEN, resource: mcp(), scopes: [] };
  return requestByClient(request, worldOf(target));
}

/** An expired ID token of another issuer for another audience: nothing here relies on it. */
const FOREIGN_ID_TOKEN = [{ alg: 'none' }, { iss: 'https://other.example', aud: 'other', exp: 1 }, {}]
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .join('.');

const said = (more: object, headers: Record<string, string> = JSON_TYPE, status = 200): Scripted => ({
  status,
  headers,
  body: JSON.stringify({ ...TOKENS, ...more }),
});

const ODD_TOKENS: readonly (readonly [string, Scripted])[] = [
  ['a form', { status: 200, headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: form() }],
  ['a form as plain text', { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: form() }],
  ['JSON of no type', said({}, {})],
  ['JSON that says it is a page', said({}, { 'content-type': 'text/html' })],
  ['JSON of a type of its own', said({}, { 'content-type': 'application/vnd.tokens+json' })],
  ['JSON after a byte order mark', { status: 200, headers: JSON_TYPE, body: `\uFEFF${JSON.stringify(TOKENS)}` }],
  ['HTTP 201', said({}, JSON_TYPE, 201)],
  ['HTTP 203 with a challenge', said({}, { ...JSON_TYPE, 'www-authenticate': 'Bearer realm="x"' }, 203)],
  ['a life as text', said({ expires_in: '3600' })],
  ['a life that is empty', said({ expires_in: '' })],
  ['a life that is null', said({ expires_in: null })],
  ['a life below nought', said({ expires_in: -1 })],
  ['a life in words', said({ expires_in: 'soon' })],
  ['a life that is true', said({ expires_in: true })],
  ['a life that is an object', said({ expires_in: {} })],
  [
    'a life longer than a number can say',
    { status: 200, body: '{"access_token":"access-1","token_type":"Bearer","expires_in":1e999}' },
  ],
  ['a life with a fraction', said({ expires_in: 3599.7 })],
  ['a type in small letters', said({ token_type: 'bearer' })],
  ['a type in capital letters', said({ token_type: 'BEARER' })],
  ['a refresh token that is null', said({ refresh_token: null })],
  ['a refresh token that is empty', said({ refresh_token: '' })],
  ['an id token that is none', said({ id_token: 'nonsense' })],
  ['an id token that is empty', said({ id_token: '' })],
  ['an id token that is null', said({ id_token: null })],
  ['an id token of somebody else', said({ id_token: FOREIGN_ID_TOKEN })],
  ['a scope that is empty', said({ scope: '' })],
  ['a scope that is null', said({ scope: null })],
  ['an issuer of its own', said({ issuer: 'https://other.example' })],
  ['an error that is null', said({ error: null })],
  ['an error beside the token', said({ error: 'none' })],
  ['ok, as some say it', said({ ok: true })],
  ['fields that nobody knows', said({ user: { id: 7 }, authed_user: null, created_at: 'now' })],
];

function form(): string {
  return new URLSearchParams({
    access_token: 'access-1',
    token_type: 'bearer',
    scope: '',
    expires_in: '60',
  }).toString();
}

test.each(ODD_TOKENS)('%s is taken for tokens, however they were asked for', async (_, answer) => {
  auth.paths['/token'] = answer;
  for (const ask of [refresh, askAsClient, signIn]) expect((await ask()).accessToken.reveal()).toBe('access-1');
});

const ENDED: readonly (readonly [string, Scripted])[] = [
  [
    'HTTP 401 with a challenge',
    {
      status: 401,
      headers: { ...JSON_TYPE, 'www-authenticate': 'Basic realm="x"' },
      body: '{"error":"invalid_grant"}',
    },
  ],
  ['HTTP 400 of no type', { status: 400, body: '{"error":"invalid_grant"}' }],
  [
    'HTTP 400 that says it is a page',
    { status: 400, headers: { 'content-type': 'text/html' }, body: '{"error":"invalid_grant"}' },
  ],
  ['HTTP 403', { status: 403, headers: JSON_TYPE, body: '{"error":"expired_refresh_token"}' }],
  ['HTTP 500', { status: 500, headers: JSON_TYPE, body: '{"error":"invalid_grant"}' }],
  ['HTTP 200', { status: 200, headers: JSON_TYPE, body: '{"error":"invalid_refresh_token"}' }],
  ['HTTP 200 with ok: false beside the token', said({ ok: false, error: 'token_expired' })],
  ['an object as its error', { status: 400, headers: JSON_TYPE, body: '{"error":{"code":"invalid_grant"}}' }],
  [
    'a form',
    { status: 400, headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'error=invalid_grant' },
  ],
];

test.each(ENDED)('a sign-in that is said to have ended by %s has ended', async (_, answer) => {
  auth.paths['/token'] = answer;
  for (const ask of [refresh, signIn]) expect(await failureOf(ask())).toMatchObject({ code: 'unauthorized' });
});

async function failureOf(asked: Promise<unknown>): Promise<HostError | undefined> {
  const error = await asked.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  return error instanceof HostError ? error : undefined;
}

test.each([
  ['a token without a type', { token_type: undefined }],
  ['a type that is no text', { token_type: 7 }],
  ['a refresh token that is no text', { refresh_token: 7 }],
  ['an id token that is no text', { id_token: {} }],
  ['rights that are no text', { scope: ['admin'] }],
])('%s is refused by name, and what came is not shown', async (_, more) => {
  auth.paths['/token'] = said({ access_token: 'hunter22', ...more });
  for (const ask of [refresh, signIn]) {
    const error = await failureOf(ask());
    expect([error?.code, error?.message.includes('hunter22')]).toEqual(['sign-in-failed', false]);
  }
});

const registered = (more: object, status = 201, headers: Record<string, string> = JSON_TYPE): Scripted => ({
  status,
  headers,
  body: JSON.stringify({ client_id: 'new', ...more }),
});

test.each<readonly [string, Scripted]>([
  ['HTTP 201', registered({})],
  ['HTTP 200', registered({}, 200)],
  ['HTTP 202 of no type', registered({}, 202, {})],
  ['JSON that says it is a page', registered({}, 201, { 'content-type': 'text/html' })],
  ['JSON after a byte order mark', { status: 201, body: '\uFEFF{"client_id":"new"}' }],
  ['HTTP 201 with a challenge', registered({}, 201, { ...JSON_TYPE, 'www-authenticate': 'Bearer' })],
  ['a secret that nobody says expires', registered({ client_secret: 's' })],
  ['a secret that never expires', registered({ client_secret: 's', client_secret_expires_at: 0 })],
  ['a secret that is empty', registered({ client_secret: '', client_secret_expires_at: '' })],
  ['a secret that is null', registered({ client_secret: null, client_secret_expires_at: null })],
  ['a way to prove it that nobody knows', registered({ token_endpoint_auth_method: 'tls_client_auth' })],
  [
    'what we said, in another form',
    registered({ scope: 7, contacts: null, grant_types: 'code', logo_uri: 'x', jwks: 1 }),
  ],
  ['an id that was given out on a day in words', registered({ client_id_issued_at: 'today' })],
])('a registration answered by %s is taken', async (_, answer) => {
  auth.paths['/register'] = answer;
  const tokens = await signIn();
  expect(tokens.accessToken.reveal()).toBe('access-1');
});

const described = (more: object, status = 200, headers: Record<string, string> = JSON_TYPE): (() => Scripted) => {
  return () => ({ status, headers, body: JSON.stringify(metadataOf(auth.origin, { ...more })) });
};

test.each<readonly [string, () => Scripted]>([
  ['no type', described({}, 200, {})],
  ['the type of a page', described({}, 200, { 'content-type': 'text/html' })],
  ['HTTP 203', described({}, 203)],
  ['a byte order mark', () => ({ status: 200, body: `\uFEFF${JSON.stringify(metadataOf(auth.origin))}` })],
  ['no response types', described({ response_types_supported: undefined })],
  ['response types that are none', described({ response_types_supported: 'code' })],
  ['response types without ours', described({ response_types_supported: ['id_token'] })],
  ['grant types without ours', described({ grant_types_supported: ['implicit'] })],
  ['fields that are null', described({ scopes_supported: null, grant_types_supported: null, jwks_uri: null })],
  ['ways to prove it that are no list', described({ token_endpoint_auth_methods_supported: 'none' })],
  ['ways to prove it that nobody knows', described({ token_endpoint_auth_methods_supported: ['tls', 7, null] })],
  ['words among its algorithms that are none', described({ code_challenge_methods_supported: ['S256', 7] })],
  ['a promise of "iss" in words', described({ authorization_response_iss_parameter_supported: 'yes' })],
  ['endpoints that are empty', described({ revocation_endpoint: '', device_authorization_endpoint: '' })],
  ['addresses that are none', described({ jwks_uri: 'x', service_documentation: 7, op_tos_uri: 'javascript:1' })],
])('an authorization server that describes itself with %s is used', async (_, answer) => {
  auth.paths['/.well-known/oauth-authorization-server'] = answer();
  expect((await signIn()).accessToken.reveal()).toBe('access-1');
});

test('endpoints with a query keep it', async () => {
  const metadata = metadataOf(auth.origin, { token_endpoint: `${auth.origin}/token?tenant=1` });
  auth.paths['/.well-known/oauth-authorization-server'] = { json: metadata };
  await signIn();
  expect(auth.received.at(-1)?.path).toBe('/token?tenant=1');
});

test('a server that calls itself by nothing is used where the user allows it', async () => {
  auth.paths['/.well-known/oauth-authorization-server'] = { json: metadataOf(auth.origin, { issuer: '' }) };
  for (const asked of [signIn({ allowIssuerMismatch: true }), refresh('')])
    expect((await asked).accessToken.reveal()).toBe('access-1');
});

test.each<readonly [string, (origin: string) => object]>([
  ['rights that are no list', (origin) => ({ resource: `${origin}/mcp`, scopes_supported: 'a b' })],
  ['authorization servers that are no list', (origin) => ({ resource: `${origin}/mcp`, authorization_servers: null })],
  ['no authorization servers', (origin) => ({ resource: `${origin}/mcp` })],
  ['its origin alone', (origin) => ({ resource: origin })],
  ['fields of another form', (origin) => ({ resource: `${origin}/mcp`, jwks_uri: 7, resource_name: null })],
])('a server that describes itself with %s is signed in to', async (_, toDocument) => {
  auth.paths[PRM] = { status: 200, body: JSON.stringify(toDocument(auth.origin)) };
  expect((await signIn()).accessToken.reveal()).toBe('access-1');
});

test.each<readonly [string, object]>([
  ['no type', {}],
  ['a type that says that it is none', { token_type: 'N_A' }],
  ['the type of a token', { token_type: 'bearer', expires_in: 300, scope: 'a' }],
  ['fields that nobody knows', { token_type: 'N_A', refresh_token: null, more: [] }],
])('the word of an identity provider with %s is taken', async (_, more) => {
  const grant = { access_token: 'grant.of.idp', issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag', ...more };
  auth.paths['/idp'] = { status: 200, body: JSON.stringify(grant) };
  expect((await crossApp()).accessToken.reveal()).toBe('access-1');
  expect(auth.received.at(-1)?.form.get('assertion')).toBe('grant.of.idp');
});

test.each<readonly [string, object]>([
  ['is for something else', { issued_token_type: 'urn:ietf:params:oauth:token-type:access_token' }],
  ['does not say what it is', {}],
])('the word of an identity provider that %s is not passed on', async (_, more) => {
  auth.paths['/idp'] = { json: { access_token: 'hunter22', token_type: 'Bearer', ...more } };
  const error = await failureOf(crossApp());
  expect([error?.code, error?.message.includes('hunter22')]).toEqual(['sign-in-failed', false]);
  expect(auth.received.map(({ path }) => path)).toEqual(['/idp']);
});

function crossApp(): Promise<NewTokens> {
  const target = signInTargetOf(mcp(), { xaa: true });
  const issuer = issuerAt(auth.origin);
  const world = worldOf(target);
  return requestCrossApp(
    {
      target,
      issuer,
      resource: mcp(),
      client: GIVEN,
      scopes: [],
      idToken: new Secret('id.to.ken'),
      identityProvider: { issuer: { ...issuer, tokenEndpoint: `${auth.origin}/idp` }, clientId: 'idp-me' },
    },
    { world, identityWorld: world },
  );
}
