import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HostError } from '../../base/errors.js';
import { parseChallenge } from '../../model/challenge.js';
import type { OAuthSettings } from '../../model/oauth-settings.js';
import { checkPkce, discoverIssuer, type Discovery, type DiscoveryOptions } from './discovery.js';
import {
  issuerAt,
  metadataOf,
  openScripted,
  type ScriptedServer,
  signInTargetOf,
  worldOf,
} from '../protocol-fixtures.js';

const PRM = '/.well-known/oauth-protected-resource';
const AS = '/.well-known/oauth-authorization-server';

let mcp: ScriptedServer;
let auth: ScriptedServer;

beforeEach(async () => {
  [mcp, auth] = await Promise.all([openScripted(), openScripted()]);
});
afterEach(async () => {
  await Promise.all([mcp, auth].map((server) => server[Symbol.asyncDispose]()));
});

async function find(settings: OAuthSettings = {}, options: DiscoveryOptions = {}): Promise<Discovery> {
  const target = signInTargetOf(`${mcp.origin}/mcp`, settings);
  return await discoverIssuer(target, worldOf(target), options);
}

async function checkRefused(
  message: RegExp,
  {
    settings = {},
    isTransient = false,
    options = {},
  }: { settings?: OAuthSettings; isTransient?: boolean; options?: DiscoveryOptions } = {},
): Promise<void> {
  const error = (await find(settings, options).catch((cause: unknown) => cause)) as HostError;
  expect(error.message).toMatch(message);
  expect(error).toMatchObject({ code: 'sign-in-failed', detail: { isTransient } });
}

/** Scripts a server that names its authorization servers, and an authorization server with metadata. */
function script({
  servers = [auth.origin],
  metadata = {},
}: { servers?: string[]; metadata?: Record<string, unknown> } = {}): void {
  mcp.paths[`${PRM}/mcp`] = {
    json: { resource: `${mcp.origin}/mcp`, authorization_servers: servers, scopes_supported: ['a'] },
  };
  auth.paths[AS] = { json: metadataOf(auth.origin, metadata) };
}

const asked = ({ received }: ScriptedServer): string[] => received.map(({ path }) => path);

test('a server describes itself below its path, and its authorization server describes itself', async () => {
  script({
    metadata: { scopes_supported: ['a', 'offline_access'], authorization_response_iss_parameter_supported: true },
  });
  const found = await find();
  expect(found).toMatchObject({ resource: `${mcp.origin}/mcp`, scopesSupported: ['a'], hasResourceMetadata: true });
  expect(found.issuer).toMatchObject({
    issuer: auth.origin,
    tokenEndpoint: `${auth.origin}/token`,
    saysIss: true,
    isAssumed: false,
  });
  expect(asked(mcp)).toEqual([`${PRM}/mcp`]);
});

test('the place that the challenge names comes first, when it is on the server itself', async () => {
  script();
  mcp.paths['/custom'] = { json: { resource: mcp.origin, authorization_servers: [auth.origin] } };
  const challenge = parseChallenge(`Bearer resource_metadata="${mcp.origin}/custom"`);
  expect((await find({}, { challenge })).resource).toBe(mcp.origin);
  expect(asked(mcp)).toEqual(['/custom']);
});

test('a place on another port of this machine is not asked, and the usual one is', async () => {
  script();
  const challenge = parseChallenge(`Bearer resource_metadata="${auth.origin}/secrets"`);
  expect((await find({}, { challenge })).resource).toBe(`${mcp.origin}/mcp`);
  expect(asked(auth)).not.toContain('/secrets');
});

test('a header that cannot be read leads to the usual place', async () => {
  script();
  const challenge = parseChallenge(`Bearer resource_metadata="${mcp.origin}/x`);
  expect((await find({}, { challenge })).resource).toBe(`${mcp.origin}/mcp`);
});

