import { createHash } from 'node:crypto';
import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import type { ServedMode } from '../loopback.js';
import type { HttpMode } from '../mode.js';
import { findMode, modes } from '../modes.js';
import { serveHttp } from '../http/serve-http.js';

const REDIRECT = 'http://127.0.0.1:1/callback';
const VERIFIER = 'v'.repeat(43);

interface Said {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: Record<string, unknown>;
}

async function serve(name: string): Promise<ServedMode> {
  const served = await serveHttp(findMode(name) as HttpMode);
  onTestFinished(() => served[Symbol.asyncDispose]());
  return served;
}

async function ask(url: string | URL, options: Parameters<typeof request>[1] = {}): Promise<Said> {
  const { statusCode: status, headers, body } = await request(url, options);
  const text = await body.text();
  return { status, headers, body: text.startsWith('{') ? (JSON.parse(text) as Said['body']) : { text } };
}

function call(url: string, name: string, token?: unknown): Promise<Said> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: { text: 'hé' } },
  });
  const headers = token === undefined ? {} : { authorization: `Bearer ${token as string}` };
  return ask(url, { method: 'POST', body, headers });
}

/** Registers a client and fetches the authorization page, as a host and a browser would. */
async function visit(url: string, changes: Record<string, string> = {}): Promise<{ client: string; back: URL }> {
  const { origin } = new URL(url);
  const registered = await ask(`${origin}/register`, {
    method: 'POST',
    body: JSON.stringify({ redirect_uris: [REDIRECT] }),
  });
  const client = String(registered.body['client_id']);
  const page = new URL(`${origin}/authorize`);
  const challenge = createHash('sha256').update(VERIFIER).digest('base64url');
  const setting = {
    response_type: 'code',
    client_id: client,
    redirect_uri: REDIRECT,
    state: 'the state',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    resource: url,
    scope: 'read',
  };
  for (const [name, value] of Object.entries({ ...setting, ...changes })) page.searchParams.set(name, value);
  const { status, headers } = await ask(page);
  expect(status).toBe(302);
  return { client, back: new URL(String(headers['location'])) };
}

function redeem(url: string, form: Record<string, string>): Promise<Said> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams({ resource: url, ...form }).toString();
  return ask(`${new URL(url).origin}/token`, { method: 'POST', body, headers });
}

async function signIn(url: string): Promise<{ client: string; tokens: Record<string, unknown> }> {
  const { client, back } = await visit(url);
  const code = back.searchParams.get('code') ?? '';
  const form = { grant_type: 'authorization_code', code, client_id: client, redirect_uri: REDIRECT };
  return { client, tokens: (await redeem(url, { ...form, code_verifier: VERIFIER })).body };
}

test('nobody gets in without a token, and is told where to find out how to get one', async () => {
  const { url, counts } = await serve('oauth-baseline');
  const { status, headers } = await call(url, 'echo');
  expect(status).toBe(401);
  const where = /resource_metadata="([^"]+)"/u.exec(String(headers['www-authenticate']))?.[1] ?? '';
  const { body: resource } = await ask(where);
  const { origin } = new URL(url);
  expect(resource).toMatchObject({ resource: url, authorization_servers: [origin] });
  const { body: issuer } = await ask(`${origin}/.well-known/oauth-authorization-server`);
  expect(issuer).toMatchObject({ issuer: origin, code_challenge_methods_supported: ['S256'] });
  expect((await ask(`${origin}/.well-known/openid-configuration`)).status).toBe(404);
  expect(counts()).toMatchObject({ 'without a token': 1, resource: 1, issuer: 1, 'tools/call echo': 1 });
});

test('whoever signs in as the specifications say gets in, and nothing is held against them', async () => {
  const { url, counts } = await serve('oauth-baseline');
  const { back } = await visit(url);
  expect(Object.fromEntries(back.searchParams)).toMatchObject({ state: 'the state', iss: new URL(url).origin });
  const { tokens } = await signIn(url);
  const { status, body } = await call(url, 'echo', tokens['access_token']);
  expect([status, JSON.stringify(body)]).toEqual([200, expect.stringContaining('hé')]);
  for (const what of ['without PKCE', 'without state', 'wrong resource']) expect(counts()).not.toHaveProperty(what);
});

test.each([
  ['another verifier', { code_verifier: 'w'.repeat(43) }, 'invalid_grant'],
  ['another address to come back to', { redirect_uri: 'http://127.0.0.1:2/' }, 'invalid_grant'],
  ['another client', { client_id: 'client-0' }, 'invalid_grant'],
  ['another resource', { resource: 'https://bank.test/' }, 'invalid_target'],
  ['another code', { code: 'x' }, 'invalid_grant'],
  ['another grant', { grant_type: 'password' }, 'unsupported_grant_type'],
])('a code with %s brings no token', async (_, changes, error) => {
  const { url } = await serve('oauth-baseline');
  const { client, back } = await visit(url);
  const code = back.searchParams.get('code') ?? '';
  const form = { grant_type: 'authorization_code', code, client_id: client, redirect_uri: REDIRECT };
  const { status, body } = await redeem(url, { ...form, code_verifier: VERIFIER, ...changes });
  expect([status, body['error']]).toEqual([400, error]);
});

