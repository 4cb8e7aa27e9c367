// @modelcontextprotocol/client, as its users use it.
import {
  Client,
  InMemoryTransport,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { makeOpen } from './official.mjs';

export const open = makeOpen({
  Client,
  transports: {
    stdio: async () => (await import('@modelcontextprotocol/client/stdio')).StdioClientTransport,
    http: async () => StreamableHTTPClientTransport,
    sse: async () => SSEClientTransport,
    'in-process': async () => InMemoryTransport,
  },
});
