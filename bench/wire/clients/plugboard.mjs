// Plugboard itself, the way its own commands call a tool.
import { join } from 'node:path';
import { echo } from '../servers/in-process.mjs';

const entries = {
  stdio: ({ command, args }) => ({ command, args }),
  http: ({ url }) => ({ type: 'http', url }),
  'in-process': () => ({ type: 'in-process', name: 'bench' }),
};

export async function open({ transport, server, variant, lib, folder }) {
  const [{ Dock }, { callTool }, { parseEntry }] = await Promise.all(
    ['connection/dock.js', 'connection/call-tool.js', 'transports/kinds.js'].map((file) => import(`${lib}/${file}`)),
  );
  const { env, platform } = process;
  const state = variant === 'spill' ? join(folder, 'state') : undefined;
  const dock = new Dock({ env, platform, cwd: folder, state, embedded: new Map([['bench', { connect: serve }]]) });
  const { config } = parseEntry(entries[transport](server));
  const connection = await dock.connect({ name: 'bench', config });
  const { spill } = dock;
  const call =
    spill === undefined
      ? (tool, input) => callTool(connection, { tool, input })
      : (tool, input) => callTool(connection, { tool, input }, { spill });
  return { call, sizeOf: ({ content: [{ text }], saved: [file] }) => file?.bytes ?? text.length };
}

function serve(end) {
  Object.assign(end, { onmessage: answer });

  function answer({ id, method, params }) {
    if (id === undefined) return;
    void end.send({ jsonrpc: '2.0', id, result: method === 'initialize' ? agree(params) : echo(params) });
  }
}

function agree({ protocolVersion }) {
  return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'bench', version: '1.0.0' } };
}
