import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HostError } from '../../base/errors.js';
import { Secret } from '../../base/secret.js';
import type { OAuthSettings } from '../../model/oauth-settings.js';
import { type IdentifyOptions, identifyClient } from './client-identity.js';
import type { AuthorizationServer, ClientIdentity } from '../store/credential-record.js';
import { issuerAt, openScripted, type ScriptedServer, signInTargetOf, worldOf } from '../protocol-fixtures.js';

const REDIRECT = 'http://localhost:1234/callback';
let auth: ScriptedServer;

beforeEach(async () => {
  auth = await openScripted({ '/register': { json: { client_id: 'new', redirect_uris: [REDIRECT] } } });
});
afterEach(() => auth[Symbol.asyncDispose]());

interface Case {
  readonly settings?: OAuthSettings;
  readonly issuer?: Partial<AuthorizationServer>;
  readonly options?: Partial<IdentifyOptions>;
}

function identify({ settings = {}, issuer = {}, options = {} }: Case = {}): Promise<ClientIdentity> {
  const target = signInTargetOf(`${auth.origin}/mcp`, settings);
  const all = { redirectUri: REDIRECT, scopes: ['a'], ...options };
  return identifyClient(target, issuerAt(auth.origin, issuer), all, worldOf(target));
}

const known: ClientIdentity = { clientId: 'old', origin: 'registered', redirectUri: REDIRECT };

test('an id that the entry gives always wins, and nobody is asked', async () => {
  const settings = { clientId: 'mine', clientSecret: new Secret('s'), clientMetadataUrl: 'https://x.example/c.json' };
  const found = await identify({ settings, issuer: { readsClientDocuments: true }, options: { known } });
  expect(found).toMatchObject({ clientId: 'mine', origin: 'given' });
  expect(auth.received).toEqual([]);
});

test('a document describes us where the authorization server reads such', async () => {
  const settings = { clientMetadataUrl: 'https://x.example/c.json' };
  const found = await identify({ settings, issuer: { readsClientDocuments: true } });
  expect(found).toMatchObject({ clientId: 'https://x.example/c.json', origin: 'document', authMethod: 'none' });
  expect(await identify({ settings })).toMatchObject({ clientId: 'new', origin: 'registered' });
  const bad = identify({
    settings: { clientMetadataUrl: 'http://x.example/' },
    issuer: { readsClientDocuments: true },
  });
  await expect(bad).rejects.toThrow('https URL with a path');
});

test('a registration is used again as long as it fits', async () => {
  expect(await identify({ options: { known } })).toBe(known);
  expect(
    await identify({ options: { known: { ...known, redirectUri: 'http://localhost:9/callback' } } }),
  ).toMatchObject({ clientId: 'new' });
  expect(await identify({ options: { known: { ...known, secretExpiresAt: Date.now() - 1 } } })).toMatchObject({
    clientId: 'new',
  });
  expect(await identify({ options: { known: { ...known, origin: 'given' } } })).toMatchObject({ clientId: 'new' });
  expect(await identify({ options: { known, redirectUri: undefined } })).toBe(known);
});

test('we register as a native program without a secret, by the name of the server', async () => {
  expect(await identify()).toMatchObject({ clientId: 'new', origin: 'registered', redirectUri: REDIRECT });
  expect(JSON.parse(auth.received[0]!.body)).toEqual({
    client_name: 'Plugboard (db)',
    redirect_uris: [REDIRECT],
    application_type: 'native',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    scope: 'a',
  });
});

test('a secret is taken where the authorization server knows nothing else', async () => {
  const answer = { client_id: 'new', client_secret: 's', client_secret_expires_at: 4e9, redirect_uris: [REDIRECT] };
  auth.paths['/register'] = { json: { ...answer, token_endpoint_auth_method: 'client_secret_post' } };
  const found = await identify({ issuer: { authMethods: ['private_key_jwt', 'client_secret_post'] } });
  expect(found).toMatchObject({ authMethod: 'client_secret_post', secretExpiresAt: 4e12 });
  expect(found.clientSecret?.reveal()).toBe('s');
  expect(JSON.parse(auth.received[0]!.body)).toMatchObject({ token_endpoint_auth_method: 'client_secret_post' });
});

