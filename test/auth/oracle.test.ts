import {
  buildDiscoveryUrls,
  checkResourceAllowed,
  createPrivateKeyJwtAuth,
  exchangeAuthorization,
  refreshAuthorization,
  registerClient,
  requestJwtAuthorizationGrant,
  selectClientAuthMethod,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client';
import { generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { beginCode, checkCallback, redeemCode } from '../../src/auth/flows/authorization-code.js';
import { readAuthorizationServer } from '../../src/auth/discovery/authorization-server.js';
import { identifyClient } from '../../src/auth/client/client-identity.js';
import type { ClientIdentity } from '../../src/auth/store/credential-record.js';
import { requestCrossApp } from '../../src/auth/flows/cross-app.js';
import { issuerAt, signInTargetOf, TOKENS } from '../../src/auth/protocol-fixtures.js';
import { readResourceMetadata } from '../../src/auth/discovery/resource-metadata.js';
import { refreshTokens, requestByClient } from '../../src/auth/tokens/token-requests.js';
import { Secret } from '../../src/base/secret.js';

// The official SDK as oracle: its functions and ours get the same input and must send the same request.
const AUTH = 'https://auth.example';
const MCP = 'https://mcp.example/mcp';
const REDIRECT = 'http://localhost:1234/callback';

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

interface Init {
  readonly method?: string;
  readonly headers?: ConstructorParameters<typeof Headers>[0];
  readonly body?: unknown;
}

/** A fetch that records every request and gives the same response to all of them. */
function noting(answer: unknown, status = 200) {
  const sent: Sent[] = [];
  const fetch = async (url: string | URL, init: Init = {}): Promise<Response> => {
    const { authorization = '', 'content-type': type = '' } = Object.fromEntries(new Headers(init.headers));
    const body = init.body instanceof URLSearchParams || typeof init.body === 'string' ? String(init.body) : '';
    sent.push({
      url: String(url),
      method: init.method ?? 'GET',
      headers: { authorization, type: type.split(';')[0]! },
      body,
    });
    return Promise.resolve(Response.json(answer, { status }));
  };
  return { sent, fetch, world: { fetch, wall: () => 0 } };
}

/** A request with its form fields as an object, so that their order does not matter. */
const formOf = ({ url, method, headers, body }: Sent) => ({
  url,
  method,
  headers,
  form: Object.fromEntries(new URLSearchParams(body)),
});

const jsonOf = (sent: Sent) => ({ ...sent, body: JSON.parse(sent.body) as unknown });

test.each(['', '/', '/tenant', '/tenant/', '/a/b', '/a//b/', '/a%2Fb', '/x?y=1'])(
  'an authorization server at "%s" of its host is looked for where the SDK looks',
  async (path) => {
    const { sent, world } = noting({}, 404);
    await readAuthorizationServer(AUTH + path, { target: signInTargetOf(MCP), world });
    expect(sent.map(({ url }) => url)).toEqual(buildDiscoveryUrls(AUTH + path).map(({ url }) => url.href));
  },
);

const RESOURCES = ['', '/', '/mcp', '/mcp/', '/mcp/x', '/mc', '/MCP', '/mcp?x=1', '/mcp#x', '/mcp/../mcp', '/%6dcp'];

test.each(RESOURCES)('the same resources are covered by "%s" as for the SDK', async (path) => {
  for (const host of [
    'https://mcp.example',
    'https://MCP.example:443',
    'http://mcp.example',
    'https://mcp.example.org',
  ]) {
    for (const server of [MCP, `${MCP}/`, `${MCP}/x`, 'https://mcp.example']) {
      const resource = host + path;
      const { world } = noting({ resource });
      const read = readResourceMetadata(signInTargetOf(server), world, undefined);
      const isAllowed = await read.then(
        () => true,
        () => false,
      );
      const expected = checkResourceAllowed({ requestedResource: server, configuredResource: resource });
      expect([resource, server, isAllowed]).toEqual([resource, server, expected]);
    }
  }
});

const METHODS = ['client_secret_basic', 'client_secret_post', 'none', 'private_key_jwt'];
const METHOD_LISTS = [undefined, [], ...METHODS.map((one) => [one]), METHODS, METHODS.slice(1), METHODS.slice(2)];

test.each(METHOD_LISTS.map((list) => [list]))(
  'where an authorization server knows %j, a client proves who it is as with the SDK',
  async (authMethods) => {
    for (const secret of ['s', undefined]) {
      for (const authMethod of [undefined, ...METHODS]) {
        const client: ClientIdentity = {
          clientId: 'me',
          clientSecret: secret === undefined ? undefined : new Secret(secret),
          authMethod,
          origin: 'registered',
        };
        const ours = noting(TOKENS);
        const issuer = issuerAt(AUTH, { authMethods });
        await requestByClient({ target: signInTargetOf(MCP), issuer, client, resource: MCP, scopes: [] }, ours.world);
        const { headers, form } = formOf(ours.sent[0]!);
        const way = headers['authorization'] !== '' ? 'basic' : 'client_secret' in form ? 'post' : 'none';
        const chosen = selectClientAuthMethod(
          {
            client_id: 'me',
            redirect_uris: [],
            ...(secret !== undefined && { client_secret: secret }),
            ...(authMethod !== undefined && { token_endpoint_auth_method: authMethod }),
          },
          authMethods ?? [],
        );
        // Without a secret the client cannot authenticate, whichever method the SDK chose.
        expect(way).toBe(secret === undefined ? 'none' : chosen.replace('client_secret_', ''));
      }
    }
  },
);

const CLIENT: ClientIdentity = { clientId: 'me', clientSecret: new Secret('s'), origin: 'given' };
const METADATA = {
  issuer: AUTH,
  authorization_endpoint: `${AUTH}/authorize`,
  token_endpoint: `${AUTH}/token`,
  registration_endpoint: `${AUTH}/register`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
};
const request = (scopes: readonly string[] = ['a']) => ({
  target: signInTargetOf(MCP),
  issuer: issuerAt(AUTH),
  client: CLIENT,
  resource: MCP,
  scopes,
});

test.each([[[]], [['a', 'b']], [['a', 'offline_access']]])(
  'the page to sign in at, for the rights %j, has what the SDK puts there',
  async (scopes) => {
    const { url } = await beginCode({ ...request(scopes), redirectUri: REDIRECT, state: 'st' });
    const { authorizationUrl } = await startAuthorization(AUTH, {
      metadata: METADATA,
      clientInformation: { client_id: 'me' },
      redirectUrl: REDIRECT,
      state: 'st',
      resource: MCP,
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    });
    const [ours, theirs] = [new URL(url), authorizationUrl].map(({ origin, pathname, searchParams }) => {
      expect(searchParams.get('code_challenge')).toMatch(/^[\w-]{43}$/u);
      return [origin + pathname, { ...Object.fromEntries(searchParams), code_challenge: '' }];
    });
    expect(ours).toEqual(theirs);
  },
);

const INFORMATION = { client_id: 'me', client_secret: 's' };

test('a code is redeemed as by the SDK', async () => {
  const [ours, theirs] = [noting(TOKENS), noting(TOKENS)];
  const checked = await checkCallback({ code: 'c' }, request());
  if (checked.kind === 'refused') throw checked.error;
  await redeemCode(
    { ...request(), ...checked, verifier: new Secret('v'.repeat(43)), redirectUri: REDIRECT },
    ours.world,
  );
  await exchangeAuthorization(AUTH, {
    metadata: METADATA,
    clientInformation: INFORMATION,
    authorizationCode: 'c',
    codeVerifier: 'v'.repeat(43),
    redirectUri: REDIRECT,
    resource: MCP,
    fetchFn: theirs.fetch,
  });
  expect(ours.sent.map(formOf)).toEqual(theirs.sent.map(formOf));
});

test('tokens are refreshed as by the SDK', async () => {
  const [ours, theirs] = [noting(TOKENS), noting(TOKENS)];
  const tokens = {
    accessToken: new Secret('x'),
    type: 'Bearer',
    refreshToken: new Secret('r'),
    obtainedAt: 0,
  } as const;
  const record = { ...request(), server: MCP, account: '', revision: 1, tokens };
  await refreshTokens(record, signInTargetOf(MCP), ours.world);
  await refreshAuthorization(AUTH, {
    metadata: METADATA,
    clientInformation: INFORMATION,
    refreshToken: 'r',
    resource: MCP,
    fetchFn: theirs.fetch,
  });
  expect(ours.sent.map(formOf)).toEqual(theirs.sent.map(formOf));
});

test('a program is registered as by the SDK', async () => {
  const answer = { client_id: 'new', redirect_uris: [REDIRECT] };
  const [ours, theirs] = [noting(answer), noting(answer)];
  await identifyClient(signInTargetOf(MCP), issuerAt(AUTH), { redirectUri: REDIRECT, scopes: ['a', 'b'] }, ours.world);
  await registerClient(AUTH, {
    metadata: METADATA,
    clientMetadata: {
      client_name: 'Plugboard (db)',
      redirect_uris: [REDIRECT],
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    scope: 'a b',
    fetchFn: theirs.fetch,
  });
  expect(ours.sent.map(jsonOf)).toEqual(theirs.sent.map(jsonOf));
});

test.each([undefined, 'idp-secret'])(
  'an identity provider is asked as by the SDK, with the secret %s',
  async (secret) => {
    const grant = {
      access_token: 'grant',
      issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
      token_type: 'N_A',
    };
    const [idp, theirs] = [noting(grant), noting(grant)];
    await requestCrossApp(
      {
        ...request(),
        idToken: new Secret('id.to.ken'),
        identityProvider: {
          issuer: issuerAt('https://idp.example'),
          clientId: 'idp-me',
          clientSecret: secret === undefined ? undefined : new Secret(secret),
        },
      },
      { world: noting(TOKENS).world, identityWorld: idp.world },
    );
    await requestJwtAuthorizationGrant({
      tokenEndpoint: 'https://idp.example/token',
      audience: AUTH,
      resource: MCP,
      idToken: 'id.to.ken',
      clientId: 'idp-me',
      ...(secret !== undefined && { clientSecret: secret }),
      scope: 'a',
      fetchFn: theirs.fetch,
    });
    expect(idp.sent.map(formOf)).toEqual(theirs.sent.map(formOf));
  },
);

interface Assertion {
  readonly header: Record<string, unknown>;
  readonly claims: Record<string, unknown>;
  readonly signed: Buffer;
  readonly signature: Buffer;
}

function assertionOf(form: URLSearchParams): Assertion {
  const [head = '', body = '', signature = ''] = form.get('client_assertion')?.split('.') ?? [];
  const [header, claims] = [head, body].map(
    (part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>,
  );
  const signed = Buffer.from(`${head}.${body}`);
  return { header: header!, claims: claims!, signed, signature: Buffer.from(signature, 'base64url') };
}

/** What two assertions must have in common: lifetime, type of `jti`, and all claims but `exp` and `iat`. */
const lifeOf = ({ claims: { exp, iat, jti, ...rest } }: Assertion) => [Number(exp) - Number(iat), typeof jti, rest];

const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = (namedCurve: string) => () => generateKeyPairSync('ec', { namedCurve });

test.each<readonly [string, string | undefined, () => { publicKey: KeyObject; privateKey: KeyObject }]>([
  ['RS256', undefined, rsa],
  ['RS512', 'RS512', rsa],
  ['PS256', 'PS256', rsa],
  ['PS384', 'PS384', rsa],
  ['ES256', undefined, ec('P-256')],
  ['ES384', undefined, ec('P-384')],
  ['ES512', undefined, ec('P-521')],
])('a client signs with %s what it signs with the SDK', async (alg, signingAlgorithm, generate) => {
  const { publicKey, privateKey } = generate();
  const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const target = signInTargetOf(MCP, { privateKey: new Secret(pem), ...(signingAlgorithm && { signingAlgorithm }) });
  const ours = noting(TOKENS);
  await requestByClient({ ...request(), target, client: { clientId: 'me', origin: 'given' } }, ours.world);
  const sent = new URLSearchParams(ours.sent[0]?.body);
  const theirs = new URLSearchParams();
  const sign = createPrivateKeyJwtAuth({ issuer: 'me', subject: 'me', privateKey: pem, alg, audience: AUTH });
  await sign(new Headers(), theirs, `${AUTH}/token`);
  expect(sent.get('client_assertion_type')).toBe(theirs.get('client_assertion_type'));
  const [one, other] = [assertionOf(sent), assertionOf(theirs)];
  expect(one.header).toEqual(other.header);
  expect(lifeOf(one)).toEqual(lifeOf(other));
  const pss = alg.startsWith('PS') && { padding: 6, saltLength: Number(alg.slice(2)) / 8 };
  const key = { key: publicKey, dsaEncoding: 'ieee-p1363', ...pss } as const;
  expect(verify(`sha${alg.slice(2)}`, one.signed, key, one.signature)).toBe(true);
});

test('a key of another kind than the algorithm that is asked for is refused by name', async () => {
  const pem = String(ec('P-384')().privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const target = signInTargetOf(MCP, { privateKey: new Secret(pem), signingAlgorithm: 'ES256' });
  const asked = requestByClient(
    { ...request(), target, client: { clientId: 'me', origin: 'given' } },
    noting({}).world,
  );
  await expect(asked).rejects.toThrow('"oauth.privateKey" of server "db" is not a private key that can sign');
});

test.each([
  undefined,
  '',
  AUTH,
  `${AUTH}/`,
  'https://AUTH.example',
  'https://auth.example:443',
  'https://evil.example',
])('an answer of the browser that names %j is from whom the SDK says', async (iss) => {
  for (const saysIss of [true, false]) {
    const issuer = issuerAt(AUTH, { saysIss });
    const { kind } = await checkCallback({ code: 'c', iss }, { target: signInTargetOf(MCP), issuer, client: CLIENT });
    let expected = 'code';
    try {
      validateAuthorizationResponseIssuer({ iss, expectedIssuer: AUTH, issParameterSupported: saysIss });
    } catch {
      expected = 'refused';
    }
    expect([iss, saysIss, kind]).toEqual([iss, saysIss, expected]);
  }
});
