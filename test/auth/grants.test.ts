import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { SkippingClock } from '../faults/skipping-clock.js';
import { begun, keeping, openAuthScene, openUnknown, signInByTool, textOf } from './auth-scene.js';
import { browse } from './browser.js';
import { openOidcServer } from './oidc-server.js';
import { openProtectedServer } from './protected-server.js';

// Grants that need no browser or no client registration.

const NO_BROWSER = { redirect_uris: [], response_types: [], grant_types: ['client_credentials'] };

test('a machine without a browser: a code is typed in on another one', async () => {
  const oidc = await keeping(openOidcServer());
  const mcp = await keeping(openProtectedServer({ authority: oidc }));
  const scene = openAuthScene();
  scene.configure({ srv: { type: 'http', url: mcp.url } });
  const clock = new SkippingClock();
  const { host, until } = await openUnknown(scene, { ports: { clock } });
  const signIn = begun(await host.signIn('srv', { way: 'device' }), 'device');
  expect(signIn.host).toBe(new URL(oidc.issuer).host);
  await browse(signIn.url, { userCode: signIn.userCode });
  // RFC 8628: the default polling interval is five seconds.
  clock.skip(5_000);
  expect(await signIn.done).toMatchObject({ kind: 'signed-in' });
  await until(({ after }) => after === 'connected');
  const result = await host.call({ name: 'mcp__srv__read', input: { key: 'a' } });
  expect([result.outcome, textOf(result)]).toEqual(['ok', 'somebody: read a']);
  for (const token of mcp.admitted.keys()) mcp.revoked.add(token);
  expect(await host.call({ name: 'mcp__srv__read' })).toMatchObject({ outcome: 'ok' });
  expect(oidc.tally.granted).toMatchObject({ refresh_token: 1 });
});

test('a machine with a secret needs nobody', async () => {
  const client = { ...NO_BROWSER, client_id: 'robot', client_secret: 'a: secret/of the robot' };
  const oidc = await keeping(openOidcServer({ clients: [client] }));
  await checkRobot(oidc, { clientId: 'robot', clientSecret: 'a: secret/of the robot' });
});

test('a machine with a key needs nobody, and no secret leaves it', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'robot', alg: 'ES256', use: 'sig' }] };
  const method = { token_endpoint_auth_method: 'private_key_jwt', token_endpoint_auth_signing_alg: 'ES256' };
  const oidc = await keeping(openOidcServer({ clients: [{ ...NO_BROWSER, ...method, client_id: 'robot', jwks }] }));
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' });
  await checkRobot(oidc, { clientId: 'robot', privateKey: pem, signingAlgorithm: 'ES256' });
});

async function checkRobot(oidc: Awaited<ReturnType<typeof openOidcServer>>, more: object): Promise<void> {
  const mcp = await keeping(openProtectedServer({ authority: oidc }));
  const scene = openAuthScene();
  scene.configure({
    srv: { type: 'http', url: mcp.url, oauth: { grant: 'client_credentials', scopes: ['read'], ...more } },
  });
  const clock = new SkippingClock();
  const { host } = await scene.open({ watch: false, ports: { clock } });
  await host.settled();
  expect(host.server('srv')).toMatchObject({ status: 'connected' });
  const result = await host.call({ name: 'mcp__srv__read', input: { key: 'a' } });
  expect([result.outcome, textOf(result)]).toEqual(['ok', 'robot: read a']);
  clock.skip(60_000);
  for (const token of mcp.admitted.keys()) mcp.revoked.add(token);
  expect(await host.call({ name: 'mcp__srv__read' })).toMatchObject({ outcome: 'ok' });
  expect(oidc.tally.granted).toEqual({ client_credentials: 2 });
}

