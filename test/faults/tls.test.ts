import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer as createTlsServer, type TlsOptions, type TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import type { HostError } from '../../src/base/errors.js';
import { dial } from '../../src/edge/network/dial.js';
import type { RouteOptions } from '../../src/edge/network/route.js';
import { openClient } from '../../src/transports/http/http-fixtures.js';
import { type IdentityOptions, makeIdentity } from './certificates.js';
import {
  authority,
  HOST,
  identity,
  listen,
  openPlainServer,
  openRaw,
  openTlsServer,
  routeTo,
} from './network-fixtures.js';

type Tls = NonNullable<RouteOptions['tls']>;

const PAST = { from: new Date('2020-01-02'), until: new Date('2021-02-03') };
const FUTURE = { from: new Date('2090-01-02'), until: new Date('2091-02-03') };
const OLD = { ciphers: 'DEFAULT@SECLEVEL=0' };
const me = makeIdentity({ name: 'me', issuer: authority });
const stranger = makeIdentity({ name: 'stranger' });
const signed = (options: Partial<IdentityOptions>): TlsOptions => {
  const { cert, key } = makeIdentity({ name: 'x', issuer: authority, hosts: [HOST], ...options });
  return { cert, key };
};

/** The error of the first call over TLS. */
async function failure(url: string, tls?: Tls): Promise<HostError> {
  const route = await routeTo(url, tls ? { tls } : {});
  return openClient(url, { route }).failure();
}

test.each<[what: string, server: () => TlsOptions, text: RegExp, hint: RegExp]>([
  ['has expired', () => signed(PAST), /its certificate expired on 2021-02-03/u, /Ask its operator to renew it/u],
  ['is not valid yet', () => signed(FUTURE), /not valid yet, only from 2090-01-02 on/u, /clock/u],
  [
    'is for other hosts',
    () => signed({ hosts: ['a.test', '*.b.test', '10.0.0.1'] }),
    /its certificate is for a\.test, \*\.b\.test, 10\.0\.0\.1, not for mcp\.test/u,
    /Write the host as the certificate has it/u,
  ],
  [
    'is for very many hosts',
    () => signed({ hosts: Array.from({ length: 500 }, (_, at) => `h${at}.test`) }),
    /and 495 more/u,
    /host/u,
  ],
  [
    'is for no host',
    () => signed({ hosts: [], name: 'a\u001B[31m\u202Eb' }),
    /is for a�?b, not for mcp\.test/u,
    /host/u,
  ],
  [
    'is signed by itself alone',
    () => makeIdentity({ name: HOST, hosts: [HOST] }),
    /its certificate is self-signed/u,
    /"tls": \{ "ca":/u,
  ],
  [
    'comes from a stranger',
    () => signed({ issuer: makeIdentity({ name: 'Corp Inspection', isAuthority: true }) }),
    /the issuer of its certificate, "Corp Inspection", is unknown here/u,
    /NODE_EXTRA_CA_CERTS/u,
  ],
])('F37: a server whose certificate %s is refused, and the reason told', async (_what, options, text, hint) => {
  const server = await openTlsServer(options());
  const error = await failure(server.url);
  expect([error.code, error.message, error.hint]).toEqual([
    'connect-failed',
    expect.stringMatching(text),
    expect.stringMatching(hint),
  ]);
  expect(error.message).toContain(`Server "x" cannot be trusted at https://${HOST}:${server.port}: `);
  expect(server.visits).toEqual([]);
});

test.each(['TLSv1', 'TLSv1.1'] as const)('F37: a server that has nothing newer than %s is refused', async (version) => {
  const server = await openTlsServer({ ...OLD, minVersion: version, maxVersion: version });
  const error = await failure(server.url);
  expect([error.code, error.message]).toEqual([
    'connect-failed',
    expect.stringMatching(/it offers only TLS 1\.1 or older/u),
  ]);
});

test.each(['TLSv1.2', 'TLSv1.3'] as const)('F37: %s is good enough', async (version) => {
  const server = await openTlsServer({ minVersion: version, maxVersion: version });
  const client = openClient(server.url, { route: await routeTo(server.url) });
  expect(await client.call({ a: 1 })).toEqual({ echo: { a: 1 } });
});

/** A TLS 1.2 server that starts a renegotiation in place of a response. */
async function openRenegotiator(): Promise<{ readonly port: number; readonly outcomes: string[] }> {
  const outcomes: string[] = [];
  const server = createTlsServer({ cert: identity.cert, key: identity.key, maxVersion: 'TLSv1.2' }, (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.renegotiate({}, (error) => outcomes.push(error ? 'refused' : 'done')));
  });
  return { port: (await listen(server)).port, outcomes };
}

