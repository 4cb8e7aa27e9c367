// The second reference over HTTP: a bare socket that supports only the HTTP/1.1 that this bench's server sends.
import { greet, headersOf } from './handshake.mjs';
import { makeExchange, startOf } from './socket.mjs';

export async function open({ era, server }) {
  const { host, hostname, port, pathname: path } = new URL(server.url);
  const start = startOf({ host, path, headers: headersOf(era)() });
  const exchange = makeExchange({ hostname, port });
  let lastId = 0;
  return greet({ era, request, notify: post });

  async function request(method, params) {
    const { result, error } = JSON.parse(await post({ jsonrpc: '2.0', id: ++lastId, method, params }));
    if (error !== undefined) throw new Error(error.message);
    return result;
  }

  function post(message) {
    const body = JSON.stringify(message);
    return exchange(`${start}${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }
}