test('an answer that says no more than the id is enough, and one that is no JSON is not', async () => {
  auth.paths['/register'] = { json: { client_id: 'new', client_secret: null, redirect_uris: null, scope: 7 } };
  expect(await identify()).toMatchObject({ clientId: 'new', clientSecret: undefined });
  auth.paths['/register'] = { status: 200, body: '<html>' };
  await expect(identify()).rejects.toThrow('its answer is not a JSON object');
});

test('a registration that is refused asks for an id, with the command', async () => {
  auth.paths['/register'] = { status: 403, body: '<html>no</html>', headers: { 'content-type': 'text/html' } };
  const error = (await identify().catch((cause: unknown) => cause)) as HostError;
  expect(error.message).toMatch(/did not register Plugboard \(HTTP 403\)/);
  expect(error.hint).toContain('plugboard login db --client-id ID');
  expect(error.detail).toMatchObject({ isTransient: false });
  await expect(identify({ issuer: { registrationEndpoint: undefined } })).rejects.toThrow(
    'does not support dynamic client registration',
  );
  for (const settings of [{ grant: 'client_credentials' }, { grant: 'jwt_bearer' }, { xaa: true }] as const)
    await expect(identify({ settings })).rejects.toThrow('needs "oauth.clientId"');
});

test.each([
  ['another address', ['https://evil.example/callback']],
  ['another one beside ours', [REDIRECT, 'https://evil.example/callback']],
  ['another port', ['http://localhost:4321/callback']],
  ['a text', 'https://evil.example/callback'],
  ['something else', [{ a: '\u001b[2J' }]],
])('a registration for %s is refused, by its name', async (_, uris) => {
  auth.paths['/register'] = { json: { client_id: 'new', redirect_uris: uris } };
  const error = (await identify().catch((cause: unknown) => cause)) as HostError;
  expect([error.code, error.hint]).toEqual(['sign-in-failed', expect.stringContaining('--client-id ID')]);
  expect(error.message).toMatch(
    /did not register Plugboard as requested: it would send the answer also, or only, to \S/u,
  );
  expect(error.message).not.toContain('\u001b');
});

async function checkRefusal(status: number, json: object, said: RegExp): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  auth.paths['/register'] = { status, body: JSON.stringify(json), headers };
  const { message } = (await identify().catch((cause: unknown) => cause)) as HostError;
  expect(message).toMatch(said);
  expect([message.length < 600, message.includes('\u001b')]).toEqual([true, false]);
}

test('a registration that is refused says why, in the words of the authorization server, cleaned and cut', async () => {
  const error_description = `Only https is allowed \u001b[2J${'x'.repeat(9_000)}`;
  const error = 'invalid_redirect_uri';
  await checkRefusal(400, { error, error_description }, /\(HTTP 400\): invalid_redirect_uri \(Only https is allowed /u);
  await checkRefusal(400, { error }, /\(HTTP 400\): invalid_redirect_uri$/u);
  await checkRefusal(
    403,
    { error_description: 'Ask your administrator' },
    /\(HTTP 403\): refused \(Ask your administrator\)$/u,
  );
  await checkRefusal(503, { error: 'busy', error_description: 'Come back' }, /HTTP 503: busy \(Come back\)$/u);
  await checkRefusal(400, { error: 7, error_description: ['x'] }, /\(HTTP 400\)$/u);
});

test('a registration that fails now may go well a moment later', async () => {
  auth.paths['/register'] = { status: 503 };
  await expect(identify()).rejects.toMatchObject({ code: 'sign-in-failed', detail: { isTransient: true } });
});

test.each([
  ['of two megabytes', { client_id: 'x'.repeat(2_000_000), redirect_uris: [] }],
  ['of five kilobytes', { client_id: 'x'.repeat(5_000), redirect_uris: [] }],
  ['with a line end', { client_id: 'a\r\nb', redirect_uris: [] }],
  ['that is a number', { client_id: 7, redirect_uris: [] }],
  ['with a secret that cannot be printed', { client_id: 'a', client_secret: 'b\0', redirect_uris: [] }],
])('an id %s is refused', async (_, json) => {
  auth.paths['/register'] = { json };
  const error = (await identify().catch((cause: unknown) => cause)) as HostError;
  expect(error.code).toBe('sign-in-failed');
  expect(error.message.length).toBeLessThan(500);
});
