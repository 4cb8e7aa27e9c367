// A server whose one tool has the output schema and structured content that its version says: a word in the file that
// its argument names. tools/list takes 100 ms.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const version = readFileSync(process.argv[2], 'utf8').trim();
const schemaOf = (field) => ({ type: 'object', properties: { [field]: { type: 'number' } }, required: [field] });
// `plain` has neither schema nor structured content; `broken` returns content that does not match its schema.
const outputSchema = version === 'plain' ? undefined : schemaOf(version);
const structuredContent = version === 'plain' ? undefined : { [version === 'broken' ? 'else' : version]: 1 };

const answers = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    serverInfo: { name: 'upgraded', version },
    capabilities: { tools: {} },
  }),
  async 'tools/list'() {
    await new Promise((done) => setTimeout(done, 100));
    return { tools: [{ name: 'count', description: '', inputSchema: { type: 'object' }, outputSchema }] };
  },
  'tools/call': () => ({ content: [], structuredContent }),
};

async function take({ id, method }) {
  if (id === undefined) return;
  const result = await answers[method]?.();
  const answer = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
}

createInterface({ input: process.stdin }).on('line', (line) => void take(JSON.parse(line)));