test('a client that was registered beforehand, at the port that it was registered for', async () => {
  const port = await freePort();
  const redirects = ['127.0.0.1', 'localhost'].map((host) => `http://${host}:${port}/callback`);
  const client = {
    client_id: 'known',
    client_secret: 'of the known one',
    redirect_uris: redirects,
    grant_types: ['authorization_code', 'refresh_token'],
  };
  const oidc = await keeping(openOidcServer({ clients: [client], registers: false }));
  const mcp = await keeping(openProtectedServer({ authority: oidc }));
  const scene = openAuthScene();
  const oauth = { clientId: 'known', clientSecret: 'of the known one', callbackPort: port };
  scene.configure({ srv: { type: 'http', url: mcp.url, oauth } });
  const watched = await openUnknown(scene);
  const { url } = await signInByTool(watched);
  expect(new URL(url).port).toBe(String(port));
  expect(await watched.host.call({ name: 'mcp__srv__read' })).toMatchObject({ outcome: 'ok' });
  for (const token of mcp.admitted.keys()) mcp.revoked.add(token);
  expect(await watched.host.call({ name: 'mcp__srv__read' })).toMatchObject({ outcome: 'ok' });
  expect(oidc.tally).toMatchObject({ registrations: 0, granted: { authorization_code: 1, refresh_token: 1 } });
});

test.each([false, true])('tokens that are bound to a key are of no use without it (nonces: %s)', async (nonces) => {
  const oidc = await keeping(openOidcServer({ nonces }));
  const mcp = await keeping(openProtectedServer({ authority: oidc }));
  const scene = openAuthScene();
  scene.configure({ srv: { type: 'http', url: mcp.url, oauth: { dpop: true } } });
  const watched = await openUnknown(scene);
  await signInByTool(watched);
  const [token] = mcp.admitted.keys();
  expect(await oidc.check(token!)).toMatchObject({ key: expect.any(String) });
  expect(await fetch(mcp.url, { method: 'POST', headers: { authorization: `Bearer ${token}` } })).toMatchObject({
    status: 401,
  });
  for (const known of mcp.admitted.keys()) mcp.revoked.add(known);
  expect(await watched.host.call({ name: 'mcp__srv__read' })).toMatchObject({ outcome: 'ok' });
  await watched.host[Symbol.asyncDispose]();
  const { host } = await scene.open({ watch: false });
  await host.settled();
  expect(await host.call({ name: 'mcp__srv__read' })).toMatchObject({ outcome: 'ok' });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

test('two accounts on one server have tokens, connections and names of their own', async () => {
  const oidc = await keeping(openOidcServer());
  const mcp = await keeping(openProtectedServer({ authority: oidc }));
  const scene = openAuthScene();
  const accounts = ['work', 'home'];
  scene.configure(Object.fromEntries(accounts.map((account) => [`srv@${account}`, { type: 'http', url: mcp.url }])));
  const { host, until, changes } = await scene.open({ watch: false });
  await host.settled();
  for (const account of accounts) {
    oidc.account = `me at ${account}`;
    const signIn = begun(await host.signIn(`srv@${account}`), 'browser');
    await browse(signIn.url);
    expect(await signIn.done).toMatchObject({ kind: 'signed-in' });
    await until(({ name, after }) => name === `srv@${account}` && after === 'connected');
  }
  await host.settled();
  const readers = host.tools().filter(({ name }) => name.endsWith('__read'));
  expect(readers).toHaveLength(2);
  for (const { name } of readers) expect(await host.call({ name })).toMatchObject({ outcome: 'ok' });
  expect(mcp.journal.toSorted()).toEqual(['me at home: read', 'me at work: read']);
  changes.length = 0;
  await host.signOut('srv@work');
  await until(({ after }) => after === 'needs-auth');
  expect(host.servers().map(({ name, status }) => [name, status])).toEqual([
    ['srv@work', 'needs-auth'],
    ['srv@home', 'connected'],
  ]);
  await host[Symbol.asyncDispose]();
  const later = await scene.open({ watch: false });
  await later.host.settled();
  expect(later.host.server('srv@home')).toMatchObject({ status: 'connected' });
  expect(later.host.server('srv@work')).toMatchObject({ status: 'needs-auth' });
});
