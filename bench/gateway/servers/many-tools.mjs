// A server on stdio with N tools of some 900 bytes each: `many-tools.mjs N [PREFIX]`. Legacy; ends when stdin ends.
import { createInterface } from 'node:readline';

const [count, prefix = 'tool'] = process.argv.slice(2);
const PAGE = 1_000;
const text = 'What the tool does, at some length, as generated servers say it. '.repeat(10);
const inputSchema = { type: 'object', properties: { text: { type: 'string', description: 'A text' } } };
const tools = Array.from({ length: Number(count) }, (_, index) => ({
  name: `${prefix}_${String(index).padStart(6, '0')}`,
  description: text,
  inputSchema,
}));

function answer({ method, params }) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'many', version: '1.0.0' },
      };
    case 'tools/list': {
      const start = Number(params?.cursor ?? 0);
      const isLast = start + PAGE >= tools.length;
      return { tools: tools.slice(start, start + PAGE), ...(!isLast && { nextCursor: String(start + PAGE) }) };
    }
    case 'tools/call':
      return { content: [{ type: 'text', text: params.name }] };
    default:
      return undefined;
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.id === undefined || message.method === undefined) return;
  const result = answer(message);
  const outcome = result === undefined ? { error: { code: -32_601, message: 'Method not found' } } : { result };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...outcome })}\n`);
});
