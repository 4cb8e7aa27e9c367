import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { HostError } from '../../src/base/errors.js';
import { dial } from '../../src/edge/network/dial.js';
import { openClient, type TestClient } from '../../src/transports/http/http-fixtures.js';
import { makeIdentity } from './certificates.js';
import {
  authority,
  deadPort,
  HOST,
  identity,
  openPlainServer,
  openProxy,
  openRaw,
  openTlsServer,
  routeTo,
} from './network-fixtures.js';

type Environment = Record<string, string>;

async function openThrough(url: string, env: Environment): Promise<TestClient> {
  return openClient(url, { route: await routeTo(url, { env }) });
}

/** The error of the first call. */
async function failure(url: string, env: Environment): Promise<HostError> {
  return (await openThrough(url, env)).failure();
}

/** No representation of an error may contain the password. */
function checkSecret(error: HostError): void {
  const shown = `${error.message} ${String(error.hint)} ${JSON.stringify(error)} ${error.stack} ${String(error.cause)}`;
  expect(shown).not.toMatch(/pa55/iu);
  expect(shown).not.toContain(Buffer.from('jo:pa55').toString('base64').slice(0, 8));
}

test('F38: with no proxy variable set a server is called directly', async () => {
  const server = await openPlainServer();
  const client = await openThrough(server.url, {});
  await client.shakeHands();
  expect(await client.call({ a: 1 })).toEqual({ echo: { a: 1 } });
});

test('F38: an https server is called through a tunnel of the proxy in HTTPS_PROXY, and calls share it', async () => {
  const [server, proxy] = [await openTlsServer(), await openProxy()];
  const client = await openThrough(server.url, { HTTPS_PROXY: proxy.url, HTTP_PROXY: 'http://elsewhere.test:1' });
  await client.shakeHands();
  for (let count = 0; count < 3; count++) expect(await client.call({ count })).toEqual({ echo: { count } });
  expect(proxy.journal).toEqual([`CONNECT ${HOST}:${server.port}`]);
  expect(server.visits[0]!.headers.host).toBe(`${HOST}:${server.port}`);
});

test('F38: an http server is called in absolute form through the proxy in HTTP_PROXY, under its own name', async () => {
  const [server, proxy] = [await openPlainServer(), await openProxy()];
  const client = await openThrough(server.url, { HTTP_PROXY: proxy.url });
  await client.shakeHands();
  expect(await client.call({ a: 1 })).toEqual({ echo: { a: 1 } });
  expect(proxy.journal).toEqual(Array.from({ length: 3 }, () => `POST ${server.url}`));
  expect(proxy.connections()).toBe(1);
  expect(server.visits.map(({ url, headers }) => [url, headers.host])).toEqual(
    Array.from({ length: 3 }, () => ['/mcp', `${HOST}:${server.port}`]),
  );
});

test.each(['ws', 'wss'])('F38: a %s server is reached through a tunnel', async (scheme) => {
  const server = await (scheme === 'ws' ? openPlainServer() : openTlsServer());
  const proxy = await openProxy();
  const url = new URL(`${scheme}://${HOST}:${server.port}/mcp`);
  const route = await routeTo(url.href, { env: { [scheme === 'ws' ? 'http_proxy' : 'https_proxy']: proxy.url } });
  const socket = await dial(url, { route, label: 'Server "x"', timeoutMs: 5000 });
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  expect(bytes.toString()).toMatch(/^HTTP\/1\.1 405 /u);
  expect(proxy.journal).toEqual([`CONNECT ${HOST}:${server.port}`]);
  socket.destroy();
});

test.each(['127.0.0.1', 'localhost', 'app.localhost'])(
  'F38: this machine, as %s, is never asked for through a proxy',
  async (host) => {
    const proxy = await openProxy();
    const env = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, ALL_PROXY: proxy.url };
    for (const scheme of ['http', 'https', 'ws', 'wss']) {
      expect((await routeTo(`${scheme}://${host}/mcp`, { env })).proxy).toBeUndefined();
    }
    const server = await openPlainServer();
    const client = await openThrough(`http://${host}:${server.port}/mcp`, env);
    expect(await client.call({ a: 1 })).toEqual({ echo: { a: 1 } });
    expect(proxy.journal).toEqual([]);
  },
);

