// The handshake of the hand-written clients, and what the protocol requires with every request.
const LEGACY = '2025-11-25';
const MODERN = '2026-07-28';
const client = { name: 'plugboard', version: '0.1.0' };
const HTTP_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
/** Byte for byte what Plugboard sends in the `_meta` of a modern request. */
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': client,
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
};

/** Does the handshake and returns the client's `call`. `request` resolves with the result. */
export async function greet({ era, request, notify }) {
  if (era === 'modern') {
    await request('server/discover', { _meta: ENVELOPE });
    return { call: (name, input) => request('tools/call', { name, arguments: input, _meta: ENVELOPE }) };
  }
  await request('initialize', { protocolVersion: LEGACY, capabilities: {}, clientInfo: client });
  await notify({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return { call: (name, input) => request('tools/call', { name, arguments: input }) };
}

/** Returns a function from a message to the headers of its POST. */
export function headersOf(era) {
  if (era === 'modern') {
    const headers = { ...HTTP_HEADERS, 'mcp-protocol-version': MODERN };
    return ({ method, params }) => ({ ...headers, 'mcp-method': method, 'mcp-name': params.name ?? method });
  }
  const headers = { ...HTTP_HEADERS, 'mcp-protocol-version': LEGACY, 'mcp-session-id': 'bench' };
  return () => headers;
}
