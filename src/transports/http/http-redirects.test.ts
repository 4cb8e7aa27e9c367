import { describe, expect, test } from 'vitest';
import { behaveOverHttp, openClient, openServer, type TestServer } from './http-fixtures.js';

/** A server that redirects every POST from `/mcp` to `location`, and answers on any other path. */
function openRedirecting(status: number, location: (server: TestServer) => string): Promise<TestServer> {
  let server: TestServer | undefined;
  const opened = openServer((visit, response) => {
    if (visit.path !== '/mcp') behaveOverHttp(visit, response);
    else response.writeHead(status, { location: location(server!), 'content-type': 'text/html' }).end('<p>moved</p>');
  });
  return opened.then((ready) => (server = ready));
}

test.each([301, 302, 307, 308])('a %i within the origin is followed with the message', async (status) => {
  const server = await openRedirecting(status, () => '/mcp/?a=1');
  const client = openClient(server.url, { headers: { Authorization: 'Bearer token' } });
  expect(await client.call({ a: 1 })).toEqual({ echo: { a: 1 } });
  expect(server.visits.map(({ method, path, headers }) => [method, path, headers.authorization])).toEqual([
    ['POST', '/mcp', 'Bearer token'],
    ['POST', '/mcp/?a=1', 'Bearer token'],
  ]);
  expect(new Set(server.visits.map(({ socket }) => socket)).size).toBe(1);
});

test('a 303 says where to GET the answer', async () => {
  const server = await openServer((visit, response) => {
    if (visit.method === 'POST')
      response.writeHead(303, { location: `/answer?id=${String(visit.message['id'])}` }).end();
    else {
      const id = Number(visit.path.split('=')[1]);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { method: visit.method } }));
    }
  });
  expect(await openClient(server.url).call()).toEqual({ method: 'GET' });
});

describe('a redirect elsewhere is not followed, and nothing arrives there', () => {
  test.each([301, 302, 303, 307, 308])('%i', async (status) => {
    const elsewhere = await openServer(behaveOverHttp);
    const server = await openRedirecting(status, () => elsewhere.url);
    const client = openClient(server.url, { headers: { Authorization: 'Bearer token' } });
    const error = await client.failure();
    expect([error.code, error.message]).toEqual([
      'http-failed',
      `Server "x" redirects (HTTP ${status}) to another origin, ${new URL(elsewhere.url).origin}, where Plugboard sends nothing`,
    ]);
    await expect(client.pipe.notify({ jsonrpc: '2.0', method: 'x' })).rejects.toMatchObject({ code: 'http-failed' });
    client.pipe.listen();
    await server.until(({ method }) => method === 'GET');
    expect(elsewhere.visits).toEqual([]);
  });
});

test.each<[what: string, location: (server: TestServer) => string, text: RegExp]>([
  [
    'with a name and a password',
    ({ url }) => url.replace('//', '//user:pass@').replace('/mcp', '/'),
    /user name or password/u,
  ],
  ['to another scheme', ({ url }) => url.replace('http:', 'https:'), /another origin/u],
  ['to another port', () => 'http://127.0.0.1:1/', /that Plugboard refuses/u],
  ['to a file', () => 'file:///etc/passwd', /that Plugboard refuses/u],
  ['to a script', () => 'javascript:alert(1)', /that Plugboard refuses/u],
  ['of 9 KB', () => `/${'x'.repeat(9_000)}`, /that Plugboard refuses: The URL is longer/u],
  ['to itself', () => '/mcp', /more than 5 times in a row/u],
])('a redirect %s is refused', async (_what, location, text) => {
  const server = await openRedirecting(307, location);
  const error = await openClient(server.url).failure();
  expect([error.code, error.message]).toEqual(['http-failed', expect.stringMatching(text)]);
  expect(server.visits.length).toBeLessThanOrEqual(6);
});

test('a redirect with an endless page is followed all the same', async () => {
  const server = await openServer((visit, response) => {
    if (visit.path !== '/mcp') return behaveOverHttp(visit, response);
    response.writeHead(307, { location: '/there' });
    const write = (): void => {
      while (response.write('x'.repeat(10_000)));
      response.once('drain', write);
    };
    return write();
  });
  expect(await openClient(server.url).call()).toEqual({ echo: {} });
});

test('a redirect without an address is an error like any other', async () => {
  const server = await openServer((_visit, response) => response.writeHead(307).end());
  expect((await openClient(server.url).failure()).message).toBe('Server "x" answered HTTP 307');
});
