import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { browse } from './browser.js';
import { openOidcServer, type OidcServer } from './oidc-server.js';
import { openProtectedServer } from './protected-server.js';
import { FAILING, HTML, saying } from './token-fault.js';

// Tests of the authorization server that other tests use; no code of src/ is involved.

const CALLBACK = 'http://127.0.0.1:9/callback';
type Answer = Readonly<Record<string, string>>;
type Answered = Answer & { readonly status: number };

async function post(url: string, fields: Record<string, string>, headers = {}): Promise<Answered> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(fields), headers });
  return Object.assign((await response.json()) as Answer, { status: response.status });
}

async function register({ issuer }: OidcServer): Promise<string> {
  const response = await fetch(`${issuer}/reg`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      redirect_uris: [CALLBACK],
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    }),
  });
  return String(((await response.json()) as Answer)['client_id']);
}

async function signIn(server: OidcServer, client: string, resource: string): Promise<Answered> {
  const verifier = randomBytes(32).toString('base64url');
  const url = new URL(`${server.issuer}/auth`);
  const fields = {
    client_id: client,
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope: 'read',
    state: 'x',
    resource,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  url.search = new URLSearchParams(fields).toString();
  const arrival = await browse(url.href, { visits: false });
  const { searchParams } = new URL(arrival.url);
  expect(searchParams.get('iss')).toBe(server.issuer);
  return post(`${server.issuer}/token`, {
    grant_type: 'authorization_code',
    code: searchParams.get('code') ?? '',
    redirect_uri: CALLBACK,
    client_id: client,
    code_verifier: verifier,
    resource,
  });
}

test.each(['opaque', 'jwt'] as const)(
  'a token (%s) lets in whoever signs in, and a used refresh token revokes it',
  async (format) => {
    await using server = await openOidcServer({ format });
    await using mcp = await openProtectedServer({ authority: server });
    const client = await register(server);
    const first = await signIn(server, client, mcp.url);
    const list = async (token?: string): Promise<number> => {
      const response = await fetch(mcp.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      });
      await response.text();
      return response.status;
    };
    expect([await list(), await list('wrong'), await list(first['access_token'])]).toEqual([401, 401, 200]);
    const refresh = (token: string | undefined): Promise<Answered> =>
      post(`${server.issuer}/token`, { grant_type: 'refresh_token', refresh_token: token ?? '', client_id: client });
    server.fault = FAILING;
    expect(await refresh(first['refresh_token'])).toMatchObject({ status: 500 });
    server.fault = saying('expired_refresh_token');
    expect(await refresh(first['refresh_token'])).toMatchObject({ status: 200, error: 'expired_refresh_token' });
    server.fault = HTML;
    await expect(refresh(first['refresh_token'])).rejects.toThrow(SyntaxError);
    server.fault = undefined;
    const second = await refresh(first['refresh_token']);
    expect(await list(second['access_token'])).toBe(200);
    expect(await refresh(first['refresh_token'])).toMatchObject({ status: 400, error: 'invalid_grant' });
    expect(await refresh(second['refresh_token'])).toMatchObject({ status: 400, error: 'invalid_grant' });
    // A JWT is checked without asking the issuer, so it stays valid after the issuer revoked the grant.
    expect(await list(second['access_token'])).toBe(format === 'opaque' ? 401 : 200);
    expect(server.tally).toMatchObject({
      tokens: { authorization_code: 1, refresh_token: 3, faulty: 3 },
      granted: { refresh_token: 1 },
      registrations: 1,
    });
  },
);

test('a refresh whose answer is lost has been done', async () => {
  await using server = await openOidcServer();
  const client = await register(server);
  const first = await signIn(server, client, 'http://127.0.0.1:9/mcp');
  server.fault = { kind: 'drop' };
  const fields = { grant_type: 'refresh_token', refresh_token: first['refresh_token'] ?? '', client_id: client };
  await expect(post(`${server.issuer}/token`, fields)).rejects.toThrow('fetch failed');
  expect(server.tally.granted).toMatchObject({ refresh_token: 1 });
});

test('somebody types a code in on another machine', async () => {
  await using server = await openOidcServer();
  const client = await register(server);
  const resource = 'http://127.0.0.1:9/mcp';
  const device = await post(`${server.issuer}/device/auth`, { client_id: client, scope: 'read', resource });
  const fields = {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: device['device_code'] ?? '',
    client_id: client,
    resource,
  };
  expect(await post(`${server.issuer}/token`, fields)).toMatchObject({ error: 'authorization_pending' });
  await browse(device['verification_uri'] ?? '', { userCode: device['user_code'] ?? '' });
  const token = await post(`${server.issuer}/token`, fields);
  expect(await server.check(token['access_token'] ?? '')).toMatchObject({ audience: resource, scopes: ['read'] });
});

test('a machine signs in by its secret', async () => {
  const client = {
    client_id: 'robot',
    client_secret: 'a secret of the robot',
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
  };
  await using server = await openOidcServer({ clients: [client] });
  const authorization = `Basic ${Buffer.from('robot:a+secret+of+the+robot').toString('base64')}`;
  const fields = { grant_type: 'client_credentials', scope: 'read', resource: 'http://127.0.0.1:9/mcp' };
  const token = await post(`${server.issuer}/token`, fields, { authorization });
  expect(await server.check(token['access_token'] ?? '')).toMatchObject({ account: 'robot', scopes: ['read'] });
});
