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

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = (body) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
  if (method === 'initialize') {
    const serverInfo = { name: 'value', version: '1' };
    const result = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo };
    return answer({ result: instructions ? { ...result, instructions } : result });
  }
  if (method === 'tools/list') return answer({ result: { tools } });
  if (method === 'tools/call' && fails)
    return answer({ result: { content: [{ type: 'text', text: 'the disk is full' }], isError: true } });
  if (method === 'tools/call') return answer({ result: { content: [{ type: 'text', text: params.arguments.text }] } });
  answer({ error: { code: -32601, message: 'Method not found' } });
});
