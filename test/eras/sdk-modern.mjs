// The official SDK's modern server: on stdio, or over HTTP when PORT is set; prints the port when it listens.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const { PORT, LEGACY = 'reject' } = process.env;
const changes = {};
let extra = 0;

const tool = (name, properties = {}) => ({ name, inputSchema: { type: 'object', properties } });
const text = (words) => ({ content: [{ type: 'text', text: words }] });
const form = (message, properties) => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties } },
});

function build() {
  const capabilities = { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } };
  const server = new Server(
    { name: 'modern-fixture', version: '1.0' },
    { capabilities, instructions: 'Be kind.', cacheHints: { 'tools/list': { ttlMs: 60_000, cacheScope: 'public' } } },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: [
      tool('echo', { message: { type: 'string' } }),
      tool('region', { region: { type: 'string', 'x-mcp-header': 'Region' } }),
      tool('ask'),
      tool('count'),
      tool('grow'),
      ...Array.from({ length: extra }, (_, index) => tool(`extra-${index}`)),
    ],
  }));
  server.setRequestHandler('resources/list', () => ({ resources: [{ uri: 'note:///a', name: 'a' }] }));
  server.setRequestHandler('resources/read', ({ params }) => ({ contents: [{ uri: params.uri, text: 'note' }] }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const { name, arguments: input = {} } = params;
    switch (name) {
      case 'echo':
      case 'region':
        return text(JSON.stringify(input));
      case 'ask': {
        const { inputResponses } = context.mcpReq;
        const state = context.mcpReq.requestState?.();
        if (inputResponses?.who === undefined) {
          return {
            resultType: 'input_required',
            inputRequests: { who: form('Who?', { name: { type: 'string' } }) },
            requestState: STATE,
          };
        }
        return text(JSON.stringify({ answer: inputResponses.who, isExact: state === STATE }));
      }
      case 'count':
        for (const progress of [1, 2, 3]) {
          const { progressToken } = context.mcpReq['_meta'];
          await context.mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken, progress, total: 3 },
          });
        }
        return text('counted');
      case 'grow':
        extra++;
        if (changes.notify) changes.notify.toolsChanged();
        else await server.sendToolListChanged();
        return text('grown');
      default:
        throw new Error(`no tool ${name}`);
    }
  });
  return server;
}

// Characters that a careless client would trim, decode or normalise.
const STATE = ' {"a": 1}\n\u0000\u00e9e\u0301\ud83d\ude00=?base64?x?= ';

if (PORT === undefined) serveStdio(build, { legacy: LEGACY });
else {
  const handler = createMcpHandler(build, { legacy: LEGACY === 'serve' ? 'stateless' : LEGACY });
  changes.notify = handler.notify;
  const handle = toNodeHandler(handler);
  const http = createServer((request, response) => void handle(request, response));
  http.listen(Number(PORT), '127.0.0.1', () => process.stdout.write(`${http.address().port}\n`));
}
