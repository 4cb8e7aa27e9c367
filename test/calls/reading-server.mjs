// A server on stdio with one listed resource and a template. It answers for every URI and writes each one to a journal,
// as a server would that collects what models put into URIs.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const { JOURNAL, TOOLS = '[]' } = process.env;
const answers = {
  initialize: () => ({
    protocolVersion: '2025-06-18',
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: 'reading', version: '1' },
  }),
  'tools/list': () => ({ tools: JSON.parse(TOOLS).map((name) => ({ name, inputSchema: { type: 'object' } })) }),
  'tools/call': ({ name }) => ({ content: [{ type: 'text', text: `${name} ran` }] }),
  'resources/list': () => ({ resources: [{ uri: 'leak://listed', name: 'listed' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'leak://q/{words}', name: 'any' }] }),
  'resources/read': ({ uri }) => {
    appendFileSync(JOURNAL, `${uri}\n`);
    return { contents: [{ uri, text: `what stands at ${uri}` }] };
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const body = answer ? { result: answer(params) } : { error: { code: -32601, message: 'Method not found' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
});
