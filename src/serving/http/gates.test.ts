import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { checkHead, corsHeaders, preflightHeaders, toAllowedPlaces } from './gates.js';

const loopback = toAllowedPlaces({});
const company = toAllowedPlaces({
  publicUrl: 'https://mcp.example.com/mcp',
  hosts: ['Internal.Example.com', 'other.example.com:8443'],
  origins: ['https://app.example.com/', 'vscode-webview://abc123'],
});
const check = (head: Record<string, string>, allowed = loopback, url = '/mcp'): number =>
  checkHead({ url, rawHeaders: Object.entries(head).flat() }, allowed)?.status ?? 200;

test.each([
  ['localhost', 200],
  ['localhost:8080', 200],
  ['127.0.0.1:65535', 200],
  ['[::1]', 200],
  ['[::1]:8080', 200],
  ['localhost.', 403],
  ['localhost.:8080', 403],
  ['LOCALHOST:8080', 403],
  ['127.0.0.1.nip.io', 403],
  ['evil.test', 403],
  ['evil.test:8080', 403],
  ['localhost.evil.test', 403],
  ['localhost:evil.test', 403],
  ['user@localhost', 403],
  ['localhost@evil.test', 403],
  ['localhost:80@evil.test', 403],
  ['localhost, evil.test', 403],
  ['localhost/', 403],
  ['localhost:', 403],
  ['localhost:65536', 403],
  ['localhost:123456', 403],
  ['localhost\t', 403],
  ['[::1', 403],
  ['[::1%25lo]', 403],
  ['0.0.0.0', 403],
  ['127.1', 403],
  ['2130706433', 403],
  ['mcp.example.com', 403],
  ['', 400],
])('on loopback Host %j is answered with %i', (host, status) => expect(check({ Host: host })).toBe(status));

test.each([
  ['mcp.example.com', 200],
  ['MCP.example.com', 200],
  ['mcp.example.com:8443', 200],
  ['internal.example.com:1234', 200],
  ['other.example.com:8443', 200],
  ['other.example.com:8444', 403],
  ['other.example.com', 403],
  ['example.com', 403],
  ['evil.mcp.example.com', 403],
  ['mcp.example.com.', 403],
  ['localhost:8080', 200],
])('where others are named too Host %j is answered with %i', (host, status) =>
  expect(check({ Host: host }, company)).toBe(status),
);

test.each([
  ['http://localhost:8080', 200],
  ['http://localhost:3000', 403],
  ['https://localhost:8080', 403],
  ['http://localhost:8080.evil.test', 403],
  ['http://localhost', 403],
  ['https://evil.test', 403],
  ['null', 403],
  ['', 403],
  ['https://app.example.com', 403],
])('a page of %j is answered with %i', (origin, status) =>
  expect(check({ host: 'localhost:8080', origin })).toBe(status),
);

test.each([
  ['https://mcp.example.com', 200],
  ['https://app.example.com', 200],
  ['vscode-webview://abc123', 200],
  ['vscode-webview://abc', 403],
  ['https://app.example.com.evil.test', 403],
  ['http://app.example.com', 403],
  ['HTTPS://app.example.com', 403],
])('where origins are named a page of %j is answered with %i', (origin, status) =>
  expect(check({ HOST: 'mcp.example.com', ORIGIN: origin }, company)).toBe(status),
);

test('a second Host, a second Origin, no Host and a whole URL are refused', () => {
  const refusals = [
    { rawHeaders: ['Host', 'localhost', 'hOST', 'localhost'], url: '/mcp' },
    { rawHeaders: ['Host', 'localhost', 'Origin', 'http://localhost', 'origin', 'https://evil.test'], url: '/mcp' },
    { rawHeaders: ['Accept', '*/*'], url: '/mcp' },
    { rawHeaders: ['Host', 'localhost'], url: 'http://evil.test/mcp' },
  ].map((head) => checkHead(head, loopback)?.status);
  expect(refusals).toEqual([400, 400, 400, 400]);
});

test('a page of an allowed origin may read the answer, and none is told that all may', () => {
  const rawHeaders = ['Host', 'mcp.example.com', 'Origin', 'https://app.example.com'];
  const cors = corsHeaders({ rawHeaders });
  expect(cors).toContain('https://app.example.com');
  expect(cors.join(' ')).toContain('Mcp-Session-Id, WWW-Authenticate');
  const asked = [
    'Access-Control-Request-Method',
    'POST',
    'Access-Control-Request-Headers',
    'content-type, Mcp-Param-Region,x-evil, mcp-param-a\tb',
  ];
  const preflight = preflightHeaders({ method: 'OPTIONS', rawHeaders: [...rawHeaders, ...asked] })!.join('\n');
  expect(preflight).toContain('Mcp-Name, Plugboard-Session, mcp-param-region\n');
  expect(preflight + cors.join('\n')).not.toMatch(/\*|x-evil/u);
});

test('a request that no page makes gets no such headers, and no preflight is seen in it', () => {
  expect(corsHeaders({ rawHeaders: ['Host', 'localhost'] })).toEqual([]);
  expect(preflightHeaders({ method: 'OPTIONS', rawHeaders: ['Host', 'localhost'] })).toBeUndefined();
  expect(preflightHeaders({ method: 'POST', rawHeaders: ['Origin', 'http://localhost'] })).toBeUndefined();
});

test.each([['*'], ['null'], ['https://*.example.com'], ['https://app.example.com/path'], ['app.example.com'], ['']])(
  'a setting cannot allow the origin %j',
  (origin) => expect(() => toAllowedPlaces({ origins: [origin] })).toThrow(/no origin/u),
);

test.each([['*'], ['http://mcp.example.com'], ['a b'], ['']])('a setting cannot allow the host %j', (host) =>
  expect(() => toAllowedPlaces({ hosts: [host] })).toThrow(/no host/u),
);

test('a public URL has to be one', () => {
  for (const publicUrl of ['mcp.example.com', 'ftp://mcp.example.com', 'https://user@mcp.example.com'])
    expect(() => toAllowedPlaces({ publicUrl })).toThrow(/public URL/u);
});

let server: Server | undefined;
afterEach(() => void server?.close());

test('a request as it comes through a socket is judged by all of its headers', async () => {
  server = createServer((request, response) => {
    const refusal = checkHead(request, loopback);
    response.writeHead(refusal?.status ?? 200, { connection: 'close' }).end(refusal?.message);
  });
  await new Promise<void>((resolve) => void server!.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const ask = (lines: readonly string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      let text = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`));
      socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
      socket.on('error', reject).on('close', () => resolve(text.slice(9, 12)));
    });
  expect(await ask(['GET /mcp HTTP/1.1', `Host: localhost:${port}`])).toBe('200');
  expect(await ask(['GET /mcp HTTP/1.1', 'Host: localhost', 'Host: evil.test'])).toBe('400');
  expect(await ask(['GET /mcp HTTP/1.1', 'Host: evil.test', 'Host: localhost'])).toBe('400');
  expect(await ask(['GET http://evil.test/mcp HTTP/1.1', 'Host: localhost'])).toBe('400');
  expect(await ask(['GET /mcp HTTP/1.1'])).toBe('400');
  expect(await ask(['GET /mcp HTTP/1.0'])).toBe('400');
});
