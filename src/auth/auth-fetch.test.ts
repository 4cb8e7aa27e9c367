import type { LookupFunction } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { HostError } from '../base/errors.js';
import { openAuthFetch } from './auth-fetch.js';
import { openScripted, type Scripted, type ScriptedServer } from './protocol-fixtures.js';

const servers: ScriptedServer[] = [];

async function scripted(paths: Record<string, Scripted> = {}): Promise<ScriptedServer> {
  const server = await openScripted(paths);
  servers.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server[Symbol.asyncDispose]()));
});

interface World {
  readonly server: string;
  readonly lookup?: LookupFunction;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly env?: Record<string, string>;
  readonly tls?: { readonly cert: string; readonly key: string };
}

function fetchFrom({ server, env = {}, ...options }: World) {
  return openAuthFetch({ label: 'Server "db"', env, cwd: '.', server: new URL(server), ...options });
}

async function checkFailure(
  asked: Promise<unknown>,
  { message, isTransient = false }: { message: RegExp; isTransient?: boolean },
): Promise<void> {
  const error = (await asked.catch((cause: unknown) => cause)) as HostError;
  expect(error.message).toMatch(message);
  expect(error.code).toBe('sign-in-failed');
  expect(error.detail).toEqual({ kind: 'oauth', isTransient });
}

/** A lookup that resolves these names as given, and every other name to 127.0.0.1. */
function resolving(addresses: Record<string, string>): LookupFunction {
  return (hostname, options, callback) => {
    const address = addresses[hostname] ?? '127.0.0.1';
    if (options.all === true) callback(null, [{ address, family: 4 }]);
    else callback(null, address, 4);
  };
}

test('certificates are for the server itself, and its authorization server is not shown them', async () => {
  const [own, other] = [await scripted({ '/a': { json: 1 } }), await scripted({ '/a': { json: 2 } })];
  const ask = fetchFrom({ server: own.origin, tls: { cert: 'no-such.pem', key: 'no-such.pem' } });
  await checkFailure(ask(`${own.origin}/a`), { message: /no-such\.pem/ });
  expect(await (await ask(`${other.origin}/a`)).json()).toBe(2);
});

test('an answer comes with its status, its text and the headers that mean something', async () => {
  const { origin, received } = await scripted({
    '/token': (_, response) => void response.writeHead(400, { 'dpop-nonce': 'n', 'x-other': '1' }).end('{"error":"x"}'),
  });
  const form = new URLSearchParams({ a: 'b c' });
  const headers = { 'x-own': '2' };
  const response = await fetchFrom({ server: origin })(`${origin}/token?q=1`, { method: 'POST', body: form, headers });
  expect([response.status, response.headers.get('dpop-nonce'), await response.json()]).toEqual([
    400,
    'n',
    { error: 'x' },
  ]);
  expect(received[0]).toMatchObject({ method: 'POST', path: '/token?q=1', body: 'a=b+c' });
  expect(received[0]?.headers).toMatchObject({ accept: 'application/json', 'x-own': '2' });
});

test('four megabytes of metadata are not read', async () => {
  const { origin } = await scripted({
    '/huge': (_, response) => void response.end('x'.repeat(4_000_000)),
  });
  await checkFailure(fetchFrom({ server: origin })(`${origin}/huge`), { message: /more than 1048576 bytes/ });
});

test('a redirect is followed within its origin only, and not for ever', async () => {
  const other = await scripted({ '/there': { json: { stolen: true } } });
  const { origin } = await scripted({
    '/near': { status: 302, headers: { location: '/here' } },
    '/here': { json: { ok: 1 } },
    '/far': { status: 302, headers: { location: `${other.origin}/there` } },
    '/round': { status: 301, headers: { location: '/round' } },
    '/file': { status: 301, headers: { location: 'file:///etc/passwd' } },
  });
  const fetch = fetchFrom({ server: origin });
  expect(await (await fetch(`${origin}/near`)).json()).toEqual({ ok: 1 });
  await checkFailure(fetch(`${origin}/far`), { message: /redirects to another origin/ });
  await checkFailure(fetch(`${origin}/round`), { message: /redirects more than 5 times/ });
  await checkFailure(fetch(`${origin}/file`), { message: /another origin/ });
  expect(other.received).toEqual([]);
});

