// What the hand-written clients say first, and what they send with every HTTP request because the protocol wants it.
const VERSION = '2025-11-25';

export const INITIALIZE = {
  protocolVersion: VERSION,
  capabilities: {},
  clientInfo: { name: 'bench', version: '1.0.0' },
};
export const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };
export const HTTP_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': VERSION,
  'mcp-session-id': 'bench',
};
