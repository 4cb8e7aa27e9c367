// The floor for control envelopes, those of agent SDKs, written and read by hand on a pipe. A response is found by the
// id of its envelope.
import { spawn } from 'node:child_process';
import { cutLines } from '../lines.mjs';
import { greet } from './handshake.mjs';
import { makePending } from './pending.mjs';

export async function open({ era, server }) {
  const child = spawn(server.command, server.args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const pending = makePending();
  child.stdout.on(
    'data',
    cutLines((line) => {
      const { request_id: key, response } = JSON.parse(line).response;
      const { result, error } = response.mcp_response;
      pending.answer({ id: Number(key), result, error });
    }),
  );
  const request = (method, params) => pending.ask((id) => write(id, { jsonrpc: '2.0', id, method, params }));
  return greet({ era, request, notify: (message) => write('note', message) });

  function write(key, message) {
    const envelope = { subtype: 'mcp_message', server_name: 'bench', message };
    child.stdin.write(`${JSON.stringify({ type: 'control_request', request_id: String(key), request: envelope })}\n`);
  }
}
