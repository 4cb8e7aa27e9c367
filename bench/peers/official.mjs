// What the two official SDKs have in common.
import { echo } from '../wire/servers/in-process.mjs';

export function makeOpen({ Client, transports }) {
  return async function open({ transport: kind, era, server, variant }) {
    const Transport = await transports[kind]();
    const negotiation = era === 'modern' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {};
    const client = new Client({ name: 'bench', version: '1.0.0' }, negotiation);
    await client.connect(makeTransport({ Transport, kind, server, variant }));
    return {
      call: (name, input) => client.callTool({ name, arguments: input }),
      count: async () => (await client.listTools()).tools.length,
    };
  };
}

function makeTransport({ Transport, kind, server, variant }) {
  switch (kind) {
    case 'stdio': {
      const cap = variant === 'line cap raised' ? { maxBufferSize: 512 * 1024 * 1024 } : {};
      return new Transport({ ...server, ...cap });
    }
    case 'http':
    case 'sse':
    case 'ws':
      return new Transport(new URL(server.url));
    case 'in-process': {
      const [near, far] = Transport.createLinkedPair();
      Object.assign(far, { onmessage: (message) => void answer(far, message) });
      return near;
    }
    default:
      throw new Error(`no "${kind}"`);
  }
}

async function answer(far, { id, method, params }) {
  if (id === undefined) return;
  const result = method === 'initialize' ? agree(params) : echo(params);
  await far.send({ jsonrpc: '2.0', id, result });
}

function agree({ protocolVersion }) {
  return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'bench', version: '1.0.0' } };
}
