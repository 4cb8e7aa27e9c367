// The second reference over HTTP+SSE: bare sockets, one for the stream and as many as needed for POSTs.
import { cutEvents } from './events.mjs';
import { greet, headersOf } from './handshake.mjs';
import { makePending } from './pending.mjs';
import { makeExchange, openStream, startOf } from './socket.mjs';

export async function open({ era, server }) {
  const { host, hostname, port, pathname } = new URL(server.url);
  const pending = makePending();
  const path = await new Promise((found) => {
    const take = cutEvents((data, name) => (name === 'endpoint' ? found(data) : pending.answer(JSON.parse(data))));
    openStream({ hostname, port, host, path: pathname, take });
  });
  const start = startOf({ host, path, headers: headersOf(era)() });
  const exchange = makeExchange({ hostname, port });
  const request = (method, params) => pending.ask((id) => void post({ jsonrpc: '2.0', id, method, params }));
  return greet({ era, request, notify: post });

  function post(message) {
    const body = JSON.stringify(message);
    return exchange(`${start}${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }
}
