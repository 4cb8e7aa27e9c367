// A stdio server with one tool, `take`, whose input schema is the first argument (JSON, or @file): it returns its input.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , given = '{}', about = '{}'] = process.argv;
const inputSchema = () => JSON.parse(given.startsWith('@') ? readFileSync(given.slice(1), 'utf8') : given);
if (process.env.STARTED) writeFileSync(process.env.STARTED, '');
const resources = JSON.parse(about).resources ?? [];

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (process.env.JOURNAL) appendFileSync(process.env.JOURNAL, `${method} ${JSON.stringify(params?.arguments)}\n`);
  if (id === undefined) return;
  const answer = (body) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
  const capabilities = { tools: {}, resources: {} };
  const serverInfo = { name: 'schema', version: '1' };
  if (method === 'initialize') answer({ result: { protocolVersion: '2025-06-18', capabilities, serverInfo } });
  else if (method === 'tools/list') {
    answer({ result: { tools: [{ name: 'take', inputSchema: { type: 'object', ...inputSchema() } }] } });
  } else if (method === 'resources/list') answer({ result: { resources } });
  else if (method === 'tools/call') {
    answer({ result: { content: [{ type: 'text', text: JSON.stringify(params.arguments) }] } });
  } else answer({ error: { code: -32601, message: 'Method not found' } });
});
