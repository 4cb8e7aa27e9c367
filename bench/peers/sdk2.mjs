// @modelcontextprotocol/client, as its users use it.
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { makeOpen } from './official.mjs';

export const open = makeOpen({
  Client,
  transports: {
    stdio: async () => (await import('@modelcontextprotocol/client/stdio')).StdioClientTransport,
    http: async () => StreamableHTTPClientTransport,
    'in-process': async () => InMemoryTransport,
  },
});