test('a refresh token holds once, and the second time takes everything with it', async () => {
  const { url, counts } = await serve('oauth-baseline');
  const { client, tokens } = await signIn(url);
  const form = { grant_type: 'refresh_token', refresh_token: String(tokens['refresh_token']), client_id: client };
  const { body: fresh } = await redeem(url, form);
  expect((await call(url, 'echo', fresh['access_token'])).status).toBe(200);
  expect((await redeem(url, form)).body['error']).toBe('invalid_grant');
  expect((await call(url, 'echo', fresh['access_token'])).status).toBe(401);
  expect(counts()).toMatchObject({ 'token refresh_token': 2, 'reused refresh token': 1, 'with a bad token': 1 });
});

test('a code that is used twice takes back what it gave', async () => {
  const { url } = await serve('oauth-baseline');
  const { client, back } = await visit(url);
  const code = back.searchParams.get('code') ?? '';
  const form = { grant_type: 'authorization_code', code, client_id: client, redirect_uri: REDIRECT };
  const { body } = await redeem(url, { ...form, code_verifier: VERIFIER });
  expect((await redeem(url, { ...form, code_verifier: VERIFIER })).status).toBe(400);
  expect((await call(url, 'echo', body['access_token'])).status).toBe(401);
});

test('a token that is revoked holds no longer', async () => {
  const { url } = await serve('oauth-baseline');
  const { tokens } = await signIn(url);
  const body = new URLSearchParams({ token: String(tokens['refresh_token']) }).toString();
  expect((await ask(`${new URL(url).origin}/revoke`, { method: 'POST', body })).status).toBe(200);
  expect((await call(url, 'echo', tokens['access_token'])).status).toBe(401);
});

test('whoever does less than the specifications ask for is counted', async () => {
  const { url, counts } = await serve('oauth-baseline');
  await visit(url, { code_challenge_method: 'plain', state: '', resource: 'https://bank.test/', scope: 'a"b' });
  await visit(url, { scope: 'x'.repeat(9000) });
  const seen = { 'without PKCE': 1, 'without state': 1, 'wrong resource': 1, 'strange scope': 1, 'long address': 1 };
  expect(counts()).toMatchObject(seen);
});

test('a client that is not known is sent nowhere', async () => {
  const { url } = await serve('oauth-baseline');
  const page = `${new URL(url).origin}/authorize?client_id=x&redirect_uri=https%3A%2F%2Fevil.test`;
  const { status, headers } = await ask(page);
  expect([status, headers['location']]).toEqual([400, undefined]);
});

test('a token that expires in the middle can be refreshed, and the call be made again', async () => {
  const { url, counts } = await serve('oauth-expired');
  const { client, tokens } = await signIn(url);
  expect((await call(url, 'attack', tokens['access_token'])).status).toBe(401);
  expect((await call(url, 'echo', tokens['access_token'])).status).toBe(401);
  const form = { grant_type: 'refresh_token', refresh_token: String(tokens['refresh_token']), client_id: client };
  const { body } = await redeem(url, form);
  expect((await call(url, 'attack', body['access_token'])).status).toBe(200);
  expect(counts()).toMatchObject({ 'token refresh_token': 1, 'tools/call attack': 2 });
});

test('a server that takes none of its tokens refreshes all of them', async () => {
  const { url } = await serve('oauth-token-refresh-loop');
  const { client, tokens } = await signIn(url);
  expect((await call(url, 'echo', tokens['access_token'])).status).toBe(200);
  expect((await call(url, 'attack', tokens['access_token'])).status).toBe(401);
  const form = { grant_type: 'refresh_token', refresh_token: String(tokens['refresh_token']), client_id: client };
  const { status, body } = await redeem(url, form);
  expect([status, (await call(url, 'attack', body['access_token'])).status]).toEqual([200, 401]);
});

test('an authorization server at another origin has everything there, its name included', async () => {
  const { url } = await serve('oauth-as-elsewhere');
  const { body } = await ask(`${new URL(url).origin}/.well-known/oauth-protected-resource/mcp`);
  const [issuer] = body['authorization_servers'] as [string];
  expect(issuer).toBe(new URL(url).origin.replace('127.0.0.1', 'localhost'));
  const { body: said } = await ask(`${issuer}/.well-known/oauth-authorization-server`);
  expect([said['issuer'], said['token_endpoint']]).toEqual([issuer, `${issuer}/token`]);
});

test('every mode with a sign-in refuses whoever has not signed in, and says so as HTTP has it', async () => {
  const wanting = modes.filter(({ expect: expected }) => expected.connect === 'sign-in');
  expect(wanting.length).toBeGreaterThan(50);
  const statuses = await Promise.all(
    wanting.map(async ({ name }) => (await call((await serve(name)).url, 'echo')).status),
  );
  expect(new Set(statuses)).toEqual(new Set([401]));
});
