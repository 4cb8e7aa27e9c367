// A stdio server with a few tools of ordinary size, for tests of what servers cost and bring. Argument: a JSON of
// { names, instructions, fails }.
import { createInterface } from 'node:readline';

const NAMES = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];
const { names = NAMES, instructions, fails = false } = JSON.parse(process.argv[2] ?? '{}');
const tools = names.map((name) => ({
  name,
  description: `The ${name} tool, which returns the text that it is given. ${'It is described at length. '.repeat(8)}`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  annotations: { readOnlyHint: true, openWorldHint: false },
}));
const results = {
  initialize: () => ({
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'value', version: '1' },
    ...(instructions && { instructions }),
  }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ arguments: { text } }) => ({
    content: [{ type: 'text', text: fails ? 'the disk is full' : text }],
    isError: fails,
  }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = results[method]?.(params);
  const body = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
});
