// @modelcontextprotocol/sdk, as its users use it.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { makeOpen } from './official.mjs';

export const open = makeOpen({
  Client,
  transports: {
    stdio: async () => (await import('@modelcontextprotocol/sdk/client/stdio.js')).StdioClientTransport,
    http: async () =>
      (await import('@modelcontextprotocol/sdk/client/streamableHttp.js')).StreamableHTTPClientTransport,
    sse: async () => (await import('@modelcontextprotocol/sdk/client/sse.js')).SSEClientTransport,
    ws: async () => (await import('@modelcontextprotocol/sdk/client/websocket.js')).WebSocketClientTransport,
    'in-process': async () => (await import('@modelcontextprotocol/sdk/inMemory.js')).InMemoryTransport,
  },
});
