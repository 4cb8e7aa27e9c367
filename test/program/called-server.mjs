// A server with a tool for each way in which a call of the panel can go.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

let asking;
const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const text = (words, more) => ({ content: [{ type: 'text', text: words }], ...more });
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const tools = {
  add: {
    schema: {
      type: 'object',
      properties: {
        title: { type: 'string' },
        kind: { type: 'string', enum: ['bug', 'idea'] },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['title'],
    },
    call: ({ arguments: given }) => text('got ' + JSON.stringify(given), { structuredContent: given }),
  },
  pair: {
    schema: {
      type: 'object',
      properties: { from: { type: 'string' }, to: { type: 'string' } },
      dependentRequired: { from: ['to'] },
    },
    call: ({ arguments: given }) => text('sent ' + JSON.stringify(given)),
  },
  fail: { call: () => text('no such note \u001b[2J', { isError: true }) },
  slow: {
    call: ({ _meta }) => {
      send({
        method: 'notifications/progress',
        params: { progressToken: _meta.progressToken, progress: 1, total: 4, message: 'a quarter' },
      });
    },
  },
  photo: { call: () => ({ content: [{ type: 'image', mimeType: 'image/png', data: PNG }] }) },
  ask: {
    call: (_, id) => {
      asking = id;
      send({
        id: 'q',
        method: 'elicitation/create',
        params: {
          message: 'Which one?',
          requestedSchema: { type: 'object', properties: { which: { type: 'string' } } },
        },
      });
    },
  },
};
const answers = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'notes', version: '1' },
  }),
  'tools/list': () => ({
    tools: Object.entries(tools).map(([name, { schema = { type: 'object' } }]) => ({ name, inputSchema: schema })),
  }),
  'tools/call': (params, id) => tools[params.name].call(params, id),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (process.env.JOURNAL) appendFileSync(process.env.JOURNAL, `${method}\n`);
  if (id === 'q') return send({ id: asking, result: text('answered ' + JSON.stringify(result)) });
  if (id === undefined) return;
  if (!answers[method]) return send({ id, error: { code: -32601, message: 'no' } });
  const answer = answers[method](params, id);
  if (answer) send({ id, result: answer });
});
