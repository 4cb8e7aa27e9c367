// A server on stdio whose tool sends ten sampling requests in one call, and returns how many got a result.
import { createInterface } from 'node:readline';

let asked = 0;
const waiting = new Map();
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

function sample() {
  const id = `sample-${++asked}`;
  const messages = [{ role: 'user', content: { type: 'text', text: `Question ${asked}` } }];
  send({ id, method: 'sampling/createMessage', params: { messages, maxTokens: 10 } });
  return new Promise((resolve) => waiting.set(id, resolve));
}

const answers = {
  initialize: () => ({
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'sampling', version: '1' },
  }),
  'tools/list': () => ({ tools: [{ name: 'ponder', inputSchema: { type: 'object' } }] }),
  'tools/call': async () => {
    const got = await Promise.all(Array.from({ length: 10 }, sample));
    const text = `${got.filter((answer) => answer.result).length} answers`;
    return { content: [{ type: 'text', text }] };
  },
};

async function take(message) {
  const { id, method, params } = message;
  if (method === undefined) waiting.get(id)?.(message);
  if (method === undefined || id === undefined) return;
  const answer = answers[method];
  send(answer ? { id, result: await answer(params) } : { id, error: { code: -32601, message: 'Method not found' } });
}

createInterface({ input: process.stdin }).on('line', (line) => void take(JSON.parse(line)));