test('F37: a server that negotiates anew is cut off by name, and no call hangs', async () => {
  const server = await openRenegotiator();
  const error = await failure(`https://${HOST}:${server.port}/mcp`);
  expect([error.code, error.message]).toEqual([
    'connection-closed',
    `Server "x" tried to renegotiate TLS at https://${HOST}:${server.port}, which Plugboard refuses`,
  ]);
  expect(server.outcomes).not.toContain('done');
});

test('F37: https where plain HTTP is spoken, and the other way round, is told as that', async () => {
  const plain = await openPlainServer();
  const wrongly = await failure(plain.url.replace('http:', 'https:'));
  expect([wrongly.code, wrongly.message]).toEqual([
    'connect-failed',
    expect.stringMatching(/does not speak TLS at https:.*: plain HTTP, or something else, answers there/u),
  ]);
  expect(wrongly.hint).toMatch(/http:\/\//u);
  const server = createTlsServer({ cert: identity.cert, key: identity.key });
  server.on('tlsClientError', () => {});
  const { port } = await listen(server);
  const other = await failure(`http://${HOST}:${port}/mcp`);
  // Node's own TLS server closes without an alert; servers that send one are covered by the tests of the HTTP client.
  expect([other.message, other.hint]).toEqual([
    expect.stringMatching(/closed the connection without an answer/u),
    expect.stringMatching(/write https:\/\//u),
  ]);
});

test.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'T8: a server that wants a client certificate gets it, over %s',
  async (version) => {
    const demand = { requestCert: true, ca: authority.cert, maxVersion: version };
    const server = await openTlsServer(demand);
    const tls = { ca: authority.cert, cert: me.cert, key: me.key };
    const client = openClient(server.url, { route: await routeTo(server.url, { tls }) });
    await client.shakeHands();
    expect(await client.call({ a: 1 })).toEqual({ echo: { a: 1 } });
    expect(server.visits.map(nameOf)).toEqual(['me', 'me', 'me']);

    const without = await failure(server.url);
    expect([without.code, without.message, without.hint]).toEqual([
      'connect-failed',
      expect.stringMatching(/requires? a client certificate/u),
      expect.stringMatching(/"cert": .*"key": /u),
    ]);
    const foreign = await failure(server.url, { ca: authority.cert, cert: stranger.cert, key: stranger.key });
    expect(foreign.message).toMatch(/^Server "x" /u);
    expect(server.visits).toHaveLength(3);
  },
);

function nameOf({ socket }: IncomingMessage): unknown {
  return (socket as TLSSocket).getPeerCertificate().subject.CN;
}

test('T8: an issuer that one entry trusts is nobody to another', async () => {
  const server = await openTlsServer();
  const trusting = openClient(server.url, { route: await routeTo(server.url) });
  expect(await trusting.call({ a: 1 })).toEqual({ echo: { a: 1 } });
  const error = await failure(server.url, {});
  expect(error.message).toMatch(/"Test Authority", is unknown here/u);
});

test('T8: a server may be named by its address', async () => {
  const server = await openTlsServer();
  const url = `https://127.0.0.1:${server.port}/mcp`;
  const client = openClient(url, { route: await routeTo(url) });
  expect(await client.call({ a: 1 })).toEqual({ echo: { a: 1 } });
  const other = await openTlsServer(signed({ hosts: [HOST] }));
  expect((await failure(`https://127.0.0.1:${other.port}/mcp`)).message).toContain(
    'is for mcp.test, not for 127.0.0.1',
  );
});

test('F37: a handshake that never ends is given up in time', async () => {
  const { port } = await openRaw(() => {});
  const url = new URL(`wss://${HOST}:${port}`);
  const route = await routeTo(url.href);
  await expect(dial(url, { route, label: 'Server "x"', timeoutMs: 50 })).rejects.toMatchObject({
    code: 'connect-failed',
    message: `Server "x" did not finish the TLS handshake at wss://${HOST}:${port} within 50 ms`,
  });
});

test('T8: what is dialled over TLS agrees on HTTP/1.1 and has a name', async () => {
  const seen: unknown[] = [];
  const server = createTlsServer(
    { cert: identity.cert, key: identity.key, ALPNProtocols: ['h2', 'http/1.1'] },
    (socket) => {
      seen.push(socket.alpnProtocol, (socket as TLSSocket & { servername?: string }).servername);
      socket.on('error', () => {}).end('hello');
    },
  );
  const { port } = await listen(server);
  const url = new URL(`wss://${HOST}:${port}`);
  const socket = await dial(url, { route: await routeTo(url.href), label: 'Server "x"', timeoutMs: 5000 });
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  expect([bytes.toString(), ...seen]).toEqual(['hello', 'http/1.1', HOST]);
  socket.destroy();
});
