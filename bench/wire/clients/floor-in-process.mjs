// The floor in one process: objects that are handed over, each through a microtask, and a Map of promises.
import { echo } from '../servers/in-process.mjs';

export async function open() {
  const pending = new Map();
  let lastId = 0;
  return { call: (name, input) => request('tools/call', { name, arguments: input }) };

  function request(method, params) {
    const id = ++lastId;
    return new Promise((resolve) => {
      pending.set(id, resolve);
      queueMicrotask(() => serve({ jsonrpc: '2.0', id, method, params }));
    });
  }

  function serve(message) {
    const answer = { jsonrpc: '2.0', id: message.id, result: echo(message.params) };
    queueMicrotask(() => take(answer));
  }

  function take(answer) {
    const resolve = pending.get(answer.id);
    pending.delete(answer.id);
    resolve(answer.result);
  }
}
