// The floor over WebSocket: a bare `ws`, JSON.parse and a Map of promises.
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { greet } from './handshake.mjs';
import { makePending } from './pending.mjs';

export async function open({ era, server }) {
  const socket = new WebSocket(server.url, 'mcp');
  const pending = makePending();
  await once(socket, 'open');
  socket.on('message', (bytes) => pending.answer(JSON.parse(bytes.utf8Slice())));
  const request = (method, params) => pending.ask((id) => write({ jsonrpc: '2.0', id, method, params }));
  return greet({ era, request, notify: write });

  function write(message) {
    socket.send(JSON.stringify(message));
  }
}
