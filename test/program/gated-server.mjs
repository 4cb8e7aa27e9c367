// A stdio server that records received methods in HEARD, answers once the file GATE exists, and never the methods in
// SILENT. After a list it pings, and records `took METHOD` at the response: the host has processed the list by then.
import { appendFileSync, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';

const { GATE, HEARD, SILENT = '', FAILING = '' } = process.env;
const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    serverInfo: { name: 'gated', version: '1.0.0' },
    capabilities: { tools: {}, prompts: {} },
  }),
  'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }),
  'prompts/list': () => ({ prompts: [{ name: 'p' }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'called' }] }),
};
const [silent, failing] = [SILENT, FAILING].map((words) => new Set(words.split(' ')));
const held = [];

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  appendFileSync(HEARD, `${message.method ?? message.id}\n`);
  if (message.method !== undefined) held.push(message);
  answer();
});
const looking = setInterval(answer, 10).unref();

function answer() {
  if (!existsSync(GATE)) return;
  clearInterval(looking);
  for (const { id, method, params } of held.splice(0)) {
    if (id === undefined || silent.has(method)) continue;
    const result = failing.has(method) ? undefined : results[method]?.(params);
    const told = result ? { result } : { error: { code: failing.has(method) ? -32603 : -32601, message: 'no' } };
    send({ id, ...told });
    if (method.endsWith('/list')) send({ id: `took ${method}`, method: 'ping' });
  }
}

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}