test('F38: a host in NO_PROXY is called directly', async () => {
  const [server, proxy] = [await openPlainServer(), await openProxy()];
  const client = await openThrough(server.url, { HTTP_PROXY: proxy.url, NO_PROXY: `other.test, .test` });
  expect(await client.call({ a: 1 })).toEqual({ echo: { a: 1 } });
  expect(proxy.journal).toEqual([]);
});

test.each(['http', 'https'] as const)('F38: a proxy that wants a sign-in gets it, for %s', async (scheme) => {
  const server = await (scheme === 'http' ? openPlainServer() : openTlsServer());
  const proxy = await openProxy({ login: 'jo:pa55/wörd@' });
  const login = `jo:${encodeURIComponent('pa55/wörd@')}`;
  const variable = `${scheme}_proxy`;
  const client = await openThrough(server.url, { [variable]: `http://${login}@127.0.0.1:${proxy.port}` });
  expect(await client.call({ a: 1 })).toEqual({ echo: { a: 1 } });
  expect(server.visits.filter(({ headers }) => 'proxy-authorization' in headers)).toEqual([]);

  const without = await failure(server.url, { [variable]: proxy.url });
  expect([without.code, without.message, without.hint]).toEqual([
    'connect-failed',
    `Server "x" cannot be reached: the proxy at 127.0.0.1:${proxy.port} (from ${variable}) requires a user and password (HTTP 407)`,
    `Write user and password into the variable: ${variable}=http://user:password@host:port`,
  ]);
  const wrong = await failure(server.url, { [variable]: `http://jo:pa55@127.0.0.1:${proxy.port}` });
  expect(wrong.message).toBe(
    `Server "x" cannot be reached: the proxy at 127.0.0.1:${proxy.port} (from ${variable}) does not accept the user and password (HTTP 407)`,
  );
  checkSecret(wrong);
});

test.each([
  [403, /does not allow connections to mcp\.test:443 \(HTTP 403\)/u],
  [502, /could not reach mcp\.test:443 \(HTTP 502\)/u],
  [504, /got no answer from mcp\.test:443 in time \(HTTP 504\)/u],
  [302, /did not open a tunnel to mcp\.test:443 \(HTTP 302\)/u],
])('F38: a proxy that answers %i is named with the reason', async (status, text) => {
  const proxy = await openProxy({ status });
  const error = await failure(`https://${HOST}/mcp`, { HTTPS_PROXY: proxy.url });
  expect([error.code, error.message]).toEqual(['connect-failed', expect.stringMatching(text)]);
  expect(error.message).toContain(`the proxy at 127.0.0.1:${proxy.port} (from HTTPS_PROXY)`);
});

test.each(['http', 'https'])('F38: a proxy that is not there is named, not the server, for %s', async (scheme) => {
  const port = await deadPort();
  const error = await failure(`${scheme}://${HOST}/mcp`, { ALL_PROXY: `http://jo:pa55@127.0.0.1:${port}` });
  expect([error.code, error.message]).toEqual([
    'connect-failed',
    `Server "x" cannot be reached: the proxy at 127.0.0.1:${port} (from ALL_PROXY) refused the connection`,
  ]);
  expect(error.hint).toMatch(/Check ALL_PROXY/u);
  checkSecret(error);
});

