// A stdio server for tests of pins, without a library: it offers what a JSON file says when the server starts.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const { tools = [], prompts, instructions, die } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
if (die) process.exit(3);

const answers = {
  initialize: () => ({
    protocolVersion: '2025-06-18',
    capabilities: { tools: {}, ...(prompts && { prompts: {} }) },
    serverInfo: { name: 'pinned', version: '1' },
    instructions,
  }),
  'tools/list': () => ({ tools }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'done' }] }),
  'prompts/list': () => (prompts === 'broken' ? undefined : { prompts }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method]?.();
  const code = answers[method] ? -32603 : -32601;
  const body = result ? { result } : { error: { code, message: 'It cannot be had' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
});
