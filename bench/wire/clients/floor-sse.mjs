// The floor over HTTP+SSE: undici's dispatch for the stream and for each POST, a small parser of events, JSON.parse, a
// Map of promises.
import { Pool } from 'undici';
import { cutEvents } from './events.mjs';
import { greet, headersOf } from './handshake.mjs';
import { makePending } from './pending.mjs';

export async function open({ era, server }) {
  const { origin, pathname } = new URL(server.url);
  const pool = new Pool(origin, { connections: server.connections + 1 });
  const pending = makePending();
  const toHeaders = headersOf(era);
  const path = await new Promise((found) => {
    const take = cutEvents((data, name) => (name === 'endpoint' ? found(data) : pending.answer(JSON.parse(data))));
    const headers = { accept: 'text/event-stream' };
    pool.dispatch(
      { path: pathname, method: 'GET', headers, bodyTimeout: 0 },
      { ...sent, onData: (chunk) => (take(chunk), true) },
    );
  });
  const request = (method, params) => pending.ask((id) => post({ jsonrpc: '2.0', id, method, params }));
  return greet({ era, request, notify: post });

  function post(message) {
    pool.dispatch({ path, method: 'POST', headers: toHeaders(message), body: JSON.stringify(message) }, sent);
  }
}

/** Ignores the response to a POST; a failure ends the bench. */
const sent = {
  onConnect() {},
  onHeaders(status) {
    if (status < 300) return true;
    throw new Error(`HTTP ${status}`);
  },
  onData: () => true,
  onComplete() {},
  onError(error) {
    throw error;
  },
};
