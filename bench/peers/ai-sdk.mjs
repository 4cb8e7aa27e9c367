// @ai-sdk/mcp, as its users use it.
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';

export async function open({ transport, server }) {
  const client = await createMCPClient({
    transport:
      transport === 'http' || transport === 'sse' ? { type: transport, url: server.url } : new StdioTransport(server),
  });
  return {
    call: (name, input) => client.callTool({ name, arguments: input }),
    count: async () => Object.keys(await client.tools()).length,
  };
}
