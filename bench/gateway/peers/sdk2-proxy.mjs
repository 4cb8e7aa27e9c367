// A proxy as the official SDK's second generation makes it: `sdk2-proxy.mjs PORT (URL | COMMAND ARG...)`.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { Server } from '@modelcontextprotocol/server';

const [port, target, ...args] = process.argv.slice(2);
const client = new Client({ name: 'proxy', version: '1' });
await client.connect(
  target.startsWith('http')
    ? new StreamableHTTPClientTransport(new URL(target))
    : new StdioClientTransport({ command: target, args }),
);

function build() {
  const server = new Server({ name: 'proxy', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', ({ params }) => client.listTools(params));
  server.setRequestHandler('tools/call', ({ params }) => client.callTool(params));
  return server;
}

const sessions = new Map();
async function handle(request, response) {
  const known = sessions.get(request.headers['mcp-session-id']);
  if (known) return known.handleRequest(request, response);
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await build().connect(transport);
  return transport.handleRequest(request, response);
}

createServer((request, response) => void handle(request, response)).listen(Number(port), '127.0.0.1');