test('a server may describe itself at its root, and its authorization server as one of OpenID, below a path', async () => {
  mcp.paths[PRM] = { json: { resource: mcp.origin, authorization_servers: [`${auth.origin}/tenant`] } };
  auth.paths['/tenant/.well-known/openid-configuration'] = { json: metadataOf(`${auth.origin}/tenant`) };
  expect((await find()).issuer.issuer).toBe(`${auth.origin}/tenant`);
  expect(asked(auth)).toEqual([
    `${AS}/tenant`,
    '/.well-known/openid-configuration/tenant',
    '/tenant/.well-known/openid-configuration',
  ]);
});

test('a server of 2025-03-26 is its own authorization server, described or not', async () => {
  mcp.paths[AS] = { json: metadataOf(mcp.origin, { token_endpoint: `${mcp.origin}/oauth/token` }) };
  expect((await find()).issuer).toMatchObject({ tokenEndpoint: `${mcp.origin}/oauth/token`, isAssumed: false });
  mcp.paths[AS] = { json: metadataOf(`${mcp.origin}/`) };
  expect((await find()).issuer.issuer).toBe(`${mcp.origin}/`);
  delete mcp.paths[AS];
  const { issuer, resource, hasResourceMetadata } = await find();
  expect(issuer).toMatchObject({
    authorizationEndpoint: `${mcp.origin}/authorize`,
    tokenEndpoint: `${mcp.origin}/token`,
    isAssumed: true,
  });
  expect([resource, hasResourceMetadata]).toEqual([`${mcp.origin}/mcp`, false]);
});

test('a site that answers every address with the same page describes nothing', async () => {
  for (const path of [`${PRM}/mcp`, PRM, AS])
    mcp.paths[path] = { status: 200, body: '<html>', headers: { 'content-type': 'text/html' } };
  expect((await find()).issuer.isAssumed).toBe(true);
});

test('a server that cannot answer now is not taken for one that says nothing', async () => {
  script();
  mcp.paths[`${PRM}/mcp`] = { status: 503 };
  await checkRefused(/answered HTTP 503/, { isTransient: true });
  script();
  auth.paths[AS] = { status: 500 };
  await checkRefused(/answered HTTP 500/, { isTransient: true });
});

test('a server that says it is another one gets no token', async () => {
  script();
  mcp.paths[`${PRM}/mcp`] = { json: { resource: 'https://bank.example/mcp', authorization_servers: [auth.origin] } };
  await checkRefused(/says that its resource is https:\/\/bank\.example\/mcp/);
  mcp.paths[`${PRM}/mcp`] = { json: { resource: `${mcp.origin}/mcp-other`, authorization_servers: [auth.origin] } };
  await checkRefused(/says that its resource is/);
  expect(auth.received).toEqual([]);
});

test('metadata that redirects elsewhere is not followed', async () => {
  script();
  mcp.paths[`${PRM}/mcp`] = { status: 302, headers: { location: `${auth.origin}/x` } };
  await checkRefused(/redirects to another origin/);
  expect(auth.received).toEqual([]);
});

test('metadata of four megabytes is not read', async () => {
  script();
  mcp.paths[`${PRM}/mcp`] = { status: 200, body: `{"resource":"${'x'.repeat(4_000_000)}"}` };
  await checkRefused(/more than 1048576 bytes/);
  script();
  auth.paths[AS] = { status: 200, body: 'x'.repeat(4_000_000) };
  await checkRefused(/more than 1048576 bytes/);
});

test('an issuer that differs by a slash is refused, unless the user says so for this server', async () => {
  script({ metadata: { issuer: `${auth.origin}/` } });
  await checkRefused(/calls itself/);
  expect((await find({ allowIssuerMismatch: true })).issuer.issuer).toBe(`${auth.origin}/`);
});

test.each([
  ['authorization_endpoint', 'javascript:alert(1)'],
  ['authorization_endpoint', 'file:///etc/passwd'],
  ['authorization_endpoint', 'http://auth.example/authorize'],
  ['token_endpoint', 'http://evil.test/token'],
  ['token_endpoint', 'http://10.0.0.1/token'],
  ['token_endpoint', 7],
])('an authorization server whose %s is %s is not used', async (field, value) => {
  script({ metadata: { [field]: value } });
  await checkRefused(new RegExp(`the ${field} of its authorization server is refused`));
});

