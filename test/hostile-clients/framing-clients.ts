import { modernBody, modernHeaders, ping } from './messages.js';
import { bytesOf, converse, openSocket, type RawRequest, statusesOf, statusOf, textUntil } from './raw-socket.js';
import { type HostileClient, nextTurn, type Scene } from './scene.js';

/** A request that must be refused with this status; 0: the connection is closed. */
function refused(
  does: string,
  status: number,
  request: RawRequest | string | ((scene: Scene) => RawRequest),
): HostileClient {
  return {
    does,
    sees: status,
    attack: (scene) => statusOf(scene.port, typeof request === 'function' ? request(scene) : request),
  };
}

const chunked = (chunks: string): RawRequest => ({ headers: ['Transfer-Encoding: chunked'], body: chunks });
const healthz = 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n';

/** Clients that break HTTP, and are refused whatever is served. */
export const refusedClients: readonly HostileClient[] = [
  refused('smuggles by Content-Length and Transfer-Encoding', 400, {
    headers: ['Content-Length: 6', 'Transfer-Encoding: chunked'],
    body: '0\r\n\r\nGET /mcp HTTP/1.1\r\n\r\n',
  }),
  refused('smuggles by two Content-Lengths', 400, { headers: ['Content-Length: 2', 'Content-Length: 40'], body: '{}' }),
  refused('has a negative Content-Length', 400, { headers: ['Content-Length: -1'] }),
  refused('encodes the body twice', 400, { headers: ['Transfer-Encoding: chunked, identity'], body: '0\r\n\r\n' }),
  refused('writes a transfer encoding that is none', 400, {
    headers: ['Transfer-Encoding: xchunked'],
    body: '0\r\n\r\n',
  }),
  refused('writes a blank before a colon', 400, `${healthz}Content-Length : 0\r\n\r\n`),
  refused('writes NUL into a header', 400, `${healthz}X-A: a\0b\r\n\r\n`),
  refused('writes a carriage return into a header', 400, `${healthz}X-A: a\rX-B: b\r\n\r\n`),
  refused('begins with a folded line', 400, 'GET /healthz HTTP/1.1\r\n Host: 127.0.0.1\r\n\r\n'),
  refused('has no Host', 400, 'GET /mcp HTTP/1.1\r\nConnection: close\r\n\r\n'),
  refused('has two Hosts', 400, { headers: ['Host: 127.0.0.1', 'Host: evil.test'] }),
  refused('speaks HTTP/1.0 without a Host', 400, 'POST /mcp HTTP/1.0\r\nContent-Length: 0\r\n\r\n'),
  refused('speaks HTTP/0.9', 400, 'GET /mcp\r\n\r\n'),
  refused('speaks HTTP/2', 400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  refused('speaks TLS', 400, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'),
  refused('names a whole URL', 400, { target: 'http://127.0.0.1/mcp', body: ping() }),
  refused('asks for a tunnel', 0, 'CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'),
  ...['HEAD', 'PUT', 'PATCH', 'TRACE', 'PROPFIND'].map((method) => refused(`sends ${method}`, 405, { method })),
  refused('asks for a WebSocket', 405, {
    method: 'GET',
    headers: ['Upgrade: websocket', 'Connection: Upgrade, close', 'Sec-WebSocket-Version: 13'],
  }),
  refused('has another Host', 403, { headers: ['Host: evil.test'], body: ping() }),
  ...['https://evil.test', 'null', 'http://127.0.0.1.nip.io'].map((origin) =>
    refused(`has the Origin ${origin}`, 403, { headers: [`Origin: ${origin}`], body: ping() }),
  ),
  ...['localhost.', '127.0.0.1.nip.io', '127.0.0.1@evil.test', '127.1', '[::1', '127.0.0.1:99999'].map((host) =>
    refused(`has the Host ${host}`, 403, { headers: [`Host: ${host}`], body: ping() }),
  ),
  refused('posts what needs no preflight', 415, { headers: ['Content-Type: text/plain'], body: ping() }),
  refused('writes 15,000 blanks into its type', 415, {
    headers: [`Content-Type: application/json;charset=utf8${' '.repeat(15_000)}x`],
    body: ping(),
  }),
  refused('names two types', 415, { headers: ['Content-Type: application/json', 'Content-Type: text/plain'] }),
  refused('sends a preflight for another page', 403, {
    method: 'OPTIONS',
    headers: ['Origin: https://evil.test', 'Access-Control-Request-Method: POST'],
  }),
  refused('sends a bomb in gzip', 415, { headers: ['Content-Encoding: gzip'], body: 'x' }),
  refused('announces 100 MB', 413, { headers: ['Content-Length: 100000000'] }),
  refused('takes nothing that is sent', 406, { headers: ['Accept: text/html'], body: ping() }),
  refused('sends 110 headers', 431, { headers: Array.from({ length: 110 }, (_, at) => `X-${at}: 1`) }),
  refused('sends 10,000 headers', 431, { headers: Array.from({ length: 10_000 }, (_, at) => `X-${at}: 1`) }),
  refused('sends a header of 100 KB', 431, { headers: [`X-A: ${'x'.repeat(100_000)}`] }),
  refused('sends a path of 100 KB', 431, { target: `/${'x'.repeat(100_000)}` }),
  refused('expects what nobody knows', 417, { headers: ['Expect: nonsense'] }),
  refused('sends a chunk with a length beyond all bounds', 400, chunked('FFFFFFFFFFFFFFFFFF\r\nx')),
  refused('hides megabytes in the extensions of chunks', 400, chunked(`1;${'x'.repeat(200_000)}\r\nx\r\n0\r\n\r\n`)),
  refused('hides headers in trailers', 431, chunked(`2\r\n{}\r\n0\r\n${'X-A: x\r\n'.repeat(20_000)}\r\n`)),
  refused('sends a body by GET', 405, { method: 'GET', body: ping() }),
  ...['/mcp/../mcp', '/%6dcp', '//mcp', '/mcp%00', '/mcp/%2e%2e/etc/passwd', '/MCP', '/__proto__', '/mcp;x'].map(
    (target) => refused(`asks for ${target}`, 404, { target, body: ping() }),
  ),
];

/** Clients that use HTTP in a way that no client of MCP does. */
export const framingClients: readonly HostileClient[] = [
  {
    does: 'asks for a thousand paths',
    sees: [404],
    attack: async ({ port }) => {
      const text = await converse(
        port,
        Buffer.concat(
          Array.from({ length: 90 }, (_, at) =>
            bytesOf({ method: 'GET', target: `/mcp/${at}`, headers: at < 89 ? ['Connection: keep-alive'] : [] }),
          ),
        ),
      );
      return [...new Set(statusesOf(text))];
    },
  },
  {
    does: 'sends 100 MB in chunks',
    sees: 413,
    attack: async ({ port }) => {
      const socket = await openSocket(port);
      const answer = textUntil(socket, /\r\n\r\n/u);
      socket.write(bytesOf({ headers: ['Transfer-Encoding: chunked'] }));
      const chunk = Buffer.from(`${(1_000_000).toString(16)}\r\n${'x'.repeat(1_000_000)}\r\n`);
      for (let at = 0; at < 100 && !socket.destroyed; at++) {
        await new Promise<void>((resolve) => socket.write(chunk, () => resolve()));
      }
      const text = await answer;
      socket.destroy();
      return statusesOf(text)[0];
    },
  },
  {
    does: 'folds a header over two lines',
    sees: true,
    attack: async ({ port }) => {
      const text = await converse(port, `${healthz}X-A: a\r\n Host: evil.test\r\n\r\n`);
      // Whichever way it is read, the second line is no Host.
      return [200, 400].includes(statusesOf(text)[0]!);
    },
  },
  {
    does: 'sends requests before the answers to the earlier ones',
    sees: [200, 200, 200, 200, 200],
    attack: async ({ port }) => {
      const calls = [0, 1, 2, 3, 4].map((at) =>
        bytesOf({
          body: modernBody('echo', { id: at }),
          headers: [...modernHeaders('echo'), ...(at < 4 ? ['Connection: keep-alive'] : [])],
        }),
      );
      const text = await converse(port, Buffer.concat(calls));
      const ids = [...text.matchAll(/"id":(\d)/gu)].map(([, id]) => id).join('');
      return ids === '01234' ? statusesOf(text) : ids;
    },
  },
  {
    does: 'sends ten thousand requests without reading an answer',
    sees: [1, 'cancelled'],
    attack: async ({ port, endpoint }) => {
      const socket = await openSocket(port);
      const closed = textUntil(socket);
      const before = endpoint.requests.length;
      const given = { id: 1, arguments: { label: 'first' } };
      const call = bytesOf({
        body: modernBody('wait', given),
        headers: [...modernHeaders('wait'), 'Connection: keep-alive'],
      });
      for (let at = 0; at < 100; at++) socket.write(Buffer.concat(Array.from({ length: 100 }, () => call)));
      await closed;
      // Only the first was taken, and ends with the connection; of those behind nobody would ever hear.
      while (!endpoint.aborted.includes('first')) await nextTurn();
      const taken = endpoint.requests.slice(before).filter(({ params }) => params['name'] === 'wait').length;
      return [taken, 'cancelled'];
    },
  },
  {
    does: 'writes garbage while a call runs',
    sees: '',
    attack: async ({ port, endpoint }) => {
      const socket = await openSocket(port);
      const answer = textUntil(socket);
      const given = { id: 1, arguments: { label: 'g' } };
      socket.write(bytesOf({ body: modernBody('wait', given), headers: modernHeaders('wait') }));
      while (!endpoint.requests.some(({ params }) => params['name'] === 'wait')) await nextTurn();
      socket.write('\0\0\0\r\n\r\n');
      return answer;
    },
  },
  {
    does: 'closes its half of the connection',
    sees: true,
    attack: async ({ port }) => {
      const socket = await openSocket(port);
      const answer = textUntil(socket);
      socket.end(bytesOf({ body: modernBody('echo', { id: 1 }), headers: modernHeaders('echo') }));
      return [0, 200].includes(statusesOf(await answer)[0]!);
    },
  },
  {
    does: 'leaves in the middle of its body, a hundred times',
    sees: undefined,
    attack: async ({ port }) => {
      for (let at = 0; at < 100; at++) {
        const socket = await openSocket(port);
        socket.write(bytesOf({ headers: ['Content-Length: 1000'], body: '{"jsonrpc"' }));
        if (at % 2 === 0) socket.resetAndDestroy();
        else socket.destroy();
      }
    },
  },
  {
    does: 'speaks HTTP/1.0',
    sees: 200,
    attack: ({ port }) => statusOf(port, { version: 'HTTP/1.0', method: 'GET', target: '/healthz' }),
  },
  {
    does: 'asks for another protocol in the middle of a call',
    sees: 200,
    attack: ({ port }) =>
      statusOf(port, {
        headers: [...modernHeaders('echo'), 'Upgrade: h2c', 'Connection: Upgrade, HTTP2-Settings, close'],
        body: modernBody('echo', { id: 1 }),
      }),
  },
];
