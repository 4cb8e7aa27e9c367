// A modern server on the official SDK, whose notes change when one of its tools is called.
import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

let version = 1;
const tools = ['touch', 'grow'];

function build() {
  const capabilities = { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } };
  const server = new Server({ name: 'notes', version: '1.0' }, { capabilities });
  server.setRequestHandler('tools/list', () => ({
    tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })),
  }));
  server.setRequestHandler('resources/list', () => ({ resources: [{ uri: 'note:///a', name: 'a' }] }));
  server.setRequestHandler('resources/read', ({ params }) => ({
    contents: [{ uri: params.uri, text: `version ${version}` }],
    ttlMs: 60_000,
    cacheScope: 'private',
  }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    if (params.name === 'touch') {
      version++;
      await server.sendResourceUpdated({ uri: 'note:///a' });
      await server.sendResourceUpdated({ uri: 'note:///b' });
    } else {
      tools.push('another');
      await server.sendToolListChanged();
    }
    return { content: [] };
  });
  return server;
}

serveStdio(build, { legacy: 'reject' });
