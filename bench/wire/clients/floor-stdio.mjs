// The floor over stdio: the simplest good client that can be written by hand. Chunks are joined once per line,
// JSON.parse, a Map of promises, a write per call. No bounds, no checks, no deadlines.
import { spawn } from 'node:child_process';
import { cutLines } from '../lines.mjs';
import { greet } from './handshake.mjs';
import { makePending } from './pending.mjs';

export async function open({ era, server }) {
  const child = spawn(server.command, server.args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const pending = makePending();
  child.stdout.on(
    'data',
    cutLines((line) => pending.answer(JSON.parse(line))),
  );
  const request = (method, params) => pending.ask((id) => write({ jsonrpc: '2.0', id, method, params }));
  return greet({ era, request, notify: write });

  function write(message) {
    child.stdin.write(`${JSON.stringify(message)}\n`);
  }
}