test('an authorization server without a token endpoint is not used, one with bad endpoints that it can do without is', async () => {
  const endpoints = ['revocation_endpoint', 'registration_endpoint', 'device_authorization_endpoint'];
  script({ metadata: Object.fromEntries(endpoints.map((field) => [field, 'http://evil.test/'])) });
  const { issuer } = await find();
  expect([issuer.revocationEndpoint, issuer.registrationEndpoint, issuer.deviceEndpoint]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  script({ metadata: { token_endpoint: undefined } });
  await checkRefused(/names no token endpoint/);
});

test('a broken authorization server does not hide one that works, and a known one stays', async () => {
  script({ servers: ['https://10.0.0.1', 'nonsense', `${auth.origin}/none`, auth.origin] });
  expect((await find()).issuer.issuer).toBe(auth.origin);
  auth.paths[`${AS}/second`] = { json: metadataOf(`${auth.origin}/second`) };
  script({ servers: [auth.origin, `${auth.origin}/second`] });
  expect((await find({}, { knownIssuer: `${auth.origin}/second` })).issuer.issuer).toBe(`${auth.origin}/second`);
  expect((await find({}, { knownIssuer: 'https://gone.example' })).issuer.issuer).toBe(auth.origin);
});

test('when none can be used, it is said why of each', async () => {
  script({ servers: ['https://10.0.0.1', `${auth.origin}/none`] });
  await checkRefused(/none of its 2 authorization servers can be used: .*private.*publishes no metadata/);
});

test('the place that the user wrote down replaces what the server names', async () => {
  script({ servers: ['https://10.0.0.1'] });
  auth.paths['/meta'] = { json: metadataOf(`${auth.origin}/own`) };
  const found = await find({ authServerMetadataUrl: `${auth.origin}/meta` });
  expect([found.issuer.issuer, found.resource]).toEqual([`${auth.origin}/own`, `${mcp.origin}/mcp`]);
  await checkRefused(/no metadata at/, { settings: { authServerMetadataUrl: `${auth.origin}/nothing` } });
});

test('the place that the user wrote down does not speak for another authorization server', async () => {
  script();
  auth.paths['/meta'] = { json: metadataOf(auth.origin, { issuer: 'https://accounts.bank.test' }) };
  const settings = { authServerMetadataUrl: `${auth.origin}/meta` };
  await checkRefused(/the metadata at 127\.0\.0\.1:\d+ names another issuer, "https:\/\/accounts\.bank\.test"/, {
    settings,
  });
  const { issuer } = await find({ ...settings, allowIssuerMismatch: true });
  expect(issuer.issuer).toBe('https://accounts.bank.test');
});

test('authorization servers that take their time are not all tried', async () => {
  script({ servers: ['a', 'b', 'c', 'd', 'e'].map((name) => `${auth.origin}/${name}`) });
  const target = signInTargetOf(`${mcp.origin}/mcp`);
  let now = 0;
  await expect(discoverIssuer(target, { ...worldOf(target), wall: () => (now += 25_000) })).rejects.toThrow(
    'none of its 2 authorization servers can be used',
  );
  expect(asked(auth).some((path) => path.endsWith('/c'))).toBe(false);
});

test('what tokens are for has no fragment, which nobody could compare', async () => {
  script();
  mcp.paths[`${PRM}/mcp`] = { json: { resource: `${mcp.origin}/mcp#main`, authorization_servers: [auth.origin] } };
  expect((await find()).resource).toBe(`${mcp.origin}/mcp`);
});

test('an authorization server that does not say that it checks PKCE is refused, unless the user says so', () => {
  const silent = issuerAt(auth.origin, { codeChallengeMethods: undefined });
  expect(() => checkPkce(silent, {}, 'db')).toThrow('does not state that it supports PKCE');
  expect(() =>
    checkPkce(issuerAt(auth.origin, { codeChallengeMethods: ['plain'] }), { allowMissingPkce: true }, 'db'),
  ).toThrow('S256');
  checkPkce(silent, { allowMissingPkce: true }, 'db');
  checkPkce({ ...silent, isAssumed: true }, {}, 'db');
  checkPkce(issuerAt(auth.origin), {}, 'db');
});