test.each([302, 307, 308])('a form is never sent on to where a redirect %i leads', async (status) => {
  const { origin, received } = await scripted({ '/token': { status, headers: { location: '/elsewhere' } } });
  const asked = fetchFrom({ server: origin })(`${origin}/token`, { method: 'POST', body: 'refresh_token=r' });
  await checkFailure(asked, { message: /redirect \(HTTP \d+\), which Plugboard does not follow/ });
  expect(received).toHaveLength(1);
});

test.each<readonly [string, string, 'GET' | 'POST', RegExp]>([
  ['https://mcp.example/mcp', 'http://127.0.0.1:8080/x', 'GET', /loopback/],
  ['https://mcp.example/mcp', 'http://10.0.0.1/x', 'GET', /private/],
  ['https://mcp.example/mcp', 'http://169.254.169.254/latest', 'GET', /link-local/],
  ['https://mcp.example/mcp', 'http://evil.test/token', 'POST', /https/],
  ['http://127.0.0.1:1/mcp', 'http://evil.test/token', 'POST', /https/],
  ['http://127.0.0.1:1/mcp', 'file:///etc/passwd', 'GET', /only http, https/],
  ['https://mcp.example/mcp', 'https://mcp.example:22/x', 'GET', /Port 22/],
  ['https://mcp.example/mcp', 'https://user@mcp.example/x', 'GET', /user name/],
])('from %s nobody is led to %s', async (server, url, method, message) => {
  await checkFailure(fetchFrom({ server })(url, { method }), { message });
});

test('a name of a public server that leads into this machine is refused, whatever it is called', async () => {
  const { origin, received } = await scripted({ '/x': { json: {} } });
  const { port } = new URL(origin);
  const lookup = resolving({ 'mcp.example': '93.184.215.14', 'auth.example': '127.0.0.1' });
  const asked = fetchFrom({ server: 'https://mcp.example/mcp', lookup })(`https://auth.example:${port}/x`);
  await checkFailure(asked, { message: /auth\.example resolves to 127\.0\.0\.1/ });
  expect(received).toEqual([]);
});

test('the same name is asked when the server is on this machine itself', async () => {
  const { origin } = await scripted({ '/x': { json: { here: true } } });
  const { port } = new URL(origin);
  const lookup = resolving({ 'mcp.test': '127.0.0.1', 'auth.localhost': '127.0.0.1' });
  const fetch = fetchFrom({ server: origin, lookup });
  expect(await (await fetch(`http://auth.localhost:${port}/x`)).json()).toEqual({ here: true });
});

test('a connection that fails, breaks or takes too long may go well a moment later', async () => {
  const { origin } = await scripted({
    '/reset': (_, response) => void response.socket?.destroy(),
    '/half': (_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"a":', () => response.socket?.destroy());
    },
    '/slow': () => undefined,
    '/trickle': (_, response) => void response.writeHead(200).write('{'),
  });
  const fetch = fetchFrom({ server: origin });
  const hasty = fetchFrom({ server: origin, timeoutMs: 50 });
  await checkFailure(fetch(`${origin}/reset`), { message: /closed the connection/, isTransient: true });
  await checkFailure(fetch(`${origin}/half`), { message: /closed|broke off/, isTransient: true });
  await checkFailure(hasty(`${origin}/slow`), { message: /within 50 ms/, isTransient: true });
  await checkFailure(hasty(`${origin}/trickle`), { message: /within 50 ms/, isTransient: true });
  await servers.pop()?.[Symbol.asyncDispose]();
  await checkFailure(fetch(`${origin}/gone`), { message: /sign-in at 127\.0\.0\.1:\d+/, isTransient: true });
});

test('somebody who does not want to wait any more does not', async () => {
  const control = new AbortController();
  const { origin } = await scripted({ '/slow': () => control.abort() });
  const asked = fetchFrom({ server: origin, signal: control.signal })(`${origin}/slow`);
  await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
});

test('a proxy of the environment is used, and asks for addresses itself', async () => {
  const { origin, received } = await scripted({ '/x': { json: { through: 'proxy' } } });
  const fetch = fetchFrom({ server: 'http://mcp.example/mcp', env: { http_proxy: origin } });
  expect(await (await fetch('http://mcp.example/x')).json()).toEqual({ through: 'proxy' });
  expect(received[0]?.path).toBe('http://mcp.example/x');
});
