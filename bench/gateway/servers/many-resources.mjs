// A server on stdio with N resources that can be watched, and a tool that gives its text back: `many-resources.mjs N`.
// Legacy; ends when stdin ends.
import { createInterface } from 'node:readline';

const count = Number(process.argv[2]);
const resources = Array.from({ length: count }, (_, index) => ({ uri: `many://${index}`, name: String(index) }));
const capabilities = { tools: {}, resources: { subscribe: true } };
const results = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities,
    serverInfo: { name: 'many-resources', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }),
  'tools/call': ({ arguments: { text } }) => ({ content: [{ type: 'text', text }] }),
  'resources/list': () => ({ resources }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'resources/subscribe': () => ({}),
  'resources/unsubscribe': () => ({}),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || method === undefined) return;
  const answer = results[method];
  const outcome = answer ? { result: answer(params) } : { error: { code: -32_601, message: 'Method not found' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
});
