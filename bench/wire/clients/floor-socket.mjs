// The second reference over HTTP: a bare socket that knows of HTTP/1.1 only what this bench's server sends.
import { connect } from 'node:net';
import { HTTP_HEADERS, INITIALIZE, INITIALIZED } from './handshake.mjs';

export async function open({ server }) {
  const { host, hostname, port, pathname } = new URL(server.url);
  const headers = Object.entries(HTTP_HEADERS).map(([name, value]) => `${name}: ${value}\r\n`);
  const start = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\n${headers.join('')}Content-Length: `;
  const free = [];
  let lastId = 0;

  await request('initialize', INITIALIZE);
  await post(INITIALIZED);
  return { call: (name, input) => request('tools/call', { name, arguments: input }) };

  async function request(method, params) {
    const { result, error } = JSON.parse(await post({ jsonrpc: '2.0', id: ++lastId, method, params }));
    if (error !== undefined) throw new Error(error.message);
    return result;
  }

  function post(message) {
    const body = JSON.stringify(message);
    const line = free.pop() ?? openLine({ hostname, port, release: (one) => free.push(one) });
    return line.exchange(`${start}${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }
}

/** One socket, one request at a time. */
function openLine({ hostname, port, release }) {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let waiting;
  let pieces = [];
  let missing = -1;
  const line = {
    exchange: (text) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(text);
      }),
  };
  socket.on('error', (error) => waiting?.reject(error));
  socket.on('data', (chunk) => {
    let body = chunk;
    if (missing === -1) {
      const end = chunk.indexOf('\r\n\r\n');
      missing = Number(/\r\nContent-Length: (\d+)/u.exec(chunk.latin1Slice(0, end))[1]);
      body = chunk.subarray(end + 4);
    }
    pieces.push(body);
    missing -= body.length;
    if (missing > 0) return;
    const text = (pieces.length === 1 ? body : Buffer.concat(pieces)).toString();
    pieces = [];
    missing = -1;
    release(line);
    waiting.resolve(text);
  });
  return line;
}
