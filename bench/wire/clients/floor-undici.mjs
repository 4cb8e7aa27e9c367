// The floor over HTTP: undici's dispatch and JSON.parse. The handler's methods have undici's internal names; undici
// translates the documented ones, which costs more.
import { Pool } from 'undici';
import { greet, headersOf } from './handshake.mjs';

export async function open({ era, server }) {
  const { origin, pathname: path } = new URL(server.url);
  const pool = new Pool(origin, { connections: server.connections });
  const toHeaders = headersOf(era);
  let lastId = 0;
  return greet({ era, request, notify: post });

  async function request(method, params) {
    const { result, error } = JSON.parse(await post({ jsonrpc: '2.0', id: ++lastId, method, params }));
    if (error !== undefined) throw new Error(error.message);
    return result;
  }

  function post(message) {
    return new Promise((resolve, reject) => {
      const pieces = [];
      const body = JSON.stringify(message);
      pool.dispatch(
        { path, method: 'POST', headers: toHeaders(message), body },
        {
          onConnect() {},
          onHeaders: (status) => status < 300 || reject(new Error(`HTTP ${status}`)),
          onData: (chunk) => pieces.push(chunk) > 0,
          onComplete: () => resolve((pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)).toString()),
          onError: reject,
        },
      );
    });
  }
}
