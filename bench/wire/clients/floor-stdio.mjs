// The floor over stdio: the simplest good client that can be written by hand. A list of pieces that is joined once per
// line, JSON.parse, a Map of promises, a write per call. No bounds, no checks, no deadlines.
import { spawn } from 'node:child_process';
import { INITIALIZE, INITIALIZED } from './handshake.mjs';

export async function open({ server }) {
  const child = spawn(server.command, server.args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const pending = new Map();
  let pieces = [];
  let lastId = 0;

  child.stdout.on('data', (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      if (pieces.length === 0) {
        take(chunk.utf8Slice(start, end));
      } else {
        pieces.push(chunk.subarray(start, end));
        const line = Buffer.concat(pieces);
        pieces = [];
        take(line.utf8Slice(0, line.length));
      }
      start = end + 1;
    }
    if (start < chunk.length) pieces.push(start === 0 ? chunk : chunk.subarray(start));
  });

  await request('initialize', INITIALIZE);
  child.stdin.write(`${JSON.stringify(INITIALIZED)}\n`);
  return { call: (name, input) => request('tools/call', { name, arguments: input }) };

  function request(method, params) {
    const id = ++lastId;
    return new Promise((resolve, reject) => {
      pending.set(id, { resolve, reject });
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  }

  function take(line) {
    const message = JSON.parse(line);
    const waiting = pending.get(message.id);
    if (waiting === undefined) return;
    pending.delete(message.id);
    if (message.error === undefined) waiting.resolve(message.result);
    else waiting.reject(new Error(message.error.message));
  }
}