const OK = 'HTTP/1.1 200 OK\r\n';
test.each<[what: string, bytes: string, text: string]>([
  ['closes', '', 'closed the connection without an answer to CONNECT'],
  ['closes within its answer', OK, 'closed the connection without an answer to CONNECT'],
  ['speaks SSH', 'SSH-2.0-OpenSSH_9.6\r\n\r\n', 'does not speak HTTP'],
  [
    'sends 1 MB of headers',
    `${OK}${`X-Big: ${'x'.repeat(1000)}\r\n`.repeat(1000)}`,
    'more than 16384 bytes of headers',
  ],
  ['speaks before the server', `${OK}\r\nhello`, 'sent unexpected data after its answer to CONNECT'],
])('F38: a proxy that %s is named, and nothing hangs', async (_what, bytes, text) => {
  const proxy = await openRaw((socket) => void socket.once('data', () => socket.end(bytes)));
  const error = await failure(`https://${HOST}/mcp`, { HTTPS_PROXY: `127.0.0.1:${proxy.port}` });
  expect([error.code, error.message]).toEqual(['connect-failed', expect.stringContaining(text)]);
  expect(error.message).toContain(`the proxy at 127.0.0.1:${proxy.port} (from HTTPS_PROXY)`);
});

test('F38: a proxy that never answers is given up in time', async () => {
  const proxy = await openRaw(() => {});
  const url = new URL(`https://${HOST}/mcp`);
  const route = await routeTo(url.href, { env: { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` } });
  await expect(dial(url, { route, label: 'Server "x"', timeoutMs: 1_000 })).rejects.toMatchObject({
    code: 'connect-failed',
    message: expect.stringMatching(/the proxy at .* did not answer CONNECT within 1000 ms$/u) as string,
  });
});

test('F38: whoever no longer wants a connection need not wait for it', async () => {
  const proxy = await openRaw(() => {});
  const url = new URL(`https://${HOST}/mcp`);
  const route = await routeTo(url.href, { env: { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` } });
  const gone = new AbortController();
  const dialled = dial(url, { route, label: 'Server "x"', timeoutMs: 60_000, signal: gone.signal });
  gone.abort();
  await expect(dialled).rejects.toMatchObject({ code: 'cancelled' });
  await expect(dial(url, { route, label: 'x', timeoutMs: 60_000, signal: gone.signal })).rejects.toMatchObject({
    code: 'cancelled',
  });
});

test.each(['http', 'https'] as const)('F38: a proxy that dies in mid-call is named, for %s', async (scheme) => {
  const server = await (scheme === 'http' ? openPlainServer() : openTlsServer());
  const proxy = await openProxy();
  const client = await openThrough(server.url, { ALL_PROXY: proxy.url });
  await client.shakeHands();
  const call = client.failure();
  await proxy.kill();
  const named = `the proxy at 127.0.0.1:${proxy.port} (from ALL_PROXY)`;
  expect((await call).message).toContain(named);
  const next = await client.failure();
  expect([next.code, next.message]).toEqual([
    'connect-failed',
    `Server "x" cannot be reached: ${named} refused the connection`,
  ]);
  await openProxy({ port: proxy.port });
  expect(await client.call({ again: true })).toEqual({ echo: { again: true } });
});

test.each(['http', 'https'] as const)('T8: a proxy may itself be encrypted, in front of %s', async (scheme) => {
  const server = await (scheme === 'http'
    ? openPlainServer()
    : openTlsServer({ requestCert: true, ca: authority.cert }));
  const proxy = await openProxy({ tls: { ...identity, requestCert: true, rejectUnauthorized: false } });
  const me = makeIdentity({ name: 'me', issuer: authority });
  const env = { ALL_PROXY: proxy.url };
  const route = await routeTo(server.url, { env, tls: { ca: authority.cert, cert: me.cert, key: me.key } });
  const client = openClient(server.url, { route });
  expect(await client.call({ a: 1 })).toEqual({ echo: { a: 1 } });
  expect(proxy.journal).toHaveLength(1);
  expect(proxy.certificates).toEqual([undefined]);
});

test('F38: an encrypted proxy that cannot be trusted is named', async () => {
  const proxy = await openProxy({ tls: makeIdentity({ name: HOST, hosts: [HOST] }) });
  const error = await failure(`https://${HOST}/mcp`, { HTTPS_PROXY: proxy.url });
  expect(error.message).toBe(
    `Server "x" cannot be reached: the proxy at ${HOST}:${proxy.port} (from HTTPS_PROXY) cannot be trusted: ` +
      'its certificate is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT)',
  );
});
